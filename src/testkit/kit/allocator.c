/* SPDX-License-Identifier: MIT
 *
 * allocator.c - an allocator for tests: counts, poisons, and fails on request.
 *
 * Each block has a header with its size and a mark, which reveals a free with a wrong size and a
 * double free.
 *
 * Threads: all functions may run at the same time.
 */
#include "testkit/kit/allocator.h"

#include <stdlib.h>
#include <string.h>

#include "testkit/check/shortage.h"
#include "testkit/kit/kit.h"

enum { FRESH = 0xa5 };

static const uint64_t given = UINT64_C(0x6b6c6f6253746957);
static const uint64_t freed = UINT64_C(0xdeadbeefdeadbeef);

struct header {
	_Alignas(16) size_t size;
	uint64_t mark;
};
_Static_assert(sizeof(struct header) == 16, "what follows it is aligned for any type");

/* Counts an allocation; true: it finds no memory. */
static bool strikes(struct wardi_kit_memory *memory)
{
	if (wardi_shortage_spares())
		return false;
	/* Relaxed, here and below: counters. */
	uint64_t number =
		atomic_fetch_add_explicit(&memory->allocations, 1, memory_order_relaxed) + 1;

	if (memory->simulated && wardi_shortage_strikes())
		return true;
	if (number != atomic_load_explicit(&memory->fail_at, memory_order_relaxed) &&
	    !atomic_load_explicit(&memory->fail_all, memory_order_relaxed))
		return false;
	if (memory->on_shortage != NULL)
		memory->on_shortage(memory->on_shortage_arg);
	return true;
}

static void *allocate(void *arg, size_t size)
{
	struct wardi_kit_memory *memory = arg;

	if (strikes(memory->leader != NULL ? memory->leader : memory))
		return NULL;
	/* Under a sanitizer malloc() may end the process for an impossible size. */
	struct header *header =
		size <= PTRDIFF_MAX - sizeof *header ? malloc(sizeof *header + size) : NULL;
	if (header == NULL)
		return NULL;
	*header = (struct header){.size = size, .mark = given};
	/* Unwritten memory must not look like zeros. */
	memset(header + 1, FRESH, size);
	atomic_fetch_add_explicit(&memory->bytes, size, memory_order_relaxed);
	atomic_fetch_add_explicit(&memory->blocks, 1, memory_order_relaxed);
	return header + 1;
}

static void release(void *arg, void *block, size_t size)
{
	struct wardi_kit_memory *memory = arg;
	struct header *header = (struct header *)block - 1;

	if (header->mark != given)
		ward_test_fail(__FILE__, __LINE__, "a block of %zu bytes was freed %s", size,
			       header->mark == freed ? "twice" : "that was never given out");
	if (header->size != size)
		ward_test_fail(__FILE__, __LINE__, "a block of %zu bytes was freed as one of %zu",
			       header->size, size);
	header->mark = freed;
	memset(block, WARDI_KIT_STALE, size);
	atomic_fetch_sub_explicit(&memory->bytes, size, memory_order_relaxed);
	atomic_fetch_sub_explicit(&memory->blocks, 1, memory_order_relaxed);
	free(header);
}

void wardi_kit_memory_init(struct wardi_kit_memory *memory, uint64_t fail_at)
{
	memory->allocator = (ward_allocator){allocate, release, memory};
	atomic_store_explicit(&memory->fail_at, fail_at, memory_order_relaxed);
}

void wardi_kit_memory_on_shortage(struct wardi_kit_memory *memory, void (*fn)(void *arg), void *arg)
{
	memory->on_shortage = fn;
	memory->on_shortage_arg = arg;
}

/* ---- for the test ------------------------------------------------------------------------ */

void ward_kit_fail_allocation(ward_kit *kit, uint64_t nth)
{
	uint64_t fail_at = nth != 0 ? ward_kit_allocations(kit) + nth : 0;

	atomic_store_explicit(&kit->memory.fail_at, fail_at, memory_order_relaxed);
}

void ward_kit_fail_all_allocations(ward_kit *kit, bool fail)
{
	atomic_store_explicit(&kit->memory.fail_all, fail, memory_order_relaxed);
}

uint64_t ward_kit_allocations(const ward_kit *kit)
{
	return atomic_load_explicit(&kit->memory.allocations, memory_order_relaxed);
}

uint64_t ward_kit_bytes(const ward_kit *kit)
{
	/* Relaxed: each figure stands alone, and is compared when nothing moves. */
	return atomic_load_explicit(&kit->memory.bytes, memory_order_relaxed);
}

uint64_t ward_kit_blocks(const ward_kit *kit)
{
	return atomic_load_explicit(&kit->memory.blocks, memory_order_relaxed);
}
