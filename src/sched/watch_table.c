/* SPDX-License-Identifier: MIT
 *
 * watch_table.c - the places of watched descriptors, by number.
 *
 * Segments that never move and are freed at the end: the first has FIRST_SEGMENT places, each other
 * twice as many as the one before. So a number leads to its place without a lock.
 *
 * Threads: places are added under the mutex, and found by any thread.
 */
#include "sched/watch_table.h"

#include <errno.h>
#include <fcntl.h>

#include "base/error.h"

enum {
	FIRST_SEGMENT = 64,
	/* Segments from this one on are of whole pages, which take memory as they are used: half of
	 * the last one may never be. */
	PAGES_FROM = 3
};
_Static_assert((sizeof(struct wardi_watch) * FIRST_SEGMENT << PAGES_FROM) % WARDI_PAGE == 0,
	       "whole pages");

/* Returns the number of its first place. */
static int first_of(unsigned segment)
{
	return (int)(FIRST_SEGMENT * ((UINT64_C(1) << segment) - 1));
}

static unsigned segment_of(int fd, size_t *ret_offset)
{
	size_t block = (size_t)fd / FIRST_SEGMENT + 1;
	unsigned segment = 63U - (unsigned)__builtin_clzl(block);

	*ret_offset = (size_t)(fd - first_of(segment));
	return segment;
}

static size_t segment_size(unsigned segment)
{
	return (size_t)FIRST_SEGMENT << segment;
}

static struct wardi_watch *make_segment(struct wardi_alloc *alloc, unsigned segment)
{
	size_t size = segment_size(segment) * sizeof(struct wardi_watch);

	return segment < PAGES_FROM ? wardi_alloc_zeroed(alloc, size)
				    : wardi_alloc_zeroed_pages(alloc, size);
}

static void free_segment(struct wardi_alloc *alloc, unsigned segment, struct wardi_watch *places)
{
	size_t size = segment_size(segment) * sizeof(struct wardi_watch);

	if (segment < PAGES_FROM)
		wardi_free(alloc, places, size);
	else
		wardi_free_pages(alloc, places, size);
}

void wardi_watches_init(struct wardi_watches *watches, int epoll_fd)
{
	watches->epoll_fd = epoll_fd;
	wardi_mutex_init(&watches->mu, WARDI_LOCK_WATCHES);
}

void wardi_watches_finish(struct wardi_watches *watches, struct wardi_alloc *alloc)
{
	for (unsigned i = 0; i < WARDI_WATCH_SEGMENTS; i++)
		free_segment(alloc, i,
			     atomic_load_explicit(&watches->segments[i], memory_order_relaxed));
	wardi_mutex_destroy(&watches->mu);
}

static struct wardi_watch *segment_at(struct wardi_watches *watches, unsigned segment)
{
	if (segment >= WARDI_WATCH_SEGMENTS)
		return NULL;
	return atomic_load_explicit(&watches->segments[segment], memory_order_acquire);
}

struct wardi_watch *wardi_watch_at(struct wardi_watches *watches, int fd)
{
	size_t offset;
	struct wardi_watch *segment;

	if (fd < 0)
		return NULL;
	segment = segment_at(watches, segment_of(fd, &offset));
	return segment == NULL ? NULL : &segment[offset];
}

ward_err wardi_watch_reserve(struct wardi_watches *watches, struct wardi_alloc *alloc, int fd)
{
	size_t offset;
	unsigned segment = segment_of(fd < 0 ? 0 : fd, &offset);

	if (fd >= 0 && segment_at(watches, segment) != NULL)
		return WARD_OK;
	/* Checked first: the table must not grow for a number that is not open. */
	if (fcntl(fd, F_GETFD) < 0)
		return wardi_error(WARD_ESYS, "cannot watch descriptor %d: %s%s", fd,
				   errno == EBADF ? "it is not open: " : "", wardi_os_text(errno));
	struct wardi_watch *places = make_segment(alloc, segment);
	if (places == NULL)
		return wardi_error(WARD_ENOMEM, "no memory to watch descriptor %d", fd);
	atomic_store_explicit(&watches->segments[segment], places, memory_order_release);
	return WARD_OK;
}

int wardi_watch_number(struct wardi_watches *watches, const struct wardi_watch *watch)
{
	for (unsigned i = 0; i < WARDI_WATCH_SEGMENTS; i++) {
		const struct wardi_watch *segment = segment_at(watches, i);

		if (segment != NULL && watch >= segment && watch < segment + segment_size(i))
			return first_of(i) + (int)(watch - segment);
	}
	return -1;
}

struct wardi_watch *wardi_watch_from(struct wardi_watches *watches, int *fd)
{
	size_t offset;

	for (unsigned i = segment_of(*fd, &offset); i < WARDI_WATCH_SEGMENTS; i++) {
		struct wardi_watch *segment = segment_at(watches, i);

		if (segment != NULL)
			return &segment[*fd - first_of(i)];
		*fd = first_of(i + 1);
	}
	return NULL;
}
