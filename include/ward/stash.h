/* SPDX-License-Identifier: MIT
 *
 * ward/stash.h - messages that are set aside until the actor can handle them.
 *
 *	if (!me->connected)
 *		return ward_stash(self);
 *	...
 *	ward_become(self, connected);
 *	ward_unstash_all(self);                 they come next, in the order they came in
 *
 * Un-stashed messages come before all that wait in the mailbox, do not count in a bounded mailbox,
 * and keep their senders. A message may be stashed again; that allocates no memory.
 *
 * A restart un-stashes: the new incarnation gets the stashed messages before all others. The
 * default pre_restart does that first; if your own pre_restart leaves messages in the stash, they
 * are un-stashed after it. To drop them instead, call ward_stash_clear() in pre_restart. When the
 * actor stops, stashed messages become dead letters after post_stop, in order and before those in
 * the mailbox.
 */
#ifndef WARD_STASH_H
#define WARD_STASH_H

#include <ward/failure.h>

WARD_BEGIN

/**
 * Stashes the current message. Its body may not be accessed after this; its sender and its type
 * remain readable until the callback returns, whatever happens in the stash.
 *
 * In pre_restart it stashes the message that failed, which then comes again; in post_stop it turns
 * it into a dead letter. A stashed ward_terminated, or message of ward_watch_with(), is received
 * again, too, unless ward_unwatch() is called first, which removes it from the stash.
 *
 * Ownership  takes the message; it is dropped once, whatever happens to it.
 * Cost       O(1); a small body is copied, a larger one moved.
 * Errors     WARD_EEXIST it was stashed already; WARD_ENOENT there is no current message: the
 *            callback is neither receive nor a hook after a failure, or the message was taken or
 *            forwarded already; WARD_EFULL props.stash_max is reached; WARD_EINVAL the message is
 *            ward_fd_ready, which may no longer be true later: watch the descriptor again then;
 *            WARD_ENOMEM. The message is still the current one then.
 * Contract   S68, S86
 */
WARD_API WARD_MUST_USE ward_err ward_try_stash(ward_self *self);
/** Stashes the current message like ward_try_stash(); a refusal makes self fail when the callback
 *  returns: see ward_failed_err(). Returns WARD_DONE, for `return ward_stash(self)`. Cost: the
 *  same. */
static inline ward_result ward_stash(ward_self *self)
{
	(void)ward_noted_(self, ward_try_stash(self));
	return WARD_DONE;
}

/**
 * Un-stashes all messages: moves them in front of the mailbox, oldest first; returns their number.
 *
 * Order      messages that one callback un-stashes are handled in the order of these calls, and
 *            before those that an earlier callback un-stashed and that still wait.
 * Cost       O(1), allocates nothing.
 * Contract   S86
 */
WARD_API size_t ward_unstash_all(ward_self *self);

/** Un-stashes the oldest message. Returns false if the stash is empty. Cost: O(1). */
WARD_API bool ward_unstash(ward_self *self);

/** Returns the number of stashed messages. Cost: O(1). */
WARD_API size_t ward_stash_count(const ward_self *self);

/** Drops all stashed messages, without dead letters: an actor that waits for an answer to one of
 *  them gets its timeout. Those that were un-stashed already still come. Cost: O(stashed messages),
 *  each of which is dropped. Contract: S86. */
WARD_API void ward_stash_clear(ward_self *self);

WARD_END
#endif
