/* SPDX-License-Identifier: MIT
 *
 * counters.c - adding up what the workers count; and the numbers of lives.
 *
 * Who touches what: a tally is its worker's; system->tally, of threads that have ended, under
 * selves_mu, or before any thread runs.
 */
#include "cell/counters.h"

#include "cell/self.h"

/* Numbers that a worker takes at once: so few that two workers' numbers stay close. */
enum { BIRTHS = 64 };

static void add(_Atomic uint64_t *sum, const _Atomic uint64_t *count)
{
	/* Acquire: the ends are added first. */
	uint64_t more = atomic_load_explicit(count, memory_order_acquire); /* [T1] */

	/* Relaxed: the caller's own, or under selves_mu. */
	atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + more,
			      memory_order_relaxed);
}

static void add_ends(struct wardi_tally *sum, const struct wardi_tally *tally)
{
	add(&sum->ended, &tally->ended);
}

static void add_others(struct wardi_tally *sum, const struct wardi_tally *tally)
{
	add(&sum->spawned, &tally->spawned);
	add(&sum->failures, &tally->failures);
	add(&sum->restarts, &tally->restarts);
}

static void add_each(ward_system *system, struct wardi_tally *sum,
		     void (*add_to)(struct wardi_tally *sum, const struct wardi_tally *tally))
{
	add_to(sum, &system->tally);
	for (struct wardi_list *at = system->selves.next; at != &system->selves; at = at->next)
		add_to(sum, &wardi_container_of(at, struct ward_self, link)->tally);
}

void wardi_tally_sum(ward_system *system, struct wardi_tally *ret_sum)
{
	*ret_sum = (struct wardi_tally){0};
	wardi_mutex_lock(&system->selves_mu);
	add_each(system, ret_sum, add_ends);
	add_each(system, ret_sum, add_others);
	wardi_mutex_unlock(&system->selves_mu);
}

void wardi_tally_keep(ward_system *system, struct wardi_tally *tally)
{
	add_ends(&system->tally, tally);
	add_others(&system->tally, tally);
}

uint64_t wardi_birth(ward_system *system, struct ward_self *self, uint64_t after)
{
	struct wardi_births *births = self == NULL ? NULL : &self->births;
	uint64_t count = births == NULL || system->simulation != NULL ? 1 : BIRTHS;
	uint64_t first;

	if (births != NULL && births->next < births->end && births->next > after)
		return births->next++;
	/* Relaxed: a count. It is above all that were given out, so above `after`, too. */
	first = atomic_fetch_add_explicit(&system->births, count, memory_order_relaxed) + 1;
	if (births != NULL)
		*births = (struct wardi_births){first + 1, first + count};
	return first;
}
