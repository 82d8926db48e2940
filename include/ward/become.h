/* SPDX-License-Identifier: MIT
 *
 * ward/become.h - an actor changes how it handles messages: its behaviour is a stack.
 *
 *	ward_become(self, connected);           replaces the top
 *	ward_become_stacked(self, busy);        puts one on top of it
 *	ward_unbecome(self);                    back to the one below; at last to behavior.receive
 *
 * The next message goes to what is on top. The state stays, and so do the hooks: only `receive`
 * changes. All of it belongs to the incarnation: a new one begins with behavior.receive, unless its
 * init becomes something else.
 */
#ifndef WARD_BECOME_H
#define WARD_BECOME_H

#include <ward/actor.h>

WARD_BEGIN

/**
 * Lets `receive` handle messages from the next one on, in place of what does now.
 *
 * Cost       O(1), allocates nothing.
 * Errors     Cannot fail. With NULL the callback fails with ward_misuse when it returns.
 * Contract   S89
 */
WARD_API void ward_become(ward_self *self, ward_receive receive);

/**
 * The same, and keeps what handles messages now below it, for ward_unbecome().
 *
 * Cost       O(1), one small block of memory until it is taken off again; the first one also takes
 *            records of the actor, which it keeps to its end.
 * Errors     WARD_EINVAL it is NULL; WARD_ENOMEM. Then nothing has changed.
 * Contract   S89
 */
WARD_API WARD_MUST_USE ward_err ward_try_become_stacked(ward_self *self, ward_receive receive);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_become_stacked(ward_self *self, ward_receive receive)
{
	(void)ward_noted_(self, ward_try_become_stacked(self, receive));
}

/** Takes the top off the stack; below the last one is behavior.receive, which stays. Cost: O(1).
 *  Contract: S89. */
WARD_API void ward_unbecome(ward_self *self);

WARD_END
#endif
