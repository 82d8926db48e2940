/* SPDX-License-Identifier: MIT
 *
 * ward/backoff.h - a supervisor that starts its child again only after a delay, which grows.
 *
 *	keeper = ward_spawn(self, &ward_backoff_on_stop, .name = "keeper",
 *			    .args = WARD_ARGS(ward_backoff,
 *					      .child = {.behavior = &connection},
 *					      .min_backoff_ms = 3 * WARD_SECOND,
 *					      .max_backoff_ms = 30 * WARD_SECOND,
 *					      .random_factor = 0.2));
 *
 * starts "keeper/connection" again 3, 6, 12, 24, 30, 30, ... seconds after it has stopped, each of
 * these up to a fifth longer: for what needs something that is not there for a while, and that had
 * better not be tried at once, nor by everybody in the same moment.
 *
 * Two kinds. On stop: whatever ended the child, it is started again later; a directive to restart
 * is a restart at once, as with any supervisor. On failure: the directive to restart means to stop
 * the child, and to start it later; a child that ends otherwise ends the supervisor with it. By
 * default a child that fails in init or pre_start is stopped: so what connects there is for a
 * supervisor on stop, or for a strategy of its own.
 *
 * A message to the supervisor is meant for the child, and is forwarded. What the child sends to
 * it goes to the supervisor's own parent, in the supervisor's name; where there is no memory for
 * that, the supervisor fails. What the child asks of it is asked of that parent, whose answer goes
 * straight to the child. So neither side minds that the child is another actor each time. Not
 * forwarded are a poison pill and a kill, which mean the supervisor itself, and the messages below.
 * The event of a failure that a delayed start follows is a warning, and says so: "-> restarting
 * in 0.2 s, 2nd time"; that of a stop which ends the supervisor says "-> stop, and its supervisor
 * with it". In the tree the supervisor shows how long it is until the next start.
 *
 * What comes while the child is down is a dead letter, with its sender (WARD_REASON_DOWN), unless
 * the options say more. With a stash what waits is handed over, before all that is newer, when the
 * child has started: when its init and pre_start went well. Until then what comes waits, too, or
 * goes the way of what is left over; and if that child ends instead, it waits for the next one. It
 * learns that by a ward_identify, which the child answers by itself.
 *
 * When the supervisor itself is restarted it begins anew: its child is stopped and started, and no
 * restart is counted.
 */
#ifndef WARD_BACKOFF_H
#define WARD_BACKOFF_H

#include <ward/actor.h>
#include <ward/message.h>

WARD_BEGIN

/** A message that is always the same: `.reply_while_stopped = {WARD_BODY(busy, .code = 3)}`. */
typedef struct ward_constant {
	const ward_type *type; /* without a drop */
	const void *body;      /* NULL: all zero, or none */
	size_t size;
} ward_constant;

/** What a back-off supervisor is to do. All but the first three may be zero. */
struct ward_backoff {
	/** What it starts, again and again; its name is that of each child. NULL: that of its
	 *  behaviour, '_' for each byte that no name has. */
	ward_props child;
	int64_t min_backoff_ms; /* the first delay, above 0 */
	int64_t max_backoff_ms; /* none is longer, but for the random part; the minimum at least */
	double random_factor;   /* 0 to 1: so much of a delay is added at random, at most */

	/** The number of restarts in a row after which the supervisor stops; a SEVERE event says
	 *  so, as by ward_note(). 0: as the strategy has it, and no
	 *  limit if there is none; WARD_RESTARTS_NONE: none. */
	int32_t retries_max;
	/** On failure: so long after the first failure of a row the count goes back to 0, if there
	 *  was no other. On stop: the window in which restarts at once are counted, to the same
	 *  maximum; the child is stopped at the next one. 0: as the strategy has it, or
	 *  WARD_FOREVER: none. */
	int64_t window_ms;

	/** The count goes back to 0 when the child has run for so long since its last delayed
	 *  start. From min_backoff_ms to max_backoff_ms; 0: min_backoff_ms. */
	int64_t auto_reset_ms;
	bool manual_reset; /* only a ward_backoff_reset does that: the child says when */

	/** What becomes of a child that fails; where it has no opinion, or answers WARD_LATER, the
	 *  default decider is asked. Must outlive the supervisor. NULL: ward_default_strategy. Its
	 *  numbers count where the two above are 0; its limit is WARD_LIMIT_PER_CHILD. */
	const ward_strategy *strategy;
	/** ward_stopping_strategy in place of `strategy`: any exception stops the child. There is
	 *  no window then. */
	bool default_stopping_strategy;

	/* What becomes of messages while the child is down; what is left over is a dead letter. */
	uint32_t stash_max; /* messages that wait, in order, for the next child that starts */
	/** For the others: this goes to the sender, in the supervisor's name; but a message of that
	 *  type itself goes on as if there were no reply. Mind two that answer each other with
	 *  different types: while both are down there is no end of it. */
	ward_constant reply_while_stopped;
	/** or the message goes there, with its sender. */
	ward_ref handler_while_stopped;

	/** On stop. Looks at each message for the child, and at nothing else. True: the child is to
	 *  end with it. So its next end ends the supervisor, too; and the message ends it at once
	 *  while the child is down. One for which there is no room in the stash while the child
	 *  starts is none. */
	bool (*final_stop)(const ward_msg *msg) WARD_NOEXCEPT;
	/** NULL: ward_random(). If it fails and the supervisor is resumed, that delay has no random
	 *  part. */
	uint64_t (*random)(ward_self *self) WARD_NOEXCEPT;
	uintptr_t reserved[4]; /* zero */
};
WARD_MESSAGE(ward_backoff);

/**
 * The behaviour of a supervisor that starts its child again after it has ended. Its arguments are a
 * ward_backoff. It decides by itself about its child, as the arguments say: props with a
 * child_strategy are refused.
 *
 * Ownership  the spawn copies the arguments and all that they point to, but the strategy.
 * Cost       of the spawn that copy. Of a message as ward_forward(), or as what becomes of
 *            it while the child is down. Of a start as ward_spawn() and ward_watch(), with a stash
 *            also as ward_ask_send(). Of both a start and an end O(log timers of the system).
 * Errors     of that spawn, besides those of ward_spawn(): WARD_EINVAL for options that do not fit
 *            together, WARD_ESIZE for a reply that does not fit its type, WARD_EUNIQUE if the
 *            child's arguments own things and have no clone. A child that cannot be started later
 *            is a failure of the supervisor; where its parent resumes it, that start is tried
 *            again after the same delay. Without memory for the timer of that delay it is tried
 *            at once, and with none at all after the next message.
 * Contract   S93-S95, S98-S103
 */
WARD_API extern const ward_behavior ward_backoff_on_stop;

/** The same for one that starts its child again after it has failed. Cost: as
 *  ward_backoff_on_stop(). Contract: S93, S94, S96-S101, S103. */
WARD_API extern const ward_behavior ward_backoff_on_failure;

/* ---- messages for the supervisor itself -------------------------------------------------- */

/** Asks for the child; the answer is ward_current_child. Contract: S99. */
WARD_SIGNAL(ward_get_current_child);
/** The child, or nobody while it is down. One that is on its way out is still told. */
struct ward_current_child {
	ward_ref child;
};
WARD_MESSAGE_FLAT(ward_current_child);
WARD_REPLY(ward_get_current_child, ward_current_child);

/** Asks how many restarts there were in this row; the answer is ward_restart_count. */
WARD_SIGNAL(ward_get_restart_count);
/** So many, since the first start or the last reset. */
struct ward_restart_count {
	uint32_t count;
};
WARD_MESSAGE_FLAT(ward_restart_count);
WARD_REPLY(ward_get_restart_count, ward_restart_count);

/** Sets the count back to 0, where manual_reset says that this is how; else it is unhandled. A
 *  start that is due stays where it is. Contract: S98. */
WARD_SIGNAL_FLAGS(ward_backoff_reset, WARD_TYPE_QUIET);

/** Starts the child now, if it is down, and not when that is due; also what the supervisor sends to
 *  itself when it is. With a child, even one on its way out, it does nothing. Contract: S94, S97.
 */
WARD_SIGNAL_FLAGS(ward_backoff_start, WARD_TYPE_QUIET);

WARD_END
#endif
