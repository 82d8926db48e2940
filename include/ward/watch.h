/* SPDX-License-Identifier: MIT
 *
 * ward/watch.h - death watch (monitor): a message when another actor has ended.
 *
 * An actor that watches another one gets one ward_terminated when that one has ended, for whatever
 * reason, or if it has ended already. A watch does nothing to the watcher; for two actors that end
 * together there is ward_link(). A restart is not an end. But below a supervisor of otp.h
 * (ward_otp_start()) a restarted child is another actor, so there each failure is an end.
 *
 * A watch belongs to the actor: it survives restarts of the watcher and of the watched actor. But
 * the default pre_restart unwatches the children that it stops.
 */
#ifndef WARD_WATCH_H
#define WARD_WATCH_H

#include <ward/failure.h>

WARD_BEGIN

/** Size of the name in a ward_terminated, including the terminating 0. */
enum { WARD_END_NAME = 20 };

/**
 * The notice that a watched actor has ended, with how it ended.
 *
 *	if (gone->end == WARD_END_FAILED &&
 *	    ward_failure_class_is(gone->failure_class, &out_of_paper))
 *
 * If receive leaves it unhandled, the watcher fails with ward_death_pact; the notice is the body of
 * that failure. ward_children() is not synchronised with the notices: a parent that waits for its
 * last child counts the notices instead.
 *
 * Contract   S60, S61, S66
 */
struct ward_terminated {
	ward_ref who; /* the actor that ended */
	/** For FAILED and KILLED, otherwise NULL; for KILLED it is ward_killed or a class below it,
	 *  also after an exit signal. It points to the program's constant, not to a copy, so it may
	 *  be kept. */
	const ward_failure_class *failure_class;
	/** How it ended: WARD_END_NORMAL, STOPPED, FAILED, KILLED, EXITED, or UNKNOWN if it had
	 *  ended before the watch. See ward_end. */
	ward_end end;
	/** The name given at the spawn, otherwise that of the behaviour; cut to fit. Empty for
	 *  UNKNOWN. */
	char name[WARD_END_NAME];
};
WARD_API extern const ward_type ward_type_ward_terminated;

/**
 * Watches an actor: exactly one ward_terminated arrives when `who` has ended, or at once if `who`
 * has ended already.
 *
 * The notice arrives after all messages that `who` sent before. The order of the notices of two
 * actors is not defined, not even for a parent and its child, although the child ends first.
 * Repeating a watch with the same message, or watching self, has no effect; repeating it with
 * another message is refused. The memory for the notice is allocated here: this call can be
 * refused, the notice cannot.
 *
 * Cost       O(1), regardless of the number of watches of self and of watchers of `who`.
 * Errors     WARD_EINVAL nobody; WARD_EFOREIGN; WARD_EEXIST watched with another message already;
 *            WARD_ENOMEM. Nothing has changed then.
 * Contract   S59-S62, S67
 */
WARD_API WARD_MUST_USE ward_err ward_try_watch(ward_self *self, ward_ref who);
/** Calls ward_try_watch(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_watch(ward_self *self, ward_ref who)
{
	(void)ward_noted_(self, ward_try_watch(self, who));
}

/**
 * Watches an actor as ward_try_watch() does, but delivers a message of the program in place of
 * ward_terminated. Leaving that message unhandled is not a failure. Repeating the watch with the
 * same message, compared by type and bytes, has no effect. The plain form of ward_watch_with().
 *
 * Ownership  takes what the body owns, always: if no watch is set, it is dropped.
 * Cost       as ward_watch(), and O(size).
 * Errors     those of ward_try_watch(); WARD_EINVAL no type; WARD_ESIZE the size does not match the
 *            type.
 */
WARD_API WARD_MUST_USE ward_err ward_try_watch_with_send(ward_self *self, ward_ref who,
							 const ward_type *type, const void *body,
							 size_t size);
/** Calls ward_try_watch_with_send(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_watch_with_send(ward_self *self, ward_ref who, const ward_type *type,
					const void *body, size_t size)
{
	(void)ward_noted_(self, ward_try_watch_with_send(self, who, type, body, size));
}

/**
 * Handles ward_terminated, and stops self when no child is left, watched or not; leaves other
 * messages unhandled. A receive for an actor that only starts and watches children: set it as
 * `.receive`, or call it at the end of a receive of your own.
 *
 * Cost       O(1); O(children) if several children have ended whose notices are not handled yet.
 * Contract   S49, S61
 */
WARD_API ward_result ward_stop_with_children(ward_self *self, void *state, const ward_msg *msg);

/** Ends a watch: no notice about `who` arrives after this call, not even one that is already in the
 *  mailbox or in the stash. The body of a ward_watch_with() is dropped. An actor that is not
 *  watched is ignored. Cost: O(1), and a look at each stashed message. Contract: S63. */
WARD_API void ward_unwatch(ward_self *self, ward_ref who);

WARD_END

/* ---- the macros (C only) ----------------------------------------------------------------- */

#ifndef __cplusplus
/** Watches with a message: `ward_watch_with(self, who, lost_worker, .number = 3)`. See
 *  ward_watch_with_send(). Cost: the same. */
#define ward_watch_with(self, who, ...) ward_watch_with_send((self), (who), WARD_BODY(__VA_ARGS__))
#endif
#endif
