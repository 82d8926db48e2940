/* SPDX-License-Identifier: MIT
 *
 * watches.c - watched descriptors: what the kernel knows about each, and which reports count.
 *
 * A watch is one word, changed by compare-and-exchange:
 *
 *	bits 0-1	phase: see below
 *	bits 2-3	WARD_FD_READ, WARD_FD_WRITE: what it waits for; none: a hang-up alone
 *	bit 4		standing: the kernel goes on watching it after the notice
 *	bit 5		standing as its owner promises at each watch
 *	bits 6-31	standing: the last look that had begun when it was armed
 *	bits 32-63	its id, which the kernel returns with the descriptor
 *
 *	         arm         found        handled
 *	  IDLE -----> ARMED -------> SENT --------> IDLE
 *	   ^            |             |
 *	   +------------+-------------+  unwatch, or armed for another owner or other events: a
 *	                                 new id, so that a notice under way reaches nobody
 *	                ^             |
 *	                +-------------+  there was no memory for the notice
 *
 * A thread that changes anything but the word makes it BUSY first. The looking thread reads owner
 * and token of an ARMED watch, then makes it SENT: if that succeeds, both are of this watch, and
 * the token is the looking thread's.
 *
 * Two kinds of registration. One-shot: the kernel is told at each watch, with a new id, and
 * disarms it itself; exact whatever the program does with the descriptor between two watches, at
 * one call each. Standing: level-triggered and left so, for a descriptor that its owner closes
 * only by ward, or promises to close only after unwatch. Arming it again is no call; the kernel
 * reports it as long as it is ready. A watch without the promise of the one before it is told to
 * the kernel: the descriptor may be another by now.
 *
 * Old news. A look may have begun before the owner has read; it sees the descriptor ready, and
 * would notify the watch made after that read. So looks have numbers, an armed watch has the number
 * of the last look that had begun, and that look is ignored: what is still ready the next one finds
 * again. The number is published before the kernel is asked, and read after the owner's read. Both
 * sides have a full barrier in between: a sequentially consistent read-modify-write followed by a
 * load (of the number, in the kernel on the other side).
 *
 * A descriptor that is closed while it is registered, and has a duplicate, stays registered: no
 * number leads to it. Such a watch is stale; a warning names the actor that left it. One-shot, it
 * is reported once more, perhaps when no descriptor is watched. Standing, it would be reported
 * forever, and end each sleep: then the kernel's set is renewed.
 */
#include "sched/watches.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ward/fd.h>

#include "base/error.h"
#include "base/list.h"

enum {
	EVENTS_SHIFT = 2,
	LOOK_SHIFT = 6,
	ID_SHIFT = 32,
	/* Finds in vain that are ignored: the owner has not run yet. */
	VAIN_ROUSED_MAX = 2,
	VAIN_MAX = 16
};

enum phase { IDLE, BUSY, ARMED, SENT };

#define PHASE UINT64_C(3)
#define EVENTS (UINT64_C(3) << EVENTS_SHIFT)
#define STANDING (UINT64_C(1) << 4)
#define PROMISED (UINT64_C(1) << 5)
#define LOOK ((UINT64_C(1) << ID_SHIFT) - (UINT64_C(1) << LOOK_SHIFT))

/* ---- the word ---------------------------------------------------------------------------- */

static enum phase phase_of(uint64_t word)
{
	return (enum phase)(word & PHASE);
}

static uint32_t id_of(uint64_t word)
{
	return (uint32_t)(word >> ID_SHIFT);
}

static uint32_t events_of(uint64_t word)
{
	return (uint32_t)((word & EVENTS) >> EVENTS_SHIFT);
}

static uint64_t in_phase(uint64_t word, enum phase phase)
{
	return (word & ~PHASE) | phase;
}

/* 0 is the id of no watch: a message with it comes from elsewhere. */
static uint64_t next_id(uint64_t word)
{
	uint32_t id = id_of(word) + 1;

	return (uint64_t)(id != 0 ? id : 1) << ID_SHIFT;
}

static uint64_t load(struct wardi_watch *watch)
{
	/* Acquire: owner and token of this state are visible. */
	return atomic_load_explicit(&watch->state, memory_order_acquire);
}

/* Seq_cst: see "old news". */
static bool change(struct wardi_watch *watch, uint64_t *word, uint64_t to)
{
	return atomic_compare_exchange_strong_explicit(&watch->state, word, to,
						       memory_order_seq_cst, memory_order_acquire);
}

static void publish(struct wardi_watch *watch, uint64_t word)
{
	/* Release: owner and token before it. */
	atomic_store_explicit(&watch->state, word, memory_order_release);
}

static uint64_t owner_of(struct wardi_watch *watch)
{
	/* Relaxed, here and below: belongs to the state that the caller compares. */
	return atomic_load_explicit(&watch->owner, memory_order_relaxed);
}

static void set_owner(struct wardi_watch *watch, uint64_t owner, void *token)
{
	atomic_store_explicit(&watch->owner, owner, memory_order_relaxed);
	atomic_store_explicit(&watch->token, token, memory_order_relaxed);
}

/* ---- the kernel; all under mu ------------------------------------------------------------ */

/* Relaxed: a count for hints; exact on the one thread of a simulation. */
static void expect(struct wardi_watches *watches, int more)
{
	atomic_fetch_add_explicit(&watches->expected, (uint32_t)more, memory_order_relaxed);
}

/* Whether the kernel may report it. */
static bool is_expected(uint64_t word)
{
	return (word & STANDING) != 0 || phase_of(word) == ARMED;
}

static struct epoll_event event_of(int fd, uint64_t word)
{
	struct epoll_event event = {.events = (word & STANDING) != 0 ? 0 : EPOLLONESHOT};

	event.data.u64 = (uint64_t)id_of(word) << 32 | (uint32_t)fd;
	if (events_of(word) & WARD_FD_READ)
		event.events |= EPOLLIN | EPOLLRDHUP;
	if (events_of(word) & WARD_FD_WRITE)
		event.events |= EPOLLOUT;
	return event;
}

/* Returns 0, or an errno. The kernel may know the number from an earlier watch, or not. */
static int tell_kernel(struct wardi_watches *watches, int fd, uint64_t word)
{
	struct epoll_event event = event_of(fd, word);

	if (epoll_ctl(watches->epoll_fd, EPOLL_CTL_MOD, fd, &event) == 0)
		return 0;
	if (errno != ENOENT)
		return errno;
	return epoll_ctl(watches->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

/* The kernel returns EPERM for files and for devices such as /dev/null; a filter of system calls
 * may return it for any descriptor. */
static bool is_always_ready(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode) ||
					 S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode));
}

static ward_err refusal(int fd, int error)
{
	if (error == EPERM && is_always_ready(fd))
		return wardi_error(WARD_EINVAL,
				   "descriptor %d is a file that is always ready: no need to wait",
				   fd);
	if (error == ENOMEM)
		return wardi_error(WARD_ENOMEM, "the kernel has no memory to watch %d", fd);
	return wardi_error(WARD_ESYS, "cannot watch descriptor %d: %s%s", fd,
			   error == EBADF ? "it is not open: " : "", wardi_os_text(error));
}

/* The watch is BUSY, and was `word` before. The kernel forgets it; fails where the descriptor is
 * closed already: then the kernel has forgotten it, too, unless there is a duplicate. */
static void forget(struct wardi_watches *watches, int fd, struct wardi_watch *watch, uint64_t word)
{
	if (!is_expected(word))
		return;
	if (epoll_ctl(watches->epoll_fd, EPOLL_CTL_DEL, fd, NULL) < 0) {
		watch->stale_owner = owner_of(watch);
		watch->stale_id = id_of(word);
	}
}

/* ---- for the owners ---------------------------------------------------------------------- */

bool wardi_watch_rearm(struct wardi_watches *watches, const struct wardi_watch_request *request)
{
	struct wardi_watch *watch = wardi_watch_at(watches, request->fd);
	uint64_t word, look;

	if (watch == NULL)
		return false;
	word = load(watch);
	if ((word & (PHASE | STANDING)) != (IDLE | STANDING) ||
	    events_of(word) != request->events || owner_of(watch) != request->owner)
		return false;
	if ((word & PROMISED) != 0 && !request->promised)
		return false;
	if (!change(watch, &word, in_phase(word, BUSY)))
		return false;
	look = atomic_load_explicit(&watches->looks, memory_order_seq_cst);
	word = (word & ~LOOK) | ((look << LOOK_SHIFT) & LOOK);
	set_owner(watch, request->owner, request->token);
	publish(watch, in_phase(word, ARMED));
	return true;
}

/* Under mu: makes the watch BUSY for this owner. Returns the word before; false: another owner
 * waits. */
static bool seize(struct wardi_watch *watch, uint64_t owner, uint64_t *ret_word)
{
	*ret_word = load(watch);
	do {
		bool waits = phase_of(*ret_word) == ARMED || phase_of(*ret_word) == BUSY;
		if (waits && owner_of(watch) != owner)
			return false;
	} while (!change(watch, ret_word, in_phase(*ret_word, BUSY)));
	return true;
}

/* Under mu; BUSY: the place is free again, under a new id. */
static void vacate(struct wardi_watches *watches, struct wardi_watch *watch, uint64_t word)
{
	if (is_expected(word))
		expect(watches, -1);
	wardi_watch_list_remove(&watch->link);
	set_owner(watch, 0, NULL);
	publish(watch, next_id(word) | IDLE);
}

static void *token_of(struct wardi_watch *watch, uint64_t word)
{
	return phase_of(word) == ARMED ? atomic_load_explicit(&watch->token, memory_order_relaxed)
				       : NULL;
}

/* Under mu; BUSY: this owner takes the place. A notice that waits in another owner's mailbox is
 * still that owner's; one of its own is replaced. */
static void note_left(struct wardi_watch *watch, uint64_t before, uint64_t owner)
{
	if (phase_of(before) == SENT && owner_of(watch) != owner) {
		watch->left_owner = owner_of(watch);
		watch->left_id = id_of(before);
	} else if (watch->left_owner == owner) {
		watch->left_owner = 0;
	}
}

static ward_err arm_locked(struct wardi_watches *watches, struct wardi_alloc *alloc,
			   const struct wardi_watch_request *request, void **ret_token)
{
	ward_err err = wardi_watch_reserve(watches, alloc, request->fd);
	struct wardi_watch *watch;
	uint64_t before, word;

	if (err != WARD_OK)
		return err;
	watch = wardi_watch_at(watches, request->fd);
	if (!seize(watch, request->owner, &before))
		return wardi_error(WARD_EEXIST,
				   "descriptor %d is watched already, by another actor: did that "
				   "actor close it without ward_fd_unwatch()?",
				   request->fd);
	*ret_token = token_of(watch, before);
	note_left(watch, before, request->owner);
	word = next_id(before) | (uint64_t)request->events << EVENTS_SHIFT |
	       (request->standing ? STANDING : 0) | (request->promised ? PROMISED : 0) | ARMED;
	expect(watches, is_expected(before) ? 0 : 1);
	wardi_watch_list_remove(&watch->link);
	wardi_watch_list_add(request->list, &watch->link);
	set_owner(watch, request->owner, request->token);
	/* Before the kernel knows the new id: another thread may have its report at once. */
	publish(watch, word);
	int error = tell_kernel(watches, request->fd, word);
	if (error == 0)
		return WARD_OK;
	(void)seize(watch, request->owner, &word);
	forget(watches, request->fd, watch, before);
	vacate(watches, watch, word);
	return refusal(request->fd, error);
}

ward_err wardi_watch_arm(struct wardi_watches *watches, struct wardi_alloc *alloc,
			 const struct wardi_watch_request *request, void **ret_token)
{
	ward_err err;

	*ret_token = NULL;
	wardi_mutex_lock(&watches->mu);
	err = arm_locked(watches, alloc, request, ret_token);
	wardi_mutex_unlock(&watches->mu);
	return err;
}

/* Under mu. */
static void *end(struct wardi_watches *watches, int fd, struct wardi_watch *watch, uint64_t owner)
{
	uint64_t before;
	void *token;

	if (watch->left_owner == owner)
		watch->left_owner = 0;
	if (owner_of(watch) != owner || !seize(watch, owner, &before))
		return NULL;
	token = token_of(watch, before);
	forget(watches, fd, watch, before);
	vacate(watches, watch, before);
	return token;
}

void *wardi_watch_end(struct wardi_watches *watches, int fd, uint64_t owner)
{
	struct wardi_watch *watch = wardi_watch_at(watches, fd);
	void *token;

	if (watch == NULL)
		return NULL;
	wardi_mutex_lock(&watches->mu);
	token = end(watches, fd, watch, owner);
	wardi_mutex_unlock(&watches->mu);
	return token;
}

bool wardi_watch_end_any(struct wardi_watches *watches, struct wardi_watch_list *list,
			 void **ret_token)
{
	struct wardi_watch_link *first;

	wardi_mutex_lock(&watches->mu);
	first = wardi_watch_list_first(list);
	if (first != NULL) {
		struct wardi_watch *watch = wardi_container_of(first, struct wardi_watch, link);

		*ret_token =
			end(watches, wardi_watch_number(watches, watch), watch, owner_of(watch));
	}
	wardi_mutex_unlock(&watches->mu);
	return first != NULL;
}

/* Another owner has the place. */
static bool left_is_handled(struct wardi_watches *watches, struct wardi_watch *watch, uint32_t id,
			    uint64_t owner)
{
	wardi_mutex_lock(&watches->mu);
	bool is_it = watch->left_owner == owner && watch->left_id == id;
	if (is_it)
		watch->left_owner = 0;
	wardi_mutex_unlock(&watches->mu);
	return is_it;
}

bool wardi_watch_handled(struct wardi_watches *watches, int fd, uint32_t id, uint64_t owner)
{
	struct wardi_watch *watch = wardi_watch_at(watches, fd);
	uint64_t word;

	if (watch == NULL)
		return false;
	word = load(watch);
	do {
		if (id_of(word) != id || phase_of(word) != SENT)
			return left_is_handled(watches, watch, id, owner);
	} while (!change(watch, &word, in_phase(word, IDLE)));
	return true;
}

uint32_t wardi_watches_count(struct wardi_watches *watches)
{
	struct wardi_watch *watch;
	uint32_t count = 0;

	for (int fd = 0; (watch = wardi_watch_from(watches, &fd)) != NULL; fd++)
		count += phase_of(load(watch)) >= ARMED;
	return count;
}

/* ---- for the thread that looks ----------------------------------------------------------- */

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

/* The id is not that of the present watch. Its owner is told once; the rest is in vain. */
static enum wardi_found find_stale(struct wardi_watches *watches, struct wardi_watch *watch,
				   uint32_t id, struct wardi_notice *ret_notice)
{
	enum wardi_found found = WARDI_FOUND_VAIN;

	wardi_mutex_lock(&watches->mu);
	if (watch->stale_id == id && watch->stale_owner != 0) {
		ret_notice->owner = watch->stale_owner;
		watch->stale_owner = 0;
		found = WARDI_FOUND_STALE;
	}
	wardi_mutex_unlock(&watches->mu);
	return found;
}

static bool is_old_news(const struct wardi_watches *watches, uint64_t word)
{
	/* Relaxed: this thread wrote it. */
	uint64_t look = atomic_load_explicit(&watches->looks, memory_order_relaxed);

	return (word & STANDING) != 0 && (word & LOOK) == ((look << LOOK_SHIFT) & LOOK);
}

enum wardi_found wardi_watch_found(struct wardi_watches *watches, uint64_t data, uint32_t kernel,
				   struct wardi_notice *ret_notice)
{
	int fd = (int)(uint32_t)data;
	uint32_t id = (uint32_t)(data >> 32);
	struct wardi_watch *watch = wardi_watch_at(watches, fd);
	uint64_t word = load(watch);

	*ret_notice = (struct wardi_notice){.fd = fd, .id = id};
	while (id_of(word) == id && phase_of(word) == ARMED) {
		if (is_old_news(watches, word))
			return WARDI_FOUND_NOTHING;
		ret_notice->owner = owner_of(watch);
		ret_notice->token = atomic_load_explicit(&watch->token, memory_order_relaxed);
		ret_notice->events = bits_of(kernel, events_of(word));
		if (!change(watch, &word, in_phase(word, SENT)))
			continue;
		if ((word & STANDING) == 0)
			expect(watches, -1);
		watch->vain = 0;
		return WARDI_FOUND_NOTICE;
	}
	if (id_of(word) != id)
		return find_stale(watches, watch, id, ret_notice);
	return (word & STANDING) != 0 ? WARDI_FOUND_VAIN : WARDI_FOUND_NOTHING;
}

void wardi_watch_wait_on(struct wardi_watches *watches, const struct wardi_notice *notice)
{
	struct wardi_watch *watch = wardi_watch_at(watches, notice->fd);
	uint64_t word;

	wardi_mutex_lock(&watches->mu);
	word = load(watch);
	if (id_of(word) == notice->id && phase_of(word) == SENT &&
	    change(watch, &word, in_phase(word, ARMED)) && (word & STANDING) == 0) {
		expect(watches, 1);
		/* Refused for one that is closed. */
		(void)tell_kernel(watches, notice->fd, word);
	}
	wardi_mutex_unlock(&watches->mu);
}

bool wardi_watch_silence(struct wardi_watches *watches, int fd, uint32_t id, bool roused)
{
	struct wardi_watch *watch = wardi_watch_at(watches, fd);
	bool forgotten = true;

	if (watch->vain++ < (roused ? VAIN_ROUSED_MAX : VAIN_MAX))
		return true;
	watch->vain = 0;
	wardi_mutex_lock(&watches->mu);
	uint64_t word = load(watch);
	if (id_of(word) != id) {
		forgotten = false;
	} else if (phase_of(word) != ARMED && phase_of(word) != BUSY && (word & STANDING) != 0 &&
		   change(watch, &word, word & ~STANDING)) {
		expect(watches, -1);
		forgotten = epoll_ctl(watches->epoll_fd, EPOLL_CTL_DEL, fd, NULL) == 0;
		/* Closed. What the kernel goes on to report is of no present watch, whatever
		 * happens to its set. */
		if (!forgotten)
			publish(watch, next_id(word) | IDLE);
	}
	wardi_mutex_unlock(&watches->mu);
	return forgotten;
}

/* Under mu. */
static void move_all(struct wardi_watches *watches, int to)
{
	struct wardi_watch *watch;

	for (int fd = 0; (watch = wardi_watch_from(watches, &fd)) != NULL; fd++) {
		uint64_t word = load(watch);
		struct epoll_event event = event_of(fd, word);

		/* Refused for one that is closed. */
		if (is_expected(word))
			(void)epoll_ctl(to, EPOLL_CTL_ADD, fd, &event);
	}
}

bool wardi_watches_renew(struct wardi_watches *watches, int wake_fd, uint64_t wake_data)
{
	struct epoll_event wake = {.events = EPOLLIN, .data.u64 = wake_data};
	int fresh = epoll_create1(EPOLL_CLOEXEC);
	bool done = fresh >= 0 && epoll_ctl(fresh, EPOLL_CTL_ADD, wake_fd, &wake) == 0;

	if (done) {
		wardi_mutex_lock(&watches->mu);
		move_all(watches, fresh);
		done = dup3(fresh, watches->epoll_fd, O_CLOEXEC) >= 0;
		watches->renewals += done;
		wardi_mutex_unlock(&watches->mu);
	}
	if (fresh >= 0)
		close(fresh);
	return done;
}
