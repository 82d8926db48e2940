/* SPDX-License-Identifier: MIT
 *
 * schedule_exhaustive.c - all orders of a small program, one after the other, depth first.
 *
 * A run is a path through a tree: at each turn with more than one actor ready it takes one branch.
 * The first run takes the first branch everywhere. Each further one repeats the path of the last
 * up to the last choice that has a branch left, takes that one, and the first everywhere after it.
 *
 *	taken   0 0 0     0 0 1     0 1 0     0 1 1     1 0 0 ...
 *
 * So each path is taken exactly once, provided that equal choices lead to equal runs. Only the
 * turns of the test's body are gone through: those in which its kit starts and ends would multiply
 * them.
 */
#include "testkit/simulate/schedule_exhaustive.h"

#include "testkit/simulate/schedule.h"

static void begin(struct wardi_schedule *order)
{
	order->choices.depth = 0;
}

static size_t choose(struct wardi_schedule *order, const ward_system *system, size_t count)
{
	struct wardi_choices *choices = &order->choices;

	(void)system;
	if (count == 1 || !order->matters)
		return 0;
	if (choices->depth == WARDI_CHOICES_MAX || count > UINT16_MAX) {
		choices->cut = true;
		return 0;
	}
	uint32_t depth = choices->depth++;
	if (depth >= choices->count)
		choices->taken[depth] = 0;
	choices->among[depth] = (uint16_t)count;
	/* Larger only where a path was given by hand for another program. */
	return choices->taken[depth] < count ? choices->taken[depth] : count - 1;
}

const struct wardi_schedule_way wardi_schedule_exhaustive = {"exhaustive", begin, choose};

bool wardi_schedule_next(struct wardi_schedule *order)
{
	struct wardi_choices *choices = &order->choices;

	if (order->kind != WARD_ORDER_EXHAUSTIVE)
		return false;
	uint32_t depth = choices->depth;
	while (depth > 0 && choices->taken[depth - 1] + 1 >= choices->among[depth - 1])
		depth--;
	if (depth == 0)
		return false;
	choices->taken[depth - 1]++;
	choices->count = depth;
	return true;
}

bool wardi_schedule_exhausted(const struct wardi_schedule *order)
{
	return order->kind == WARD_ORDER_EXHAUSTIVE && !order->choices.cut;
}
