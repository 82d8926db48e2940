/* SPDX-License-Identifier: MIT
 *
 * schedule_pct.c - probabilistic concurrency testing: by random priorities that change now and
 * then.
 *
 * After Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs"
 * (2010). Each actor has a random priority, and the ready actor with the highest runs. At a few
 * random turns the actor that is about to run becomes the lowest of all. A bug that needs d turns
 * in a certain order is found with a probability of at least 1 / (n k^(d-1)), for n actors and k
 * turns; a uniform choice needs luck at each turn in between.
 *
 * The length of a run is not known beforehand, and learning it from another run would make the two
 * depend on each other. So the length within which the changes are drawn is drawn, too, small ones
 * as likely as large ones. After it the choice is uniform: priorities alone would let two actors
 * that keep each other busy delay all others forever.
 */
#include "testkit/simulate/schedule_pct.h"

#include "testkit/simulate/schedule.h"

enum { LENGTH_MAX = 1 << 13 };

static void begin(struct wardi_schedule *order)
{
	struct wardi_pct *pct = &order->pct;

	pct->salt = wardi_chance_u64(&order->chance);
	pct->length = wardi_chance_scale(&order->chance, LENGTH_MAX);
	pct->turn = 0;
	pct->lowered_count = 0;
	pct->changes_count = pct->changes_wanted;
	for (uint32_t i = 0; i < pct->changes_count; i++)
		pct->changes[i] = wardi_chance_below(&order->chance, pct->length);
}

/* The later an actor was lowered, the lower it is. The others have a random priority from the
 * start: drawn by their uid, which is the same in each run of a seed, so nothing is kept. */
static uint64_t priority(const struct wardi_pct *pct, uint64_t uid)
{
	for (uint32_t i = pct->lowered_count; i > 0; i--) {
		if (pct->lowered[i - 1] == uid)
			return pct->lowered_count - i;
	}
	return wardi_chance_spread(pct->salt ^ uid) | UINT64_C(1) << 63;
}

static size_t highest(const struct wardi_pct *pct, const ward_system *system, size_t count)
{
	size_t best = 0;
	uint64_t best_priority = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t one = priority(pct, ward_simulation_ready(system, i).uid);
		if (i == 0 || one > best_priority) {
			best = i;
			best_priority = one;
		}
	}
	return best;
}

static bool changes_now(const struct wardi_pct *pct)
{
	for (uint32_t i = 0; i < pct->changes_count; i++) {
		if (pct->changes[i] == pct->turn)
			return true;
	}
	return false;
}

static size_t choose(struct wardi_schedule *order, const ward_system *system, size_t count)
{
	struct wardi_pct *pct = &order->pct;

	if (pct->turn >= pct->length)
		return (size_t)wardi_chance_below(&order->chance, count);
	size_t best = highest(pct, system, count);
	if (changes_now(pct)) {
		pct->lowered[pct->lowered_count++] = ward_simulation_ready(system, best).uid;
		best = highest(pct, system, count);
	}
	pct->turn++;
	return best;
}

const struct wardi_schedule_way wardi_schedule_pct = {"pct", begin, choose};
