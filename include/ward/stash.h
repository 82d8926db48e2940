/* SPDX-License-Identifier: MIT
 *
 * ward/stash.h - messages that are put aside until the actor can handle them.
 *
 *	if (!me->connected)
 *		return ward_stash(self);
 *	...
 *	ward_become(self, connected);
 *	ward_unstash_all(self);                 they come next, in the order they came in
 *
 * What is un-stashed comes before all that waits in the mailbox, is not counted by a bounded one,
 * and keeps its sender. It may be stashed again, which allocates nothing then.
 *
 * A restart un-stashes: the new incarnation gets what was put aside before anything else. The
 * default pre_restart does it first; what a pre_restart of one's own leaves in the stash is
 * un-stashed after it. ward_stash_clear() in pre_restart drops it instead. When the actor stops,
 * what is left becomes dead letters after post_stop, in order and before the rest of the mailbox.
 */
#ifndef WARD_STASH_H
#define WARD_STASH_H

#include <ward/failure.h>

WARD_BEGIN

/**
 * Puts the current message aside. Its body is out of bounds afterwards; its sender and its type are
 * known until the callback returns, whatever becomes of it in the stash.
 *
 * In pre_restart it acts on the message that failed, which then comes again; in post_stop it makes
 * a dead letter of it. A stashed ward_terminated, or what was asked for with ward_watch_with(), is
 * received again too, unless ward_unwatch() comes first: it takes the notice out of the stash.
 *
 * Ownership  takes the message; it is dropped once, whatever becomes of it.
 * Cost       O(1), a copy of a small body; a larger one is moved.
 * Errors     WARD_EEXIST it was stashed already; WARD_ENOENT no current message: this is no
 *            receive, nor a hook after a failure, or it was taken or forwarded before; WARD_EFULL
 *            props.stash_max is reached; WARD_EINVAL a ward_fd_ready, which tells of a moment:
 *            watch again later; WARD_ENOMEM. Then the message is where it was.
 * Contract   S68, S86
 */
WARD_API WARD_MUST_USE ward_err ward_try_stash(ward_self *self);
/** The same, where a refusal is a failure: see ward_failed_err(). Returns WARD_DONE, for `return
 *  ward_stash(self)`. Cost: the same. */
static inline ward_result ward_stash(ward_self *self)
{
	(void)ward_noted_(self, ward_try_stash(self));
	return WARD_DONE;
}

/**
 * Puts all that is stashed before everything in the mailbox, oldest first; returns how many.
 *
 * Order      what one callback un-stashes is handled in the order in which it does so.
 * Cost       O(1), allocates nothing.
 * Contract   S86
 */
WARD_API size_t ward_unstash_all(ward_self *self);

/** The same for the oldest one. False: the stash is empty. Cost: O(1). */
WARD_API bool ward_unstash(ward_self *self);

/** Returns how many messages are stashed. Cost: O(1). */
WARD_API size_t ward_stash_count(const ward_self *self);

/** Drops all that is stashed. What is un-stashed already still comes. Cost: O(stashed messages),
 *  each of which is dropped. Contract: S86. */
WARD_API void ward_stash_clear(ward_self *self);

WARD_END
#endif
