/* SPDX-License-Identifier: MIT
 *
 * alloc.h - the allocator hooks of a system, with a count of the memory in use.
 *
 * A worker counts what it takes and gives back in a share of its own, without a locked operation.
 * Threads without a share count in the allocator itself. So each of these counts may be negative;
 * only their sum means something.
 *
 * Threads: calls may run at the same time, except init and move.
 */
#ifndef WARDI_ALLOC_H
#define WARDI_ALLOC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ward/system.h>

#include "base/line.h"
#include "base/pages.h"
#include "base/spin.h"

struct ward_allocator;

/* What one thread has taken from one allocator, less what it has given back. */
struct wardi_alloc_share {
	struct wardi_alloc *of; /* this thread's; NULL: none */
	/* atomic, relaxed: statistics; this thread writes */
	_Atomic int64_t bytes;
	_Atomic int64_t blocks;
	struct wardi_alloc_share *next; /* under of->spin */
};

struct wardi_alloc {
	/* frozen */
	void *(*alloc)(void *arg, size_t size);
	void (*free)(void *arg, void *block, size_t size);
	void *arg;
	bool separate;          /* every block of a pool is an allocation of its own */
	char apart[WARDI_LINE]; /* keeps what all threads read off the counts */
	/* atomic, relaxed: statistics of threads without a share, and of shares that were left */
	_Atomic int64_t bytes;
	_Atomic int64_t blocks;

	struct wardi_spin spin;
	struct wardi_alloc_share *shares; /* under spin */
	char apart_too[WARDI_LINE];
};

_Static_assert(WARDI_APART(struct wardi_alloc, separate, bytes), "hooks are in no line of a count");

/* Moves hooks and counts; the old allocator must no longer be used, nor have shares. */
void wardi_alloc_move(struct wardi_alloc *to, struct wardi_alloc *from);
/* NULL hooks: malloc and free. Under AddressSanitizer `separate` is always on. */
void wardi_alloc_init(struct wardi_alloc *alloc, const struct ward_allocator *hooks, bool separate);

/* This thread has a share of its own until it leaves. A thread has one share at most: if it has
 * one of another allocator, nothing happens. Leave before the thread ends. */
void wardi_alloc_join(struct wardi_alloc *alloc);
void wardi_alloc_leave(struct wardi_alloc *alloc);

/* The memory in use. Exact while no thread takes or gives back any; otherwise each number misses
 * some of what happens at this moment, but is never below 0. */
struct wardi_alloc_sum {
	uint64_t bytes;
	uint64_t blocks;
};
struct wardi_alloc_sum wardi_alloc_sum(struct wardi_alloc *alloc);

/* NULL: no memory. A size of 0 is refused by assertion. */
void *wardi_alloc(struct wardi_alloc *alloc, size_t size);
void *wardi_alloc_zeroed(struct wardi_alloc *alloc, size_t size);

/* Takes NULL. `size`: as passed to wardi_alloc(). */
void wardi_free(struct wardi_alloc *alloc, void *block, size_t size);

/* The same for runs of whole pages. Without hooks they come from the kernel and return to it at
 * once, while malloc() would keep them. A caller that takes WARDI_HUGE_PAGE bytes will fill
 * them. */
void *wardi_alloc_pages(struct wardi_alloc *alloc, size_t size);
/* The same for a call that must be brief: on small pages, which nobody has touched. */
void *wardi_alloc_small_pages(struct wardi_alloc *alloc, size_t size);
/* Zeroed; pages of the kernel take no memory before they are touched. */
void *wardi_alloc_zeroed_pages(struct wardi_alloc *alloc, size_t size);
/* wardi_pages_pace() for these. */
void wardi_alloc_pace(const struct wardi_alloc *alloc, char *fresh);
void wardi_free_pages(struct wardi_alloc *alloc, void *block, size_t size);

#endif
