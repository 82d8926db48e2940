/* SPDX-License-Identifier: MIT
 *
 * poller.c - the descriptors that are watched: epoll, one-shot, and an eventfd to end its sleep.
 *
 * The kernel delivers each notice to one thread, once. Its data is the number of the descriptor
 * with the generation of its watch: between the kernel's answer and our look at the table the watch
 * may have been removed, and another actor may watch the number. Such a late notice is dropped
 * here.
 *
 * After its notice a watch is gone: the owner may close the descriptor, and the next descriptor of
 * that number may belong to another actor. The kernel may still know the old one, disarmed, or not;
 * hence both forms of epoll_ctl in arm().
 *
 * A descriptor that is closed while it is watched, and has a duplicate, leaves a watch in the
 * kernel that cannot be removed: no number leads to it. Such a watch is stale. The kernel reports
 * it once more, perhaps when no descriptor is watched: so the worker in the seat always takes what
 * ended its sleep. A warning names the actor that left the watch.
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
#include "sched/state.h"

enum {
	FIRST_CAPACITY = 64,
	NOTICES_MAX = 128, /* notices taken from the kernel at once */
	NAP_NS = 10 * 1000 * 1000,
	NS_PER_SECOND = 1000000000,
	TRIES = 10
};

#define WAKE_DATA UINT64_MAX /* no descriptor is -1 */

/* ---- the table; all under mu ------------------------------------------------------------- */

static uint64_t data_of(int fd, uint32_t generation)
{
	return (uint64_t)generation << 32 | (uint32_t)fd;
}

/* Makes room for the descriptor. False: no memory. */
static bool reserve(struct wardi_sched *sched, struct wardi_poller *poller, int fd)
{
	size_t capacity = poller->capacity > 0 ? poller->capacity : FIRST_CAPACITY;

	if ((size_t)fd < poller->capacity)
		return true;
	while (capacity <= (size_t)fd)
		capacity *= 2;
	struct wardi_fd_watch *watches =
		wardi_alloc_zeroed(sched->alloc, capacity * sizeof(*watches));
	if (watches == NULL)
		return false;
	if (poller->watches != NULL)
		memcpy(watches, poller->watches, poller->capacity * sizeof(*watches));
	wardi_free(sched->alloc, poller->watches, poller->capacity * sizeof(*watches));
	poller->watches = watches;
	poller->capacity = capacity;
	return true;
}

static void set_events(struct wardi_poller *poller, struct wardi_fd_watch *watch, uint32_t events)
{
	/* Relaxed: a count for hints; exact under mu, and on the one thread of a simulation. */
	if (watch->events == 0 && events != 0)
		atomic_fetch_add_explicit(&poller->armed, 1, memory_order_relaxed);
	if (watch->events != 0 && events == 0)
		atomic_fetch_sub_explicit(&poller->armed, 1, memory_order_relaxed);
	watch->events = events;
}

/* Arms the descriptor in the kernel. Returns 0, or an errno. */
static int arm(struct wardi_poller *poller, int fd, uint32_t events, uint32_t generation)
{
	struct epoll_event event = {.events = EPOLLONESHOT, .data.u64 = data_of(fd, generation)};

	if (events & WARD_FD_READ)
		event.events |= EPOLLIN | EPOLLRDHUP;
	if (events & WARD_FD_WRITE)
		event.events |= EPOLLOUT;
	if (epoll_ctl(poller->epoll_fd, EPOLL_CTL_MOD, fd, &event) == 0)
		return 0;
	if (errno != ENOENT)
		return errno;
	return epoll_ctl(poller->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

/* The kernel returns EPERM for files and for devices such as /dev/null; a filter of system calls
 * may return it for any descriptor. */
static bool is_always_ready(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode) ||
					 S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode));
}

static ward_err watch_locked(struct wardi_sched *sched, int fd, uint32_t events, uint64_t key)
{
	struct wardi_poller *poller = &sched->poller;

	if (!reserve(sched, poller, fd))
		return wardi_error(WARD_ENOMEM, "no memory to watch descriptor %d", fd);
	struct wardi_fd_watch *watch = &poller->watches[fd];
	if (watch->events != 0 && watch->key != key)
		return wardi_error(WARD_EEXIST,
				   "descriptor %d is watched already, by another actor: did that "
				   "actor close it without ward_fd_unwatch()?",
				   fd);
	int error = arm(poller, fd, events, watch->generation + 1);
	if (error == EPERM && is_always_ready(fd))
		return wardi_error(WARD_EINVAL,
				   "descriptor %d is a file that is always ready: no need to wait",
				   fd);
	if (error == ENOMEM)
		return wardi_error(WARD_ENOMEM, "the kernel has no memory to watch %d", fd);
	if (error != 0)
		return wardi_error(WARD_ESYS, "cannot watch descriptor %d: %s", fd,
				   wardi_os_text(error));
	watch->generation++;
	watch->key = key;
	set_events(poller, watch, events);
	return WARD_OK;
}

/* ---- for the actors ---------------------------------------------------------------------- */

ward_err wardi_poller_watch(struct wardi_sched *sched, int fd, uint32_t events, uint64_t key)
{
	struct wardi_poller *poller = &sched->poller;

	if (events == 0 || (events & ~(uint32_t)(WARD_FD_READ | WARD_FD_WRITE)) != 0)
		return wardi_error(WARD_EINVAL, "watch for WARD_FD_READ, WARD_FD_WRITE or both");
	/* A stale number of the program: to unwatch it would end our wake-ups. */
	if (fd == poller->epoll_fd || fd == poller->wake_fd)
		return wardi_error(WARD_EINVAL,
				   "descriptor %d is ward's own: the program closed the descriptor "
				   "that had this number",
				   fd);
	/* Checked first: the table must not grow for a number that is not open. */
	if (fcntl(fd, F_GETFD) < 0)
		return wardi_error(WARD_ESYS, "cannot watch descriptor %d: %s%s", fd,
				   errno == EBADF ? "it is not open: " : "", wardi_os_text(errno));
	wardi_mutex_lock(&poller->mu);
	ward_err err = watch_locked(sched, fd, events, key);
	wardi_mutex_unlock(&poller->mu);
	return err;
}

void wardi_poller_unwatch(struct wardi_sched *sched, int fd, uint64_t key, uint64_t owner)
{
	struct wardi_poller *poller = &sched->poller;
	struct wardi_fd_watch *watch;

	wardi_mutex_lock(&poller->mu);
	watch = fd >= 0 && (size_t)fd < poller->capacity ? &poller->watches[fd] : NULL;
	if (watch != NULL && watch->events != 0 && watch->key == key) {
		/* Fails when it is closed already: then the kernel has forgotten it, too, unless
		 * there is a duplicate. */
		if (epoll_ctl(poller->epoll_fd, EPOLL_CTL_DEL, fd, NULL) < 0) {
			watch->stale_owner = owner;
			watch->stale_generation = watch->generation;
		}
		set_events(poller, watch, 0);
	}
	wardi_mutex_unlock(&poller->mu);
}

/* ---- for the scheduler ------------------------------------------------------------------- */

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

	*poller = (struct wardi_poller){
		.epoll_fd = epoll_create1(EPOLL_CLOEXEC),
		.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	if (poller->epoll_fd < 0 || poller->wake_fd < 0 ||
	    epoll_ctl(poller->epoll_fd, EPOLL_CTL_ADD, poller->wake_fd, &event) < 0) {
		ward_err err = wardi_error(WARD_ESYS, "cannot make descriptors for the poller: %s",
					   wardi_os_text(errno));
		if (poller->epoll_fd >= 0)
			close(poller->epoll_fd);
		if (poller->wake_fd >= 0)
			close(poller->wake_fd);
		return err;
	}
	wardi_mutex_init(&poller->mu, WARDI_LOCK_POLLER);
	init_cond(&poller->woken_cond);
	return WARD_OK;
}

void wardi_poller_finish(struct wardi_sched *sched)
{
	struct wardi_poller *poller = &sched->poller;

	wardi_free(sched->alloc, poller->watches, poller->capacity * sizeof(struct wardi_fd_watch));
	pthread_cond_destroy(&poller->woken_cond);
	wardi_mutex_destroy(&poller->mu);
	close(poller->wake_fd);
	close(poller->epoll_fd);
}

bool wardi_poller_busy(struct wardi_poller *poller)
{
	return atomic_load_explicit(&poller->armed, memory_order_relaxed) > 0; /* a hint */
}

/* Returns which of `asked` can be done now without waiting. An error or a hang-up ends every wait:
 * the read or write then reports which. */
static uint32_t bits_of(uint32_t kernel, uint32_t asked)
{
	uint32_t events = 0;

	if (kernel & (EPOLLIN | EPOLLRDHUP))
		events |= WARD_FD_READ;
	if (kernel & EPOLLOUT)
		events |= WARD_FD_WRITE;
	if (kernel & (EPOLLERR | EPOLLHUP))
		events |= asked;
	if (kernel & (EPOLLERR | EPOLLHUP | EPOLLRDHUP))
		events |= WARD_FD_HANGUP;
	return events;
}

/* Turns the notice into a call of fd_ready() or, for a stale watch, of fd_stale(); unless its watch
 * is gone. */
static void deliver(struct wardi_worker *worker, const struct epoll_event *event)
{
	const struct wardi_sched_hooks *hooks = &worker->sched->hooks;
	struct wardi_poller *poller = &worker->sched->poller;
	int fd = (int)(uint32_t)event->data.u64;
	uint64_t key = 0, owner = 0;
	uint32_t asked = 0;

	wardi_mutex_lock(&poller->mu);
	struct wardi_fd_watch *watch = &poller->watches[fd];
	if (data_of(fd, watch->generation) == event->data.u64) {
		asked = watch->events;
		key = watch->key;
		set_events(poller, watch, 0);
	}
	if (asked == 0 && data_of(fd, watch->stale_generation) == event->data.u64) {
		owner = watch->stale_owner;
		watch->stale_owner = 0;
	}
	wardi_mutex_unlock(&poller->mu);
	if (asked != 0)
		hooks->fd_ready(worker, key, bits_of(event->events, asked));
	else if (owner != 0 && hooks->fd_stale != NULL)
		hooks->fd_stale(worker, owner, fd);
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

void wardi_poller_serve(struct wardi_worker *worker, bool wait)
{
	struct wardi_poller *poller = &worker->sched->poller;
	struct epoll_event events[NOTICES_MAX];
	int count;

	do {
		count = epoll_wait(poller->epoll_fd, events, NOTICES_MAX, wait ? -1 : 0);
	} while (count < 0 && errno == EINTR && wait);
	set_blind(poller, count < 0 && errno != EINTR);
	/* A caller that waits tries again. */
	if (count < 0 && wait)
		nap(poller, -1);
	if (count > 0)
		sort(events, count);
	for (int i = 0; i < count; i++) {
		if (events[i].data.u64 != WAKE_DATA)
			deliver(worker, &events[i]);
	}
}

static bool is_broken(struct wardi_poller *poller)
{
	wardi_mutex_lock(&poller->mu);
	bool deaf = poller->deaf;
	wardi_mutex_unlock(&poller->mu);
	return deaf || atomic_load_explicit(&poller->blind, memory_order_relaxed); /* a hint */
}

/* Sleeps in the kernel. False: that is refused. *ret_ready: a descriptor or a wake ended the
 * sleep. */
static bool sleep_in_kernel(struct wardi_poller *poller, int64_t timeout_ns, bool *ret_ready)
{
	struct pollfd sleeper = {.fd = poller->epoll_fd, .events = POLLIN};
	struct timespec timeout = {.tv_sec = timeout_ns / NS_PER_SECOND,
				   .tv_nsec = timeout_ns % NS_PER_SECOND};

	/* ppoll() and not epoll_wait(): that counts in milliseconds. EINTR counts as a wake. */
	int rc = ppoll(&sleeper, 1, timeout_ns >= 0 ? &timeout : NULL, NULL);
	*ret_ready = rc > 0;
	if (rc < 0)
		return errno == EINTR;
	return (sleeper.revents & (POLLNVAL | POLLERR)) == 0;
}

bool wardi_poller_sleep(struct wardi_sched *sched, int64_t timeout_ns)
{
	struct wardi_poller *poller = &sched->poller;
	bool ready;

	if (!is_broken(poller) && sleep_in_kernel(poller, timeout_ns, &ready))
		return ready;
	nap(poller, timeout_ns);
	return true; /* unknown */
}

/* Ends a sleep in the kernel, as write() does. */
static void rouse(struct wardi_poller *poller)
{
	struct epoll_event event = {.events = EPOLLOUT, .data.u64 = WAKE_DATA};

	for (int tries = 0; tries < TRIES; tries++) {
		if (epoll_ctl(poller->epoll_fd, EPOLL_CTL_MOD, poller->wake_fd, &event) == 0)
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

void wardi_poller_rest_if_woken(struct wardi_poller *poller)
{
	wardi_mutex_lock(&poller->mu);
	if (poller->woken)
		rest(poller);
	wardi_mutex_unlock(&poller->mu);
}
