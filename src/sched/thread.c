/* SPDX-License-Identifier: MIT
 *
 * thread.c - the life of the scheduler's threads.
 *
 *                      begun        told to end, or idle
 *      start ---------> at work ----------------------> ended ----> joined by the next that ends,
 *        |                                                ^         or by wardi_threads_join()
 *        | cannot begin, nobody waits                     |
 *        +------------------------------------------------+
 *        | cannot begin, the caller of the start waits
 *        +------> joined by that caller
 *
 * A thread cannot begin if the operating system refuses its settings, or its hooks find no memory.
 *
 * A thread cannot join itself. Each that ends joins those that ended before it, so a program that
 * starts and ends pinned actors all day has about one ended thread, not all of them.
 *
 * Cancellation is disabled: a thread of ours that ended elsewhere would leave behind an actor that
 * nobody can run.
 */
#include "sched/thread.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/error.h"
#include "base/line.h"
#include "base/text.h"
#include "sched/blocking.h"
#include "sched/dispatcher.h"
#include "sched/os_thread.h"
#include "sched/state.h"
#include "sched/worker.h"

enum { NS_PER_S = 1000000000 };

static size_t size_of(const struct wardi_dispatcher *dispatcher)
{
	/* Another thread may be behind it, and writes samples all the time, too. */
	return sizeof(struct wardi_thread) + dispatcher->workers * sizeof(struct wardi_sample) +
	       WARDI_LINE;
}

void wardi_threads_init(struct wardi_threads *threads)
{
	*threads = (struct wardi_threads){0};
	wardi_mutex_init(&threads->mu, WARDI_LOCK_THREADS);
	pthread_cond_init(&threads->changed, NULL);
}

void wardi_threads_finish(struct wardi_threads *threads)
{
	wardi_assert(threads->living == 0 && threads->ended == NULL);
	pthread_cond_destroy(&threads->changed);
	wardi_mutex_destroy(&threads->mu);
}

/* Its waits may have an end, by the clock of the scheduler. */
static void init_wake(pthread_cond_t *wake)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(wake, &attr);
	pthread_condattr_destroy(&attr);
}

struct wardi_thread *wardi_thread_create(struct wardi_dispatcher *dispatcher, const char *name)
{
	struct wardi_sched *sched = dispatcher->sched;
	struct wardi_thread *thread = wardi_alloc_zeroed(sched->alloc, size_of(dispatcher));

	if (thread == NULL)
		return NULL;
	/* Relaxed: the indexes need only differ. */
	uint32_t index =
		atomic_fetch_add_explicit(&sched->threads.next_index, 1, memory_order_relaxed);
	wardi_worker_init(&thread->worker, sched, dispatcher, index);
	snprintf(thread->name, sizeof(thread->name), "%.9s-%u", name, index);
	init_wake(&thread->wake);
	if (sched->queues_lean)
		wardi_biased_lock_lean(&thread->queue.lock);
	return thread;
}

void wardi_thread_destroy(struct wardi_thread *thread)
{
	if (thread == NULL)
		return;
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	pthread_cond_destroy(&thread->wake);
	wardi_free(dispatcher->sched->alloc, thread, size_of(dispatcher));
}

void wardi_thread_sleep(struct wardi_thread *thread, int64_t until_ns)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct timespec until = {until_ns / NS_PER_S, until_ns % NS_PER_S};
	int error = 0;

	wardi_grace_leave(&thread->worker);
	while (thread->order == WARDI_ORDER_NONE && error == 0) {
		if (until_ns == INT64_MAX)
			wardi_cond_wait(&thread->wake, &dispatcher->mu);
		else
			error = wardi_cond_timedwait(&thread->wake, &dispatcher->mu, &until);
	}
	wardi_grace_enter(&dispatcher->sched->grace, &thread->worker);
}

/* ---- the end ----------------------------------------------------------------------------- */

static void bury(struct wardi_thread *ended)
{
	while (ended != NULL) {
		struct wardi_thread *thread = ended;
		struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;

		ended = thread->next;
		pthread_join(thread->id, NULL);
		if (dispatcher->kind == WARDI_DISPATCHER_DEFAULT)
			continue;
		wardi_thread_destroy(thread);
		if (dispatcher->kind == WARDI_DISPATCHER_PINNED)
			wardi_dispatcher_destroy(dispatcher);
	}
}

static void end(struct wardi_thread *thread)
{
	struct wardi_threads *threads = &thread->worker.sched->threads;

	wardi_mutex_lock(&threads->mu);
	struct wardi_thread *before = threads->ended;
	thread->next = NULL;
	threads->ended = thread;
	threads->living--;
	pthread_cond_broadcast(&threads->changed);
	wardi_mutex_unlock(&threads->mu);
	bury(before);
}

void wardi_threads_join(struct wardi_sched *sched)
{
	struct wardi_threads *threads = &sched->threads;

	wardi_mutex_lock(&threads->mu);
	while (threads->living > 0)
		wardi_cond_wait(&threads->changed, &threads->mu);
	struct wardi_thread *ended = threads->ended;
	threads->ended = NULL;
	wardi_mutex_unlock(&threads->mu);
	bury(ended);
}

/* ---- the beginning ----------------------------------------------------------------------- */

/* On the stack of the caller of a start that waits, under threads' mu. */
struct wardi_life_number {
	bool over;
	ward_err err; /* of the beginning */
	char text[WARDI_SETTINGS_TEXT];
};

/* Makes the thread ready to work. `text` says what is missing. */
static ward_err begin(struct wardi_worker *worker, char text[WARDI_SETTINGS_TEXT])
{
	text[0] = '\0';
	if (!wardi_thread_settings_apply(&worker->dispatcher->settings.thread, text))
		return WARD_ESYS;
	if (worker->sched->hooks.worker_begin(worker))
		return WARD_OK;
	wardi_text_copy(text, WARDI_SETTINGS_TEXT,
			"no memory, or no stack for signals, for a thread");
	return WARD_ENOMEM;
}

/* Notifies the caller of the start, if it waits. False: the thread did not begin, and that caller
 * will join it. */
static bool announce(struct wardi_thread *thread, ward_err err, const char *text)
{
	struct wardi_threads *threads = &thread->worker.sched->threads;

	wardi_mutex_lock(&threads->mu);
	struct wardi_life_number *birth = thread->birth;
	bool caller_joins = birth != NULL && err != WARD_OK;
	if (birth != NULL) {
		birth->over = true;
		birth->err = err;
		wardi_text_copy(birth->text, sizeof(birth->text), text);
	}
	if (caller_joins)
		threads->living--;
	thread->birth = NULL;
	pthread_cond_broadcast(&threads->changed);
	wardi_mutex_unlock(&threads->mu);
	return !caller_joins;
}

static void work(struct wardi_worker *worker)
{
	struct wardi_thread *thread = wardi_thread_of(worker);

	wardi_grace_enter(&worker->sched->grace, worker);
	if (worker->dispatcher->kind != WARDI_DISPATCHER_DEFAULT)
		wardi_blocking_loop(thread);
	else if (worker->sched->hooks.serve != NULL)
		worker->sched->hooks.serve(worker);
	else
		wardi_worker_loop(thread);
	wardi_grace_leave(worker);
}

/* Reached only by pthread_exit() in a callback, or by a callback that enables cancellation. */
static void lost(void *arg)
{
	const struct wardi_thread *thread = arg;

	wardi_fatal(
		"ward: thread %s was ended by a callback: pthread_exit(), or a cancellation that "
		"it allowed; the message in hand is lost",
		thread->name);
}

/* The work of a thread between its begin and its end. */
static void attend(struct wardi_worker *worker)
{
	const struct wardi_sched_hooks *hooks = &worker->sched->hooks;

	pthread_cleanup_push(lost, wardi_thread_of(worker));
	if (hooks->attend != NULL)
		hooks->attend(worker, work);
	else
		work(worker);
	pthread_cleanup_pop(0);
}

static void live(struct wardi_thread *thread)
{
	struct wardi_worker *worker = &thread->worker;
	const struct wardi_sched_hooks *hooks = &worker->sched->hooks;
	char text[WARDI_SETTINGS_TEXT];

	wardi_grace_join(&worker->sched->grace, worker);
	ward_err err = begin(worker, text);
	if (err != WARD_OK)
		wardi_grace_part(&worker->sched->grace, worker);
	if (!announce(thread, err, text))
		return;
	if (err != WARD_OK) {
		wardi_blocking_lost(worker->dispatcher, text);
	} else {
		if (worker->dispatcher->kind != WARDI_DISPATCHER_DEFAULT)
			wardi_blocking_begun(thread);
		attend(worker);
		hooks->worker_end(worker);
		wardi_grace_part(&worker->sched->grace, worker);
	}
	end(thread);
}

static void *thread_main(void *arg)
{
	struct wardi_thread *thread = arg;
	struct wardi_alloc *alloc = thread->worker.sched->alloc;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_setname_np(pthread_self(), thread->name);
	/* Else the kernel may end each sleep 50 us late, to save wake-ups, which the wheels do
	 * already. If it refuses, exact timers are as late as that. */
	if (thread->worker.dispatcher->kind == WARDI_DISPATCHER_DEFAULT)
		(void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	wardi_worker_enter(&thread->worker);
	wardi_alloc_join(alloc);
	live(thread);
	wardi_alloc_leave(alloc);
	return NULL;
}

ward_err wardi_thread_start(struct wardi_thread *thread, bool wait)
{
	struct wardi_sched *sched = thread->worker.sched;
	struct wardi_threads *threads = &sched->threads;
	const struct wardi_thread_settings *settings = &thread->worker.dispatcher->settings.thread;
	struct wardi_life_number birth = {0};

	wardi_mutex_lock(&threads->mu);
	threads->living++;
	thread->birth = wait ? &birth : NULL;
	/* Under mu: the joining thread finds its id written. */
	int error =
		wardi_starter_start(&sched->starter, settings, thread_main, thread, &thread->id);
	if (error != 0) {
		threads->living--;
	} else if (wait) {
		while (!birth.over)
			wardi_cond_wait(&threads->changed, &threads->mu);
	}
	wardi_mutex_unlock(&threads->mu);
	if (error != 0)
		return wardi_os_thread_refused(settings, error);
	if (!wait || birth.err == WARD_OK)
		return WARD_OK;
	pthread_join(thread->id, NULL);
	return wardi_error(birth.err, "%s", birth.text);
}
