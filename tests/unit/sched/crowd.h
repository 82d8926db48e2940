/* SPDX-License-Identifier: MIT
 *
 * crowd.h - cells that pass messages on to each other at random, while threads outside send more.
 *
 * What it shows: nothing made ready is lost (all messages are counted in the end), nothing runs
 * twice at the same time (each cell checks that).
 */
#ifndef CROWD_H
#define CROWD_H

#include "base/random.h"
#include "sched/dispatcher.h"
#include "sched/sched.h"
#include "unit/sched/bench.h"

enum { CELLS = 200, OUTSIDERS = 2 };

struct crowd {
	struct cell cells[CELLS];
	uint64_t from_outside;
	_Atomic int64_t hops_left;
	_Atomic uint64_t handled;
	uint64_t expected;
};

static inline void receive_hop(struct cell *cell, struct wardi_worker *worker)
{
	struct crowd *crowd = cell->arg;

	if (atomic_fetch_sub_explicit(&crowd->hops_left, 1, memory_order_relaxed) > 0)
		tell(&crowd->cells[wardi_random_below(&worker->random, CELLS)], worker);
	if (atomic_fetch_add_explicit(&crowd->handled, 1, memory_order_relaxed) + 1 ==
	    crowd->expected)
		done(cell->bench);
}

static inline void *outsider(void *arg)
{
	struct crowd *crowd = arg;
	struct wardi_random random;

	wardi_random_init(&random, (uint64_t)(uintptr_t)&random);
	for (uint64_t i = 0; i < crowd->from_outside; i++)
		tell(&crowd->cells[wardi_random_below(&random, CELLS)], NULL);
	return NULL;
}

/* Two threads outside send, each message goes on from cell to cell until the hops are used up. */
static inline void run_crowd(uint32_t workers, uint64_t from_outside, uint64_t hops, bool mixed)
{
	static const ward_dispatcher pools[] = {{.name = "three", .threads = 3}, {0}};
	struct bench *bench = bench_start(workers, pools);
	struct crowd *crowd = calloc(1, sizeof(*crowd));
	pthread_t outsiders[OUTSIDERS];

	crowd->from_outside = from_outside;
	crowd->hops_left = (int64_t)hops;
	crowd->expected = OUTSIDERS * from_outside + hops;
	for (int i = 0; i < CELLS; i++) {
		const char *name = NULL;
		if (mixed && i % 8 == 1)
			name = "three";
		if (mixed && i % 8 == 2)
			name = "ward.blocking";
		if (mixed && i % 50 == 3)
			name = "ward.pinned";
		cell_init(&crowd->cells[i], bench, name, receive_hop, crowd);
	}
	for (int i = 0; i < OUTSIDERS; i++)
		ward_assert_eq(pthread_create(&outsiders[i], NULL, outsider, crowd), 0);
	for (int i = 0; i < OUTSIDERS; i++)
		pthread_join(outsiders[i], NULL);
	await(bench, 1);
	for (int i = 0; i < CELLS; i++)
		wardi_dispatcher_release(crowd->cells[i].runnable.dispatcher);
	wardi_sched_stop(bench->sched);
	ward_assert_eq(crowd->handled, crowd->expected);
	for (int i = 0; i < CELLS; i++)
		ward_assert_eq(crowd->cells[i].pending, 0);
	bench_finish(bench);
	free(crowd);
}

#endif
