/* SPDX-License-Identifier: MIT
 *
 * grace.c - grace periods: waits until no thread can still hold a pointer to a removed object.
 *
 * A thread that removes an object that others find without a lock
 *
 *	1. makes sure that nobody finds it from now on,
 *	2. begins a period,
 *	3. asks until the period is over: then no thread still has a pointer to it.
 *
 * The period is over when each worker was seen away, or has passed a point between two runs since
 * it began, where a worker holds no pointer; and when there were no visitors: other threads that
 * look. So a busy worker pays one load for each look at its clock, and nothing for its look-ups. A
 * worker in a run that may take long is away, except during its look-ups: each costs an exchange,
 * in a line that nobody else writes.
 *
 * Visitors are counted in the shard of their thread, on two sides. Each side of each shard must be
 * seen empty once after the beginning: first the side that nobody enters; then new visitors are
 * sent there, and the other side empties. A visitor that read the side before the change and enters
 * late finds the object no longer, or is waited for. A thread inside a shard is a visitor, too; it
 * is not counted, since it is alone there: it has gone when the step has changed.
 *
 * Threads: see grace.h
 * Pairs  [G1] period: RMW by the caller that begins, after step 1 - acquire by a worker that passes
 *        [G2] passed: release by the worker - RMW by the caller; exchange by a worker that enters -
 *             the same RMW: the second of the two sees what the other did before
 *        [G3] visitors: RMW by visitors that come and go - RMW by the caller
 */
#include "sched/grace.h"

#include "base/assert.h"
#include "base/shard.h"
#include "sched/state.h"

void wardi_grace_init(struct wardi_grace *grace, struct wardi_shard *shards)
{
	atomic_init(&grace->period, 1);
	atomic_init(&grace->side, 0);
	grace->shards = shards;
	wardi_mutex_init(&grace->mu, WARDI_LOCK_GRACE);
	wardi_list_init(&grace->workers);
}

void wardi_grace_finish(struct wardi_grace *grace)
{
	wardi_assert(wardi_list_empty(&grace->workers));
	wardi_mutex_destroy(&grace->mu);
}

void wardi_grace_join(struct wardi_grace *grace, struct wardi_worker *worker)
{
	wardi_mutex_lock(&grace->mu);
	wardi_list_append(&grace->workers, &worker->at_work);
	wardi_mutex_unlock(&grace->mu);
}

void wardi_grace_part(struct wardi_grace *grace, struct wardi_worker *worker)
{
	wardi_mutex_lock(&grace->mu);
	wardi_list_remove(&worker->at_work);
	wardi_mutex_unlock(&grace->mu);
}

/* ---- visitors ---------------------------------------------------------------------------- */

uint32_t wardi_visit_begin(struct wardi_sched *sched)
{
	struct wardi_grace *grace = &sched->grace;
	/* Relaxed: either side will do. */
	uint32_t side = atomic_load_explicit(&grace->side, memory_order_relaxed);

	atomic_fetch_add_explicit(&wardi_shard_mine(grace->shards)->visitors[side], 1,
				  memory_order_acq_rel); /* [G3] */
	return side;
}

void wardi_visit_end(struct wardi_sched *sched, uint32_t side)
{
	atomic_fetch_sub_explicit(&wardi_shard_mine(sched->grace.shards)->visitors[side], 1,
				  memory_order_acq_rel); /* [G3] */
}

/* ---- the caller that waits ---------------------------------------------------------------- */

void wardi_grace_begin(struct wardi_sched *sched)
{
	struct wardi_grace *grace = &sched->grace;

	grace->awaited =
		1 + atomic_fetch_add_explicit(&grace->period, 1, memory_order_acq_rel); /* [G1] */
	grace->emptied = 0;
	for (int i = 0; i < WARDI_SHARDS; i++)
		grace->steps[i] = wardi_shard_look(&grace->shards[i]);
}

static bool shards_were_left(struct wardi_grace *grace)
{
	for (int i = 0; i < WARDI_SHARDS; i++)
		if (!wardi_shard_was_left(&grace->shards[i], grace->steps[i]))
			return false;
	return true;
}

static bool side_is_empty(struct wardi_grace *grace, uint32_t side)
{
	for (int i = 0; i < WARDI_SHARDS; i++) {
		/* An RMW, never a plain load: see [G3]. */
		if (atomic_fetch_add_explicit(&grace->shards[i].visitors[side], 0,
					      memory_order_acq_rel) != 0) /* [G3] */
			return false;
	}
	return true;
}

static bool visitors_have_gone(struct wardi_grace *grace)
{
	for (; grace->emptied < 2; grace->emptied++) {
		/* Relaxed, both: only the waiting caller writes it. */
		uint32_t side = atomic_load_explicit(&grace->side, memory_order_relaxed);

		if (!side_is_empty(grace, 1 - side))
			return false;
		atomic_store_explicit(&grace->side, 1 - side, memory_order_relaxed);
	}
	return true;
}

static bool workers_have_passed(struct wardi_grace *grace)
{
	bool all = true;

	wardi_mutex_lock(&grace->mu);
	for (struct wardi_list *at = grace->workers.next; all && at != &grace->workers;
	     at = at->next) {
		struct wardi_worker *worker = wardi_container_of(at, struct wardi_worker, at_work);
		/* An RMW, never a plain load: see [G2]. */
		uint64_t passed = atomic_fetch_add_explicit(&worker->passed, 0,
							    memory_order_acq_rel); /* [G2] */

		all = passed == WARDI_GRACE_AWAY || passed >= grace->awaited;
	}
	wardi_mutex_unlock(&grace->mu);
	return all;
}

bool wardi_grace_over(struct wardi_sched *sched)
{
	return workers_have_passed(&sched->grace) && shards_were_left(&sched->grace) &&
	       visitors_have_gone(&sched->grace);
}

/* ---- long runs --------------------------------------------------------------------------- */

void wardi_run_goes_out(struct wardi_worker *worker)
{
	wardi_grace_leave(worker);
}

void wardi_run_comes_back(struct wardi_worker *worker)
{
	wardi_grace_enter(&worker->sched->grace, worker);
}

bool wardi_run_looks_in(struct wardi_worker *worker)
{
	/* Relaxed: the worker's own. */
	if (atomic_load_explicit(&worker->passed, memory_order_relaxed) != WARDI_GRACE_AWAY)
		return false;
	wardi_run_comes_back(worker);
	return true;
}
