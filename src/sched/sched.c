/* SPDX-License-Identifier: MIT
 *
 * sched.c - a scheduler from create to destroy, and the one entry for runnables.
 */
#include "sched/sched.h"

#include <stdio.h>

#include "base/biased_lock.h"
#include "base/error.h"
#include "sched/blocking.h"
#include "sched/dispatcher.h"
#include "sched/state.h"
#include "sched/worker.h"

/* Frees the parts that were made. */
static void finish(struct wardi_sched *sched)
{
	if (sched->simulated)
		wardi_sim_finish(sched);
	if (sched->is_driven)
		wardi_driven_finish(sched);
	wardi_dispatchers_finish(sched);
	wardi_timers_finish(sched);
	wardi_starter_finish(&sched->starter);
	wardi_threads_finish(&sched->threads);
	wardi_grace_finish(&sched->grace);
	wardi_mutex_destroy(&sched->opening_mu);
	wardi_poller_finish(sched);
	wardi_free(sched->alloc, sched, sizeof(*sched));
}

ward_err wardi_sched_create(const struct wardi_sched_options *options,
			    struct wardi_sched **ret_sched)
{
	ward_err err;
	struct wardi_sched *sched = wardi_alloc_zeroed(options->alloc, sizeof(*sched));
	if (sched == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for a scheduler");
	sched->alloc = options->alloc;
	sched->clock = options->clock;
	sched->hooks = options->hooks;
	sched->arg = options->arg;
	sched->seed = options->seed;
	sched->simulated = options->simulated;
	sched->is_driven = options->driven;
	sched->driven = (struct wardi_driven){.fd = -1, .timer_fd = -1};
	sched->queues_lean = !options->simulated && wardi_biased_lock_possible();
	atomic_init(&sched->upright, !sched->queues_lean);
	sched->fatal = (struct wardi_fatal){.fn = options->fatal, .arg = options->fatal_arg};
	snprintf(sched->name, sizeof(sched->name), "%s",
		 options->name != NULL ? options->name : "");

	wardi_list_init(&sched->dispatchers);
	wardi_list_init(&sched->pinned);
	atomic_init(&sched->recruit_ns, INT64_MAX);

	err = wardi_poller_init(&sched->poller);
	if (err != WARD_OK) {
		wardi_free(sched->alloc, sched, sizeof(*sched));
		return err;
	}
	wardi_mutex_init(&sched->opening_mu, WARDI_LOCK_OPENING);
	wardi_threads_init(&sched->threads);
	wardi_starter_init(&sched->starter);
	wardi_grace_init(&sched->grace, options->shards);
	err = wardi_dispatchers_init(sched, options);
	if (err == WARD_OK && !wardi_timers_init(sched))
		err = wardi_error(WARD_ENOMEM, "no memory for the timers of a scheduler");
	if (err == WARD_OK && sched->simulated)
		err = wardi_sim_begin(sched, options->seed);
	if (err == WARD_OK && sched->is_driven)
		err = wardi_driven_init(sched);
	if (err != WARD_OK) {
		finish(sched);
		return err;
	}
	*ret_sched = sched;
	return WARD_OK;
}

ward_err wardi_sched_start(struct wardi_sched *sched)
{
	struct wardi_dispatcher *dispatcher = wardi_dispatcher_default(sched);
	ward_err err;

	if (sched->simulated)
		return WARD_OK;
	err = wardi_dispatchers_try(sched);
	if (err == WARD_OK && sched->starts_apart)
		err = wardi_starter_begin(&sched->starter);
	if (err == WARD_OK && sched->is_driven)
		err = wardi_driven_begin(sched);
	for (uint32_t i = 0; err == WARD_OK && !sched->is_driven && i < dispatcher->workers; i++)
		err = wardi_thread_start(dispatcher->threads[i], true);
	if (err != WARD_OK)
		wardi_sched_stop(sched);
	return err;
}

void wardi_sched_stop(struct wardi_sched *sched)
{
	if (sched->simulated) {
		wardi_sim_end(sched);
		return;
	}
	wardi_dispatchers_close(sched);
	wardi_threads_join(sched);
	wardi_starter_end(&sched->starter);
	if (sched->is_driven)
		wardi_driven_end(sched);
}

void wardi_sched_destroy(struct wardi_sched *sched)
{
	if (sched == NULL)
		return;
	if (sched->simulated)
		wardi_sim_end(sched);
	finish(sched);
}

void *wardi_sched_arg(const struct wardi_sched *sched)
{
	return sched->arg;
}

int64_t wardi_sched_patience(const struct wardi_sched *sched)
{
	return sched->patience_ns;
}

uint32_t wardi_sched_busy(struct wardi_sched *sched)
{
	return wardi_dispatchers_busy(sched);
}

size_t wardi_sched_dispatchers(struct wardi_sched *sched,
			       void (*each)(void *arg, const ward_dispatcher_info *info), void *arg)
{
	return wardi_dispatchers_each(sched, each, arg);
}

void wardi_sched_ready(struct wardi_sched *sched, struct wardi_worker *worker,
		       struct wardi_runnable *runnable)
{
	struct wardi_dispatcher *dispatcher = runnable->dispatcher;

	if (worker != NULL && worker->own != NULL && wardi_worker_push(worker, runnable))
		return;
	if (sched->simulated)
		wardi_sim_push(sched, runnable);
	else if (dispatcher->kind != WARDI_DISPATCHER_DEFAULT)
		wardi_blocking_push(dispatcher, runnable);
	else
		wardi_park_inject(dispatcher, runnable);
}
