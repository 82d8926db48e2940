/* SPDX-License-Identifier: MIT
 *
 * ward/backoff.h - a supervisor that restarts its child after a delay that grows.
 *
 *	keeper = ward_spawn(self, &ward_backoff_on_stop, .name = "keeper",
 *			    .args = WARD_ARGS(ward_backoff,
 *					      .child = {.behavior = &connection},
 *					      .min_backoff_ms = 3 * WARD_SECOND,
 *					      .max_backoff_ms = 30 * WARD_SECOND,
 *					      .random_factor = 0.2,
 *					      .default_stopping_strategy = true));
 *
 * A back-off supervisor starts its child again after a delay that doubles with each failure in a
 * row. In the example it starts the child "keeper/connection" 3, 6, 12, 24, 30, 30, ... seconds
 * after it has failed or stopped, each delay up to a fifth longer at random. It is for a child that
 * needs a resource which may be unavailable for a while, and which should not be tried again at
 * once, or by all clients at the same moment.
 *
 * There are two kinds. On stop: the child is started again after a delay whenever it has ended; a
 * restart directive restarts it at once, as with any supervisor. On failure: a restart directive
 * stops the child and starts it again after a delay; if the child ends in another way, the
 * supervisor ends, too. By default a child that fails in init or pre_start is stopped, so a child
 * that connects there needs a supervisor on stop, or a strategy of its own.
 *
 * Caution: by default a child that fails in receive is restarted, and for a supervisor on stop that
 * is not an end: without a strategy that stops the child, it is restarted at once, with no delay
 * and no limit. With default_stopping_strategy, as in the example, every exception is followed by a
 * delay.
 *
 * A message to the supervisor is meant for the child, and is forwarded; but a poison pill and a
 * kill apply to the supervisor itself, and the messages below are handled by it: a child, too, may
 * send it a ward_backoff_reset. Any other message from the child to the supervisor goes to the
 * supervisor's parent, with the supervisor as the sender; if there is no memory for that, the
 * supervisor fails. A question of the child is passed to that parent, whose answer goes directly to
 * the child. So neither side needs to know that the child is a new actor each time.
 *
 * retries_max limits the restarts in a row, not in a time: it cannot say "10 in a minute". The
 * count returns to 0 when the child has run for auto_reset_ms since its last delayed start; with
 * manual_reset instead when a ward_backoff_reset arrives; on failure also when window_ms has
 * passed. By default auto_reset_ms is as long as the first delay: so the delays grow only for a
 * child that fails again within that time. For a rate, count the failures in the actor above, and
 * stop the supervisor.
 *
 * A supervisor that has used up its restarts stops itself: the `end` in its ward_terminated is
 * WARD_END_NORMAL, and failure_class is NULL. On stop and without final_stop, NORMAL has no other
 * cause. On failure it may also mean that the child has ended by itself, or was stopped by the
 * strategy; no field tells which. Let the child report the end of its pre_start, and a failure
 * from its post_stop, where ward_stop_reason() is WARD_END_FAILED: its messages to the supervisor
 * reach the supervisor's parent before the ward_terminated.
 *
 * A delayed start is a new actor, not a restart: the message that failed and all messages that wait
 * in the child's own mailbox become dead letters. If none may be lost, send through ward_deliver()
 * (delivery.h), or use a ward_backoff_sender (backoff_sender.h) in place of this supervisor. For
 * delays without a supervisor there is ward_exponential_next() (exponential.h).
 *
 * The event of a failure that is followed by a delayed start is a warning, and says so: "->
 * starting a new one in 0.2 s, 2nd time", with a limit "2nd time of 6". The event of a stop that
 * ends the supervisor says "-> stop, and its supervisor with it"; if it gives up, a severe event
 * follows that says so. In ward_system_tree() the supervisor shows the time to the next start.
 *
 * A message that arrives while the child is down is a dead letter (WARD_REASON_DOWN), unless an
 * option below says otherwise. With a stash, messages wait, and are handed over before all newer
 * ones when the child has started, that is, when its init and pre_start have succeeded. Messages
 * that arrive in the meantime wait, too, or are treated as those for which the stash has no room.
 * If that child ends before, they wait for the next one. The supervisor detects the start by a
 * ward_identify, which the runtime answers for the child.
 *
 * A restart of the supervisor itself starts everything again: its child is stopped and started, and
 * the count of restarts is 0.
 */
#ifndef WARD_BACKOFF_H
#define WARD_BACKOFF_H

#include <ward/actor.h>
#include <ward/codec.h>
#include <ward/message.h>

WARD_BEGIN

/** A constant message: `.reply_while_stopped = {WARD_BODY(busy, .code = 3)}`. */
typedef struct ward_constant {
	const ward_type *type; /* without a drop function */
	const void *body;      /* NULL: all zeros, or no body */
	size_t size;
} ward_constant;

/** The arguments of a back-off supervisor. All fields but the first three may be zero. */
struct ward_backoff {
	/** The child to start. Its name is the same each time. NULL: the behaviour's name, with
	 *  forbidden bytes replaced by '_'. */
	ward_props child;
	int64_t min_backoff_ms; /* the first delay, more than 0 */
	/** The longest delay, without the random part; at least min_backoff_ms. */
	int64_t max_backoff_ms;
	/** 0 to 1: the largest random addition, as a fraction of the delay. */
	double random_factor;

	/** Maximum number of restarts in a row; then the supervisor stops itself (WARD_END_NORMAL),
	 *  with an event of level SEVERE, as by ward_note(). 0: the number of the strategy, which
	 *  may be no limit; WARD_RESTARTS_NONE: no restart. */
	int32_t retries_max;
	/** On failure: if no second failure follows the first one of a row within this time, the
	 *  count returns to 0. On stop: the window in which immediate restarts are counted, up to
	 *  the same maximum; the next one stops the child. 0: the window of the strategy;
	 *  WARD_FOREVER: no window. */
	int64_t window_ms;

	/** The count returns to 0 when the child has run this long since its last delayed start.
	 *  Between min_backoff_ms and max_backoff_ms; 0: min_backoff_ms. If a child can run a while
	 *  before it fails again, choose a longer time, or the delays do not grow. */
	int64_t auto_reset_ms;
	/** true: a ward_backoff_reset returns the count to 0, in place of auto_reset_ms, which must
	 *  be 0. On failure window_ms still does, too. */
	bool manual_reset;

	/** Decides about a child that fails; the default decider decides where it has no opinion or
	 *  returns WARD_LATER. Must outlive the supervisor. NULL: ward_default_strategy. Its
	 *  restarts_max and window_ms are used where the two fields above are 0; its limit must be
	 *  WARD_LIMIT_PER_CHILD. */
	const ward_strategy *strategy;
	/** true: uses ward_stopping_strategy in place of `strategy`: any exception stops the child.
	 *  Then there is no window, and window_ms is ignored. */
	bool default_stopping_strategy;

	/** The maximum number of messages that wait, in order, for a start of the child: those that
	 *  arrive while it is down, or while it starts, the first time included. Those in the
	 *  child's mailbox when it ended are not among them. With ward_deliver() each repetition
	 *  (redeliver_ms) is such a message, too. Further ones become dead letters, unless a field
	 *  below says otherwise. 0: none wait. */
	uint32_t stash_max;
	/** Messages beyond the stash: the reply that their senders get, with the supervisor as its
	 *  sender. A message of the reply's own type is not answered, and becomes a dead letter.
	 *  Caution: two such supervisors that reply to each other with different types never stop
	 *  while both children are down. */
	ward_constant reply_while_stopped;
	/** In place of a reply: the actor that gets these messages, with the original sender. */
	ward_ref handler_while_stopped;

	/** On stop only. Returns true if a message for the child is to be its last; may read only
	 *  the message. The next end of the child then ends the supervisor, too; while the child is
	 *  down, such a message ends the supervisor at once. A message for which the stash has no
	 *  room while the child starts does not count. */
	bool (*final_stop)(const ward_msg *msg) WARD_NOEXCEPT;
	/** The source of randomness. NULL: ward_random(). If it fails and the supervisor is
	 *  resumed, that delay has no random part. */
	uint64_t (*random)(ward_self *self) WARD_NOEXCEPT;
	uintptr_t reserved[4]; /* zero */
};
WARD_MESSAGE(ward_backoff);

/**
 * The behaviour of a supervisor that starts its child again after it has ended. Its arguments are a
 * ward_backoff, which also decides about failures of the child: props with a child_strategy are
 * refused.
 *
 * Ownership  the spawn copies the arguments and everything that they point to, except the strategy.
 * Cost       of the spawn: that copy. Of a message: as ward_forward(), or as its treatment while
 *            the child is down. Of a start: as ward_spawn() and ward_watch(), with a stash also as
 *            ward_ask_send(). Of a start and of an end: O(log timers of the system).
 * Errors     of the spawn: those of ward_try_spawn(); WARD_EINVAL the options contradict each
 *            other; WARD_ESIZE the reply does not match its type; WARD_EUNIQUE the child's
 *            arguments have a drop function and no clone. Later, if the child cannot be started,
 *            the supervisor fails; if its parent resumes it, the start is tried again after the
 *            same delay. If there is no memory for the timer of the delay, the start is tried at
 *            once, or, if that fails, after the next message.
 * Contract   S93-S95, S98-S103
 */
WARD_API extern const ward_behavior ward_backoff_on_stop;

/** The behaviour of a supervisor that starts its child again after it has failed; otherwise as
 *  ward_backoff_on_stop. Cost: as ward_backoff_on_stop. Contract: S93, S94, S96-S101, S103. */
WARD_API extern const ward_behavior ward_backoff_on_failure;

/* ---- messages for the supervisor itself -------------------------------------------------- */

/** Asks for the current child; the answer is a ward_current_child. Contract: S99. */
WARD_SIGNAL(ward_get_current_child);
/** The child, or nobody while it is down. A child that is still stopping is reported. */
struct ward_current_child {
	ward_ref child;
};
WARD_MESSAGE_FIELDS_FLAGS(ward_current_child, 1, WARD_TYPE_FLAT,
			  WARD_FIELD(REF, ward_current_child, child));
WARD_REPLY(ward_get_current_child, ward_current_child);

/** Asks for the number of restarts in a row; the answer is a ward_restart_count. */
WARD_SIGNAL(ward_get_restart_count);
/** The number of restarts since the first start or the last reset. */
struct ward_restart_count {
	uint32_t count;
};
WARD_MESSAGE_FIELDS_FLAGS(ward_restart_count, 1, WARD_TYPE_FLAT,
			  WARD_FIELD(UINT, ward_restart_count, count));
WARD_REPLY(ward_get_restart_count, ward_restart_count);

/** Returns the count to 0 if manual_reset is set; otherwise it is unhandled. A start that is due
 *  keeps its time. Contract: S98. */
WARD_SIGNAL_FLAGS(ward_backoff_reset, WARD_TYPE_QUIET);

/** Starts the child at once if it is down; also what the supervisor sends to itself when the start
 *  is due. With a child, even one that is still stopping, it does nothing. Contract: S94, S97. */
WARD_SIGNAL_FLAGS(ward_backoff_start, WARD_TYPE_QUIET);

WARD_END
#endif
