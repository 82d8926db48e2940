/* SPDX-License-Identifier: MIT
 *
 * alloc.c - the allocator hooks of a system, with a count of the memory in use.
 *
 * The counters are statistics, and relaxed. A share is written by its thread with plain loads and
 * stores, since a locked addition costs as much as the rest of malloc() and free(), and more where
 * two workers add to one line. The list of shares has a lock, which only the begin and the end of a
 * thread take, and who asks for the sum.
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

static void *kernel_alloc_small(void *arg, size_t size)
{
	(void)arg;
	return wardi_pages_map_small(size);
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
	atomic_init(&alloc->spin.taken, 0);
	alloc->shares = NULL;
}

void wardi_alloc_move(struct wardi_alloc *to, struct wardi_alloc *from)
{
	wardi_assert(from->shares == NULL);
	to->alloc = from->alloc;
	to->free = from->free;
	to->arg = from->arg;
	to->separate = from->separate;
	/* Relaxed: nobody else uses either of them at this moment. */
	atomic_init(&to->bytes, atomic_load_explicit(&from->bytes, memory_order_relaxed));
	atomic_init(&to->blocks, atomic_load_explicit(&from->blocks, memory_order_relaxed));
	atomic_init(&to->spin.taken, 0);
	to->shares = NULL;
}

/* ---- the memory in use ------------------------------------------------------------------- */

/* Initial-exec: the library is loaded with the program, and each allocation looks here. */
static _Thread_local struct wardi_alloc_share own_share __attribute__((tls_model("initial-exec")));

/* Relaxed: a statistic, and no other thread writes it. */
static inline void add(_Atomic int64_t *count, int64_t more)
{
	atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + more,
			      memory_order_relaxed);
}

static inline void count(struct wardi_alloc *alloc, int64_t bytes, int64_t blocks)
{
	if (__builtin_expect(own_share.of == alloc, 1)) {
		add(&own_share.bytes, bytes);
		add(&own_share.blocks, blocks);
		return;
	}
	atomic_fetch_add_explicit(&alloc->bytes, bytes, memory_order_relaxed);   /* a statistic */
	atomic_fetch_add_explicit(&alloc->blocks, blocks, memory_order_relaxed); /* a statistic */
}

void wardi_alloc_join(struct wardi_alloc *alloc)
{
	if (own_share.of != NULL)
		return;
	own_share.of = alloc;
	wardi_spin_take(&alloc->spin, WARDI_LOCK_ALLOC);
	own_share.next = alloc->shares;
	alloc->shares = &own_share;
	wardi_spin_drop(&alloc->spin);
}

/* The count moves under the lock, so that a sum has it once. */
void wardi_alloc_leave(struct wardi_alloc *alloc)
{
	struct wardi_alloc_share **at = &alloc->shares;

	if (own_share.of != alloc)
		return;
	own_share.of = NULL;
	wardi_spin_take(&alloc->spin, WARDI_LOCK_ALLOC);
	while (*at != &own_share)
		at = &(*at)->next;
	*at = own_share.next;
	/* Relaxed: this thread has written it. */
	count(alloc, atomic_load_explicit(&own_share.bytes, memory_order_relaxed),
	      atomic_load_explicit(&own_share.blocks, memory_order_relaxed));
	wardi_spin_drop(&alloc->spin);
	atomic_store_explicit(&own_share.bytes, 0, memory_order_relaxed);  /* nobody sees it */
	atomic_store_explicit(&own_share.blocks, 0, memory_order_relaxed); /* nobody sees it */
}

/* A block may be counted by one thread, and its end by another whose share is read earlier. */
static uint64_t at_least_none(int64_t sum)
{
	return sum < 0 ? 0 : (uint64_t)sum;
}

struct wardi_alloc_sum wardi_alloc_sum(struct wardi_alloc *alloc)
{
	int64_t bytes, blocks;

	/* Relaxed, all: statistics. */
	wardi_spin_take(&alloc->spin, WARDI_LOCK_ALLOC);
	bytes = atomic_load_explicit(&alloc->bytes, memory_order_relaxed);
	blocks = atomic_load_explicit(&alloc->blocks, memory_order_relaxed);
	for (struct wardi_alloc_share *at = alloc->shares; at != NULL; at = at->next) {
		bytes += atomic_load_explicit(&at->bytes, memory_order_relaxed);
		blocks += atomic_load_explicit(&at->blocks, memory_order_relaxed);
	}
	wardi_spin_drop(&alloc->spin);
	return (struct wardi_alloc_sum){at_least_none(bytes), at_least_none(blocks)};
}

/* ---- taking and giving back -------------------------------------------------------------- */

static void *take(struct wardi_alloc *alloc, void *(*from)(void *arg, size_t size), size_t size)
{
	wardi_assert(size > 0);
	wardi_foreign_call_begin();
	void *block = from(alloc->arg, size);
	wardi_foreign_call_end();
	if (block == NULL)
		return NULL;
	count(alloc, (int64_t)size, 1);
	return block;
}

static void give(struct wardi_alloc *alloc, void (*to)(void *arg, void *block, size_t size),
		 void *block, size_t size)
{
	if (block == NULL)
		return;
	wardi_assert(size > 0);
	count(alloc, -(int64_t)size, -1);
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

void *wardi_alloc_small_pages(struct wardi_alloc *alloc, size_t size)
{
	wardi_assert(size % WARDI_PAGE == 0);
	return take(alloc, asks_the_kernel(alloc) ? kernel_alloc_small : alloc->alloc, size);
}

void *wardi_alloc_zeroed_pages(struct wardi_alloc *alloc, size_t size)
{
	if (asks_the_kernel(alloc))
		return wardi_alloc_small_pages(alloc, size);
	return wardi_alloc_zeroed(alloc, size);
}

void wardi_alloc_pace(const struct wardi_alloc *alloc, char *fresh)
{
	if (asks_the_kernel(alloc))
		wardi_pages_pace(fresh);
}

void wardi_free_pages(struct wardi_alloc *alloc, void *block, size_t size)
{
	give(alloc, asks_the_kernel(alloc) ? kernel_free : alloc->free, block, size);
}
