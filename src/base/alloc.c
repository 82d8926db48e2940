/* SPDX-License-Identifier: MIT
 *
 * alloc.c - the allocator hooks of a system, with a count of the memory in use.
 *
 * The counters are statistics: relaxed, each exact by itself.
 *
 * Threads: calls may run at the same time.
 */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#include <ward/system.h>

#include "base/assert.h"
#include "base/foreign_call.h"
#include "base/pages.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

static void *libc_alloc(void *arg, size_t size)
{
	(void)arg;
	return malloc(size);
}

static void libc_free(void *arg, void *block, size_t size)
{
	(void)arg;
	(void)size;
	free(block);
}

static void *kernel_alloc(void *arg, size_t size)
{
	(void)arg;
	return wardi_pages_map(size);
}

static void kernel_free(void *arg, void *block, size_t size)
{
	(void)arg;
	wardi_pages_unmap(block, size);
}

void wardi_alloc_init(struct wardi_alloc *alloc, const struct ward_allocator *hooks, bool separate)
{
	alloc->alloc = hooks != NULL ? hooks->alloc : libc_alloc;
	alloc->free = hooks != NULL ? hooks->free : libc_free;
	alloc->arg = hooks != NULL ? hooks->arg : NULL;
	/* Blocks of a pool look alike to AddressSanitizer: it would miss every use after free. */
	alloc->separate = separate || SANITIZED;
	atomic_init(&alloc->bytes, 0);
	atomic_init(&alloc->blocks, 0);
}

void wardi_alloc_move(struct wardi_alloc *to, struct wardi_alloc *from)
{
	to->alloc = from->alloc;
	to->free = from->free;
	to->arg = from->arg;
	to->separate = from->separate;
	/* Relaxed: nobody else uses either of them at this moment. */
	atomic_init(&to->bytes, atomic_load_explicit(&from->bytes, memory_order_relaxed));
	atomic_init(&to->blocks, atomic_load_explicit(&from->blocks, memory_order_relaxed));
}

static void *take(struct wardi_alloc *alloc, void *(*from)(void *arg, size_t size), size_t size)
{
	wardi_assert(size > 0);
	wardi_foreign_call_begin();
	void *block = from(alloc->arg, size);
	wardi_foreign_call_end();
	if (block == NULL)
		return NULL;
	atomic_fetch_add_explicit(&alloc->bytes, size, memory_order_relaxed); /* a statistic */
	atomic_fetch_add_explicit(&alloc->blocks, 1, memory_order_relaxed);   /* a statistic */
	return block;
}

static void give(struct wardi_alloc *alloc, void (*to)(void *arg, void *block, size_t size),
		 void *block, size_t size)
{
	if (block == NULL)
		return;
	wardi_assert(size > 0);
	atomic_fetch_sub_explicit(&alloc->bytes, size, memory_order_relaxed); /* a statistic */
	atomic_fetch_sub_explicit(&alloc->blocks, 1, memory_order_relaxed);   /* a statistic */
	wardi_foreign_call_begin();
	to(alloc->arg, block, size);
	wardi_foreign_call_end();
}

void *wardi_alloc(struct wardi_alloc *alloc, size_t size)
{
	return take(alloc, alloc->alloc, size);
}

void *wardi_alloc_zeroed(struct wardi_alloc *alloc, size_t size)
{
	void *block = wardi_alloc(alloc, size);
	if (block != NULL)
		memset(block, 0, size);
	return block;
}

void wardi_free(struct wardi_alloc *alloc, void *block, size_t size)
{
	give(alloc, alloc->free, block, size);
}

/* AddressSanitizer sees only memory of malloc(). */
static bool asks_the_kernel(const struct wardi_alloc *alloc)
{
	return !SANITIZED && alloc->alloc == libc_alloc;
}

void *wardi_alloc_pages(struct wardi_alloc *alloc, size_t size)
{
	wardi_assert(size % WARDI_PAGE == 0);
	return take(alloc, asks_the_kernel(alloc) ? kernel_alloc : alloc->alloc, size);
}

void wardi_free_pages(struct wardi_alloc *alloc, void *block, size_t size)
{
	give(alloc, asks_the_kernel(alloc) ? kernel_free : alloc->free, block, size);
}
