/* SPDX-License-Identifier: MIT
 *
 * random.c - a seeded generator: xoshiro256** by Blackman and Vigna, seeded by splitmix64.
 *
 * The same seed gives the same numbers on every machine: simulations are replayed by their seed.
 * Not for secrets.
 *
 * Threads: each generator has one owner.
 */
#include "base/random.h"

#include <sys/random.h>
#include <time.h>

#include "base/assert.h"

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t value, int bits)
{
	return value << bits | value >> (64 - bits);
}

void wardi_random_init(struct wardi_random *random, uint64_t seed)
{
	/* Four outputs of a bijection in a row are never all zero, which is the only state without
	 * exit. */
	for (int i = 0; i < 4; i++)
		random->state[i] = splitmix64(&seed);
}

uint64_t wardi_random_u64(struct wardi_random *random)
{
	uint64_t *s = random->state;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	uint64_t shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotate_left(s[3], 45);
	return result;
}

uint64_t wardi_random_below(struct wardi_random *random, uint64_t bound)
{
	wardi_assert(bound > 0);
	/* 2^64 mod bound: this many of the lowest values would make some results likelier. */
	uint64_t reject_below = (UINT64_C(0) - bound) % bound;
	uint64_t value;

	do {
		value = wardi_random_u64(random);
	} while (value < reject_below);
	return value % bound;
}

uint64_t wardi_random_seed(void)
{
	uint64_t seed;
	struct timespec wall = {0}, up = {0};

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == (ssize_t)sizeof(seed))
		return seed;
	/* Early at boot, or forbidden by a filter: the clocks will do, no secret depends on it. */
	(void)clock_gettime(CLOCK_REALTIME, &wall);
	(void)clock_gettime(CLOCK_MONOTONIC, &up);
	seed = (uint64_t)wall.tv_sec ^ (uint64_t)wall.tv_nsec << 32 ^ (uint64_t)up.tv_nsec;
	return splitmix64(&seed);
}
