/* SPDX-License-Identifier: MIT
 *
 * ward/fsm.h - a finite state machine inside an actor: a table of states, moves, timeouts.
 *
 *	enum { SHUT, OPEN };
 *	static const ward_fsm_row rows[] = {
 *		[SHUT] = {.name = "shut", .receive = shut_receive},
 *		[OPEN] = {.name = "open", .receive = open_receive, .timeout_ms = 5 * WARD_SECOND},
 *	};
 *	static const ward_fsm_table door = {.rows = rows, .count = 2, .initial = SHUT};
 *
 *	struct door { struct ward_fsm fsm; ... };	in the state of the actor
 *
 *	return ward_fsm_init(self, &me->fsm, &door);		in init
 *	return ward_fsm_receive(self, &me->fsm, msg);		in receive
 *	return ward_fsm_go(self, &me->fsm, OPEN);		in the receive of a state
 *
 * The machine is a value in the actor's state, so a restart begins again with the initial state,
 * without a timeout and without subscribers. Whatever a state shares with others is the actor's own
 * struct beside it. An actor may have several machines: a message that one leaves unhandled is
 * given to the next.
 *
 * All calls: only inside a callback of self.
 */
#ifndef WARD_FSM_H
#define WARD_FSM_H

#include <ward/actor.h>

WARD_BEGIN

/** Sizes: of the name of a state in a message, the 0 at the end included; of a table. */
enum { WARD_FSM_NAME = 32, WARD_FSM_STATES_MAX = 64 };

/** One state. Only name and receive must be set; the place in the table is its number. */
typedef struct ward_fsm_row {
	const char *name;
	/** Handles one message in this state. */
	ward_result (*receive)(ward_self *self, void *state, const ward_msg *msg) WARD_NOEXCEPT;
	/** When no message has come for so long that puts it off: a ward_fsm_timeout. 0: never. */
	int64_t timeout_ms;
	/** When the machine has come here; also at its start (`from` is the same then), and when it
	 *  goes to where it is. */
	ward_result (*enter)(ward_self *self, void *state, uint32_t from) WARD_NOEXCEPT;
	/** When the machine is about to leave. Must not go anywhere else. */
	ward_result (*leave)(ward_self *self, void *state, uint32_t to) WARD_NOEXCEPT;
	/** Where it may go from here: WARD_FSM_TO(OPEN) | WARD_FSM_TO(LOCKED). 0: anywhere. */
	uint64_t next;
	uintptr_t reserved[2]; /* zero */
} ward_fsm_row;

/** For ward_fsm_row.next. */
#define WARD_FSM_TO(state) (UINT64_C(1) << (state))

/** A machine: constant; must outlive every actor that runs it. */
typedef struct ward_fsm_table {
	const ward_fsm_row *rows;
	uint32_t count; /* at most WARD_FSM_STATES_MAX */
	uint32_t initial;
	/** Gets what the receive of a state left unhandled. NULL: it stays unhandled. */
	ward_result (*unhandled)(ward_self *self, void *state, const ward_msg *msg) WARD_NOEXCEPT;
	uintptr_t reserved[2]; /* zero */
} ward_fsm_table;

/** A machine that runs. Zeroed before ward_fsm_init(), as the state of an actor is; the fields are
 *  the library's. It must not move in memory. */
typedef struct ward_fsm {
	const ward_fsm_table *table;
	struct ward_fsm_subscriber *subscribers;
	uint64_t timeouts; /* armed so far: the number of the last one */
	uint32_t current;
	uint32_t next;
	bool going;   /* to `next`, when the callback returns */
	bool calling; /* a function of the table is under way */
	bool leaving; /* it is a leave */
} ward_fsm;

/** No message has come for the timeout of a state. Sent by its machine only. */
struct ward_fsm_timeout {
	uint32_t state;
	uint32_t spare;
	uint64_t machine, number; /* the machine's */
};
WARD_MESSAGE(ward_fsm_timeout);

/** Asks a machine for a ward_fsm_transition now, with the current state, and after each move. */
WARD_SIGNAL(ward_fsm_subscribe);
/** Takes that back. */
WARD_SIGNAL(ward_fsm_unsubscribe);

/** A machine has moved. The first one has the current state in both. */
struct ward_fsm_transition {
	ward_ref who;
	uint32_t from, to;
	char from_name[WARD_FSM_NAME], to_name[WARD_FSM_NAME]; /* cut to fit */
};
WARD_MESSAGE_FLAT(ward_fsm_transition);

/**
 * Starts a machine: enters its initial state. For init, or any later callback.
 *
 * Cost       O(states), to check the table; O(log timers of the system) with a timeout.
 * Errors     returns WARD_FAILED with ward_misuse when something in the table is wrong, and what
 *            the enter hook returns; with ward_out_of_memory without memory for the timeout.
 */
WARD_API WARD_MUST_USE ward_result ward_fsm_init(ward_self *self, ward_fsm *fsm,
						 const ward_fsm_table *table);

/**
 * Has the current state handle a message; then moves, if it asked for that.
 *
 * Each message that is handled here or left unhandled puts off the timeout of the state: it counts
 * from the last one. Not so a ward_receive_timeout, types with WARD_TYPE_NOT_INFLUENCING, and the
 * messages to subscribe, which are handled here. To stay is to do nothing: no hook is called. A
 * timeout that was due for a state that is left, or that a message has come before, is never seen.
 *
 * Returns WARD_UNHANDLED for the timeout of another machine, and when neither the state nor
 * table.unhandled has handled it; a subscription without memory for it is unhandled, too.
 *
 * Cost       besides what the state does O(1); with a timeout O(log timers of the system); a move
 *            as ward_fsm_go(). To subscribe, or no longer to, O(subscribers); each takes memory of
 *            the incarnation, which the next one has when it is gone.
 */
WARD_API WARD_MUST_USE ward_result ward_fsm_receive(ward_self *self, ward_fsm *fsm,
						    const ward_msg *msg);

/**
 * Asks for a move: leave hook, enter hook, timeout, then the subscribers are notified.
 *
 * In a function of the table it happens when that returns, unless it fails; the last call counts.
 * Elsewhere it happens at once. To go to the current state is a move like others.
 *
 * Cost       O(log timers of the system) with a timeout, and a message to each subscriber; in a
 *            function of the table O(1), and that when it returns.
 * Errors     returns WARD_FAILED with ward_misuse, naming both states, for a move that the row's
 *            `next` does not allow, for a number that is no state, and in a leave hook.
 */
WARD_API WARD_MUST_USE ward_result ward_fsm_go(ward_self *self, ward_fsm *fsm, uint32_t next);

/** Returns the number of the current state. Cost: O(1). */
WARD_API uint32_t ward_fsm_state(const ward_fsm *fsm);
/** Returns the name of the current state; "?" before the start. Cost: O(1). */
WARD_API const char *ward_fsm_state_text(const ward_fsm *fsm);

WARD_END
#endif
