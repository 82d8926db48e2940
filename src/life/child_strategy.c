/* SPDX-License-Identifier: MIT
 *
 * child_strategy.c - the child strategy that an actor sets by itself, while it starts.
 *
 * The strategy changes only while there are no children: the records of its limit, for each child
 * and for all of them, are made with the children and belong to one strategy. The record for all is
 * given back here and made again with the next child, so that a spawn can be refused and a restart
 * cannot.
 *
 * Threads: runs only on the holder's worker.
 */
#include "life/child_strategy.h"

#include <ward/extend.h>

#include "actor/rare.h"
#include "base/error.h"
#include "cell/supervision_table.h"

/* NULL: back to the strategy of the behaviour. */
static void change(struct ward_self *self, const ward_strategy *strategy)
{
	struct wardi_rare *rare = self->cell->rare;

	rare->child_strategy = strategy;
	rare->child_strategy_set = strategy != NULL;
	if (rare->children == NULL)
		return;
	wardi_supervision.budget_give(self->from, rare->children->budget);
	rare->children->budget = NULL;
	rare->children->budget_due = true;
}

void wardi_child_strategy_forget(struct ward_self *self)
{
	if (self->cell->rare->child_strategy_set && !wardi_has_children(self->cell))
		change(self, NULL);
}

/* Whether init, pre_start or post_restart runs. */
static bool is_starting(const struct ward_self *self)
{
	enum wardi_state state = wardi_cell_state(self->cell);

	return state == WARDI_STARTING || state == WARDI_RESTARTING;
}

/* Makes the strategy count from now on. */
static ward_err set(struct ward_self *self, const ward_strategy *strategy)
{
	if (strategy == wardi_child_strategy(self->cell))
		return WARD_OK;
	if (wardi_has_children(self->cell))
		return wardi_error(WARD_EEXIST,
				   "ward_child_strategy_set: there are children, and another "
				   "strategy: call it before the first one is spawned");
	if (wardi_rare_of(self) == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for a child strategy");
	change(self, strategy);
	return WARD_OK;
}

ward_err ward_try_child_strategy_set(ward_self *self, const ward_strategy *strategy)
{
	const struct wardi_rare *rare;
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	if (strategy == NULL)
		return wardi_error(WARD_EINVAL, "ward_child_strategy_set: no strategy");
	if (!is_starting(self))
		return wardi_error(WARD_EINVAL,
				   "ward_child_strategy_set: only init, pre_start and post_restart "
				   "set a child strategy");
	err = wardi_supervision.check_strategy(strategy);
	if (err != WARD_OK)
		return wardi_error(err, "ward_child_strategy_set: %s", ward_err_detail());
	rare = self->cell->rare;
	if (rare->child_strategy != NULL && !rare->child_strategy_set)
		return WARD_OK; /* the strategy of the props wins */
	return set(self, strategy);
}
