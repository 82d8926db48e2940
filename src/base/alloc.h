/* SPDX-License-Identifier: MIT
 *
 * alloc.h - the allocator hooks of a system, with a count of the memory in use.
 *
 * Threads: calls may run at the same time.
 */
#ifndef WARDI_ALLOC_H
#define WARDI_ALLOC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ward/system.h>

#include "base/pages.h"

struct ward_allocator;

struct wardi_alloc {
	/* frozen */
	void *(*alloc)(void *arg, size_t size);
	void (*free)(void *arg, void *block, size_t size);
	void *arg;
	bool separate; /* every block of a pool is an allocation of its own */
	/* atomic, relaxed: statistics */
	_Atomic uint64_t bytes;
	_Atomic uint64_t blocks;
};

/* Moves hooks and counts; the old allocator must no longer be used. */
void wardi_alloc_move(struct wardi_alloc *to, struct wardi_alloc *from);
/* NULL hooks: malloc and free. Under AddressSanitizer `separate` is always on. */
void wardi_alloc_init(struct wardi_alloc *alloc, const struct ward_allocator *hooks, bool separate);

/* NULL: no memory. A size of 0 is refused by assertion. */
void *wardi_alloc(struct wardi_alloc *alloc, size_t size);
void *wardi_alloc_zeroed(struct wardi_alloc *alloc, size_t size);

/* Takes NULL. `size`: as passed to wardi_alloc(). */
void wardi_free(struct wardi_alloc *alloc, void *block, size_t size);

/* The same for runs of whole pages. Without hooks they come from the kernel and return to it at
 * once, while malloc() would keep them. A caller that takes WARDI_HUGE_PAGE bytes will fill
 * them. */
void *wardi_alloc_pages(struct wardi_alloc *alloc, size_t size);
void wardi_free_pages(struct wardi_alloc *alloc, void *block, size_t size);

#endif
