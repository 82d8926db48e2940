/* SPDX-License-Identifier: MIT
 *
 * from_erlang.h - what the page for those who come from Erlang leaves out.
 */
#include <ward/otp.h>
#include <ward/ward.h>

extern const ward_behavior store, till, worker;

struct client {
	ward_ref server;
};
struct look_up {
	int key;
};
WARD_MESSAGE_FLAT(look_up);
struct entry {
	int value;
};
WARD_MESSAGE_FLAT(entry);
struct user {
	int key, value;
};
WARD_SIGNAL(say);
WARD_SIGNAL(busy);
WARD_SIGNAL(opened);

ward_result line_open(ward_self *self, void *state, const ward_msg *msg);
