/* SPDX-License-Identifier: MIT
 *
 * sim.c - the simulated scheduler: one thread, an order drawn from the seed, time stepped by hand.
 *
 * All ready runnables are in one bag, whatever their dispatcher. A step draws a runnable out of it.
 * The draw depends on the seed, the number of runnables and the order in which they came; on no
 * address and no real time. So a seed repeats its run.
 *
 * Delayed actions (an actor without a turn for a while, a message that is late) wait in one list
 * until their time, beside the timers.
 *
 * Threads: create, step, advance and poll are called on one thread.
 */
#include "sched/sim.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "sched/state.h"
#include "sched/worker.h"

enum { FIRST_CAPACITY = 64 };

ward_err wardi_sim_begin(struct wardi_sched *sched, uint64_t seed)
{
	struct wardi_sim *sim = &sched->sim;

	sim->late_end = &sim->late;
	wardi_list_init(&sim->put_off);
	/* Its own generator: draws of actors must not change which runnable is next, nor the
	 * reverse. */
	wardi_random_init(&sim->random, wardi_hash_u64(seed, UINT64_MAX));
	wardi_worker_init(&sim->worker, sched, NULL, 0);

	struct wardi_worker *before = wardi_worker_enter(&sim->worker);
	sim->begun = sched->hooks.worker_begin(&sim->worker);
	wardi_worker_enter(before);
	return sim->begun ? WARD_OK
			  : wardi_error(WARD_ENOMEM, "no memory for the simulated worker");
}

void wardi_sim_end(struct wardi_sched *sched)
{
	struct wardi_sim *sim = &sched->sim;

	if (!sim->begun)
		return;
	sim->begun = false;
	struct wardi_worker *before = wardi_worker_enter(&sim->worker);
	sched->hooks.worker_end(&sim->worker);
	wardi_worker_enter(before);
}

void wardi_sim_finish(struct wardi_sched *sched)
{
	struct wardi_sim *sim = &sched->sim;

	/* A delayed action holds an actor or a message back: neither outlives the tree. */
	wardi_assert(sim->put_off.next == NULL || wardi_list_empty(&sim->put_off));
	wardi_free(sched->alloc, sim->ready, sim->capacity * sizeof(struct wardi_runnable *));
}

/* ---- the bag ----------------------------------------------------------------------------- */

/* False: no memory. */
static bool grow(struct wardi_alloc *alloc, struct wardi_sim *sim)
{
	size_t capacity = sim->capacity > 0 ? sim->capacity * 2 : FIRST_CAPACITY;
	struct wardi_runnable **ready = wardi_alloc(alloc, capacity * sizeof(*ready));

	if (ready == NULL)
		return false;
	if (sim->ready != NULL)
		memcpy(ready, sim->ready, sim->count * sizeof(*ready));
	wardi_free(alloc, sim->ready, sim->capacity * sizeof(*ready));
	sim->ready = ready;
	sim->capacity = capacity;
	return true;
}

void wardi_sim_push(struct wardi_sched *sched, struct wardi_runnable *runnable)
{
	struct wardi_sim *sim = &sched->sim;

	if (sim->count < sim->capacity || grow(sched->alloc, sim)) {
		sim->ready[sim->count++] = runnable;
		return;
	}
	/* No memory for the bag: making ready cannot fail. */
	runnable->next = NULL;
	*sim->late_end = runnable;
	sim->late_end = &runnable->next;
}

/* Fills the bag up with runnables that came when there was no memory for a larger one. */
static void admit_late(struct wardi_sched *sched, struct wardi_sim *sim)
{
	while (sim->late != NULL && (sim->count < sim->capacity || grow(sched->alloc, sim))) {
		struct wardi_runnable *runnable = sim->late;
		sim->late = runnable->next;
		if (sim->late == NULL)
			sim->late_end = &sim->late;
		sim->ready[sim->count++] = runnable;
	}
}

/* Draws a runnable. NULL: the bag is empty. */
static struct wardi_runnable *draw(struct wardi_sched *sched)
{
	struct wardi_sim *sim = &sched->sim;

	admit_late(sched, sim);
	if (sim->count == 0) {
		/* No bag at all: in order of arrival. */
		struct wardi_runnable *runnable = sim->late;
		if (runnable != NULL && (sim->late = runnable->next) == NULL)
			sim->late_end = &sim->late;
		return runnable;
	}
	size_t place = sched->hooks.choose != NULL
			       ? sched->hooks.choose(&sim->worker, sim->count)
			       : (size_t)wardi_random_below(&sim->random, sim->count);
	wardi_assert(place < sim->count);
	struct wardi_runnable *runnable = sim->ready[place];
	sim->ready[place] = sim->ready[--sim->count];
	return runnable;
}

static bool bag_empty(const struct wardi_sim *sim)
{
	return sim->count == 0 && sim->late == NULL;
}

/* ---- delayed actions --------------------------------------------------------------------- */

void wardi_sched_put_off(struct wardi_sched *sched, struct wardi_put_off *off, int64_t at_ns,
			 void (*due)(struct wardi_worker *worker, struct wardi_put_off *off))
{
	struct wardi_list *after = sched->sim.put_off.prev;

	off->at_ns = at_ns;
	off->due = due;
	while (after != &sched->sim.put_off &&
	       wardi_container_of(after, struct wardi_put_off, link)->at_ns > at_ns)
		after = after->prev;
	wardi_list_prepend(after, &off->link);
}

void wardi_sched_take_back(struct wardi_put_off *off)
{
	wardi_list_remove(&off->link);
}

static struct wardi_put_off *first_put_off(const struct wardi_sim *sim)
{
	if (wardi_list_empty(&sim->put_off))
		return NULL;
	return wardi_container_of(sim->put_off.next, struct wardi_put_off, link);
}

int64_t wardi_sched_next(struct wardi_sched *sched)
{
	const struct wardi_put_off *off = first_put_off(&sched->sim);
	int64_t timer_ns = wardi_timers_next(&sched->timers);

	return off != NULL && off->at_ns < timer_ns ? off->at_ns : timer_ns;
}

/* Does all that is due by the clock. */
static void do_what_is_due(struct wardi_sched *sched)
{
	struct wardi_sim *sim = &sched->sim;
	int64_t now_ns = wardi_worker_look(&sim->worker);
	struct wardi_put_off *off;

	wardi_timers_fire(&sim->worker, now_ns);
	while ((off = first_put_off(sim)) != NULL && off->at_ns <= now_ns) {
		wardi_list_remove(&off->link);
		off->due(&sim->worker, off);
	}
}

/* Does deferred work as time goes by, up to until_ns: it is part of the run that a seed repeats. */
static void tidy(struct wardi_sched *sched, int64_t until_ns)
{
	struct wardi_worker *worker = &sched->sim.worker;
	int64_t at_ns = wardi_clock_now(sched->clock);

	(void)wardi_worker_rest(worker);
	while (at_ns <= until_ns && at_ns != INT64_MAX)
		at_ns = wardi_worker_tidy(worker, at_ns);
}

void wardi_sched_jump(struct wardi_sched *sched, int64_t by_ns)
{
	int64_t now_ns = wardi_clock_now(sched->clock);

	wardi_assert(sched->simulated && wardi_worker_current() == &sched->sim.worker);
	wardi_clock_step_to(sched->clock,
			    by_ns < INT64_MAX - now_ns ? now_ns + by_ns : INT64_MAX - 1);
	do_what_is_due(sched);
}

/* ---- other systems ----------------------------------------------------------------------- */

void wardi_sched_others(struct wardi_sched *sched, bool (*others)(void *arg, int64_t until_ns),
			void *arg)
{
	sched->sim.others = others;
	sched->sim.others_arg = arg;
}

/* Whether another system has moved, so that this one does nothing now. */
static bool others_move(const struct wardi_sim *sim, int64_t until_ns)
{
	return sim->others != NULL && sim->others(sim->others_arg, until_ns);
}

/* ---- for the system ---------------------------------------------------------------------- */

bool wardi_sched_step(struct wardi_sched *sched)
{
	struct wardi_sim *sim = &sched->sim;

	wardi_assert(sched->simulated && sim->begun);
	if (others_move(sim, wardi_clock_now(sched->clock)))
		return true;
	struct wardi_worker *before = wardi_worker_enter(&sim->worker);
	wardi_worker_look(&sim->worker);
	if (bag_empty(sim) && wardi_poller_busy(&sched->poller))
		wardi_poller_serve(&sim->worker, WARDI_LOOK);
	struct wardi_runnable *runnable = draw(sched);
	if (runnable != NULL)
		sched->hooks.run(&sim->worker, runnable);
	wardi_worker_enter(before);
	return runnable != NULL;
}

bool wardi_sched_advance(struct wardi_sched *sched, int64_t until_ns)
{
	struct wardi_sim *sim = &sched->sim;

	wardi_assert(sched->simulated && sim->begun);
	int64_t next_ns = wardi_sched_next(sched);
	bool due = next_ns <= until_ns && next_ns != INT64_MAX;
	if (others_move(sim, due ? next_ns : until_ns))
		return true;
	struct wardi_worker *before = wardi_worker_enter(&sim->worker);

	if (due || until_ns != INT64_MAX)
		tidy(sched, due ? next_ns : until_ns);
	if (due)
		wardi_clock_step_to(sched->clock, next_ns);
	else if (until_ns != INT64_MAX)
		wardi_clock_step_to(sched->clock, until_ns);

	if (due)
		do_what_is_due(sched);
	else
		wardi_worker_look(&sim->worker);
	wardi_worker_enter(before);
	return due;
}

size_t wardi_sched_count(const struct wardi_sched *sched)
{
	return sched->sim.count;
}

struct wardi_runnable *wardi_sched_peek(const struct wardi_sched *sched, size_t index)
{
	wardi_assert(index < sched->sim.count);
	return sched->sim.ready[index];
}

bool wardi_sched_poll(struct wardi_sched *sched)
{
	struct wardi_sim *sim = &sched->sim;

	wardi_assert(sched->simulated && sim->begun);
	if (!wardi_poller_busy(&sched->poller))
		return false;
	struct wardi_worker *before = wardi_worker_enter(&sim->worker);
	wardi_poller_serve(&sim->worker, WARDI_LOOK_WAIT);
	wardi_worker_enter(before);
	return true;
}
