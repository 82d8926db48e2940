/* SPDX-License-Identifier: MIT
 *
 * ward/actor.h - behaviours, props, and what an actor may do in its callbacks.
 *
 * A behaviour is a constant table of functions and sizes. Props are a behaviour plus arguments and
 * options: what it takes to make an actor, and to make it again at a restart. Everything here that
 * takes a `ward_self *` is for the thread that runs the actor, inside one of its callbacks.
 *
 * The life of an actor: spawn; init (the factory) and pre_start; receive, one message at a time;
 * at a failure its parent decides; a restart runs pre_restart on the old state, releases what the
 * incarnation owned, then init and post_restart on a fresh state; a stop waits for the children,
 * then runs post_stop.
 */
#ifndef WARD_ACTOR_H
#define WARD_ACTOR_H

#include <ward/supervise.h>

WARD_BEGIN

/** Handles one message. */
typedef ward_result (*ward_receive)(ward_self *self, void *state,
				    const ward_msg *msg) WARD_NOEXCEPT;

/**
 * What an actor does. Constant; must outlive every actor of its kind. Only `name`, which events and
 * details show, must be set.
 *
 * `state` is state_size zeroed bytes, aligned for any type, new in each incarnation.
 */
struct ward_behavior {
	const char *name;
	size_t state_size;
	const ward_type *args; /* the type of props.args; NULL: takes none */
	/** Governs the children of this actor; NULL: ward_default_strategy. Props win over it. */
	const ward_strategy *child_strategy;
	/** What becomes of its children is its own: props with a child_strategy are refused. */
	bool own_strategy;
	/** The factory, first callback of each incarnation. `args`: the copy made at the spawn. */
	ward_result (*init)(ward_self *self, void *state, const void *args) WARD_NOEXCEPT;
	/** Handles messages, until the actor becomes something else. NULL: all are unhandled. */
	ward_receive receive;
	/** After init, once in a life; by default also after each restart. */
	ward_result (*pre_start)(ward_self *self, void *state) WARD_NOEXCEPT;
	/** At the end of an incarnation; ward_stop_reason() says why. An error in it is only
	 *  reported. */
	ward_result (*post_stop)(ward_self *self, void *state) WARD_NOEXCEPT;
	/** On the old state. `msg` is the one that failed, or NULL: a sibling's or a parent's
	 *  restart, or it was taken, forwarded or stashed. NULL here:
	 *  ward_default_pre_restart(). */
	ward_result (*pre_restart)(ward_self *self, void *state, const ward_failure *why,
				   const ward_msg *msg) WARD_NOEXCEPT;
	/** On the new state, after init. NULL here: ward_default_post_restart(). */
	ward_result (*post_restart)(ward_self *self, void *state,
				    const ward_failure *why) WARD_NOEXCEPT;
	uintptr_t reserved[6]; /* zero */
};

/** What a full mailbox does with one more message. Each drop is counted and an event. */
typedef enum ward_overflow {
	WARD_OVERFLOW_REFUSE = 0, /* try_ forms answer WARD_EFULL; a tell becomes a dead letter */
	WARD_OVERFLOW_DROP_NEWEST =
		1, /* the arriving one is dropped, and try_ forms answer WARD_OK */
	/** The longest waiting one is dropped: of those that matter least, where there are
	 *  priorities or control messages; and that may be the arriving one. */
	WARD_OVERFLOW_DROP_OLDEST = 2,
	/** The message is taken nevertheless, and the actor that sent it is held back after its
	 *  callback, until half of the maximum is left. Threads outside and events are refused. */
	WARD_OVERFLOW_HOLD_SENDER = 3
} ward_overflow;

/**
 * A mailbox. Zero: without a maximum, in order of arrival, not counted.
 *
 * Never ranked, counted, refused nor dropped are ward_terminated and what was asked for with
 * ward_watch_with(), ticks of timers, ward_receive_timeout, ward_fd_ready, ward_identify, answers
 * to ward_ask(), tasks of a shutdown, poison pill and kill: "auto-received" below; nor is what
 * was un-stashed.
 *
 * While an actor is held (WARD_OVERFLOW_HOLD_SENDER) it handles no messages, auto-received ones
 * included; it can be stopped, restarted, and it decides about its children. It goes on when each
 * mailbox that holds it has drained to half, or its owner is gone. So there are at most
 * messages_max in a mailbox, and what each sender has sent in one callback. An actor is never held
 * for its own mailbox, nor where actors would be held in a circle: then the last of them is not,
 * and a WARD_EVENT_NOTE names them, one in a minute at most; nor while it owes a decision about a
 * child (WARD_LATER); nor when there is no memory to note that it is; nor for what comes by other
 * actors, of a selection or of a question with answer_to. In these cases a mailbox may grow
 * longer.
 *
 * Order      control messages if control_first; then by priority; equal ones as they arrived.
 *            Auto-received ones stand where one of priority 0 would. Without a priority: as they
 *            arrived.
 * Cost       in order of arrival O(1). With priorities O(log n), memory for those that are not 0,
 *            and O(n) for a drop by WARD_OVERFLOW_DROP_OLDEST; without them that passes the
 *            auto-received ones that wait in front. To hold a sender: a look at who waits for
 *            whom, under a lock of the system. Anything but zero: a lock for each message.
 * Errors     with priorities a try_ form answers WARD_ENOMEM when there is no memory for the place
 *            of the message; a tell becomes a dead letter.
 */
typedef struct ward_mailbox {
	uint32_t messages_max;  /* 0: no maximum */
	ward_overflow overflow; /* needs a maximum */
	/** Says how urgent a message is: lower runs first. It runs on the sender's thread, at the
	 *  send; it may look at the message and at nothing else, and returns the same for equal
	 *  messages. NULL: all are equal. */
	int32_t (*priority)(const ward_msg *msg) WARD_NOEXCEPT;
	bool control_first;    /* types with WARD_TYPE_CONTROL overtake all others */
	bool counted;          /* for ward_mailbox_count(), also without a maximum */
	uintptr_t reserved[2]; /* zero */
} ward_mailbox;

/**
 * For props.dispatcher: a pool of threads for actors that wait.
 *
 * A callback that waits (for a disk, a database, a lock) holds the worker that runs it. The other
 * workers take over what is queued behind it, but when all of them wait, nothing else runs: no
 * actor, no timer, no socket. So an actor that may wait belongs here, or on a thread of its own.
 */
#define WARD_BLOCKING "ward.blocking"
/** For props.dispatcher: a thread of the actor's own. */
#define WARD_PINNED "ward.pinned"

/** All that it takes to make an actor. Zero is the default; only `behavior` must be set. */
struct ward_props {
	const ward_behavior *behavior;
	/** NULL: generated, of the behaviour's name and a number: "worker$1", '_' for each byte
	 *  that no name has. Letters, digits, -_.$+:@&=,!~'; and %HH for any other byte; not $ in
	 *  front, not $ and a number at the end, not "." and not ".."; at most 1024 bytes. */
	const char *name;
	/** WARD_ARGS(T, ...), of the type that the behaviour takes. Copied at the spawn: the bytes,
	 *  or by that type's clone. */
	ward_body args;
	ward_mailbox mailbox;
	const char
		*dispatcher; /* NULL: the workers; WARD_BLOCKING, WARD_PINNED, or a pool's name */
	const ward_strategy *child_strategy; /* wins over the behaviour's */
	size_t memory_max;                   /* bytes an incarnation may ward_alloc; 0: no limit */
	uint32_t stash_max;                  /* messages it may ward_stash; 0: no limit */
	uintptr_t reserved[3];               /* zero */
};

/** Props in place: ward_system_spawn(system, WARD_PROPS(&worker, .name = "one"), &ref). */
#define WARD_PROPS(...) (&(ward_props){.behavior = __VA_ARGS__})

/**
 * Starts a child. Its init and pre_start run later, on their own, before its first message; their
 * failure is a failure of the child.
 *
 * A name is free again as soon as anybody can be told that the child of that name is gone: for who
 * got its ward_terminated, awaited it, or found it dead, though self has not been told yet.
 *
 * Ownership  borrows props for the call; the behaviour and strategies as long as the child lives,
 *            and that of a child without a name until its parent has been told of its end.
 *            *ret_child (NULL: not wanted) is written on success only.
 * Cost       O(1), plus a copy of name and arguments.
 * Errors     WARD_EINVAL, WARD_ENAME, WARD_EEXIST (a child of that name is there, or stops still),
 *            WARD_ENOENT (no such dispatcher), WARD_ESIZE, WARD_EUNIQUE, WARD_ESTOPPING (self is
 *            stopping), WARD_ELIMIT (options.actors_max are there; one that is gone is counted
 *            until its parent has been told, however its end was heard of), WARD_ENOMEM,
 *            WARD_ESYS (the system refuses a thread: each of WARD_PINNED needs one, and the first
 *            of WARD_BLOCKING, or of a pool, too); and what the clone of the arguments answers. The
 *            detail says why.
 * Contract   S4, S52, S54-S56
 */
WARD_API WARD_MUST_USE ward_err ward_try_spawn(ward_self *self, const ward_props *props,
					       ward_ref *ret_child);
/** The same, where a refusal is a failure: see ward_failed_err(). Returns the child, or nobody. The
 *  plain form of ward_spawn(). Cost: the same. */
static inline ward_ref ward_spawn_props(ward_self *self, const ward_props *props)
{
	ward_ref child = {0, 0, 0};

	(void)ward_noted_(self, ward_try_spawn(self, props, &child));
	return child;
}

/**
 * Asks an actor to stop after its current message: a child, self, or any other. Idempotent.
 *
 * Cost       O(1), allocates nothing; the end itself O(children), each of which ends likewise, and
 *            O(what the actor has: timers, questions, watches, watchers, mail).
 * Contract   S45, S49, S50
 */
WARD_API void ward_stop(ward_self *self, ward_ref who);

/** Stops the running actor after its current message, and returns WARD_DONE, as do ward_reply(),
 *  ward_answer() and ward_forward(): for `return ward_stop_self(self)`. Cost: as ward_stop().
 *  Contract: S49. */
WARD_API ward_result ward_stop_self(ward_self *self);

/**
 * Says why the running actor ends, in post_stop and in pre_restart: NORMAL, STOPPED, FAILED,
 * KILLED or EXITED as in the ward_terminated that follows, or RESTARTED where a new incarnation
 * follows. UNKNOWN in any other callback.
 *
 *	if (ward_stop_reason(self, NULL) == WARD_END_NORMAL)
 *		remove(me->journal);
 *
 * *ret_failure (NULL: not wanted) is what it failed with: of FAILED and KILLED; of RESTARTED what
 * the restart answers, which may be a failure of a sibling or of the parent. Else NULL; so it is
 * where an exit signal says KILLED.
 *
 * Ownership  *ret_failure is borrowed for the callback.
 * Cost       O(1).
 * Contract   S46
 */
WARD_API ward_end ward_stop_reason(const ward_self *self, const ward_failure **ret_failure);

/**
 * Returns how many messages wait for an actor, auto-received ones and the one it handles not
 * counted; -1: its mailbox is not counted, or it is gone.
 *
 * Counted is a mailbox with a maximum, a priority, control_first or `counted`. By the time it is
 * known it may be another: it is for choosing among several, not for waiting.
 *
 * Cost       O(1), takes the lock of that mailbox.
 */
WARD_API int64_t ward_mailbox_count(const ward_self *self, ward_ref who);

/* ---- who is who -------------------------------------------------------------------------- */

/** Returns the ref of the running actor, whose name is at the end of its path: see
 *  ward_system_path(). Cost: O(1). Contract: S44, the same in all incarnations. */
WARD_API ward_ref ward_self_ref(const ward_self *self);
/** Returns the supervisor of the running actor. Cost: O(1). */
WARD_API ward_ref ward_parent(const ward_self *self);
/** Returns a child by name, or nobody. Cost: O(1) for a given name; for a generated one O(log
 *  children), and a look at each child that has come since the last one was looked for. */
WARD_API ward_ref ward_child(const ward_self *self, const char *name);
/**
 * Writes up to `max` refs of children, in order of creation; returns how many there are.
 *
 * It is not in step with ward_terminated: a child leaves the count at its end, which may be earlier
 * or later than self handles the notice. The count can be 0 while several notices wait, and more
 * than 0 in the last. To do something once, when the last child is gone, keep a count in the state:
 * one up for each child that is spawned and watched, one down for each ward_terminated.
 *
 * Cost       O(max), so a count alone is O(1).
 */
WARD_API size_t ward_children(const ward_self *self, ward_ref *refs, size_t max);
/** Returns the system of the running actor. Cost: O(1). */
WARD_API ward_system *ward_self_system(const ward_self *self);
/** Returns the state of this incarnation; for deciders, which do not get it. Cost: O(1). */
WARD_API void *ward_state(ward_self *self);
/** Returns the arguments kept since the spawn, or NULL. Cost: O(1). */
WARD_API const void *ward_args(const ward_self *self);
/** Returns the number of this incarnation: 1 at the start, one more after each restart. Cost: O(1).
 */
WARD_API uint32_t ward_incarnation(const ward_self *self);
/** Returns the monotonic time of the system, in nanoseconds; virtual in a simulation. Cost: O(1), a
 *  look at the clock. */
WARD_API int64_t ward_now_ns(const ward_self *self);
/** Returns 64 random bits, from a generator that each thread of the system has for itself, seeded
 *  by options.seed. Cost: O(1), no lock. */
WARD_API uint64_t ward_random(ward_self *self) WARD_NOEXCEPT;

/* ---- what it shows of itself ------------------------------------------------------------- */

/** Room for a status in ward_actor_info, the 0 at its end included; it is cut to fit. */
enum { WARD_STATUS_TEXT = 96 };

/**
 * Shows a short text beside the actor in ward_system_tree() and ward_actor_info.status; replaces
 * the one before. It goes with the incarnation.
 *
 *	ward_status_set(self, "connected to %s", me->host);
 *
 * The text is printf's, and is shown as a line (ward_text_line()). For what is worth a look from
 * outside, and changes seldom: nobody reads it but who looks at the tree.
 *
 * Cost       O(length of the text), takes a lock of the system. The first one of an incarnation
 *            takes memory.
 * Errors     none: no actor fails for what only a viewer sees. Without memory none is shown; a text
 *            of NULL is ward_status_clear().
 */
WARD_API WARD_PRINTF(2, 3) void ward_status_set(ward_self *self, const char *text, ...);

/**
 * The same, counting down without a timer: "{}" in the text stands for what is left of `left_ms`,
 * at the moment when somebody looks.
 *
 *	ward_status_countdown(self, 3200, "restarting in {} (%dth time)", 4);
 *
 * reads "restarting in 3.2 s (4th time)" at first, and "restarting in 0.0 s (4th time)" in the end,
 * until it is replaced or cleared. Less than a minute is told in tenths of a second, less than an
 * hour in minutes and seconds, more in hours and minutes; always rounded up.
 *
 * Cost       as ward_status_set(), and a look at the clock.
 * Errors     as ward_status_set().
 */
WARD_API WARD_PRINTF(3, 4) void ward_status_countdown(ward_self *self, int64_t left_ms,
						      const char *text, ...);

/** Clears it. Cost: O(1), takes a lock of the system if something is shown. */
WARD_API void ward_status_clear(ward_self *self);

/* ---- the default hooks, for a hook of one's own to call ---------------------------------- */

/**
 * Un-stashes, unwatches, unlinks and stops all children, then runs post_stop.
 *
 * Cost       O(children), and that of post_stop. For each child also the lock of ward_link(), once
 *            there was a link in the system; and a look at each message that was stashed, while
 *            one of them tells of an end.
 * Contract   S32, S86
 */
WARD_API WARD_MUST_USE ward_result ward_default_pre_restart(ward_self *self);
/** Runs pre_start. Cost: that of pre_start. Contract: S32. */
WARD_API WARD_MUST_USE ward_result ward_default_post_restart(ward_self *self);

WARD_END

#ifndef __cplusplus
/** ward_spawn(self, &worker, .name = "one", .args = WARD_ARGS(work, 3)): starts a child, and
 *  returns it; what refuses it fails self. See ward_try_spawn(). Cost: the same. */
#define ward_spawn(self, ...) ward_spawn_props((self), WARD_PROPS(__VA_ARGS__))
#endif
#endif
