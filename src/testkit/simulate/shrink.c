/* SPDX-License-Identifier: MIT
 *
 * shrink.c - delta debugging over the faults of a plan.
 *
 * After Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (2002): the plan
 * is cut into parts, and the run is tried without each of them, the larger parts first. When no
 * single fault can be left out, each is needed: with the others in place the run passes without it.
 */
#include "testkit/simulate/shrink.h"

#include <string.h>

enum { TRIES_MAX = 400 };

struct shrink {
	struct wardi_plan *plan; /* the smallest so far that fails */
	wardi_shrink_try *fails;
	void *arg;
	unsigned tries;
};

/* Takes the other plan if the run fails with it, too; returns whether it does. */
static bool try_plan(struct shrink *shrink, const struct wardi_plan *other)
{
	struct wardi_plan plan = *other;

	if (shrink->tries == TRIES_MAX)
		return false;
	shrink->tries++;
	if (!shrink->fails(shrink->arg, &plan))
		return false;
	*shrink->plan = plan;
	return true;
}

/* Returns the plan without `count` faults from `first` on. */
static struct wardi_plan without(const struct wardi_plan *plan, uint32_t first, uint32_t count)
{
	struct wardi_plan rest = *plan;
	uint32_t behind = first + count < plan->count ? first + count : plan->count;

	memmove(&rest.faults[first], &rest.faults[behind],
		(plan->count - behind) * sizeof(rest.faults[0]));
	rest.count = plan->count - (behind - first);
	return rest;
}

/* Leaves out a part of that size, if the run still fails; returns whether it did. */
static bool leave_one_out(struct shrink *shrink, uint32_t size)
{
	for (uint32_t first = 0; first < shrink->plan->count; first += size) {
		struct wardi_plan rest = without(shrink->plan, first, size);
		if (try_plan(shrink, &rest))
			return true;
	}
	return false;
}

static void leave_out(struct shrink *shrink)
{
	uint32_t size = shrink->plan->count;

	while (size > 0 && shrink->plan->count > 0) {
		if (!leave_one_out(shrink, size))
			size /= 2;
		else if (size > shrink->plan->count)
			size = shrink->plan->count;
	}
}

/* Halves the time of a fault as long as the run still fails. */
static void shorten(struct shrink *shrink, uint32_t at)
{
	while (at < shrink->plan->count && shrink->plan->faults[at].delay_ms > 1) {
		struct wardi_plan shorter = *shrink->plan;
		uint32_t count = shorter.count;
		shorter.faults[at].delay_ms /= 2;
		if (!try_plan(shrink, &shorter) || shrink->plan->count != count)
			return;
	}
}

unsigned wardi_shrink(struct wardi_plan *plan, wardi_shrink_try *fails, void *arg)
{
	struct shrink shrink = {plan, fails, arg, 0};

	leave_out(&shrink);
	for (uint32_t at = 0; at < plan->count; at++)
		shorten(&shrink, at);
	return shrink.tries;
}
