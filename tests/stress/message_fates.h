/* SPDX-License-Identifier: MIT
 *
 * message_fates.h - what became of each numbered message: exactly one of three things, and one
 * drop.
 */
#ifndef STRESS_MESSAGE_FATES_H
#define STRESS_MESSAGE_FATES_H

#include <stdio.h>
#include <sys/mman.h>

#include "support/stress.h"

enum fate { HANDLED = 1, FAILING = 2, DEAD = 4, DROPPED = 8 };

static struct {
	_Atomic uint8_t *of; /* by number; bits of enum fate */
	uint64_t max;
	_Atomic uint64_t decided;
} fates;

/* Touches all of it, so that it does not grow while memory is watched. */
static inline void fates_make(uint64_t max)
{
	fates.max = max;
	fates.of = mmap(NULL, max, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ward_assert(fates.of != MAP_FAILED);
}

static inline void fate_note(uint64_t number, enum fate fate)
{
	uint8_t before;

	ward_assert(number < fates.max);
	before = atomic_fetch_or_explicit(&fates.of[number], (uint8_t)fate, memory_order_relaxed);
	if (fate == DROPPED) {
		ward_assert_eq(before & DROPPED, 0);
		return;
	}
	ward_assert_eq(before & (HANDLED | FAILING | DEAD), 0);
	stress_add(&fates.decided, 1);
}

static inline uint64_t fates_decided(void)
{
	return stress_get(&fates.decided);
}

/* At the end: that each of the first `sent` has its fate, and was dropped. */
static inline void fates_check(uint64_t sent)
{
	uint64_t count[DROPPED] = {0};

	for (uint64_t i = 0; i < sent; i++) {
		uint8_t fate = atomic_load_explicit(&fates.of[i], memory_order_relaxed);

		ward_assert_eq(fate & DROPPED, DROPPED);
		count[fate & ~DROPPED]++;
	}
	printf("%llu sent: %llu handled, %llu failing, %llu dead letters, %llu without a fate\n",
	       (unsigned long long)sent, (unsigned long long)count[HANDLED],
	       (unsigned long long)count[FAILING], (unsigned long long)count[DEAD],
	       (unsigned long long)count[0]);
	ward_assert_eq(count[0], 0);
	ward_assert_eq(count[HANDLED] + count[FAILING] + count[DEAD], sent);
}

#endif
