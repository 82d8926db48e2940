/* SPDX-License-Identifier: MIT
 *
 * poller.c - looks at the watched descriptors, and sleeps until one is ready: epoll, and an eventfd
 * to end the sleep.
 *
 * What is watched, and for whom, is in the table (watches.c). Looks are one at a time: otherwise a
 * look could deliver what an earlier one has found to a watch that was made after it.
 *
 * A worker in the seat always takes what ended its sleep, since that may be a watch that is stale.
 * A descriptor for which nobody waits would end each sleep: after a few of them the kernel forgets
 * it, or its whole set is renewed.
 *
 * The kernel may refuse any of these calls: without memory, or by a limit or a filter that the
 * program has set. A worker that cannot sleep in ppoll() sleeps on a condition variable, for NAP_NS
 * at most, so that descriptors are still looked at; a wake ends that sleep, too. If the eventfd can
 * no longer be written or read it is given up, and all sleeps are of that kind; the sleep that it
 * should have ended is ended by polling it for writing, which an eventfd is always ready for.
 *
 * fd_ready() and fd_stale() are called without a lock.
 */
#include "sched/poller.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <ward/fd.h>

#include "base/error.h"
#include "common/uncancelled.h"
#include "sched/long_sleep.h"
#include "sched/state.h"

enum {
	NOTICES_MAX = 128, /* notices taken from the kernel at once */
	NAP_NS = 10 * 1000 * 1000,
	NS_PER_SECOND = 1000000000,
	TRIES = 10
};

#define WAKE_DATA UINT64_MAX /* no descriptor is -1 */

static void init_cond(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

ward_err wardi_poller_init(struct wardi_poller *poller)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = WAKE_DATA};
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

	*poller = (struct wardi_poller){.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	if (epoll_fd < 0 || poller->wake_fd < 0 ||
	    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, poller->wake_fd, &event) < 0) {
		ward_err err = wardi_error(WARD_ESYS, "cannot make descriptors for the poller: %s",
					   wardi_os_text(errno));
		if (epoll_fd >= 0)
			close(epoll_fd);
		if (poller->wake_fd >= 0)
			close(poller->wake_fd);
		return err;
	}
	wardi_watches_init(&poller->watches, epoll_fd);
	wardi_mutex_init(&poller->mu, WARDI_LOCK_POLLER);
	init_cond(&poller->woken_cond);
	return WARD_OK;
}

void wardi_poller_finish(struct wardi_sched *sched)
{
	struct wardi_poller *poller = &sched->poller;

	close(poller->wake_fd);
	close(poller->watches.epoll_fd);
	wardi_watches_finish(&poller->watches, sched->alloc);
	pthread_cond_destroy(&poller->woken_cond);
	wardi_mutex_destroy(&poller->mu);
}

/* ---- for the actors ---------------------------------------------------------------------- */

/* A stale number of the program: to unwatch it would end our wake-ups. */
static bool is_own(const struct wardi_sched *sched, int fd)
{
	const struct wardi_poller *poller = &sched->poller;
	const struct wardi_driven *driven = &sched->driven; /* -1, if it is not driven */

	return fd >= 0 && (fd == poller->watches.epoll_fd || fd == poller->wake_fd ||
			   fd == driven->fd || fd == driven->timer_fd);
}

ward_err wardi_poller_watch(struct wardi_sched *sched, const struct wardi_watch_request *request,
			    void **ret_token)
{
	struct wardi_poller *poller = &sched->poller;
	struct wardi_watch_request own = *request;

	*ret_token = NULL;
	if (is_own(sched, own.fd))
		return wardi_error(WARD_EINVAL,
				   "descriptor %d is ward's own: the program closed the descriptor "
				   "that had this number",
				   own.fd);
	/* One-shot: so that what is expected is exact. */
	own.standing &= !sched->simulated;
	return wardi_watch_arm(&poller->watches, sched->alloc, &own, ret_token);
}

bool wardi_poller_rearm(struct wardi_sched *sched, const struct wardi_watch_request *request)
{
	return wardi_watch_rearm(&sched->poller.watches, request);
}

void *wardi_poller_unwatch(struct wardi_sched *sched, int fd, uint64_t owner)
{
	return wardi_watch_end(&sched->poller.watches, fd, owner);
}

bool wardi_poller_unwatch_any(struct wardi_sched *sched, struct wardi_watch_list *list,
			      void **ret_token)
{
	return wardi_watch_end_any(&sched->poller.watches, list, ret_token);
}

bool wardi_poller_handled(struct wardi_sched *sched, int fd, uint32_t id, uint64_t owner)
{
	return wardi_watch_handled(&sched->poller.watches, fd, id, owner);
}

uint32_t wardi_poller_watched(struct wardi_sched *sched)
{
	return wardi_watches_count(&sched->poller.watches);
}

/* ---- looks ------------------------------------------------------------------------------- */

bool wardi_poller_busy(struct wardi_poller *poller)
{
	return atomic_load_explicit(&poller->watches.expected, memory_order_relaxed) > 0;
}

/* Sorts by descriptor: the kernel's order is that of readiness, which no seed repeats. */
static void sort(struct epoll_event *events, int count)
{
	for (int i = 1; i < count; i++) {
		struct epoll_event moving = events[i];
		int place = i;
		for (;
		     place > 0 && (uint32_t)events[place - 1].data.u64 > (uint32_t)moving.data.u64;
		     place--)
			events[place] = events[place - 1];
		events[place] = moving;
	}
}

/* Sleeps on the condition variable until it is woken, or for timeout_ns, at most NAP_NS; negative:
 * no other limit. */
static void nap(struct wardi_poller *poller, int64_t timeout_ns)
{
	int64_t for_ns = timeout_ns >= 0 && timeout_ns < NAP_NS ? timeout_ns : NAP_NS;
	struct timespec until = {0};

	/* Not the scheduler's clock, which may be stepped. If the read is refused there is no
	 * sleep. */
	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	for_ns += until.tv_nsec;
	until.tv_sec += for_ns / NS_PER_SECOND;
	until.tv_nsec = for_ns % NS_PER_SECOND;
	wardi_mutex_lock(&poller->mu);
	if (!poller->woken)
		(void)wardi_cond_timedwait(&poller->woken_cond, &poller->mu, &until);
	wardi_mutex_unlock(&poller->mu);
}

/* Blind: a descriptor that stays ready would end each sleep in the kernel at once. Relaxed: a
 * hint. */
static void set_blind(struct wardi_poller *poller, bool blind)
{
	if (atomic_load_explicit(&poller->blind, memory_order_relaxed) != blind)
		atomic_store_explicit(&poller->blind, blind, memory_order_relaxed);
}

/* Turns the kernel's event into a call of fd_ready() or, for a stale watch, of fd_stale(). Returns
 * whether the event is in vain. */
static bool deliver(struct wardi_worker *worker, const struct epoll_event *event,
		    struct wardi_notice *ret_notice, int *delivered)
{
	const struct wardi_sched_hooks *hooks = &worker->sched->hooks;
	struct wardi_watches *watches = &worker->sched->poller.watches;

	switch (wardi_watch_found(watches, event->data.u64, event->events, ret_notice)) {
	case WARDI_FOUND_NOTICE:
		++*delivered;
		if (!hooks->fd_ready(worker, ret_notice))
			wardi_watch_wait_on(watches, ret_notice);
		return false;
	case WARDI_FOUND_STALE:
		if (hooks->fd_stale != NULL)
			hooks->fd_stale(worker, ret_notice->owner, ret_notice->fd);
		return false;
	case WARDI_FOUND_VAIN:
		return true;
	case WARDI_FOUND_NOTHING:
	default:
		return false;
	}
}

/* Returns how many notices there were. */
static int take_events(struct wardi_worker *worker, enum wardi_look look)
{
	struct wardi_poller *poller = &worker->sched->poller;
	struct epoll_event events[NOTICES_MAX];
	struct wardi_notice notice;
	bool wait = look == WARDI_LOOK_WAIT, roused = look == WARDI_LOOK_ROUSED, renew = false;
	int count, delivered = 0;

	do {
		count = epoll_wait(poller->watches.epoll_fd, events, NOTICES_MAX, wait ? -1 : 0);
	} while (count < 0 && errno == EINTR && wait);
	set_blind(poller, count < 0 && errno != EINTR);
	/* A caller that waits tries again. */
	if (count < 0 && wait)
		nap(poller, -1);
	if (count > 1 && worker->sched->simulated)
		sort(events, count);
	for (int i = 0; i < count; i++) {
		if (events[i].data.u64 == WAKE_DATA ||
		    !deliver(worker, &events[i], &notice, &delivered))
			continue;
		renew |= !wardi_watch_silence(&poller->watches, notice.fd, notice.id, roused);
	}
	/* Only the roused worker sleeps in the poller: none sleeps in the old set. */
	if (renew && roused && !wardi_watches_renew(&poller->watches, poller->wake_fd, WAKE_DATA))
		nap(poller, -1);
	return delivered;
}

int wardi_poller_serve(struct wardi_worker *worker, enum wardi_look look)
{
	struct wardi_poller *poller = &worker->sched->poller;
	int delivered;

	/* Acquire: what the last looking thread has left. */
	if (atomic_exchange_explicit(&poller->serving, true, memory_order_acquire))
		return -1;
	/* Seq_cst, with the load: see "old news" in watches.c. */
	atomic_fetch_add_explicit(&poller->watches.looks, 1, memory_order_seq_cst);
	(void)atomic_load_explicit(&poller->watches.looks, memory_order_seq_cst);
	delivered = take_events(worker, look);
	atomic_store_explicit(&poller->serving, false, memory_order_release);
	return delivered;
}

static bool is_broken(struct wardi_poller *poller)
{
	wardi_mutex_lock(&poller->mu);
	bool deaf = poller->deaf;
	wardi_mutex_unlock(&poller->mu);
	return deaf || atomic_load_explicit(&poller->blind, memory_order_relaxed); /* a hint */
}

/* ppoll() and not epoll_wait(): that counts in milliseconds. */
static int sleep_once(struct pollfd *sleeper, int64_t timeout_ns)
{
	struct timespec timeout = {.tv_sec = timeout_ns / NS_PER_SECOND,
				   .tv_nsec = timeout_ns % NS_PER_SECOND};

	return ppoll(sleeper, 1, timeout_ns >= 0 ? &timeout : NULL, NULL);
}

/* As sleep_once(), in parts. */
static int sleep_long(struct wardi_sched *sched, struct pollfd *sleeper, int64_t timeout_ns)
{
	int64_t until_ns = wardi_clock_now(sched->clock) + timeout_ns;
	int rc;

	do {
		rc = sleep_once(sleeper, wardi_sleep_part_ns(timeout_ns));
		timeout_ns = until_ns - wardi_clock_now(sched->clock);
	} while (rc == 0 && timeout_ns > 0);
	return rc;
}

/* Sleeps in the kernel. False: that is refused. *ret_ready: a descriptor or a wake ended the
 * sleep. */
static bool sleep_in_kernel(struct wardi_sched *sched, int64_t timeout_ns, bool watching,
			    bool *ret_ready)
{
	struct wardi_poller *poller = &sched->poller;
	struct pollfd sleeper = {.fd = watching ? poller->watches.epoll_fd : poller->wake_fd,
				 .events = POLLIN};
	int rc = wardi_sleep_is_long(timeout_ns) ? sleep_long(sched, &sleeper, timeout_ns)
						 : sleep_once(&sleeper, timeout_ns);

	*ret_ready = rc > 0;
	if (rc < 0)
		return errno == EINTR; /* it counts as a wake */
	return (sleeper.revents & (POLLNVAL | POLLERR)) == 0;
}

bool wardi_poller_sleep(struct wardi_sched *sched, int64_t timeout_ns, bool watching)
{
	struct wardi_poller *poller = &sched->poller;
	bool ready;

	if (!is_broken(poller) && sleep_in_kernel(sched, timeout_ns, watching, &ready))
		return ready;
	nap(poller, timeout_ns);
	return true; /* unknown */
}

/* Ends a sleep in the kernel, as write() does. */
static void rouse(struct wardi_poller *poller)
{
	struct epoll_event event = {.events = EPOLLOUT, .data.u64 = WAKE_DATA};

	for (int tries = 0; tries < TRIES; tries++) {
		if (epoll_ctl(poller->watches.epoll_fd, EPOLL_CTL_MOD, poller->wake_fd, &event) ==
		    0)
			return;
		sched_yield();
	}
}

static bool write_one(struct wardi_poller *poller)
{
	uint64_t one = 1;
	bool done = false;

	for (int tries = 0; tries < TRIES && !done; tries++)
		done = write(poller->wake_fd, &one, sizeof(one)) == (ssize_t)sizeof(one);
	return done;
}

static bool read_all(struct wardi_poller *poller)
{
	uint64_t count;
	bool done = false;

	for (int tries = 0; tries < TRIES && !done; tries++)
		done = read(poller->wake_fd, &count, sizeof(count)) == (ssize_t)sizeof(count);
	return done;
}

void wardi_poller_wake(struct wardi_poller *poller)
{
	WARDI_UNCANCELLED;

	wardi_mutex_lock(&poller->mu);
	poller->woken = true;
	pthread_cond_signal(&poller->woken_cond);
	if (!poller->deaf && !write_one(poller)) {
		poller->deaf = true;
		rouse(poller);
	}
	wardi_mutex_unlock(&poller->mu);
}

/* Under mu. */
static void rest(struct wardi_poller *poller)
{
	poller->woken = false;
	/* An eventfd that cannot be read stays ready, and would end each sleep at once. */
	if (!poller->deaf)
		poller->deaf = !read_all(poller);
}

void wardi_poller_rest(struct wardi_poller *poller)
{
	wardi_mutex_lock(&poller->mu);
	rest(poller);
	wardi_mutex_unlock(&poller->mu);
}

bool wardi_poller_rest_if_woken(struct wardi_poller *poller)
{
	wardi_mutex_lock(&poller->mu);
	bool woken = poller->woken;
	if (woken)
		rest(poller);
	wardi_mutex_unlock(&poller->mu);
	return woken;
}
