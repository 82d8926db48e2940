/* SPDX-License-Identifier: MIT
 *
 * scripted_machine.h - a machine of three states that obeys: each order says what its state's
 * receive does.
 *
 * All that the machine calls is noted in the journal. The hooks do what `set` says.
 */
#ifndef SCENARIO_FSM_SCRIPTED_MACHINE_H
#define SCENARIO_FSM_SCRIPTED_MACHINE_H

#include <string.h>

#include <ward/fsm.h>

#include "support/script.h"

enum { SHUT, OPEN, LOCKED, STATES };

/* What a receive does with it. */
enum what { STAY, GO, GO_TWICE, GO_AND_FAIL, GO_AND_LEAVE_UNHANDLED, UNKNOWN, FAIL };
struct order {
	enum what what;
	uint32_t to;
};
WARD_MESSAGE(order);

struct door {
	struct ward_fsm fsm;
	struct ward_fsm other; /* a second machine */
};

/* What the hooks do besides noting; set by a test. */
static struct {
	uint32_t enter_goes_on; /* from OPEN, to this; 0: it stays */
	bool leave_goes, leave_jumps;
	bool enter_fails, leave_fails;
	bool has_unhandled;
	bool has_other;
	bool forgets_start;
	const ward_fsm_table *table; /* to be started instead; NULL: the door */
} set;

static const char *const names[] = {"shut", "open", "locked"};

static inline ward_fsm *machine(ward_self *self)
{
	return &((struct door *)ward_state(self))->fsm;
}

static inline ward_result obey(ward_self *self, const struct order *order)
{
	switch (order->what) {
	case STAY:
		return WARD_DONE;
	case GO:
		return ward_fsm_go(self, machine(self), order->to);
	case GO_TWICE:
		if (ward_fsm_go(self, machine(self), LOCKED) == WARD_FAILED)
			return WARD_FAILED;
		return ward_fsm_go(self, machine(self), order->to);
	case GO_AND_FAIL:
		(void)!ward_fsm_go(self, machine(self), order->to);
		return ward_failed(self, &ward_exception, "ordered to");
	case GO_AND_LEAVE_UNHANDLED:
		(void)!ward_fsm_go(self, machine(self), order->to);
		return WARD_UNHANDLED;
	case FAIL:
		return ward_failed(self, &ward_exception, "ordered to");
	case UNKNOWN:
		break;
	}
	return WARD_UNHANDLED;
}

static inline ward_result receive_in(ward_self *self, uint32_t state, const ward_msg *msg)
{
	const struct order *order = ward_match(msg, order);
	const struct ward_fsm_timeout *timeout = ward_match(msg, ward_fsm_timeout);
	ward_assert_eq(ward_fsm_state(machine(self)), state);
	ward_assert_str(ward_fsm_state_text(machine(self)), names[state]);
	if (timeout != NULL) {
		ward_assert_eq(timeout->state, state);
		journal_note("timeout in %s", names[state]);
		return WARD_DONE;
	}
	if (order == NULL)
		return WARD_UNHANDLED;
	journal_note("%s %d", names[state], (int)order->what);
	return obey(self, order);
}

static inline ward_result shut_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	return receive_in(self, SHUT, msg);
}

static inline ward_result open_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	return receive_in(self, OPEN, msg);
}

static inline ward_result locked_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	return receive_in(self, LOCKED, msg);
}

static inline ward_result enter(ward_self *self, void *state, uint32_t from)
{
	ward_assert(state == ward_state(self));
	journal_note("enter %s from %s", ward_fsm_state_text(machine(self)), names[from]);
	if (set.enter_fails && ward_fsm_state(machine(self)) == OPEN)
		return ward_failed(self, &ward_exception, "in enter");
	if (set.enter_goes_on != 0 && ward_fsm_state(machine(self)) == OPEN)
		return ward_fsm_go(self, machine(self), set.enter_goes_on);
	return WARD_DONE;
}

static inline ward_result leave(ward_self *self, void *state, uint32_t to)
{
	ward_assert(state == ward_state(self));
	journal_note("leave %s to %s", ward_fsm_state_text(machine(self)), names[to]);
	if (set.leave_jumps)
		ward_fail(self, &ward_exception, "in leave");
	if (set.leave_fails)
		return ward_failed(self, &ward_exception, "in leave");
	return set.leave_goes ? ward_fsm_go(self, machine(self), LOCKED) : WARD_DONE;
}

static const ward_fsm_row rows[STATES] = {
	[SHUT] = {.name = "shut", .receive = shut_receive, .enter = enter, .leave = leave},
	[OPEN] = {.name = "open",
		  .receive = open_receive,
		  .enter = enter,
		  .leave = leave,
		  .timeout_ms = 100},
	[LOCKED] = {.name = "locked",
		    .receive = locked_receive,
		    .timeout_ms = 250,
		    .next = WARD_FSM_TO(SHUT) | WARD_FSM_TO(LOCKED)},
};

static inline ward_result left_over(ward_self *self, void *state, const ward_msg *msg)
{
	ward_assert(state == ward_state(self));
	if (ward_match(msg, order) == NULL)
		return WARD_UNHANDLED;
	journal_note("left over");
	return WARD_DONE;
}

static const ward_fsm_table plain = {.rows = rows, .count = STATES, .initial = SHUT};
static const ward_fsm_table catching = {
	.rows = rows, .count = STATES, .initial = SHUT, .unhandled = left_over};

static inline ward_result other_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	if (ward_match(msg, ward_fsm_timeout) == NULL)
		return WARD_UNHANDLED;
	journal_note("other: timeout");
	return WARD_DONE;
}

static const ward_fsm_row other_rows[] = {
	{.name = "idle", .receive = other_receive, .timeout_ms = 70}};
static const ward_fsm_table other = {.rows = other_rows, .count = 1};

static inline ward_result door_init(ward_self *self, void *state, const void *args)
{
	struct door *me = state;
	(void)args;
	if (set.forgets_start)
		return WARD_DONE;
	if (set.has_other && ward_fsm_init(self, &me->other, &other) == WARD_FAILED)
		return WARD_FAILED;
	if (set.table != NULL)
		return ward_fsm_init(self, &me->fsm, set.table);
	return ward_fsm_init(self, &me->fsm, set.has_unhandled ? &catching : &plain);
}

static inline ward_result door_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct door *me = state;
	ward_result result = ward_fsm_receive(self, &me->fsm, msg);
	if (result == WARD_UNHANDLED && set.has_other)
		return ward_fsm_receive(self, &me->other, msg);
	return result;
}

static const ward_behavior door = {
	.name = "door",
	.state_size = sizeof(struct door),
	.init = door_init,
	.receive = door_receive,
};

static inline ward_ref start(ward_kit **ret_kit)
{
	*ret_kit = script_start(NULL);
	ward_ref ref = ward_kit_spawn(*ret_kit, &door, .name = "door");
	ward_kit_run(*ret_kit);
	return ref;
}

static inline void say(ward_kit *kit, ward_ref to, enum what what, uint32_t state)
{
	ward_kit_tell(kit, to, order, .what = what, .to = state);
	ward_kit_run(kit);
}

static inline const ward_event *failure(ward_kit *kit)
{
	return ward_kit_event(kit, WARD_EVENT_FAILURE, "sim/user/door", 0);
}

#endif
