/* SPDX-License-Identifier: MIT
 *
 * ward/fsm.h - a finite state machine inside an actor: a table of states, transitions, timeouts.
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
 * without a timeout and without subscribers. Data that states share is in the actor's own struct,
 * next to the machine. An actor may have several machines: pass a message that one leaves unhandled
 * to the next.
 *
 * All functions with `self` may be called only inside a callback of self.
 */
#ifndef WARD_FSM_H
#define WARD_FSM_H

#include <ward/actor.h>

WARD_BEGIN

/** Size of the name of a state in a message, including the terminating 0; largest table. */
enum { WARD_FSM_NAME = 32, WARD_FSM_STATES_MAX = 64 };

/** One state. Only `name` and `receive` must be set; its index in the table is its number. */
typedef struct ward_fsm_row {
	const char *name;
	/** Handles one message in this state. */
	ward_result (*receive)(ward_self *self, void *state, const ward_msg *msg) WARD_NOEXCEPT;
	/** Time without a message after which the state gets a ward_fsm_timeout, and, if it stays,
	 *  another one after the same time. 0: never. */
	int64_t timeout_ms;
	/** Runs when the machine has come to this state: also at its start, with `from` the same
	 *  state, and at a transition to the current state. */
	ward_result (*enter)(ward_self *self, void *state, uint32_t from) WARD_NOEXCEPT;
	/** Runs when the machine is about to leave this state. It must not ask for a transition. */
	ward_result (*leave)(ward_self *self, void *state, uint32_t to) WARD_NOEXCEPT;
	/** The allowed next states: WARD_FSM_TO(OPEN) | WARD_FSM_TO(LOCKED). 0: all. */
	uint64_t next;
	uintptr_t reserved[2]; /* zero */
} ward_fsm_row;

/** The bit of a state in ward_fsm_row.next. */
#define WARD_FSM_TO(state) (UINT64_C(1) << (state))

/** The table of a machine. Constant; must outlive every actor that runs it. */
typedef struct ward_fsm_table {
	const ward_fsm_row *rows;
	uint32_t count; /* at most WARD_FSM_STATES_MAX */
	uint32_t initial;
	/** Gets messages that the receive of a state left unhandled. NULL: they stay unhandled. */
	ward_result (*unhandled)(ward_self *self, void *state, const ward_msg *msg) WARD_NOEXCEPT;
	uintptr_t reserved[2]; /* zero */
} ward_fsm_table;

/** A running machine; its fields are private to the library. Before ward_fsm_init() it must be all
 *  zero, as a new state is. It must not move in memory. */
typedef struct ward_fsm {
	const ward_fsm_table *table;
	struct ward_fsm_subscriber *subscribers;
	uint64_t timeouts; /* timeouts armed so far: the number of the last one */
	uint32_t current;
	uint32_t next;
	bool going;   /* goes to `next` when the callback returns */
	bool calling; /* a function of the table is running */
	bool leaving; /* that function is a leave */
} ward_fsm;

/** The message of a timeout: no message came for the time of the state. Only its machine sends it.
 */
struct ward_fsm_timeout {
	uint32_t state;
	uint32_t spare;
	uint64_t machine, number; /* private to the machine */
};
WARD_MESSAGE(ward_fsm_timeout);

/** Subscribes the sender to a machine: it gets a ward_fsm_transition now, with the current state,
 *  and after each transition. A subscriber that asks again gets the current state again. Of several
 *  machines of an actor, the first handles the subscription. */
WARD_SIGNAL(ward_fsm_subscribe);
/** Ends the sender's subscription. */
WARD_SIGNAL(ward_fsm_unsubscribe);

/** A transition of a machine. In the first one, `from` and `to` are the current state. */
struct ward_fsm_transition {
	ward_ref who;
	uint32_t from, to;
	char from_name[WARD_FSM_NAME], to_name[WARD_FSM_NAME]; /* cut to fit */
};
WARD_MESSAGE_FLAT(ward_fsm_transition);

/**
 * Starts a machine: enters its initial state. For init, or any later callback. Called again, it
 * starts over, without subscribers.
 *
 * Cost       O(states), to check the table; O(log timers of the system) with a timeout.
 * Errors     returns WARD_FAILED with ward_misuse if the table is invalid, or with
 *            ward_out_of_memory if there is no memory for the timeout; otherwise what the enter
 *            hook returns.
 */
WARD_API WARD_MUST_USE ward_result ward_fsm_init(ward_self *self, ward_fsm *fsm,
						 const ward_fsm_table *table);

/**
 * Passes a message to the receive of the current state; then makes the transition that it asked
 * for, if any. A state stays if it does nothing: no hook is called.
 *
 * Each message, handled or not, restarts the timeout of the state, except a ward_receive_timeout,
 * types with WARD_TYPE_NOT_INFLUENCING, and the subscription messages, which are handled here. A
 * timeout is never seen once its state was left or a message has restarted it.
 *
 * Returns WARD_UNHANDLED for the timeout of another machine, for a subscription without memory or
 * without a sender, and if neither the state nor table.unhandled has handled the message.
 *
 * Cost       O(1), and the cost of the state; with a timeout O(log timers of the system); a
 *            transition as ward_fsm_go(). A subscription and its end: O(subscribers); each
 *            subscription takes memory of the incarnation, which is reused when it ends.
 */
WARD_API WARD_MUST_USE ward_result ward_fsm_receive(ward_self *self, ward_fsm *fsm,
						    const ward_msg *msg);

/**
 * Asks for a transition: leave hook, enter hook, timeout, then the subscribers are notified.
 *
 * In a function of the table the transition happens when the function returns, unless it fails; the
 * last call counts. Elsewhere it happens at once. A transition to the current state is one like any
 * other. If the leave hook fails, and the actor is resumed, the machine is still in the old state;
 * if the enter hook fails, it is in the new one, without a timeout until the next message, and the
 * subscribers are not notified. If a function of the table was left by ward_fail(), and the actor
 * is resumed, a call elsewhere needs a ward_fsm_receive() before it.
 *
 * Cost       O(log timers of the system) with a timeout, and a message to each subscriber. In a
 *            function of the table O(1) here, and the rest when it returns.
 * Errors     returns WARD_FAILED with ward_misuse, naming both states, for a transition that `next`
 *            does not allow, for an invalid number, and in a leave hook.
 */
WARD_API WARD_MUST_USE ward_result ward_fsm_go(ward_self *self, ward_fsm *fsm, uint32_t next);

/** Returns the number of the current state; 0 before the start. Cost: O(1). */
WARD_API uint32_t ward_fsm_state(const ward_fsm *fsm);
/** Returns the name of the current state; "?" before the start. Cost: O(1). */
WARD_API const char *ward_fsm_state_text(const ward_fsm *fsm);

WARD_END
#endif
