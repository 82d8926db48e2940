/* SPDX-License-Identifier: MIT
 *
 * chapter_18.h - what chapter 18 leaves out: a shed with a press.
 */
#include <ward/bridge.h>
#include <ward/ward.h>

extern const ward_failure_class jam;

struct shed {
	ward_bridge *bridge;
};
ward_result shed_init(ward_self *self, void *state, const void *args, ward_bridge *bridge);
ward_result shed_terminate(ward_self *self, void *state, const ward_exit_reason *why, bool dead);
ward_result shed_receive(ward_self *self, void *state, const ward_msg *msg);

static struct office {
	ward_ref printer;
} * me;
