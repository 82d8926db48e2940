/* SPDX-License-Identifier: MIT
 *
 * ward/become.h - an actor changes how it handles messages: its receive functions form a stack.
 *
 *	ward_become(self, connected);           replaces the top
 *	ward_become_stacked(self, busy);        puts another on top
 *	ward_unbecome(self);                    back to the one below; finally behavior.receive
 *
 * The next message goes to the function on top. Only receive changes; the state and the hooks stay.
 * The stack belongs to the incarnation: a new one begins with behavior.receive, unless its init
 * calls ward_become().
 */
#ifndef WARD_BECOME_H
#define WARD_BECOME_H

#include <ward/actor.h>

WARD_BEGIN

/**
 * Replaces the current receive function: `receive` handles messages from the next one on.
 *
 * Cost       O(1), allocates nothing.
 * Errors     none. With NULL the actor fails with ward_misuse when the callback returns.
 * Contract   S89
 */
WARD_API void ward_become(ward_self *self, ward_receive receive);

/**
 * Puts `receive` on top of the stack, from the next message on. ward_unbecome() goes back to the
 * current one.
 *
 * Cost       O(1), one small block of memory until it is removed; the first call also allocates
 *            records of the actor, which it keeps to its end.
 * Errors     WARD_EINVAL receive is NULL; WARD_ENOMEM. Nothing has changed then.
 * Contract   S89
 */
WARD_API WARD_MUST_USE ward_err ward_try_become_stacked(ward_self *self, ward_receive receive);
/** Calls ward_try_become_stacked(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_become_stacked(ward_self *self, ward_receive receive)
{
	(void)ward_noted_(self, ward_try_become_stacked(self, receive));
}

/** Goes back to the function that ward_become_stacked() has covered, or to behavior.receive if
 *  there is none, even after a ward_become(). Cost: O(1). Contract: S89. */
WARD_API void ward_unbecome(ward_self *self);

WARD_END
#endif
