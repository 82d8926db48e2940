/* SPDX-License-Identifier: MIT
 *
 * worker.c - the worker of this thread, and the loop of workers of the default dispatcher.
 *
 * A busy worker looks after each run at injected runnables; about every LOOK_UP_NS, but not between
 * two runs that are longer, at the clock and due timers, now and then at the descriptors
 * (polling.c), and seldom at deferred work. So these are served even when nobody is idle. When all
 * workers are stuck in long handlers, they wait. It counts runs instead of looking at the clock
 * after each: how many take LOOK_UP_NS it knows from the last ones.
 *
 * Threads: the fields of a worker belong to its own thread, except clock_ns, which any thread
 * reads.
 */
#include "sched/worker.h"

#include "base/hash.h"
#include "sched/blocking.h"
#include "sched/dispatcher.h"
#include "sched/state.h"

enum {
	LOOK_UP_NS = 16 * 1000,
	LOOK_UP_RUNS = 64, /* at most */
	/* Between two turns of deferred work, while a worker is busy: less than a hundredth of the
	 * time goes there. */
	TIDY_NS = 5 * 1000 * 1000,
	TIDY_LOOK_NS = 1000 * 1000 * 1000
};

static _Thread_local struct wardi_worker *current;

struct wardi_worker *wardi_worker_current(void)
{
	return current;
}

struct wardi_worker *wardi_worker_enter(struct wardi_worker *worker)
{
	struct wardi_worker *before = current;

	current = worker;
	wardi_fatal_set(worker != NULL ? &worker->sched->fatal : NULL);
	return before;
}

void wardi_worker_init(struct wardi_worker *worker, struct wardi_sched *sched,
		       struct wardi_dispatcher *dispatcher, uint32_t index)
{
	*worker = (struct wardi_worker){.sched = sched, .dispatcher = dispatcher, .index = index};
	if (dispatcher != NULL && dispatcher->kind == WARDI_DISPATCHER_DEFAULT)
		worker->own = dispatcher;
	wardi_random_init(&worker->random, wardi_hash_u64(sched->seed, index));
	wardi_worker_look(worker);
}

int64_t wardi_worker_look(struct wardi_worker *worker)
{
	int64_t now_ns = wardi_clock_now(worker->sched->clock);

	/* Relaxed: it dates messages, and orders nothing. */
	atomic_store_explicit(&worker->clock_ns, now_ns, memory_order_relaxed);
	return now_ns;
}

int64_t wardi_worker_rest(struct wardi_worker *worker)
{
	const struct wardi_sched_hooks *hooks = &worker->sched->hooks;

	return hooks->rest != NULL ? hooks->rest(worker) : INT64_MAX;
}

int64_t wardi_worker_tidy(struct wardi_worker *worker, int64_t now_ns)
{
	const struct wardi_sched_hooks *hooks = &worker->sched->hooks;

	return hooks->tidy != NULL ? hooks->tidy(worker, now_ns) : INT64_MAX;
}

/* Does deferred work on a busy worker: if workers are busy forever, nobody else ever does it. */
static void tidy_seldom(struct wardi_thread *thread, int64_t now_ns)
{
	int64_t at_ns = wardi_worker_tidy(&thread->worker, now_ns);

	if (at_ns < now_ns + TIDY_NS)
		at_ns = now_ns + TIDY_NS;
	if (at_ns > now_ns + TIDY_LOOK_NS)
		at_ns = now_ns + TIDY_LOOK_NS;
	thread->tidy_at_ns = at_ns;
}

/* Serves what is due, except descriptors. */
static int64_t serve_due(struct wardi_thread *thread)
{
	struct wardi_worker *worker = &thread->worker;
	struct wardi_sched *sched = worker->sched;
	int64_t now_ns = wardi_worker_look(worker);

	wardi_grace_pass(&sched->grace, worker);
	wardi_timers_look(&sched->timers, worker, now_ns);
	wardi_blocking_recruit(worker, now_ns);
	if (now_ns >= thread->tidy_at_ns)
		tidy_seldom(thread, now_ns);
	return now_ns;
}

int64_t wardi_worker_serve(struct wardi_thread *thread, int64_t poll_after_ns)
{
	struct wardi_worker *worker = &thread->worker;
	struct wardi_sched *sched = worker->sched;
	int64_t now_ns = serve_due(thread);

	if (wardi_runqueue_empty(&thread->queue))
		wardi_polling_idle(thread);
	if ((wardi_poller_busy(&sched->poller) || thread->stirred) &&
	    now_ns - thread->polled_ns >= poll_after_ns) {
		enum wardi_look look = thread->stirred ? WARDI_LOOK_ROUSED : WARDI_LOOK;
		thread->polled_ns = now_ns;
		thread->stirred = false;
		if (wardi_poller_serve(worker, look) > 0)
			wardi_polling_found(thread, now_ns);
	}
	return now_ns;
}

/* Decides after how many runs to look up again: they are to take LOOK_UP_NS at most. */
static void pace(struct wardi_thread *thread, uint64_t run, int64_t now_ns)
{
	int64_t took_ns = now_ns - thread->looked_up_ns;
	uint64_t runs = thread->look_up_runs;

	if (took_ns > LOOK_UP_NS)
		runs = runs * LOOK_UP_NS / (uint64_t)took_ns;
	else if (took_ns < LOOK_UP_NS / 2)
		runs *= 2;
	runs = runs < 1 ? 1 : runs > LOOK_UP_RUNS ? LOOK_UP_RUNS : runs;
	thread->look_up_runs = runs;
	thread->look_up_run = run + runs;
	thread->looked_up_ns = now_ns;
}

void wardi_worker_look_up(struct wardi_thread *thread, uint64_t run)
{
	if (run >= thread->look_up_run) {
		int64_t now_ns = serve_due(thread);

		wardi_polling_look(thread, now_ns);
		pace(thread, run, now_ns);
	}
	if (wardi_dispatcher_has_injected(thread->worker.dispatcher))
		wardi_park_take_share(thread);
}

void wardi_worker_loop(struct wardi_thread *thread)
{
	struct wardi_worker *worker = &thread->worker;
	struct wardi_runnable *runnable;

	/* A jump out of a run has left the loop, and the count of runs begins again. */
	thread->look_up_run = 0;
	for (uint64_t run = 1; (runnable = wardi_worker_next(thread, run)) != NULL; run++)
		worker->sched->hooks.run(worker, runnable);
}
