/* SPDX-License-Identifier: MIT
 *
 * stepped.h - a simulated scheduler that is stepped, and notes what it was made to run.
 */
#ifndef UNIT_SCHED_STEPPED_H
#define UNIT_SCHED_STEPPED_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ward/fd.h>
#include <ward/system.h>
#include <ward/testkit.h>

#include "base/error.h"
#include "base/list.h"
#include "sched/dispatcher.h"
#include "sched/poller.h"
#include "sched/sched.h"
#include "sched/sim.h"
#include "sched/timers.h"
#include "sched/worker.h"
#include "unit/sched/watch.h"

enum { NOTES_MAX = 4096 };

struct sim {
	struct wardi_alloc alloc;
	struct wardi_clock clock;
	struct wardi_shard shards[WARDI_SHARDS];
	struct wardi_sched *sched;
	int begun, ended;
	uint64_t notes[NOTES_MAX];
	size_t count;
	struct wardi_watch_list watches;
	int64_t every_ns; /* > 0: a timer that fires is armed again after so long */
};

struct noter {
	struct wardi_runnable runnable;
	uint64_t number;
	int again; /* so many times more */
};

struct timer {
	struct wardi_timer_node node;
	uint64_t number;
};

static void note(struct sim *sim, uint64_t number)
{
	ward_assert(sim->count < NOTES_MAX);
	sim->notes[sim->count++] = number;
}

static bool begin(struct wardi_worker *worker)
{
	struct sim *sim = wardi_sched_arg(worker->sched);
	ward_assert(wardi_worker_current() == worker);
	worker->context = sim;
	sim->begun++;
	return true;
}

static void end(struct wardi_worker *worker)
{
	((struct sim *)worker->context)->ended++;
}

static void run(struct wardi_worker *worker, struct wardi_runnable *runnable)
{
	struct noter *noter = wardi_container_of(runnable, struct noter, runnable);
	ward_assert(wardi_worker_current() == worker);
	note(worker->context, noter->number);
	if (noter->again-- > 0)
		wardi_sched_ready(worker->sched, worker, runnable);
}

static void fire(struct wardi_worker *worker, struct wardi_timer_node *node, int64_t now_ns)
{
	struct sim *sim = worker->context;
	ward_assert(!node->armed);
	ward_assert(now_ns >= node->deadline_ns);
	note(sim, wardi_container_of(node, struct timer, node)->number);
	if (sim->every_ns > 0)
		wardi_timer_rearm(worker->sched, node, now_ns + sim->every_ns);
}

static bool arm(struct sim *sim, struct timer *timer, int64_t deadline_ns)
{
	timer->node.fire = fire;
	return wardi_timer_arm(sim->sched, &timer->node, deadline_ns);
}

static bool fd_ready(struct wardi_worker *worker, const struct wardi_notice *notice)
{
	ward_assert_eq((uintptr_t)notice->token, notice->owner);
	note(worker->context, notice->owner << 8 | notice->events);
	return true;
}

static inline ward_err watch(struct sim *sim, int fd, uint32_t events, uint64_t key)
{
	return watch_as(sim->sched, fd, events, key, (struct watch_options){.list = &sim->watches});
}

#define HOOKS .worker_begin = begin, .worker_end = end, .run = run

static struct sim *sim_create(uint64_t seed, const struct ward_allocator *hooks,
			      bool (*on_fd)(struct wardi_worker *worker,
					    const struct wardi_notice *notice))
{
	struct sim *sim = calloc(1, sizeof(*sim));
	wardi_alloc_init(&sim->alloc, hooks, false);
	wardi_clock_init(&sim->clock, true);
	struct wardi_sched_options options = {
		.alloc = &sim->alloc,
		.clock = &sim->clock,
		.shards = sim->shards,
		.hooks = {HOOKS, .fd_ready = on_fd},
		.arg = sim,
		.seed = seed,
		.simulated = true,
	};
	ward_assert_eq(wardi_sched_create(&options, &sim->sched), WARD_OK);
	ward_assert_eq(wardi_sched_start(sim->sched), WARD_OK);
	ward_assert(wardi_worker_current() == NULL);
	return sim;
}

static struct sim *sim_start(uint64_t seed, const struct ward_allocator *hooks)
{
	return sim_create(seed, hooks, fd_ready);
}

static void sim_finish(struct sim *sim)
{
	wardi_sched_stop(sim->sched);
	wardi_sched_destroy(sim->sched);
	ward_assert_eq(sim->begun, 1);
	ward_assert_eq(sim->ended, 1);
	ward_assert_eq(sim->alloc.bytes, 0);
	ward_assert_eq(sim->alloc.blocks, 0);
	free(sim);
}

/* Makes `count` ready, each to run `again` times more, and runs all. */
static void run_all(struct sim *sim, struct noter *noters, size_t count, int again)
{
	for (size_t i = 0; i < count; i++) {
		noters[i] = (struct noter){.number = i, .again = again};
		wardi_sched_ready(sim->sched, NULL, &noters[i].runnable);
	}
	while (wardi_sched_step(sim->sched))
		;
}

#endif
