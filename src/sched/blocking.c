/* SPDX-License-Identifier: MIT
 *
 * blocking.c - the threads of pools and of pinned dispatchers: one queue for all of a dispatcher.
 *
 * What runs here may block for long, so nobody counts on a thread to come back soon: when more
 * waits than there are idle threads, a thread is started, up to the maximum. Threads stay until the
 * end. When none can be made, those that are there do it all; the first is made by open(), which
 * can fail, so there is one.
 *
 *      waiting for work <= threads that are idle or starting, or there are threads_max
 *
 * A thread that finds nothing to do looks for a while before it goes to sleep, if no other one
 * does: whoever is asked something soon after the last answer is there.
 *
 * Who touches what   inject, crew: under the dispatcher's mu.
 * Lock rank          opening_mu > the dispatcher's mu > threads' mu
 */
#include "sched/blocking.h"

#include <string.h>

#include "base/error.h"
#include "base/spin.h"
#include "sched/dispatcher.h"
#include "sched/state.h"
#include "sched/worker.h"

enum { PAUSES = 32 /* between two looks at the clock */ };

static ward_err start_thread(struct wardi_dispatcher *dispatcher, bool wait)
{
	const char *dot = strrchr(dispatcher->name, '.');
	struct wardi_thread *thread =
		wardi_thread_create(dispatcher, dot != NULL ? dot + 1 : dispatcher->name);

	if (thread == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for a thread of dispatcher \"%s\"",
				   dispatcher->name);
	ward_err err = wardi_thread_start(thread, wait);
	if (err != WARD_OK)
		wardi_thread_destroy(thread);
	return err;
}

void wardi_blocking_lost(struct wardi_dispatcher *dispatcher)
{
	pthread_mutex_lock(&dispatcher->mu);
	dispatcher->crew.threads--;
	dispatcher->crew.starting--;
	pthread_mutex_unlock(&dispatcher->mu);
}

/* Notes that a thread will be started, if one is needed. */
static bool reserve_thread(struct wardi_dispatcher *dispatcher, uint32_t waiting)
{
	struct wardi_crew *crew = &dispatcher->crew;

	if (waiting <= crew->idle + crew->starting || crew->threads == dispatcher->threads_max)
		return false;
	crew->threads++;
	crew->starting++;
	return true;
}

ward_err wardi_blocking_open(struct wardi_dispatcher *dispatcher)
{
	struct wardi_sched *sched = dispatcher->sched;
	ward_err err = WARD_OK;

	/* Two at once: the second may go on only when the first thread is sure. */
	pthread_mutex_lock(&sched->opening_mu);
	pthread_mutex_lock(&dispatcher->mu);
	bool needed = dispatcher->crew.threads == 0 && reserve_thread(dispatcher, 1);
	pthread_mutex_unlock(&dispatcher->mu);
	if (needed) {
		err = start_thread(dispatcher, true);
		if (err != WARD_OK)
			wardi_blocking_lost(dispatcher);
	}
	pthread_mutex_unlock(&sched->opening_mu);
	return err;
}

void wardi_blocking_push(struct wardi_dispatcher *dispatcher, struct wardi_runnable *runnable)
{
	pthread_mutex_lock(&dispatcher->mu);
	const struct wardi_crew *crew = &dispatcher->crew;
	wardi_fifo_append(&dispatcher->inject, runnable);
	wardi_dispatcher_injected(dispatcher);
	bool needed = reserve_thread(dispatcher, (uint32_t)dispatcher->inject.count);
	/* The one that looks takes the first. */
	if (crew->idle > crew->looking && dispatcher->inject.count > crew->looking)
		pthread_cond_signal(&dispatcher->crew.wake);
	pthread_mutex_unlock(&dispatcher->mu);
	if (needed && start_thread(dispatcher, false) != WARD_OK)
		wardi_blocking_lost(dispatcher);
}

void wardi_blocking_close(struct wardi_dispatcher *dispatcher)
{
	pthread_mutex_lock(&dispatcher->mu);
	dispatcher->closing = true;
	pthread_cond_broadcast(&dispatcher->crew.wake);
	pthread_mutex_unlock(&dispatcher->mu);
}

/* Looks for something to do, for a while. Called and left with mu, looks without. */
static void look(struct wardi_dispatcher *dispatcher)
{
	struct wardi_sched *sched = dispatcher->sched;
	int64_t until_ns = wardi_clock_now(sched->clock) + wardi_sched_patience(sched);

	dispatcher->crew.idle++;
	dispatcher->crew.looking++;
	pthread_mutex_unlock(&dispatcher->mu);
	do {
		for (int i = 0; i < PAUSES && !wardi_dispatcher_has_injected(dispatcher); i++)
			wardi_pause();
	} while (!wardi_dispatcher_has_injected(dispatcher) &&
		 wardi_clock_now(sched->clock) < until_ns);
	pthread_mutex_lock(&dispatcher->mu);
	dispatcher->crew.looking--;
	dispatcher->crew.idle--;
}

/* About to sleep. Called and left with mu; tells the default dispatcher, whose lock has the same
 * rank, without. */
static void rest(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;

	dispatcher->crew.idle++;
	pthread_mutex_unlock(&dispatcher->mu);
	int64_t due_ns = wardi_worker_rest(&thread->worker);
	if (due_ns != INT64_MAX)
		wardi_park_untidy(wardi_dispatcher_default(dispatcher->sched), due_ns);
	pthread_mutex_lock(&dispatcher->mu);
	dispatcher->crew.idle--;
}

/* NULL: the end. */
static struct wardi_runnable *take(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_crew *crew = &dispatcher->crew;

	pthread_mutex_lock(&dispatcher->mu);
	if (dispatcher->inject.first == NULL && !dispatcher->closing && crew->looking == 0)
		look(dispatcher);
	if (dispatcher->inject.first == NULL && !dispatcher->closing)
		rest(thread);
	wardi_grace_leave(&thread->worker);
	while (dispatcher->inject.first == NULL && !dispatcher->closing) {
		crew->idle++;
		pthread_cond_wait(&crew->wake, &dispatcher->mu);
		crew->idle--;
	}
	wardi_grace_enter(&dispatcher->sched->grace, &thread->worker);
	struct wardi_runnable *runnable = wardi_fifo_take(&dispatcher->inject);
	wardi_dispatcher_injected(dispatcher);
	pthread_mutex_unlock(&dispatcher->mu);
	return runnable;
}

void wardi_blocking_begun(struct wardi_dispatcher *dispatcher)
{
	pthread_mutex_lock(&dispatcher->mu);
	dispatcher->crew.starting--;
	pthread_mutex_unlock(&dispatcher->mu);
}

void wardi_blocking_loop(struct wardi_thread *thread)
{
	struct wardi_worker *worker = &thread->worker;
	struct wardi_runnable *runnable;

	while ((runnable = take(thread)) != NULL) {
		wardi_grace_pass(&worker->sched->grace, worker);
		wardi_worker_look(worker);
		worker->sched->hooks.run(worker, runnable);
	}
}
