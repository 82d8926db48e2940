/* SPDX-License-Identifier: MIT
 *
 * counters.c - sums of the workers' counters; and the numbers of lives.
 *
 * Threads: the counters of a worker are its own; system->life_counters, for threads that have
 * ended, under selves_mu, or before any thread runs.
 */
#include "cell/counters.h"

#include "cell/self.h"

/* Numbers that a worker takes at once: few, so that the numbers of two workers stay close. */
enum { BIRTHS = 64 };

static void add(_Atomic uint64_t *sum, const _Atomic uint64_t *count)
{
	/* Acquire: the ends are added first. */
	uint64_t more = atomic_load_explicit(count, memory_order_acquire); /* [T1] */

	/* Relaxed: the caller's own, or under selves_mu. */
	atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + more,
			      memory_order_relaxed);
}

static void add_ends(struct wardi_life_counters *sum,
		     const struct wardi_life_counters *life_counters)
{
	add(&sum->ended, &life_counters->ended);
}

static void add_others(struct wardi_life_counters *sum,
		       const struct wardi_life_counters *life_counters)
{
	add(&sum->spawned, &life_counters->spawned);
	add(&sum->failures, &life_counters->failures);
	add(&sum->restarts, &life_counters->restarts);
}

static void add_each(ward_system *system, struct wardi_life_counters *sum,
		     void (*add_to)(struct wardi_life_counters *sum,
				    const struct wardi_life_counters *life_counters))
{
	add_to(sum, &system->life_counters);
	for (struct wardi_list *at = system->selves.next; at != &system->selves; at = at->next)
		add_to(sum, &wardi_container_of(at, struct ward_self, link)->life_counters);
}

void wardi_life_counters_sum(ward_system *system, struct wardi_life_counters *ret_sum)
{
	*ret_sum = (struct wardi_life_counters){0};
	wardi_mutex_lock(&system->selves_mu);
	add_each(system, ret_sum, add_ends);
	add_each(system, ret_sum, add_others);
	wardi_mutex_unlock(&system->selves_mu);
}

void wardi_life_counters_keep(ward_system *system, struct wardi_life_counters *life_counters)
{
	add_ends(&system->life_counters, life_counters);
	add_others(&system->life_counters, life_counters);
}

uint64_t wardi_life_number(ward_system *system, struct ward_self *self, uint64_t after)
{
	struct wardi_life_numbers *life_numbers = self == NULL ? NULL : &self->life_numbers;
	uint64_t count = life_numbers == NULL || system->simulation != NULL ? 1 : BIRTHS;
	uint64_t first;

	if (life_numbers != NULL && life_numbers->next < life_numbers->end &&
	    life_numbers->next > after)
		return life_numbers->next++;
	/* Relaxed: a count. It is above all assigned numbers, so above `after`, too. */
	first = atomic_fetch_add_explicit(&system->life_numbers, count, memory_order_relaxed) + 1;
	if (life_numbers != NULL)
		*life_numbers = (struct wardi_life_numbers){first + 1, first + count};
	return first;
}
