/* SPDX-License-Identifier: MIT
 *
 * sim.h - the simulated scheduler, as the rest of the scheduler sees it.
 */
#ifndef WARDI_SIM_H
#define WARDI_SIM_H

#include <stdbool.h>
#include <stddef.h>

#include "sched/sched.h"

struct wardi_sim {
	/* the one thread's */
	struct wardi_worker worker;
	struct wardi_random random; /* draws the next runnable, and nothing else */
	bool begun;                 /* worker_begin was called, worker_end not yet */
	struct wardi_runnable **ready;
	size_t count;
	size_t capacity;
	/* Ready too, but found no room: in as others leave, first come, first in. */
	struct wardi_runnable *late;
	struct wardi_runnable **late_end;
	struct wardi_list put_off; /* by time, then by order of arrival */
};

/* Error: WARD_ENOMEM. */
ward_err wardi_sim_begin(struct wardi_sched *sched, uint64_t seed);
/* Calls worker_end once. */
void wardi_sim_end(struct wardi_sched *sched);
/* Frees; after end, or without begin. */
void wardi_sim_finish(struct wardi_sched *sched);
void wardi_sim_push(struct wardi_sched *sched, struct wardi_runnable *runnable);

#endif
