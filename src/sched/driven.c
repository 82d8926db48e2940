/* SPDX-License-Identifier: MIT
 *
 * driven.c - a scheduler without threads of its own, inside the loop of a program.
 *
 *      the program's loop                         here
 *      sleeps in its own poll(): fd is not        the worker has the seat and is asleep there
 *      readable                                   (park.c), until the next timer
 *      fd is readable: it calls poll()            the worker is busy: timers, descriptors, runs
 *      goes on                                    the worker lies down again; if something is
 *                                                 left, fd stays readable
 *
 * So other threads see one worker as any other: a runnable that they inject, or a timer, wakes the
 * seat, and that makes the poller's eventfd readable, and with it fd. `fd` is an epoll around the
 * poller's own, which may be renewed (poller.c), and a timerfd for what the sleep of a thread has
 * as its timeout. The timerfd is set when the next time is earlier than the one that it has: if it
 * is later, it is readable once in vain.
 *
 * Descriptors are looked at once for each poll, at its beginning. Those that become ready after
 * that make fd readable again. So does the end of the tree, once, for good: nothing rests after it.
 */
#include "sched/driven.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/error.h"
#include "sched/blocking.h"
#include "sched/dispatcher.h"
#include "sched/park.h"
#include "sched/state.h"
#include "sched/worker.h"

enum {
	SHORT_NS = WARDI_POLL_NS / 16,
	CLOCK_RUNS = 8,  /* between two looks at the clock, at most */
	TIMER_RUNS = 64, /* between two looks at the timers */
	TIDY_NS = 1000 * 1000 * 1000,
	NS_PER_SECOND = 1000000000
};

/* ---- its life ---------------------------------------------------------------------------- */

static struct wardi_thread *thread_of(struct wardi_sched *sched)
{
	return wardi_dispatcher_default(sched)->threads[0];
}

static bool watch(int epoll_fd, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

ward_err wardi_driven_init(struct wardi_sched *sched)
{
	struct wardi_driven *driven = &sched->driven;

	driven->thread = pthread_self();
	driven->armed_ns = INT64_MAX;
	driven->tidy_at_ns = INT64_MAX;
	driven->fd = epoll_create1(EPOLL_CLOEXEC);
	driven->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (driven->fd >= 0 && driven->timer_fd >= 0 && watch(driven->fd, driven->timer_fd) &&
	    watch(driven->fd, sched->poller.watches.epoll_fd))
		return WARD_OK;
	return wardi_error(WARD_ESYS, "cannot make descriptors for a driven system: %s",
			   wardi_os_text(errno));
}

void wardi_driven_finish(struct wardi_sched *sched)
{
	if (sched->driven.fd >= 0)
		close(sched->driven.fd);
	if (sched->driven.timer_fd >= 0)
		close(sched->driven.timer_fd);
}

ward_err wardi_driven_begin(struct wardi_sched *sched)
{
	struct wardi_thread *thread = thread_of(sched);
	struct wardi_worker *worker = &thread->worker;
	struct wardi_worker *before = wardi_worker_enter(worker);

	wardi_grace_join(&sched->grace, worker);
	sched->driven.begun = sched->hooks.worker_begin(worker);
	if (!sched->driven.begun)
		wardi_grace_part(&sched->grace, worker);
	wardi_worker_enter(before);
	if (!sched->driven.begun)
		return wardi_error(WARD_ENOMEM, "no memory for the worker of a driven system");
	wardi_park_lie_down(thread, INT64_MAX);
	return WARD_OK;
}

void wardi_driven_end(struct wardi_sched *sched)
{
	struct wardi_worker *worker = &thread_of(sched)->worker;
	struct wardi_worker *before = wardi_worker_enter(worker);

	if (sched->driven.begun) {
		sched->hooks.worker_end(worker);
		wardi_grace_part(&sched->grace, worker);
	}
	sched->driven.begun = false;
	wardi_worker_enter(before);
}

int wardi_driven_fd(const struct wardi_sched *sched)
{
	return sched->is_driven ? sched->driven.fd : -1;
}

bool wardi_driven_here(const struct wardi_sched *sched)
{
	return sched->is_driven && pthread_equal(pthread_self(), sched->driven.thread);
}

/* ---- a poll ------------------------------------------------------------------------------ */

/* Looks at the clock after the first run of a poll, and then after more of them as long as they are
 * short. False: the time is up. */
static bool has_time(struct wardi_thread *thread)
{
	struct wardi_driven *driven = &thread->worker.sched->driven;
	int64_t now_ns = wardi_worker_look(&thread->worker);

	if (now_ns - driven->looked_ns > SHORT_NS)
		driven->clock_runs = 1;
	else if (driven->clock_runs < CLOCK_RUNS)
		driven->clock_runs *= 2;
	driven->look_run = driven->runs + driven->clock_runs;
	driven->looked_ns = now_ns;
	return now_ns < driven->until_ns;
}

/* Returns the next runnable; NULL: there is none, or the time is up. */
static struct wardi_runnable *next(struct wardi_thread *thread)
{
	struct wardi_driven *driven = &thread->worker.sched->driven;

	driven->runs++;
	if (driven->runs >= driven->look_run && !has_time(thread))
		return NULL;
	if (driven->runs % TIMER_RUNS == 0)
		wardi_timers_fire(&thread->worker, wardi_worker_look(&thread->worker));
	if (wardi_dispatcher_has_injected(thread->worker.dispatcher))
		wardi_park_take_share(thread);
	return wardi_runqueue_pop(&thread->queue);
}

static void work(struct wardi_worker *worker)
{
	struct wardi_thread *thread = wardi_thread_of(worker);
	struct wardi_runnable *runnable;

	wardi_grace_enter(&worker->sched->grace, worker);
	while ((runnable = next(thread)) != NULL) {
		wardi_grace_pass(&worker->sched->grace, worker);
		worker->sched->hooks.run(worker, runnable);
	}
	wardi_grace_leave(worker);
}

/* Looks at the descriptors. The poller may renew its epoll under the same number; then fd has lost
 * the old one. */
static void look(struct wardi_worker *worker)
{
	struct wardi_sched *sched = worker->sched;
	uint32_t renewals = sched->poller.watches.renewals;

	(void)wardi_poller_serve(worker, WARDI_LOOK_ROUSED);
	if (sched->poller.watches.renewals != renewals)
		(void)watch(sched->driven.fd, sched->poller.watches.epoll_fd);
}

/* Serves what is due. A poll that neither a call nor the timer explains may be due to a descriptor
 * that nobody watches any longer. */
static void serve(struct wardi_worker *worker)
{
	struct wardi_sched *sched = worker->sched;
	int64_t now_ns = wardi_worker_look(worker);
	bool explained = now_ns >= sched->driven.armed_ns;

	sched->driven.until_ns = now_ns + WARDI_POLL_NS;
	sched->driven.looked_ns = now_ns;
	sched->driven.clock_runs = 1;
	sched->driven.look_run = sched->driven.runs + 2; /* after the first */
	wardi_grace_enter(&sched->grace, worker);
	explained |= wardi_poller_rest_if_woken(&sched->poller);
	wardi_timers_fire(worker, now_ns);
	wardi_blocking_recruit(worker, now_ns);
	if (!explained || wardi_poller_busy(&sched->poller))
		look(worker);
	wardi_grace_leave(worker);
}

/* Does deferred work, now and then: after TIDY_NS at the latest if there is any. */
static void tidy(struct wardi_worker *worker)
{
	struct wardi_driven *driven = &worker->sched->driven;
	int64_t now_ns = wardi_worker_look(worker);

	if (driven->tidy_at_ns == INT64_MAX) {
		driven->tidy_at_ns = now_ns + TIDY_NS;
	} else if (now_ns >= driven->tidy_at_ns) {
		(void)wardi_worker_rest(worker);
		driven->tidy_at_ns = wardi_worker_tidy(worker, now_ns);
	}
}

/* Makes fd readable at that time. */
static void arm(struct wardi_driven *driven, int64_t at_ns, int64_t now_ns)
{
	struct itimerspec spec = {
		.it_value = {.tv_sec = at_ns / NS_PER_SECOND, .tv_nsec = at_ns % NS_PER_SECOND}};

	if (at_ns == driven->armed_ns || (at_ns > driven->armed_ns && driven->armed_ns > now_ns))
		return;
	if (at_ns == INT64_MAX)
		spec = (struct itimerspec){0};
	(void)timerfd_settime(driven->timer_fd, TFD_TIMER_ABSTIME, &spec, NULL);
	driven->armed_ns = at_ns;
}

bool wardi_driven_poll(struct wardi_sched *sched)
{
	struct wardi_thread *thread = thread_of(sched);
	struct wardi_worker *worker = &thread->worker;
	struct wardi_worker *before = wardi_worker_enter(worker);

	wardi_park_get_up(thread);
	serve(worker);
	if (sched->hooks.attend != NULL)
		sched->hooks.attend(worker, work);
	else
		work(worker);
	tidy(worker);
	wardi_timers_correct(sched);
	int64_t until_ns = wardi_park_lie_down(thread, sched->driven.tidy_at_ns);
	arm(&sched->driven, until_ns, wardi_worker_look(worker));
	wardi_worker_enter(before);
	return until_ns != INT64_MIN;
}

bool wardi_driven_sleep(struct wardi_sched *sched, int64_t until_ns)
{
	struct pollfd sleeper = {.fd = sched->driven.fd, .events = POLLIN};
	int64_t for_ns = until_ns - wardi_clock_now(sched->clock);
	struct timespec timeout = {.tv_sec = for_ns / NS_PER_SECOND,
				   .tv_nsec = for_ns % NS_PER_SECOND};

	if (for_ns <= 0)
		return true;
	return ppoll(&sleeper, 1, until_ns == INT64_MAX ? NULL : &timeout, NULL) >= 0 ||
	       errno == EINTR;
}

void wardi_driven_wake(struct wardi_sched *sched)
{
	wardi_poller_wake(&sched->poller);
}
