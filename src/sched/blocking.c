/* SPDX-License-Identifier: MIT
 *
 * blocking.c - the threads of pools and of pinned dispatchers: one queue for all of a dispatcher.
 *
 * A run may block for long, so no thread can be expected back soon: when more runnables wait than
 * threads are idle, a thread is started, up to the maximum. open() starts the first thread and can
 * fail, and the last one stays, so there is always one. If no other thread can be started, the
 * present ones do all the work, if they ever return; so a worker of the default dispatcher tries
 * again as long as work waits: at once, and then every RECRUIT_NS. The program is notified when
 * that begins.
 *
 *      waiting for work <= threads that are idle or starting, or there are threads_max
 *
 * A thread that has slept for the keep-alive time ends, if more than threads_min are left. The last
 * that went to sleep is woken first: as many threads as the work needs stay awake, and the others
 * sleep long enough to end. (One condition variable for all would wake them in turn, so a call now
 * and then would keep all of them.) A thread that goes to sleep while no more than threads_min are
 * left sleeps without an end: those that are started later end in its place.
 *
 * A thread that finds nothing to do looks for a while before it goes to sleep, if no other thread
 * does: the next question often follows the last answer soon. In that time it publishes a hand-off
 * slot, `hand`, where a thread with a runnable puts it without mu:
 *
 *               looks              a runnable is handed over
 *      NONE --------------> EMPTY ------------------------> a runnable
 *       ^                     | in vain                          |
 *       |<--------------------+                                  | taken by the looker
 *       +--------------------------------------------------------+
 *
 * So between two threads that answer each other only the hand and the mail move; `touched` names
 * the lines of the mail, so that all of them are fetched at once. A look begins, and ends in vain,
 * under mu: so a thread that has mu, and finds the hand not EMPTY, can be sure that it stays so,
 * and puts its runnable into the queue, for another thread.
 *
 * Threads: inject, crew: under the dispatcher's mu; the hand: as above.
 * Pairs  [B1] hand: release by the thread that hands over - acquire by the thread that looks
 */
#include "sched/blocking.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/prefetch.h"
#include "base/spin.h"
#include "base/text.h"
#include "sched/dispatcher.h"
#include "sched/state.h"
#include "sched/worker.h"

enum {
	PAUSES = 128,     /* a few microseconds: by then a thread that is awake has answered */
	SMALL_BLOCK = 40, /* offset of the last word of a small message */
	RECRUIT_MS = 100,
	RECRUIT_NS = RECRUIT_MS * 1000 * 1000,
	NS_PER_S = 1000 * 1000 * 1000
};

/* Values of the hand other than a runnable. */
static struct wardi_runnable empty_hand;
#define HAND_EMPTY (&empty_hand)
#define HAND_NONE NULL /* no thread looks */

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

int64_t wardi_blocking_recruit_ns(struct wardi_sched *sched)
{
	return atomic_load_explicit(&sched->recruit_ns,
				    memory_order_relaxed); /* see R5 in park.c */
}

/* Makes a worker look at the pools at that time, or earlier. */
static void call_recruiter(struct wardi_sched *sched, int64_t at_ns)
{
	int64_t before_ns = wardi_blocking_recruit_ns(sched);

	/* Relaxed: it orders nothing. The worker that looks takes each pool's mu. */
	while (at_ns < before_ns &&
	       !atomic_compare_exchange_weak_explicit(&sched->recruit_ns, &before_ns, at_ns,
						      memory_order_relaxed, memory_order_relaxed))
		;
	wardi_park_timer(wardi_dispatcher_default(sched), at_ns);
}

/* A thread that was reserved did not start. Returns after how many ns to try again; INT64_MAX:
 * there is no work for it. */
static int64_t dismiss(struct wardi_dispatcher *dispatcher, const char *why)
{
	wardi_mutex_lock(&dispatcher->mu);
	bool again = dispatcher->crew.refusal[0] != '\0';
	dispatcher->crew.threads--;
	dispatcher->crew.starting--;
	dispatcher->crew.started--;
	bool waits = dispatcher->inject.first != NULL;
	if (waits) {
		wardi_text_copy(dispatcher->crew.refusal, sizeof(dispatcher->crew.refusal), why);
		/* Relaxed: a thread that is being started right now counts as started before. */
		dispatcher->crew.refused_below = atomic_load_explicit(
			&dispatcher->sched->threads.next_index, memory_order_relaxed);
	}
	wardi_mutex_unlock(&dispatcher->mu);
	if (!waits)
		return INT64_MAX;
	return again ? RECRUIT_NS : 0;
}

void wardi_blocking_lost(struct wardi_dispatcher *dispatcher, const char *why)
{
	struct wardi_sched *sched = dispatcher->sched;
	int64_t after_ns = dismiss(dispatcher, why);

	if (after_ns != INT64_MAX)
		call_recruiter(sched, wardi_clock_now(sched->clock) + after_ns);
}

/* Notes that a thread will be started, if one is needed. */
static bool reserve_thread(struct wardi_dispatcher *dispatcher, uint32_t waiting)
{
	struct wardi_crew *crew = &dispatcher->crew;

	if (waiting <= crew->idle + crew->starting ||
	    crew->threads == dispatcher->settings.threads_max)
		return false;
	crew->threads++;
	crew->starting++;
	crew->started++;
	return true;
}

ward_err wardi_blocking_open(struct wardi_dispatcher *dispatcher)
{
	struct wardi_sched *sched = dispatcher->sched;
	ward_err err = WARD_OK;

	/* Two calls at once: the second may go on only when the first has its thread. */
	wardi_mutex_lock(&sched->opening_mu);
	wardi_mutex_lock(&dispatcher->mu);
	bool needed = dispatcher->crew.threads == 0 && reserve_thread(dispatcher, 1);
	wardi_mutex_unlock(&dispatcher->mu);
	if (needed) {
		err = start_thread(dispatcher, true);
		if (err != WARD_OK)
			(void)dismiss(dispatcher, ward_err_detail());
	}
	wardi_mutex_unlock(&sched->opening_mu);
	return err;
}

/* Notifies the program, once until a thread could be started again. */
static void tell(struct wardi_worker *worker, struct wardi_dispatcher *dispatcher)
{
	const struct wardi_sched_hooks *hooks = &worker->sched->hooks;
	struct wardi_crew *crew = &dispatcher->crew;
	char text[WARDI_SETTINGS_TEXT + 160];

	wardi_mutex_lock(&dispatcher->mu);
	bool news = crew->refusal[0] != '\0' && !crew->told;
	crew->told |= news;
	snprintf(text, sizeof(text),
		 "dispatcher \"%s\" has no thread for waiting work, retried every %d ms: %s",
		 dispatcher->name, RECRUIT_MS, crew->refusal);
	wardi_mutex_unlock(&dispatcher->mu);
	if (news && hooks->note != NULL)
		hooks->note(worker, text);
}

static bool reserve_missing(struct wardi_dispatcher *dispatcher)
{
	wardi_mutex_lock(&dispatcher->mu);
	bool needed = reserve_thread(dispatcher, (uint32_t)dispatcher->inject.count);
	wardi_mutex_unlock(&dispatcher->mu);
	return needed;
}

/* Starts the threads that the dispatcher lacks. Returns when to try again; INT64_MAX: it lacks
 * none. */
static int64_t recruit(struct wardi_worker *worker, struct wardi_dispatcher *dispatcher,
		       int64_t now_ns)
{
	tell(worker, dispatcher);
	while (reserve_missing(dispatcher)) {
		if (start_thread(dispatcher, false) != WARD_OK)
			return dismiss(dispatcher, ward_err_detail()) != INT64_MAX
				       ? now_ns + RECRUIT_NS
				       : INT64_MAX;
	}
	return INT64_MAX;
}

void wardi_blocking_recruit(struct wardi_worker *worker, int64_t now_ns)
{
	struct wardi_sched *sched = worker->sched;
	struct wardi_list *head = &sched->dispatchers;
	int64_t due_ns = wardi_blocking_recruit_ns(sched), next_ns = INT64_MAX;

	/* Relaxed: one worker looks, no matter which. */
	if (due_ns > now_ns ||
	    !atomic_compare_exchange_strong_explicit(&sched->recruit_ns, &due_ns, INT64_MAX,
						     memory_order_relaxed, memory_order_relaxed))
		return;
	for (struct wardi_list *link = head->next->next; link != head; link = link->next) {
		int64_t again_ns = recruit(
			worker, wardi_container_of(link, struct wardi_dispatcher, link), now_ns);

		if (again_ns < next_ns)
			next_ns = again_ns;
	}
	if (next_ns != INT64_MAX)
		call_recruiter(sched, next_ns);
}

/* Relaxed: hints. They may belong to another runnable, which was handed over in the meantime. */
static void note_touched(struct wardi_dispatcher *dispatcher, const struct wardi_runnable *runnable)
{
	const struct wardi_sched_hooks *hooks = &dispatcher->sched->hooks;
	const void *places[WARDI_TOUCHES] = {NULL};

	if (hooks->touches != NULL)
		hooks->touches(runnable, places);
	for (int i = 0; i < WARDI_TOUCHES; i++)
		atomic_store_explicit(&dispatcher->crew.touched[i], places[i],
				      memory_order_relaxed);
}

/* Fetches at once the lines that run() would fetch one after the other. A small block may span
 * two. */
static void fetch_touched(const struct wardi_dispatcher *dispatcher,
			  const struct wardi_runnable *runnable)
{
	wardi_prefetch_to_write(runnable);
	for (int i = 0; i < WARDI_TOUCHES; i++) {
		const char *place =
			atomic_load_explicit(&dispatcher->crew.touched[i], memory_order_relaxed);

		if (place == NULL)
			continue;
		wardi_prefetch_to_write(place);
		wardi_prefetch_to_write(place + SMALL_BLOCK);
	}
}

/* Puts a runnable into the hand. False: no thread looks, or the hand is full. */
static bool hand_over(struct wardi_dispatcher *dispatcher, struct wardi_runnable *runnable)
{
	struct wardi_runnable *empty = HAND_EMPTY;

	note_touched(dispatcher, runnable);
	return atomic_compare_exchange_strong_explicit(&dispatcher->crew.hand, &empty, runnable,
						       memory_order_release, /* [B1] */
						       memory_order_relaxed);
}

/* Under mu: wakes the thread that went to sleep last. */
static void wake_one(struct wardi_crew *crew)
{
	struct wardi_list *nap = crew->asleep.next;

	if (nap == &crew->asleep)
		return;
	wardi_list_remove(nap);
	pthread_cond_signal(&wardi_container_of(nap, struct wardi_thread, nap)->wake);
}

/* Under mu: queues the runnable; returns whether to start a thread for it. */
static bool inject(struct wardi_dispatcher *dispatcher, struct wardi_runnable *runnable)
{
	wardi_fifo_append(&dispatcher->inject, runnable);
	wake_one(&dispatcher->crew);
	return reserve_thread(dispatcher, (uint32_t)dispatcher->inject.count);
}

void wardi_blocking_push(struct wardi_dispatcher *dispatcher, struct wardi_runnable *runnable)
{
	bool needed = false;

	if (hand_over(dispatcher, runnable))
		return;
	wardi_mutex_lock(&dispatcher->mu);
	if (!hand_over(dispatcher, runnable))
		needed = inject(dispatcher, runnable);
	wardi_mutex_unlock(&dispatcher->mu);
	if (needed && start_thread(dispatcher, false) != WARD_OK)
		wardi_blocking_lost(dispatcher, ward_err_detail());
}

void wardi_blocking_close(struct wardi_dispatcher *dispatcher)
{
	wardi_mutex_lock(&dispatcher->mu);
	dispatcher->closing = true;
	while (!wardi_list_empty(&dispatcher->crew.asleep))
		wake_one(&dispatcher->crew);
	wardi_mutex_unlock(&dispatcher->mu);
}

static struct wardi_runnable *in_hand(const struct wardi_dispatcher *dispatcher)
{
	return atomic_load_explicit(&dispatcher->crew.hand, memory_order_acquire); /* [B1] */
}

/* Called by the thread that looks. Relaxed: it publishes nothing else. */
static void set_hand(struct wardi_dispatcher *dispatcher, struct wardi_runnable *hand)
{
	atomic_store_explicit(&dispatcher->crew.hand, hand, memory_order_relaxed);
}

/* Returns what comes into the hand within a while, or HAND_EMPTY. Yields, since the answering
 * thread may be waiting for this very processor. */
static struct wardi_runnable *watch_hand(struct wardi_dispatcher *dispatcher)
{
	struct wardi_sched *sched = dispatcher->sched;
	int64_t until_ns = wardi_clock_now(sched->clock) + sched->patience_ns;
	struct wardi_runnable *found;

	for (;;) {
		for (int i = 0; i < PAUSES && in_hand(dispatcher) == HAND_EMPTY; i++)
			wardi_pause();
		found = in_hand(dispatcher);
		if (found != HAND_EMPTY) {
			fetch_touched(dispatcher, found);
			return found;
		}
		if (wardi_clock_now(sched->clock) >= until_ns)
			return found;
		sched_yield();
	}
}

/* Under mu: ends a look in vain. Returns a runnable that came after all; NULL: none. */
static struct wardi_runnable *withdraw_hand(struct wardi_dispatcher *dispatcher)
{
	struct wardi_runnable *found = atomic_exchange_explicit(&dispatcher->crew.hand, HAND_NONE,
								memory_order_acquire); /* [B1] */

	return found != HAND_EMPTY ? found : NULL;
}

/* Called before a sleep, with mu, and returns with it. Without mu it notifies the default
 * dispatcher, whose lock has the same rank. */
static void rest(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;

	dispatcher->crew.idle++;
	wardi_mutex_unlock(&dispatcher->mu);
	int64_t due_ns = wardi_worker_rest(&thread->worker);
	if (due_ns != INT64_MAX)
		wardi_park_untidy(wardi_dispatcher_default(dispatcher->sched), due_ns);
	wardi_mutex_lock(&dispatcher->mu);
	dispatcher->crew.idle--;
}

/* Under mu: whether there are more threads than stay. One that is starting may be refused
 * yet. */
static bool may_end(const struct wardi_dispatcher *dispatcher)
{
	const struct wardi_crew *crew = &dispatcher->crew;

	return crew->threads - crew->starting > dispatcher->settings.threads_min &&
	       dispatcher->settings.keep_alive_ns != INT64_MAX;
}

/* Returns until when a thread sleeps that goes to sleep now. */
static int64_t end_of_sleep(struct wardi_dispatcher *dispatcher)
{
	int64_t now_ns = wardi_clock_now(dispatcher->sched->clock);
	int64_t keep_ns = dispatcher->settings.keep_alive_ns;

	return keep_ns < INT64_MAX - now_ns ? now_ns + keep_ns : INT64_MAX;
}

/* Sleeps once, with mu. False: until until_ns, and nobody called. */
static bool nap(struct wardi_thread *thread, int64_t until_ns)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct timespec until = {until_ns / NS_PER_S, until_ns % NS_PER_S};
	int error = 0;

	wardi_list_prepend(&dispatcher->crew.asleep, &thread->nap);
	dispatcher->crew.idle++;
	if (until_ns == INT64_MAX)
		wardi_cond_wait(&thread->wake, &dispatcher->mu);
	else
		error = wardi_cond_timedwait(&thread->wake, &dispatcher->mu, &until);
	dispatcher->crew.idle--;
	if (!wardi_list_linked(&thread->nap))
		return true;
	wardi_list_remove(&thread->nap);
	return error != ETIMEDOUT;
}

/* Sleeps until the queue is not empty, and takes from it. NULL: the end, of this thread or of all.
 * Called and returns with mu. */
static struct wardi_runnable *wait_for_call(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	int64_t until_ns = may_end(dispatcher) ? end_of_sleep(dispatcher) : INT64_MAX;

	wardi_grace_leave(&thread->worker);
	while (dispatcher->inject.first == NULL && !dispatcher->closing) {
		if (nap(thread, until_ns))
			continue;
		if (dispatcher->inject.first == NULL && may_end(dispatcher))
			break;
		until_ns = INT64_MAX;
	}
	wardi_grace_enter(&dispatcher->sched->grace, &thread->worker);
	return wardi_fifo_take(&dispatcher->inject);
}

/* Under mu: whether this thread may look. */
static bool may_look(const struct wardi_dispatcher *dispatcher)
{
	return !dispatcher->closing && in_hand(dispatcher) == HAND_NONE &&
	       dispatcher->sched->patience_ns > 0;
}

/* Under mu. */
static uint32_t busy_in(const struct wardi_dispatcher *dispatcher)
{
	uint32_t looking = in_hand(dispatcher) == HAND_EMPTY;

	return dispatcher->crew.threads - dispatcher->crew.idle - looking;
}

uint32_t wardi_blocking_busy(struct wardi_dispatcher *dispatcher)
{
	wardi_mutex_lock(&dispatcher->mu);
	uint32_t busy = busy_in(dispatcher);
	wardi_mutex_unlock(&dispatcher->mu);
	return busy;
}

void wardi_blocking_info(struct wardi_dispatcher *dispatcher, ward_dispatcher_info *info)
{
	wardi_mutex_lock(&dispatcher->mu);
	info->threads = dispatcher->crew.threads;
	info->threads_busy = busy_in(dispatcher);
	info->threads_started = dispatcher->crew.started;
	wardi_mutex_unlock(&dispatcher->mu);
}

/* Returns the next runnable; NULL: the end of this thread. */
static struct wardi_runnable *take(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_runnable *runnable;

	wardi_mutex_lock(&dispatcher->mu);
	runnable = wardi_fifo_take(&dispatcher->inject);
	if (runnable == NULL && may_look(dispatcher)) {
		set_hand(dispatcher, HAND_EMPTY);
		wardi_mutex_unlock(&dispatcher->mu);
		runnable = watch_hand(dispatcher);
		if (runnable != HAND_EMPTY) {
			set_hand(dispatcher, HAND_NONE);
			return runnable;
		}
		wardi_mutex_lock(&dispatcher->mu);
		runnable = withdraw_hand(dispatcher);
	}
	if (runnable == NULL && !dispatcher->closing)
		rest(thread);
	if (runnable == NULL)
		runnable = wait_for_call(thread);
	if (runnable == NULL)
		dispatcher->crew.threads--;
	wardi_mutex_unlock(&dispatcher->mu);
	return runnable;
}

void wardi_blocking_begun(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_crew *crew = &dispatcher->crew;

	wardi_mutex_lock(&dispatcher->mu);
	crew->starting--;
	if (thread->worker.index >= crew->refused_below) {
		crew->refusal[0] = '\0';
		crew->told = false;
	}
	wardi_mutex_unlock(&dispatcher->mu);
}

void wardi_blocking_loop(struct wardi_thread *thread)
{
	struct wardi_worker *worker = &thread->worker;
	struct wardi_runnable *runnable;

	while ((runnable = take(thread)) != NULL) {
		wardi_grace_pass(&worker->sched->grace, worker);
		worker->sched->hooks.run(worker, runnable);
	}
}
