/* SPDX-License-Identifier: MIT
 *
 * sim.h - the simulated scheduler, as the rest of the scheduler sees it.
 */
#ifndef WARDI_SIM_H
#define WARDI_SIM_H

#include <stdbool.h>
#include <stddef.h>

#include "sched/sched.h"

struct wardi_sched;

struct wardi_sim {
	/* of the one thread */
	struct wardi_worker worker;
	struct wardi_random random; /* draws the next runnable, and nothing else */
	bool begun;                 /* worker_begin was called, worker_end not yet */
	struct wardi_runnable **ready;
	size_t count;
	size_t capacity;
	/* Ready, but without room in the bag: enter as others leave, in order. */
	struct wardi_runnable *late;
	struct wardi_runnable **late_end;
	struct wardi_list put_off; /* by time, then by order of arrival */
	/* See ward_simulation_others(); or NULL. */
	bool (*others)(void *arg, int64_t until_ns);
	void *others_arg;
};

/* Error: WARD_ENOMEM. */
ward_err wardi_sim_begin(struct wardi_sched *sched, uint64_t seed);
/* Calls worker_end, at most once. */
void wardi_sim_end(struct wardi_sched *sched);
/* Frees it; after end, or without begin. */
void wardi_sim_finish(struct wardi_sched *sched);
void wardi_sim_push(struct wardi_sched *sched, struct wardi_runnable *runnable);

/* Moves the clock to the next timer or delayed action, no further than `until_ns`, and does all
 * that is due. False: there was none until then (the clock is at until_ns, unless that is
 * INT64_MAX). */
bool wardi_sched_advance(struct wardi_sched *sched, int64_t until_ns);

/* Returns the time of the next timer or delayed action; INT64_MAX: none. */
int64_t wardi_sched_next(struct wardi_sched *sched);

/* Has others(arg, until_ns) called before each step and each move of the clock. NULL: no longer. */
void wardi_sched_others(struct wardi_sched *sched, bool (*others)(void *arg, int64_t until_ns),
			void *arg);

/* Returns the number of ready runnables; and one of them. */
size_t wardi_sched_count(const struct wardi_sched *sched);

/* Inside a step: moves the clock by `by_ns` at once, so that timers due by then are late. */
void wardi_sched_jump(struct wardi_sched *sched, int64_t by_ns);

struct wardi_runnable *wardi_sched_peek(const struct wardi_sched *sched, size_t index);

/* Waits in real time until a watched descriptor is ready. False: none is watched. */
bool wardi_sched_poll(struct wardi_sched *sched);

/* Calls off->due() when the clock comes to `at_ns`: in order of time, then of these calls. Linear
 * in the number of later actions. */
void wardi_sched_put_off(struct wardi_sched *sched, struct wardi_put_off *off, int64_t at_ns,
			 void (*due)(struct wardi_worker *worker, struct wardi_put_off *off));

/* Runs one ready runnable, chosen or drawn by the seed. False: none is ready (descriptors were
 * looked at). */
bool wardi_sched_step(struct wardi_sched *sched);

/* Removes a delayed action: it will not be called. */
void wardi_sched_take_back(struct wardi_put_off *off);

#endif
