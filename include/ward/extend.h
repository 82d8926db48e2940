/* SPDX-License-Identifier: MIT
 *
 * ward/extend.h - what authors of patterns need: behaviours whose arguments say how they work.
 *
 * Not part of ward.h. A program that only uses patterns needs none of it.
 */
#ifndef WARD_EXTEND_H
#define WARD_EXTEND_H

#include <ward/actor.h>

WARD_BEGIN

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

WARD_END
#endif
