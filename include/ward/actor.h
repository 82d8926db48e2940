/* SPDX-License-Identifier: MIT
 *
 * ward/actor.h - behaviours, props, and the calls that an actor makes in its callbacks.
 *
 * A behaviour is a constant table of functions and sizes. Props are a behaviour plus arguments and
 * options: everything that is needed to start an actor, and to create it again at a restart. Each
 * function here that takes a `ward_self *` may be called only inside a callback of that actor, on
 * the thread that runs the callback.
 *
 * The life of an actor:
 *
 *	spawn		init, then pre_start
 *	each message	receive
 *	failure		the parent decides
 *	restart		pre_restart on the old state; everything that the incarnation owned is
 *			released; then init and post_restart on a new, zeroed state
 *	stop		the children stop first, then post_stop
 */
#ifndef WARD_ACTOR_H
#define WARD_ACTOR_H

#include <ward/dispatcher.h>
#include <ward/supervise.h>

WARD_BEGIN

/** Handles one message. Returns WARD_DONE, WARD_UNHANDLED, or the value of ward_failed(). */
typedef ward_result (*ward_receive)(ward_self *self, void *state,
				    const ward_msg *msg) WARD_NOEXCEPT;

/**
 * The behaviour of a kind of actor. Constant; must outlive all actors of its kind. Only `name`,
 * which appears in events and error details, must be set.
 *
 * `state` in the callbacks is state_size bytes, zeroed for each new incarnation and aligned for any
 * type.
 */
struct ward_behavior {
	const char *name;
	/** As in `.state_size = sizeof(struct clerk)`. 0: `state` is NULL, so if the size is
	 *  forgotten, the first use of the state ends the process by SIGSEGV, without a word. */
	size_t state_size;
	/** The type of props.args, as in `.args = &ward_type_work` for WARD_ARGS(work, 3). NULL:
	 *  the actor takes no arguments. */
	const ward_type *args;
	/** Supervises the children of this actor. NULL: ward_default_strategy. A strategy in the
	 *  props takes precedence. */
	const ward_strategy *child_strategy;
	/** true: the behaviour insists on its own strategy; props with a child_strategy are
	 *  refused. */
	bool own_strategy;
	/** Fills the state: the first callback of each incarnation. `args` is the copy made at the
	 *  spawn. */
	ward_result (*init)(ward_self *self, void *state, const void *args) WARD_NOEXCEPT;
	/** Handles messages until ward_become() replaces it. NULL: every message is unhandled. */
	ward_receive receive;
	/** Runs after init at the first start; at a restart post_restart runs instead, which by
	 *  default calls it. */
	ward_result (*pre_start)(ward_self *self, void *state) WARD_NOEXCEPT;
	/** Runs at the end of an actor, and by default before each restart; ward_stop_reason() says
	 *  why. A failure in it is only reported (WARD_EVENT_HOOK_FAILURE). */
	ward_result (*post_stop)(ward_self *self, void *state) WARD_NOEXCEPT;
	/** Runs on the old state before a restart. `msg` is the message that failed. It is NULL if
	 *  the restart follows the failure of a sibling or of the parent, or if the message was
	 *  taken, forwarded or stashed. A failure in it is only reported, and the restart goes on.
	 *  NULL here: ward_default_pre_restart(). */
	ward_result (*pre_restart)(ward_self *self, void *state, const ward_failure *why,
				   const ward_msg *msg) WARD_NOEXCEPT;
	/** Runs on the new state, after init. NULL here: ward_default_post_restart(). */
	ward_result (*post_restart)(ward_self *self, void *state,
				    const ward_failure *why) WARD_NOEXCEPT;
	uintptr_t reserved[6]; /* zero */
};

/** What a full mailbox does with the next message. A message that is dropped or refused counts in
 *  ward_actor_info.dropped. It is a dead letter (WARD_REASON_FULL), unless a try_ function reported
 *  the refusal. */
typedef enum ward_overflow {
	/** A try_ function returns WARD_EFULL; a tell becomes a dead letter. */
	WARD_OVERFLOW_REFUSE = 0,
	WARD_OVERFLOW_DROP_NEWEST =
		1, /* the new message is dropped; try_ functions return WARD_OK */
	/** The message that has waited longest is dropped. With priorities or control messages it
	 *  is the oldest of the least urgent ones, which may be the new message itself. */
	WARD_OVERFLOW_DROP_OLDEST = 2,
	/** The message is accepted. The actor that sent it is held back at the end of its callback
	 *  until the mailbox has drained to half its maximum. A message from a thread outside is
	 *  refused, and so is a ward_event (event.h). */
	WARD_OVERFLOW_HOLD_SENDER = 3
} ward_overflow;

/**
 * The mailbox of an actor. All zero: unbounded, in order of arrival, not counted.
 *
 * Some messages are never counted, refused or dropped, and the priority function is not called for
 * them. These are the auto-received ones (ward_terminated and the messages of ward_watch_with(),
 * ticks of timers, ward_receive_timeout, ward_fd_ready, ward_children_few, ward_identify, answers
 * to ward_ask(), tasks of a shutdown, poison pill and kill) and those that were un-stashed.
 *
 * An actor that is held (WARD_OVERFLOW_HOLD_SENDER) handles no messages, not even auto-received
 * ones. It can still be stopped and restarted, and it decides about its children. It continues when
 * each mailbox that holds it has drained to half, or the owner of that mailbox is gone. So a
 * mailbox contains at most messages_max messages plus those that each sender sent in one callback.
 *
 * An actor is not held, and the mailbox may grow longer, in these cases: the mailbox is its own, or
 * actors would wait for each other in a circle (the last of them is not held; a WARD_EVENT_NOTE
 * reports either case, at most once a minute); it owes a decision about a child (WARD_LATER);
 * there is no memory to record that it is held; the message is not sent in a callback of the
 * sender, as with a selection that other actors pass on, or the answer to a question with
 * answer_to.
 *
 * Order      control messages first if control_first is set; then by priority; messages of equal
 *            rank in order of arrival. Auto-received messages rank as priority 0. Without a
 *            priority function: order of arrival.
 * Cost       all zero: O(1), no lock; otherwise a lock for each message. With priorities O(log n),
 *            and memory for each message whose priority is not 0. WARD_OVERFLOW_DROP_OLDEST: O(n)
 *            for a drop with priorities; without them it steps over the auto-received messages in
 *            front. To hold a sender: a search for circles, under a lock of the system.
 * Errors     with priorities, a try_ function returns WARD_ENOMEM if there is no memory to queue
 *            the message; a tell becomes a dead letter.
 */
typedef struct ward_mailbox {
	uint32_t messages_max;  /* 0: no maximum */
	ward_overflow overflow; /* needs a maximum */
	/** Returns the priority of a message: lower values are handled first. Runs on the sender's
	 *  thread, during the send. It may read only the message, and must return the same value
	 *  for equal messages. NULL: all are equal. */
	int32_t (*priority)(const ward_msg *msg) WARD_NOEXCEPT;
	bool control_first;    /* types with WARD_TYPE_CONTROL overtake all others */
	bool counted;          /* enables ward_mailbox_count() without a maximum, too */
	uintptr_t reserved[2]; /* zero */
} ward_mailbox;

/** Everything needed to start an actor. Zero is the default; only `behavior` must be set. */
struct ward_props {
	const ward_behavior *behavior;
	/** Unique among the siblings. Letters, digits, -_.$+:@&=,!~'; and %HH for any other byte;
	 *  at most 1024 bytes; not "." or "..", no $ at the front, no $ and number at the end.
	 *  NULL: generated from the behaviour's name and a number, such as "worker$1", with '_'
	 *  for each byte that a name may not contain. */
	const char *name;
	/** WARD_ARGS(T, ...), of the type that the behaviour takes. Copied at the spawn, as bytes
	 *  or by the clone function of the type: what they own remains the caller's. See also
	 *  args_given. */
	ward_body args;
	ward_mailbox mailbox;
	const char
		*dispatcher; /* NULL: the workers; or WARD_BLOCKING, WARD_PINNED, a pool's name */
	const ward_strategy *child_strategy; /* takes precedence over the behaviour's */
	/** Bytes that an incarnation may allocate with ward_alloc(), ward_try_alloc() and
	 *  ward_strdup(); 0: no limit. */
	size_t memory_max;
	uint32_t stash_max; /* messages that may be stashed at a time; 0: no limit */
	/** The actor takes what `args` own, in place of a copy: the bytes are moved, no clone is
	 *  called, and a type without one is allowed. For one spawn: props that are kept as a
	 *  template, as those of a pool, a back-off or a table, refuse it (S125). */
	bool args_given;
	uintptr_t reserved[3]; /* zero */
};

/** Props in place: `ward_system_spawn(system, WARD_PROPS(&worker, .name = "one"), &ref)`. */
#define WARD_PROPS(...) (&(ward_props){.behavior = __VA_ARGS__})

/**
 * Starts a child of the running actor. The call returns before the child runs: init and pre_start
 * run later, before the child's first message, and their failure is a failure of the child.
 *
 * A name is free again as soon as anybody can know that the child of that name is gone: from its
 * ward_terminated, by waiting for its end, or by finding it dead. That can be before self is
 * notified.
 *
 * Ownership  borrows props for the call, and the behaviour and the strategies as long as the child
 *            lives; the behaviour of a child without a name until its parent has been notified of
 *            its end. With args_given takes what the arguments own, on WARD_OK only. *ret_child is
 *            written on success only; NULL: not wanted.
 * Cost       O(1), plus a copy of the name and the arguments.
 * Errors     WARD_EINVAL; WARD_ENAME; WARD_EEXIST a child of that name exists, or is still
 *            stopping; WARD_ENOENT no such dispatcher; WARD_ESIZE; WARD_EUNIQUE; WARD_ESTOPPING
 *            self is stopping; WARD_ELIMIT there are options.actors_max actors (an actor counts
 *            until its parent has been notified of its end); WARD_ENOMEM; WARD_ESYS no thread
 *            could be created (each actor of WARD_PINNED needs one, and so does the first of
 *            WARD_BLOCKING or of a pool); and the error of the arguments' clone function. No child
 *            is started then.
 * Contract   S4, S52, S54-S56, S125, S126
 */
WARD_API WARD_MUST_USE ward_err ward_try_spawn(ward_self *self, const ward_props *props,
					       ward_ref *ret_child);
/** Drops what given arguments own, after a refusal. */
WARD_API void ward_given_drop_(const ward_props *props);
/** Starts a child, as ward_try_spawn() does, and returns its ref. A refusal makes self fail when
 *  the callback returns, and the ref is nobody: see ward_failed_err(). The plain form of
 *  ward_spawn(). Given arguments are taken always: after a refusal they are dropped. Cost: the
 *  same. */
static inline ward_ref ward_spawn_props(ward_self *self, const ward_props *props)
{
	ward_ref child = {0, 0, 0};

	if (!ward_noted_(self, ward_try_spawn(self, props, &child)))
		ward_given_drop_(props);
	return child;
}

/**
 * Asks an actor to stop after its current message: a child, self, or any other actor. Idempotent. A
 * start or restart that runs is completed first. Messages that the actor has not handled become
 * dead letters. Nobody, an actor that has ended and one whose connection was lost are ignored. For
 * an actor of a system that is not known, a dead letter "ward_stop" says that it was not asked.
 *
 * Cost       O(1), allocates nothing. The stop itself: O(children), each of which stops likewise,
 *            and O(timers, questions, watches, watchers and messages of the actor).
 * Contract   S45, S49, S50
 */
WARD_API void ward_stop(ward_self *self, ward_ref who);

/** Stops the running actor after its current message. Returns WARD_DONE, so that receive can
 *  `return ward_stop_self(self)`. Cost: as ward_stop(). Contract: S49. */
WARD_API ward_result ward_stop_self(ward_self *self);

/**
 * Returns why the running actor ends, in post_stop and in pre_restart. Also in deferred calls of
 * its incarnation (resource.h) and in the drop function of its arguments, which have no self: give
 * it any there, or NULL.
 *
 *	if (ward_stop_reason(self, NULL) == WARD_END_NORMAL)
 *		remove(me->journal);
 *
 * The value is NORMAL, STOPPED, FAILED, KILLED or EXITED as in the ward_terminated that follows, or
 * RESTARTED if a new incarnation follows. In any other callback it is UNKNOWN. A stop that comes
 * while a restart waits for children ends the actor: pre_restart has had RESTARTED then, and
 * deferred calls get what follows.
 *
 * *ret_failure (NULL: not wanted) is set for FAILED and KILLED to the failure of the actor, and for
 * RESTARTED to the failure that caused the restart, which may be that of a sibling or of the
 * parent. Otherwise it is NULL, also if an exit signal caused KILLED.
 *
 * Ownership  *ret_failure is borrowed for the callback.
 * Cost       O(1).
 * Contract   S46, S126
 */
WARD_API ward_end ward_stop_reason(const ward_self *self, const ward_failure **ret_failure);

/**
 * Returns the number of messages that wait for an actor, excluding auto-received ones and the one
 * that it is handling. Returns -1 if its mailbox is not counted, or if the actor is gone.
 *
 * A mailbox is counted if it has a maximum, a priority function, control_first or `counted`. The
 * number may be out of date when the call returns: use it to choose among several actors, not to
 * wait for one.
 *
 * Cost       O(1), takes the lock of that mailbox.
 */
WARD_API int64_t ward_mailbox_count(const ward_self *self, ward_ref who);

/**
 * Closes the mailbox of self until ward_mailbox_open(): for an actor that can take no more now,
 * such as one whose peer does not read.
 *
 * Until then self gets only what the runtime brings: ward_fd_ready, ticks and messages of timers,
 * ward_receive_timeout, answers to ward_ask(), ward_terminated and the messages of
 * ward_watch_with(), ward_exited, tasks of a shutdown and ward_identify. All else waits in its
 * order: also what self tells itself, what it has un-stashed, events, a poison pill and a kill.
 * What waits counts in messages_max, so a full mailbox refuses, drops or holds its senders as ever.
 * Let a timer or a descriptor open it again: a message of another actor cannot. Closing it twice
 * has no effect.
 *
 * It belongs to the incarnation: the next one begins with an open mailbox, a resume leaves it
 * closed. self can be stopped, restarted and supervised as ever.
 *
 * Order      what passes is handled in order of arrival, before all that waits.
 * Cost       O(1); occasionally O(messages that wait), to find those that pass. The first time in
 *            an incarnation allocates, and its turns are general ones from then on. While it is
 *            closed, a message that has to wait costs a turn if self was idle.
 * Errors     WARD_ENOMEM, the first time in an incarnation only. The mailbox is open then.
 * Contract   S128
 */
WARD_API WARD_MUST_USE ward_err ward_try_mailbox_close(ward_self *self);
/** Closes the mailbox like ward_try_mailbox_close(); a refusal makes self fail when the callback
 *  returns: see ward_failed_err(). Cost: the same. */
static inline void ward_mailbox_close(ward_self *self)
{
	(void)ward_noted_(self, ward_try_mailbox_close(self));
}
/** Opens the mailbox again: what waits comes next, in its order. No effect if it is open. Cost:
 *  O(1). Contract: S128. */
WARD_API void ward_mailbox_open(ward_self *self);

/* ---- identity ---------------------------------------------------------------------------- */

/** Returns the ref of the running actor; it is the same in all incarnations. ward_system_path()
 *  returns its path, which ends with its name. Cost: O(1). Contract: S44. */
WARD_API ward_ref ward_self_ref(const ward_self *self);
/** Returns the parent of the running actor, which supervises it. Cost: O(1). */
WARD_API ward_ref ward_parent(const ward_self *self);
/** Returns the child with this name, or nobody. Cost: O(1) for a given name; for a generated name
 *  O(log children), plus a look at each child started since the last such search. */
WARD_API ward_ref ward_child(const ward_self *self, const char *name);
/**
 * Writes at most `max` refs of children, in order of creation; returns the number of children.
 *
 * The count is not synchronised with ward_terminated: a child leaves the count at its end, which
 * may be before or after self handles the notice. The count can be 0 while several notices wait,
 * and more than 0 while the last one is handled. To act once when the last child is gone, keep a
 * count in the state: increment it for each child that is spawned and watched, decrement it for
 * each ward_terminated.
 *
 * Cost       O(max); with max 0, for the count alone, O(1).
 */
WARD_API size_t ward_children(const ward_self *self, ward_ref *refs, size_t max);

/** Notifies an actor that it has few children: see ward_children_notify(). */
struct ward_children_few {
	uint32_t count; /* of its children, when the notice was sent */
	uint32_t below; /* what it waited for */
};
WARD_API extern const ward_type ward_type_ward_children_few;

/**
 * Sends self one ward_children_few once it has fewer than `below` children; at once if it has fewer
 * already. So a parent with enough children can rest until one of them is gone, without a watch on
 * each.
 *
 *	if (ward_children(self, NULL, 0) >= 100)
 *		ward_children_notify(self, 100);
 *
 * Each call is for one notice. A new call replaces the one before, and 0 cancels it; what it has
 * sent and self has not handled does not arrive then. It ends with the incarnation. Children count
 * as in ward_children(): a notice may come before or after the ward_terminated of the child that
 * was gone last.
 *
 * Order      FIFO with what self has in its mailbox.
 * Cost       O(1). The memory for the notice is taken here, so none is needed later. For each child
 *            that goes: a compare.
 * Errors     WARD_ENOMEM. The call before it, if any, is still in force.
 * Contract   S127
 */
WARD_API WARD_MUST_USE ward_err ward_try_children_notify(ward_self *self, uint32_t below);
/** Calls ward_try_children_notify(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_children_notify(ward_self *self, uint32_t below)
{
	(void)ward_noted_(self, ward_try_children_notify(self, below));
}

/** Returns the system of the running actor. Cost: O(1). */
WARD_API ward_system *ward_self_system(const ward_self *self);
/** Returns the state of this incarnation, for `decide` functions, which have no state parameter.
 *  Cost: O(1). */
WARD_API void *ward_state(ward_self *self);
/** Returns the arguments that were copied or given at the spawn, or NULL. They live until the end
 *  of the actor, over restarts. Cost: O(1). Contract: S126. */
WARD_API const void *ward_args(const ward_self *self);
/** Returns the number of this incarnation: 1 at the start, one more after each restart. Cost:
 *  O(1). */
WARD_API uint32_t ward_incarnation(const ward_self *self);
/** Returns the monotonic time of the system in nanoseconds; virtual in a simulation. Cost: O(1),
 *  reads the clock. */
WARD_API int64_t ward_now_ns(const ward_self *self);
/** Returns 64 random bits, from a generator of the calling thread, seeded by options.seed. Cost:
 *  O(1), no lock. */
WARD_API uint64_t ward_random(ward_self *self) WARD_NOEXCEPT;

/* ---- status ------------------------------------------------------------------------------ */

/** Size of a status in ward_actor_info, including the terminating 0; longer texts are cut. */
enum { WARD_STATUS_TEXT = 96 };

/**
 * Sets a short text that ward_system_tree() and ward_actor_info.status show with the actor. It
 * replaces the previous one, and is cleared with the incarnation.
 *
 *	ward_status_set(self, "connected to %s", me->host);
 *
 * The text is formatted as by printf and shown on one line (ward_text_line()). It is meant for
 * information that changes seldom and is of interest to an operator who looks at the tree.
 *
 * Cost       O(length of the text), takes a lock of the system. The first status of an incarnation
 *            allocates memory.
 * Errors     none: if memory runs out, no status is shown. A text of NULL clears the status.
 */
WARD_API WARD_PRINTF(2, 3) void ward_status_set(ward_self *self, const char *text, ...);

/**
 * Sets a status that counts down without a timer: "{}" in the text stands for the rest of `left_ms`
 * at the moment of the look.
 *
 *	ward_status_countdown(self, 3200, "restarting in {} (%dth time)", 4);
 *
 * reads "restarting in 3.2 s (4th time)" at first and "restarting in 0.0 s (4th time)" at the end,
 * until it is replaced or cleared. Less than a minute is shown in tenths of a second, less than an
 * hour in minutes and seconds, more in hours and minutes; always rounded up.
 *
 * Units      left_ms milliseconds.
 * Cost       as ward_status_set(), and reads the clock.
 * Errors     as ward_status_set().
 */
WARD_API WARD_PRINTF(3, 4) void ward_status_countdown(ward_self *self, int64_t left_ms,
						      const char *text, ...);

/** Clears the status. Cost: O(1), takes a lock of the system if a status is shown. */
WARD_API void ward_status_clear(ward_self *self);

/* ---- the default hooks, for a program's own hooks to call -------------------------------- */

/**
 * Un-stashes all messages; unwatches, unlinks and stops all children; then runs post_stop.
 *
 * It does not wait for the children: they may still run during post_stop and until pre_restart has
 * returned. Then the restart waits for their end. Returns the result of post_stop; WARD_DONE
 * without running it again if this function is called twice.
 *
 * Cost       O(children), and the cost of post_stop. For each child also the lock of ward_link()
 *            once the system has had a link, and a look at each stashed message while one of them
 *            is the notice of an end.
 * Contract   S32, S86
 */
WARD_API WARD_MUST_USE ward_result ward_default_pre_restart(ward_self *self);
/** Runs pre_start and returns its result. Cost: that of pre_start. Contract: S32. */
WARD_API WARD_MUST_USE ward_result ward_default_post_restart(ward_self *self);

WARD_END

/* ---- the macros (C only) ----------------------------------------------------------------- */

#ifndef __cplusplus
/** Starts a child and returns its ref: `ward_spawn(self, &worker, .name = "one", .args =
 *  WARD_ARGS(work, 3))`. A refusal makes self fail: see ward_spawn_props(). Cost: the same. */
#define ward_spawn(self, ...) ward_spawn_props((self), WARD_PROPS(__VA_ARGS__))
#endif
#endif
