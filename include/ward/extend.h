/* SPDX-License-Identifier: MIT
 *
 * ward/extend.h - for authors of patterns: behaviours that other programs use, with arguments,
 * children and messages of types that they do not know. Not in ward/ward.h.
 *
 * The patterns of ward itself (pools, back-off, bridge, delivery) stand on this and on ward/ward.h,
 * so whatever they do a library of your own can do.
 */
#ifndef WARD_EXTEND_H
#define WARD_EXTEND_H

#include <ward/actor.h>
#include <ward/event.h>
#include <ward/text.h>

WARD_BEGIN

/* ---- of its own kind: types, arguments, refusals ------------------------------------------ */

/**
 * Refuses, for libraries on top of ward and for the `clone` of a type: notes what, where and what
 * to do, for ward_err_detail(), and returns `err`.
 *
 *	return ward_refused(WARD_EINVAL, "a pool of %u routees: at most 100", count);
 *
 * The text is printf's and becomes a line (ward_text_line()) of 511 bytes at most. With WARD_OK
 * nothing is noted.
 *
 * Threads    any.
 * Cost       O(length of the text), as printf makes it; with WARD_OK O(1).
 */
WARD_API WARD_MUST_USE WARD_PRINTF(2, 3) ward_err ward_refused(ward_err err, const char *text, ...);

/** Says whether both descriptors denote one type: name, size, layout. Threads: any. Cost: O(1);
 *  O(length of the name) where two of one size and layout have different addresses. */
WARD_API bool ward_type_same(const ward_type *a, const ward_type *b);

/**
 * Says whether a class is one that a failure may have: for those whose arguments name one.
 *
 * Threads    any.
 * Cost       O(classes above it).
 * Errors     WARD_EINVAL, and the detail says what is wrong: NULL; no name, or one of ward's own;
 *            another root than the two; too many classes above it, or a circle.
 * Contract   S16
 */
WARD_API WARD_MUST_USE ward_err ward_failure_class_check(const ward_failure_class *failure_class);

/**
 * Says whether a strategy is one that a spawn would take: for those whose arguments name one.
 *
 * Threads    any.
 * Cost       O(rules), squared; for each the classes above its own.
 * Errors     WARD_EINVAL, and the detail says what is wrong; NULL is fine.
 * Contract   S70-S74
 */
WARD_API WARD_MUST_USE ward_err ward_strategy_check(const ward_strategy *strategy);

/**
 * Makes *ret_copy a copy of the props that owns its name, its dispatcher's name and its arguments:
 * for arguments that say what children to make, as those of a pool do. Such a type's `clone` calls
 * this, its `drop` ward_props_drop().
 *
 * Ownership  the caller's: end it with ward_props_drop(). The behaviour and strategies are not
 *            copied. Memory is that of malloc(), as with what any `clone` makes.
 * Cost       a copy of the arguments and of the texts.
 * Errors     WARD_EINVAL no behaviour, or arguments that it does not take; WARD_ESIZE; WARD_EUNIQUE
 *            they own things, and their type has no clone; WARD_ENOMEM; what that clone answers.
 */
WARD_API WARD_MUST_USE ward_err ward_props_clone(ward_props *ret_copy, const ward_props *props);

/** Frees what ward_props_clone() has made. All zero is fine. Cost: O(1), and what the arguments'
 *  `drop` does. */
WARD_API void ward_props_drop(ward_props *copy);

/* ---- deciding ----------------------------------------------------------------------------- */

/**
 * Sets the child strategy of the running actor: for a behaviour whose arguments say what it does
 * about failures of its children.
 *
 *	static ward_result init(ward_self *self, void *state, const void *args)
 *	{
 *		const struct crew *crew = args;
 *
 *		ward_child_strategy_set(self, &crew->strategy);
 *		...
 *
 * It wins over that of the behaviour, and loses against that of the props: where they name one,
 * what is set is checked and has no effect.
 *
 * It is the incarnation's: after a restart that of the behaviour counts again, until it is set
 * anew. Where pre_restart has kept children it stays, since it changes only while there are none.
 * One that counts already is never refused.
 *
 * Ownership  borrows the strategy for the life of the actor. The actor's arguments live as long, so
 *            it may be in them.
 * Threads    only in init, pre_start and post_restart, before the first spawn.
 * Cost       as ward_strategy_check(). With WARD_LIMIT_INTENSITY the first spawn after it takes
 *            what the limit needs.
 * Errors     WARD_EINVAL no strategy, or one that ward_strategy_check() refuses, or another
 *            callback; WARD_EEXIST there are children, and another strategy; WARD_ENOMEM.
 * Contract   S18, S74
 */
WARD_API WARD_MUST_USE ward_err ward_try_child_strategy_set(ward_self *self,
							    const ward_strategy *strategy);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_child_strategy_set(ward_self *self, const ward_strategy *strategy)
{
	(void)ward_noted_(self, ward_try_child_strategy_set(self, strategy));
}

/**
 * Returns what a strategy (NULL: the default one) would decide: by its rules, its `decide`, its
 * `otherwise`; and without a `decide` what the default decider would. For a `decide` of one's own
 * that has something to add to what it is given, or to end with.
 *
 * WARD_UNDECIDED when its `decide` had no opinion, and there is no `otherwise`: a supervisor with
 * that strategy escalates then. WARD_LATER and WARD_DECIDER_FAILED are passed on as its `decide`
 * gave them. Nothing is charged to its limit.
 *
 * Threads    only inside a callback of self; its `decide` runs within that, so if it fails, the
 *            callback does.
 * Cost       O(rules), for each the classes above that of the failure; and its `decide`.
 * Contract   S18-S21
 */
WARD_API ward_directive ward_strategy_decide(ward_self *self, const ward_strategy *strategy,
					     ward_ref child, const ward_failure *failure);

/**
 * Says in the event of this decision what follows it: for a `decide` that does more about a failure
 * than its directive tells.
 *
 *	ward_decision_note(self, WARD_LEVEL_WARNING, "stopped, %s takes over", me->standby);
 *	return WARD_STOP;
 *
 * The text becomes a line; the last one counts. In the line of the event it takes the place of the
 * directive's word ("-> stopped, b takes over"), so it says also what becomes of the child; the
 * event and its JSON have both, as `directive` and `follows`. `level` takes the place of those of
 * the strategy, unless it is WARD_LEVEL_DEFAULT. Elsewhere than in a `decide` nothing comes of it.
 *
 * Threads    only inside a callback of self.
 * Cost       O(length of the text), as printf makes it.
 * Contract   S30
 */
WARD_API WARD_PRINTF(3, 4) void ward_decision_note(ward_self *self, ward_level level,
						   const char *text, ...);

/**
 * Says whether a failure was noted in this callback, by a plain verb too: the actor fails when it
 * returns, whatever that is. For a callback that runs others, and for what cannot be taken back.
 *
 * Cost       O(1).
 * Contract   S11
 */
WARD_API bool ward_has_failed(const ward_self *self);

/* ---- passing on --------------------------------------------------------------------------- */

/**
 * Moves a kept body on as ward_give_body() does, but in the name of `sender`: of the one that it
 * came from, so that the answer goes there and not here. What a router or a stash passes on late.
 *
 * Ownership  takes the body, always: what cannot be delivered is dropped.
 * Order      FIFO with all that self sends to this receiver, whatever the sender is called.
 * Cost       O(1), whatever its size.
 */
WARD_API void ward_give_body_from(ward_self *self, ward_ref sender, ward_ref to,
				  const ward_type *type, void *body);

/**
 * Moves a kept body on as ward_give_body_from() does, or answers why not. What resends, and must
 * not lose what finds no memory.
 *
 * Ownership  takes the body on WARD_OK only; else it hangs on the incarnation as before.
 * Order      as ward_give_body_from().
 * Cost       O(1), whatever its size.
 * Errors     WARD_EDEAD, WARD_EFULL, WARD_ENOMEM, WARD_EFOREIGN; WARD_EINVAL no body, or not one of
 *            this type.
 */
WARD_API WARD_MUST_USE ward_err ward_try_give_body_from(ward_self *self, ward_ref sender,
							ward_ref to, const ward_type *type,
							void *body);

/**
 * Moves a kept body along a path in the name of `sender`, as ward_give_body_from() does to a ref.
 *
 * Ownership  takes the body, always: what cannot be delivered is dropped.
 * Order      FIFO with all that self sends along the same path, whatever the sender is called.
 * Cost       as ward_select_send(), but for the first copy of the body: there is none.
 * Contract   S58
 */
WARD_API void ward_select_give_body_from(ward_self *self, ward_ref sender, const char *path,
					 const ward_type *type, void *body);

/**
 * Makes a dead letter of the current message, for a program that had it and could not pass it on to
 * `to`; with its first sender. A thread that waits for the answer is told at once. The body is out
 * of bounds afterwards.
 *
 * Without a current message, or when it was taken or forwarded before, nothing happens.
 *
 * Cost       O(1) where nobody wants dead letters, and what the type's `drop` does. Else also the
 *            paths of both, the log sink on this thread, and a message to each subscriber, as
 *            ward_subscribe() says. The asker is notified: an actor by a small message; a
 *            thread after a look at each that waits, under a lock of the system.
 * Contract   S81
 */
WARD_API void ward_dead_letter(ward_self *self, ward_ref to, ward_reason reason);

/** Returns the actor that asked a question, by the ref that stands for the question; nobody where
 *  the asker is gone. Any other ref is returned as it is. Cost: O(1). Contract: S100. */
WARD_API ward_ref ward_asker(const ward_self *self, ward_ref ref);

WARD_END
#endif
