/* SPDX-License-Identifier: MIT
 *
 * thread.c - the life of the scheduler's threads.
 *
 *                      begun               told to end
 *      start ---------> at work ----------------------> ended ----> joined by the next that ends,
 *        |                                                ^         or by wardi_threads_join()
 *        | no memory for its hooks, nobody waits          |
 *        +------------------------------------------------+
 *        | no memory for its hooks, the starter waits
 *        +------> joined by its starter
 *
 * A thread cannot join itself. Each that ends joins those that ended before it, so a program that
 * starts and ends pinned actors all day has about one ended thread, not all of them.
 *
 * Cancellation is disabled: a thread of ours that ended elsewhere would leave behind an actor that
 * nobody can run.
 *
 * Signals: all asynchronous ones are blocked, for the program's own threads to handle. Signals
 * raised by a fault of the thread itself are not: blocked, they would kill the process silently.
 */
#include "sched/thread.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sched/blocking.h"
#include "sched/dispatcher.h"
#include "sched/state.h"
#include "sched/worker.h"

enum { GUARD_MIN = 64 * 1024, TRIES = 100 };

static size_t size_of(const struct wardi_dispatcher *dispatcher)
{
	return sizeof(struct wardi_thread) + dispatcher->workers * sizeof(struct wardi_sample);
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
	pthread_cond_init(&thread->wake, NULL);
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

/* On the stack of a starter that waits, under threads' mu. */
struct wardi_life_number {
	bool over;
	bool begun;
};

/* Notifies the starter, if it waits. False: the thread did not begin, and the starter will join
 * it. */
static bool announce(struct wardi_thread *thread, bool begun)
{
	struct wardi_threads *threads = &thread->worker.sched->threads;

	wardi_mutex_lock(&threads->mu);
	struct wardi_life_number *birth = thread->birth;
	bool starter_joins = birth != NULL && !begun;
	if (birth != NULL)
		*birth = (struct wardi_life_number){.over = true, .begun = begun};
	if (starter_joins)
		threads->living--;
	thread->birth = NULL;
	pthread_cond_broadcast(&threads->changed);
	wardi_mutex_unlock(&threads->mu);
	return !starter_joins;
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

	wardi_grace_join(&worker->sched->grace, worker);
	bool begun = hooks->worker_begin(worker);
	if (!begun)
		wardi_grace_part(&worker->sched->grace, worker);
	if (!announce(thread, begun))
		return;
	if (!begun) {
		wardi_blocking_lost(worker->dispatcher,
				    "no memory, or no stack for signals, for a thread");
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
	wardi_worker_enter(&thread->worker);
	wardi_alloc_join(alloc);
	live(thread);
	wardi_alloc_leave(alloc);
	return NULL;
}

/* Returns 0, or an errno. */
static int create(struct wardi_thread *thread)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
	pthread_attr_t attr;
	sigset_t blocked, before;
	size_t guard = 0;

	int error = pthread_attr_init(&attr);
	if (error != 0)
		return error;
	pthread_attr_getguardsize(&attr, &guard);
	if (guard < GUARD_MIN)
		pthread_attr_setguardsize(&attr, GUARD_MIN);
	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&blocked, faults[i]);
	/* The new thread inherits the mask: no signal can reach it in between. */
	error = pthread_sigmask(SIG_SETMASK, &blocked, &before);
	if (error == 0) {
		error = pthread_create(&thread->id, &attr, thread_main, thread);
		/* The call was allowed just now; and the program needs its signals. */
		for (int tries = 0; tries < TRIES; tries++)
			if (pthread_sigmask(SIG_SETMASK, &before, NULL) == 0)
				break;
	}
	pthread_attr_destroy(&attr);
	return error;
}

ward_err wardi_thread_start(struct wardi_thread *thread, bool wait)
{
	struct wardi_threads *threads = &thread->worker.sched->threads;
	struct wardi_life_number birth = {0};

	wardi_mutex_lock(&threads->mu);
	threads->living++;
	thread->birth = wait ? &birth : NULL;
	/* Under mu: the joining thread finds its id written. */
	int error = create(thread);
	if (error != 0) {
		threads->living--;
	} else if (wait) {
		while (!birth.over)
			wardi_cond_wait(&threads->changed, &threads->mu);
	}
	wardi_mutex_unlock(&threads->mu);
	if (error != 0)
		return wardi_error(WARD_ESYS, "cannot start a thread: %s", wardi_os_text(error));
	if (!wait || birth.begun)
		return WARD_OK;
	pthread_join(thread->id, NULL);
	return wardi_error(WARD_ENOMEM, "no memory, or no stack for signals, for a thread");
}
