/* SPDX-License-Identifier: MIT
 *
 * budget.c - the record that a limit keeps for a child, or for all: count, window, notice.
 *
 *	at_ns  [ . . 12 15 15 31 . ]     a ring: the oldest at `first`, `count` of them
 *	             |        |
 *	             |        +-- the newest, charged now
 *	             +----------- removed when it is older than the window
 *
 * An entry exactly as old as the window stays. The ring has room for one more than the limit: so a
 * denied restart is in it, too, and the entry that a full ring loses could not change a result.
 * Only take() allocates.
 *
 * Threads: runs only on the parent's worker.
 */
#include "supervise/budget.h"

#include "base/memory.h"
#include "mail/message.h"
#include "supervise/limit.h"

struct wardi_budget {
	size_t size;             /* of this block */
	struct ward_msg *notice; /* NULL: none, or sent */
	/* of a window that does not slide (limit.c) */
	uint32_t restarts;
	int64_t window_start_ns; /* 0: unset */
	/* of one that does */
	uint32_t room, first, count;
	int64_t at_ns[];
};

static bool slides(const ward_strategy *strategy, bool of_all)
{
	return strategy->limit == (of_all ? WARD_LIMIT_INTENSITY : WARD_LIMIT_SLIDING);
}

bool wardi_budget_take(struct wardi_source from, const ward_strategy *strategy, bool of_all,
		       struct wardi_budget **ret_budget)
{
	bool notifies = strategy->limit == WARD_LIMIT_NOTIFY && !of_all;
	bool counts =
		strategy->restarts_max > 0 && !of_all && strategy->limit != WARD_LIMIT_INTENSITY;
	uint32_t room = slides(strategy, of_all) ? wardi_limit_max(strategy) + 1 : 0;
	struct wardi_budget *budget;
	size_t size;

	*ret_budget = NULL;
	if (room == 0 && !notifies && !counts)
		return true;
	size = sizeof *budget + room * sizeof budget->at_ns[0];
	budget = wardi_memory_get(from, size);
	if (budget == NULL)
		return false;
	budget->size = size;
	budget->room = room;
	if (notifies) {
		budget->notice = wardi_msg_make(from, &ward_type_ward_restarts_exceeded, NULL, 0);
		if (budget->notice == NULL) {
			wardi_budget_give(from, budget);
			return false;
		}
	}
	*ret_budget = budget;
	return true;
}

void wardi_budget_give(struct wardi_source from, struct wardi_budget *budget)
{
	if (budget == NULL)
		return;
	if (budget->notice != NULL)
		wardi_msg_destroy(from, budget->notice);
	wardi_memory_put(from, budget, budget->size);
}

static void drop_oldest(struct wardi_budget *budget)
{
	budget->first = (budget->first + 1) % budget->room;
	budget->count--;
}

uint32_t wardi_budget_count(struct wardi_budget *budget, const ward_strategy *strategy,
			    int64_t now_ns)
{
	if (budget == NULL || budget->room == 0)
		return budget == NULL ? 0 : budget->restarts;
	while (budget->count > 0 &&
	       !wardi_limit_within(strategy, now_ns - budget->at_ns[budget->first]))
		drop_oldest(budget);
	return budget->count;
}

bool wardi_budget_charge(struct wardi_budget *budget, const ward_strategy *strategy, int64_t now_ns)
{
	if (strategy->restarts_max == WARD_RESTARTS_NONE)
		return false;
	if (budget == NULL) /* there is no limit */
		return true;
	if (budget->room == 0)
		return wardi_limit_charge(strategy, &budget->restarts, &budget->window_start_ns,
					  now_ns);
	if (wardi_budget_count(budget, strategy, now_ns) == budget->room)
		drop_oldest(budget);
	budget->at_ns[(budget->first + budget->count) % budget->room] = now_ns;
	budget->count++;
	return budget->count <= wardi_limit_max(strategy);
}

void wardi_budget_reset(struct wardi_budget *budget)
{
	if (budget != NULL)
		budget->first = budget->count = 0;
}

struct ward_msg *wardi_budget_notice(struct wardi_budget *budget)
{
	struct ward_msg *notice = budget->notice;

	budget->notice = NULL;
	return notice;
}
