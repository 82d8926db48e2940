/* SPDX-License-Identifier: MIT
 *
 * allocator.h - an allocator for tests: it counts, poisons, and fails where it is told to.
 */
#ifndef WARDI_TESTKIT_ALLOCATOR_H
#define WARDI_TESTKIT_ALLOCATOR_H

#include <stdatomic.h>

#include <ward/system.h>

/* What is written over memory that is not to be read any more. */
enum { WARDI_KIT_STALE = 0x5a };

struct wardi_kit_memory {
	/* frozen once an actor runs */
	ward_allocator allocator;
	void (*on_shortage)(void *arg); /* called in each allocation that is made to fail */
	void *on_shortage_arg;
	bool simulated; /* the order of its allocations is the same in each run */
	/* any thread */
	_Atomic uint64_t bytes, blocks; /* given out now */
	_Atomic uint64_t allocations;   /* asked for, in all */
	_Atomic uint64_t fail_at;       /* this one, from 1, finds no memory; 0: none */
	_Atomic bool fail_all;
};

void wardi_kit_memory_init(struct wardi_kit_memory *memory, uint64_t fail_at);
/* Has fn(arg) called whenever an allocation finds no memory because it was told so: on its thread,
 * while it is under way. It may choose the next one that is to fail. */
void wardi_kit_memory_on_shortage(struct wardi_kit_memory *memory, void (*fn)(void *arg),
				  void *arg);

#endif
