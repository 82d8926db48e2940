/* SPDX-License-Identifier: MIT
 *
 * from_akka.h - what the page for those who come from Akka leaves out: a telephone line.
 */
#include <inttypes.h>

#include <ward/testkit.h>
#include <ward/ward.h>

WARD_SIGNAL(begin);
WARD_SIGNAL(say);
WARD_SIGNAL(opened);

void dial(ward_self *self);
ward_result line_open(ward_self *self, void *state, const ward_msg *msg);
