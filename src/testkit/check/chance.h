/* SPDX-License-Identifier: MIT
 *
 * chance.h - a seeded generator (splitmix64), for all that a simulation draws. Single-threaded.
 */
#ifndef WARDI_TESTKIT_CHANCE_H
#define WARDI_TESTKIT_CHANCE_H

#include <stdint.h>

struct wardi_chance {
	uint64_t state;
};

/* The uses of random draws in a run. Each has its own generator, so that draws for one use do not
 * change the others: a run keeps its order when faults are removed from it. */
enum wardi_chance_use {
	WARDI_CHANCE_ORDER = 1,
	WARDI_CHANCE_PLAN = 2,
	WARDI_CHANCE_LOOP = 3,
};

/* Spreads a number over all 64 bits, one to one. */
static inline uint64_t wardi_chance_spread(uint64_t value)
{
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
	value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
	return value ^ (value >> 31);
}

static inline struct wardi_chance wardi_chance(uint64_t seed, enum wardi_chance_use use)
{
	return (struct wardi_chance){wardi_chance_spread(seed ^ ((uint64_t)use << 56))};
}

static inline uint64_t wardi_chance_u64(struct wardi_chance *chance)
{
	chance->state += 0x9e3779b97f4a7c15;
	return wardi_chance_spread(chance->state);
}

/* In 0..bound - 1; bound > 0. Even, except for one part in 2^64 / bound. */
static inline uint64_t wardi_chance_below(struct wardi_chance *chance, uint64_t bound)
{
	return wardi_chance_u64(chance) % bound;
}

/* In 1..max; max > 0. Small ones as likely as large ones: first the number of bits is drawn. */
static inline uint64_t wardi_chance_scale(struct wardi_chance *chance, uint64_t max)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(max);
	uint64_t low = UINT64_C(1) << wardi_chance_below(chance, bits);
	uint64_t high = low > max / 2 ? max : 2 * low - 1;
	return low + wardi_chance_below(chance, high - low + 1);
}

#endif
