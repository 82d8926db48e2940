/* SPDX-License-Identifier: MIT
 *
 * allocator.h - an allocator for tests: it counts, poisons, and fails on request.
 */
#ifndef WARDI_TESTKIT_ALLOCATOR_H
#define WARDI_TESTKIT_ALLOCATOR_H

#include <stdatomic.h>

#include <ward/system.h>

/* Written over memory that must no longer be read. */
enum { WARDI_KIT_STALE = 0x5a };

struct wardi_kit_memory {
	/* frozen once an actor runs */
	struct wardi_kit_memory *leader; /* its allocations count there; NULL: here */
	ward_allocator allocator;
	void (*on_shortage)(void *arg); /* called in each allocation that is made to fail */
	void *on_shortage_arg;
	bool simulated; /* the order of allocations is the same in each run */
	/* any thread */
	_Atomic uint64_t bytes, blocks; /* in use now */
	_Atomic uint64_t allocations;   /* requests so far */
	_Atomic uint64_t fail_at;       /* the allocation, from 1, that finds no memory; 0: none */
	_Atomic bool fail_all;
};

void wardi_kit_memory_init(struct wardi_kit_memory *memory, uint64_t fail_at);
/* Has fn(arg) called in each allocation that is made to fail, on its thread. fn may choose the next
 * allocation to fail. */
void wardi_kit_memory_on_shortage(struct wardi_kit_memory *memory, void (*fn)(void *arg),
				  void *arg);

#endif
