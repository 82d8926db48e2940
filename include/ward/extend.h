/* SPDX-License-Identifier: MIT
 *
 * ward/extend.h - for authors of patterns. A pattern is a behaviour for other programs: it does not
 * know their children, nor the types of their arguments and messages. Not included by ward/ward.h.
 *
 * The patterns of ward itself (pools, back-off, bridge, delivery) use only this and ward/ward.h, so
 * a library of your own can do whatever they do.
 */
#ifndef WARD_EXTEND_H
#define WARD_EXTEND_H

#include <ward/actor.h>
#include <ward/event.h>
#include <ward/link.h>
#include <ward/text.h>

WARD_BEGIN

/* ---- refs ----------------------------------------------------------------------------------- */

/** What a ref denotes. */
typedef enum ward_ref_kind {
	WARD_REF_NOBODY = 0,
	WARD_REF_ACTOR = 1,
	WARD_REF_QUESTION = 2, /* the sender of a question: see ward_asker() */
	WARD_REF_THREAD = 3    /* a thread outside that waits, or a task of a shutdown */
} ward_ref_kind;

/** Returns what a ref denotes. Threads: any. Cost: O(1). */
WARD_API ward_ref_kind ward_ref_kind_of(ward_ref ref);
/** Returns the number of what a ref denotes, which is unique within its system: two refs are equal
 *  if their kinds, places and numbers are. Threads: any. Cost: O(1). */
WARD_API uint64_t ward_ref_number(ward_ref ref);
/** Returns the ref with this kind and number at a place: that of a ref, of the running actor's
 *  system, ward_place(), or one of ward_association_open(). Threads: any. Cost: O(1). */
WARD_API ward_ref ward_ref_at(uint32_t place, ward_ref_kind kind, uint64_t number);
/** Returns the place of the actors of a system. Threads: any. Cost: O(1). */
WARD_API uint32_t ward_place(const ward_system *system);
/** Returns the place of a ref; 0: nobody. Threads: any. Cost: O(1). */
WARD_API uint32_t ward_ref_place(ward_ref ref);

/* ---- types, arguments, refusals ----------------------------------------------------------- */

/**
 * Notes the text of a refusal for ward_err_detail(), and returns `err`. For libraries on top of
 * ward, and for the `clone` of a type. The text says what was refused, where, and what to do about
 * it.
 *
 *	return ward_refused(WARD_EINVAL, "a pool of %u routees: at most 100", count);
 *
 * The text is formatted as by printf and becomes a line (ward_text_line()) of at most 511 bytes.
 * With WARD_OK nothing is noted.
 *
 * Threads    any.
 * Cost       O(length of the text), as printf; with WARD_OK O(1).
 */
WARD_API WARD_MUST_USE WARD_PRINTF(2, 3) ward_err ward_refused(ward_err err, const char *text, ...);

/** Returns true if both descriptors denote the same type: equal name, size and layout. Threads:
 *  any. Cost: O(1); O(length of the name) for different addresses with equal size and layout. */
WARD_API bool ward_type_same(const ward_type *a, const ward_type *b);

/**
 * Checks a failure class, for arguments that contain one. Returns WARD_OK if a failure may have it.
 *
 * Threads    any.
 * Cost       O(classes above it).
 * Errors     WARD_EINVAL it is NULL; it has no name, or a name of ward's own; its root is neither
 *            ward_exception nor ward_error; too many classes above it, or a circle.
 *            ward_err_detail() says which.
 * Contract   S16
 */
WARD_API WARD_MUST_USE ward_err ward_failure_class_check(const ward_failure_class *failure_class);

/**
 * Checks a strategy, for arguments that contain one. Returns WARD_OK if a spawn would accept it, or
 * if it is NULL.
 *
 * Threads    any.
 * Cost       O(rules), squared; for each the classes above its own.
 * Errors     WARD_EINVAL it is invalid; ward_err_detail() says why.
 * Contract   S70-S74
 */
WARD_API WARD_MUST_USE ward_err ward_strategy_check(const ward_strategy *strategy);

/**
 * Copies props to *ret_copy, with the name, the dispatcher's name and the arguments. For arguments
 * that describe children, as those of a pool: the `clone` of their type calls this function, its
 * `drop` calls ward_props_drop().
 *
 * Ownership  *ret_copy is the caller's, who frees it with ward_props_drop(); it is written on
 *            success only. The behaviour and the strategies are not copied. Memory is from
 *            malloc().
 * Threads    any.
 * Cost       a copy of the arguments and of the texts.
 * Errors     WARD_EINVAL no behaviour, arguments that it does not take, or args_given: a copy is
 *            used for many spawns; WARD_ESIZE; WARD_EUNIQUE the arguments have a drop function and
 *            no clone; WARD_ENOMEM; the error of that clone.
 */
WARD_API WARD_MUST_USE ward_err ward_props_clone(ward_props *ret_copy, const ward_props *props);

/** Frees a copy of ward_props_clone(). All zero is allowed. Threads: any. Cost: O(1), and the
 *  `drop` of the arguments. */
WARD_API void ward_props_drop(ward_props *copy);

/* ---- deciding ----------------------------------------------------------------------------- */

/**
 * Sets the child strategy of the running actor. For a behaviour whose arguments say how to react to
 * failures of its children.
 *
 *	static ward_result init(ward_self *self, void *state, const void *args)
 *	{
 *		const struct crew *crew = args;
 *
 *		ward_child_strategy_set(self, &crew->strategy);
 *		...
 *
 * It takes precedence over the strategy of the behaviour, but not over one in the props: then it is
 * checked and has no effect.
 *
 * It belongs to the incarnation: after a restart the strategy of the behaviour applies until it is
 * set again. But if pre_restart has kept children, the strategy that was set remains in force, and
 * a different one is refused (WARD_EEXIST). To set the current strategy again is never refused.
 *
 * Ownership  borrows the strategy for the life of the actor. The actor's arguments live as long, so
 *            it may be part of them.
 * Threads    only in init, pre_start and post_restart, before the first spawn.
 * Cost       as ward_strategy_check(). With WARD_LIMIT_INTENSITY the next spawn allocates the
 *            memory of the limit.
 * Errors     WARD_EINVAL no strategy, ward_strategy_check() refuses it, or another callback;
 *            WARD_EEXIST there are children with another strategy; WARD_ENOMEM. The strategy stays
 *            as it was then.
 * Contract   S18, S74
 */
WARD_API WARD_MUST_USE ward_err ward_try_child_strategy_set(ward_self *self,
							    const ward_strategy *strategy);
/** Calls ward_try_child_strategy_set(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_child_strategy_set(ward_self *self, const ward_strategy *strategy)
{
	(void)ward_noted_(self, ward_try_child_strategy_set(self, strategy));
}

/**
 * Returns the decision of a strategy (NULL: the default one) about a failure: by its rules, its
 * `decide`, its `otherwise`; without a `decide` also by the default decider. For a `decide` of your
 * own that extends another strategy.
 *
 * WARD_UNDECIDED: its `decide` had no opinion, and there is no `otherwise`; a supervisor with that
 * strategy would escalate. WARD_LATER and WARD_DECIDER_FAILED are returned as its `decide` returned
 * them. Nothing is charged to its limit.
 *
 * Threads    only inside a callback of self. Its `decide` runs inside that callback, so a failure
 *            of `decide` is one of the callback.
 * Cost       O(rules), for each the classes above that of the failure; and its `decide`.
 * Contract   S18-S21
 */
WARD_API ward_directive ward_strategy_decide(ward_self *self, const ward_strategy *strategy,
					     ward_ref child, const ward_failure *failure);

/**
 * Sets the text that the event of the current decision shows for it. For a `decide` that does more
 * about a failure than its directive says.
 *
 *	ward_decision_note(self, WARD_LEVEL_WARNING, "stopped, %s takes over", me->standby);
 *	return WARD_STOP;
 *
 * The text becomes a line; the last call counts. In the line of the event the text replaces the
 * directive ("-> stopped, b takes over"), so it should also say what happens to the child. The
 * event and its JSON have both, as `directive` and `follows`. `level` replaces that of the
 * strategy, unless it is WARD_LEVEL_DEFAULT; with WARD_LEVEL_NONE there is no event. Outside a
 * `decide` the call has no effect.
 *
 * Threads    only inside a callback of self.
 * Cost       O(length of the text), as printf.
 * Contract   S30
 */
WARD_API WARD_PRINTF(3, 4) void ward_decision_note(ward_self *self, ward_level level,
						   const char *text, ...);

/**
 * Returns true if a failure was noted in this callback, also by a refused call: the actor will fail
 * when the callback returns, whatever it returns. For a callback that runs other functions, and
 * before an action that cannot be undone.
 *
 * Cost       O(1).
 * Contract   S11
 */
WARD_API bool ward_has_failed(const ward_self *self);

/**
 * Returns the body of a failure, whatever its type is; NULL: it has none. For a pattern that passes
 * a failure on.
 *
 * Ownership  borrowed for the callback, with *ret_type and *ret_size, which are written if there is
 *            a body.
 * Cost       O(1).
 */
WARD_API const void *ward_failure_any_body(const ward_failure *failure, const ward_type **ret_type,
					   size_t *ret_size);

/* ---- supervising for another actor -------------------------------------------------------- */

/**
 * Restarts a child that has not failed: on the word of an actor that supervises it from elsewhere,
 * and restarts it for the sake of another child, or its own.
 *
 * The child runs pre_restart without a message, as for the failure of a sibling; `why` there is a
 * failure of this class and text, of self. The child has not failed: no strategy is asked, nothing
 * is charged to a limit, and no event is published. A failure of the child that waits for
 * ward_decide(), or that self has not handled yet, is answered by it, as by any restart.
 *
 * Order      FIFO with the other orders of self to this child; it overtakes its mail.
 * Cost       O(1), and a record of the failure; the restart itself as any.
 * Errors     WARD_ENOENT not, or no longer, a child of self; WARD_ESTOPPING it was told to stop;
 *            WARD_EINVAL the class is wrong, see ward_failure_class_check(). Nothing is ordered
 *            then. Without memory for the record, the class is kept without the text.
 * Contract   S185
 */
WARD_API WARD_MUST_USE ward_err ward_restart_child(ward_self *self, ward_ref child,
						   const ward_failure_class *failure_class,
						   const char *text);

/**
 * Suspends a child, with all below it, until ward_resume_child(): it handles no messages, as a
 * child does whose parent has failed. It can be stopped and restarted; a restart does not resume
 * it. Suspensions count, with those that failures cause; the restart of self does not lift them.
 *
 * Order      as ward_restart_child(). The message that the child handles is completed.
 * Cost       O(1); O(children) where it is carried out.
 * Errors     WARD_ENOENT, WARD_ESTOPPING: as ward_restart_child().
 * Contract   S186
 */
WARD_API WARD_MUST_USE ward_err ward_suspend_child(ward_self *self, ward_ref child);
/** Takes back one ward_suspend_child(). It does not decide about a failure: a child that has failed
 *  waits on. Cost and errors: as ward_suspend_child(). Contract: S186. */
WARD_API WARD_MUST_USE ward_err ward_resume_child(ward_self *self, ward_ref child);

/**
 * Starts a child like ward_try_spawn(), which speaks in the name of an actor of another system:
 * what it sends, answers and signals to actors of that system has the sender `name`. So they know
 * it by one ref only, that of the actor which stands in for it there. Elsewhere, and for a `name`
 * of this system, it is itself. Its links, its watches and ward_self_ref() are its own.
 *
 * Cost       as ward_try_spawn(), and a record; O(1) for each message of the child that leaves the
 *            system.
 * Errors     as ward_try_spawn().
 * Contract   S191
 */
WARD_API WARD_MUST_USE ward_err ward_try_spawn_guest(ward_self *self, const ward_props *props,
						     ward_ref name, ward_ref *ret_child);

/**
 * Sends a child an exit signal (link.h) in the name of `from`, which may be of another system: for
 * an actor that supervises for another one, and gets what is for the child. The effect is that of
 * ward_exit() by `from`; in the name of the child itself, that of one to itself.
 *
 * Order      after all that self has sent to the child before.
 * Cost       as ward_exit().
 * Errors     WARD_ENOENT, WARD_ESTOPPING: as ward_restart_child(); WARD_EINVAL an invalid reason;
 *            WARD_ENOMEM. Nothing is sent then.
 * Contract   S117, S192
 */
WARD_API WARD_MUST_USE ward_err ward_exit_child(ward_self *self, ward_ref child, ward_ref from,
						const ward_exit_reason *reason);

/* ---- standing in for another actor -------------------------------------------------------- */

/** Whether an actor that stands in for another one handles messages. */
typedef enum ward_standing {
	WARD_STANDING_RUNNING = 0,
	WARD_STANDING_SUSPENDED = 1, /* for its own failure, or its parent's */
	WARD_STANDING_STOPPING = 2
} ward_standing;

/** Told by the runtime when that changes. The sender is the actor that stands in. */
struct ward_represented {
	uint64_t number;   /* from 1; more with each change in the life of the actor */
	uint32_t standing; /* a ward_standing */
};
WARD_API extern const ward_type ward_type_ward_represented;

/**
 * Makes the running actor stand in for an actor that lives elsewhere, from now to its end. When it
 * is suspended or resumed, `to` gets a ward_represented. When it is stopped, `to` gets one, too,
 * and its end, with post_stop, waits until `until` has ended. A poison pill, a kill and a
 * ward_identify are handled by receive, which passes the first two on by ward_forward(), and
 * answers the third when the other actor has started. As long as `until` lives an exit signal of
 * link.h, but a KILL, becomes a ward_exited, trapped or not: for receive, which passes it on; while
 * self is suspended, for `to`, at once. An exit signal of `to` itself ends self, with its reason,
 * NORMAL too.
 *
 * So what it stands for can be suspended and stopped with it, and ends before it, as a child does
 * before its parent. `until` may be nobody: then the end waits for nothing. Repeating the call
 * replaces both; another `to` is told from there on, beginning with a suspension. It belongs to the
 * actor and survives restarts.
 *
 * A suspension that is over before the actor has told it is not told. A stop is always told.
 *
 * Order      FIFO with what self sends to `to`.
 * Cost       O(1), two messages and a watch, made here. Each change: a message. The actor needs
 *            general turns from then on.
 * Errors     WARD_EINVAL `to` is nobody; WARD_EFOREIGN; WARD_ENOMEM. Nothing has changed then. A
 *            change for which there is no memory counts in ward_stats.shortages, and is told with
 *            the next turn of the actor.
 * Contract   S187, S188, S192
 */
WARD_API WARD_MUST_USE ward_err ward_try_represent(ward_self *self, ward_ref to, ward_ref until);

/**
 * The running receive is about to fail as the actor that it represents has failed, and a restart
 * which its parent has ordered for another failure has answered that one, too: it was under way
 * when the actor failed. The parent decides about it as about any, but where it restarts, the actor
 * goes on instead, and no restart is counted: as for an actor that is here.
 *
 * Ignored    in another callback, and where self represents nobody. Forgotten if receive does not
 *            fail.
 * Cost       O(1).
 * Contract   S191
 */
WARD_API void ward_represent_answered(ward_self *self);

/**
 * Joins the tree of the running actor to another one, here or on another node. A path
 * (selection.h) that would go down from self goes on from `below`, and one that would come up to
 * self from a child goes on from `above`. Nobody: it stays in this tree. It belongs to the actor
 * and survives restarts; repeating the call replaces both.
 *
 *      stand-in    below = the guest: "/user/parent/stand-in/x" is the child x of the guest
 *      host        above = the parent of the stand-in: "../y", sent by the guest, is a sibling
 *
 * A path that ends at self is for self. If the other actor has ended, the message has missed; if
 * its node is lost, it is a dead letter with the reason UNREACHED.
 *
 * Order      FIFO with the selections that self passes on to the same node.
 * Cost       O(1). A selection: a message to the other node. The actor needs general turns from
 *            then on.
 * Errors     WARD_EFOREIGN; WARD_ENOMEM. Nothing has changed then.
 * Contract   S203
 */
WARD_API WARD_MUST_USE ward_err ward_try_join_paths(ward_self *self, ward_ref below,
						    ward_ref above);

/* ---- passing on --------------------------------------------------------------------------- */

/**
 * Sends a kept body like ward_give_body(), but with another sender, which may be any ref: that of
 * the original message, so that the answer goes there. For routers, stashes and other patterns that
 * pass messages on later.
 *
 * Ownership  takes the body, always; the runtime drops it if it cannot be delivered.
 * Order      FIFO with all messages from self to this receiver, under any sender.
 * Cost       O(1), regardless of the size.
 */
WARD_API void ward_give_body_from(ward_self *self, ward_ref sender, ward_ref to,
				  const ward_type *type, void *body);

/**
 * Sends a kept body like ward_give_body_from(), or returns why it cannot. For patterns that send
 * again, and must not lose a body when memory runs out.
 *
 * Ownership  takes the body on WARD_OK only; otherwise the incarnation still owns it.
 * Order      as ward_give_body_from().
 * Cost       O(1), regardless of the size.
 * Errors     WARD_EDEAD, WARD_EFULL, WARD_ENOMEM, WARD_EFOREIGN, WARD_EUNREACHED, WARD_ELOCAL;
 *            WARD_EINVAL no body, or not one of this type.
 */
WARD_API WARD_MUST_USE ward_err ward_try_give_body_from(ward_self *self, ward_ref sender,
							ward_ref to, const ward_type *type,
							void *body);

/**
 * Sends a kept body along a path, with another sender, as ward_give_body_from() does to a ref.
 *
 * Ownership  takes the body, always; the runtime drops it if it cannot be delivered.
 * Order      FIFO with all messages that self sends along the same path, under any sender.
 * Cost       as ward_select_send(), without the first copy of the body.
 * Contract   S58
 */
WARD_API void ward_select_give_body_from(ward_self *self, ward_ref sender, const char *path,
					 const ward_type *type, void *body);

/**
 * Makes a dead letter of the current message, with its original sender. For a pattern that could
 * not pass it on to `to`. A thread that waits for the answer is notified at once. The body may not
 * be accessed after this.
 *
 * There is a current message in receive and, after a failure of self, in its hooks. Without one, or
 * if it was taken or forwarded already, nothing happens.
 *
 * Cost       O(1) if nobody wants dead letters, and the `drop` of the type. Otherwise also the
 *            paths of both, the log on this thread, and a message to each subscriber: see
 *            ward_subscribe(). The asker is notified: an actor by a small message; a thread after a
 *            look at each one that waits, under a lock of the system.
 * Contract   S81
 */
WARD_API void ward_dead_letter(ward_self *self, ward_ref to, ward_reason reason);

/** Returns the actor that asked a question, from the ref that stands for the question; nobody if
 *  that actor has ended. Any other ref is returned unchanged. Cost: O(1). Contract: S100. */
WARD_API ward_ref ward_asker(const ward_self *self, ward_ref ref);

WARD_END
#endif
