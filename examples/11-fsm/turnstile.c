/* SPDX-License-Identifier: MIT
 *
 * turnstile.c - a finite state machine with a timeout.
 *
 *	cc examples/11-fsm/turnstile.c $(pkg-config --cflags --libs ward) -o turnstile
 *
 * A gate opens for a coin. It closes after the visitor, or when nobody comes for a while. Prints
 * what the visitor sees.
 */
#include <stdio.h>
#include <ward/fsm.h>
#include <ward/ward.h>

WARD_SIGNAL(coin);
WARD_SIGNAL(push);

/* ---- the gate ---------------------------------------------------------------------------- */

enum { LOCKED, OPEN };

struct gate {
	struct ward_fsm fsm;
	int coins;
};

static ward_result locked_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct gate *me = state;

	if (ward_match(msg, coin)) {
		me->coins++;
		return ward_fsm_go(self, &me->fsm, OPEN);
	}
	if (!ward_match(msg, push))
		return WARD_UNHANDLED;
	puts("locked: pay first");
	return WARD_DONE; /* it stays locked */
}

static ward_result open_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct gate *me = state;

	if (ward_match(msg, ward_fsm_timeout))
		puts("open: nobody came");
	else if (!ward_match(msg, push))
		return WARD_UNHANDLED;
	return ward_fsm_go(self, &me->fsm, LOCKED);
}

static ward_result enter_open(ward_self *self, void *state, uint32_t from)
{
	(void)self, (void)from;
	printf("click, after %d coins\n", ((struct gate *)state)->coins);
	return WARD_DONE;
}

static const ward_fsm_row rows[] = {
	[LOCKED] = {.name = "locked", .receive = locked_receive, .next = WARD_FSM_TO(OPEN)},
	[OPEN] = {.name = "open", .receive = open_receive, .enter = enter_open, .timeout_ms = 50},
};
static const ward_fsm_table table = {.rows = rows, .count = 2, .initial = LOCKED};

static ward_result gate_init(ward_self *self, void *state, const void *args)
{
	(void)args;
	return ward_fsm_init(self, &((struct gate *)state)->fsm, &table);
}

static ward_result gate_receive(ward_self *self, void *state, const ward_msg *msg)
{
	return ward_fsm_receive(self, &((struct gate *)state)->fsm, msg);
}

static const ward_behavior gate = {.name = "gate",
				   .state_size = sizeof(struct gate),
				   .init = gate_init,
				   .receive = gate_receive};

/* ---- a visitor, who looks at it ---------------------------------------------------------- */

struct visitor {
	ward_ref gate;
	int locked; /* the number of times it was locked */
};

static ward_result visitor_start(ward_self *self, void *state)
{
	struct visitor *me = state;

	me->gate = ward_spawn(self, &gate, .name = "gate");
	ward_tell(self, me->gate, ward_fsm_subscribe);
	ward_tell(self, me->gate, push);
	ward_tell(self, me->gate, coin);
	ward_tell(self, me->gate, push);
	ward_tell(self, me->gate, coin);
	return WARD_DONE;
}

static ward_result visitor_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct visitor *me = state;
	const struct ward_fsm_transition *moved = ward_match(msg, ward_fsm_transition);

	if (!moved)
		return WARD_UNHANDLED;
	if (moved->to == LOCKED && ++me->locked == 3) /* at first, after a push, after a timeout */
		ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior visitor = {.name = "visitor",
				      .state_size = sizeof(struct visitor),
				      .pre_start = visitor_start,
				      .receive = visitor_receive};

int main(void)
{
	return ward_main(&visitor);
}
