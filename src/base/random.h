/* SPDX-License-Identifier: MIT
 *
 * random.h - a seeded generator (xoshiro256**, seeded by splitmix64). Each generator has one owner.
 */
#ifndef WARDI_RANDOM_H
#define WARDI_RANDOM_H

#include <stdint.h>

struct wardi_random {
	uint64_t state[4];
};

void wardi_random_init(struct wardi_random *random, uint64_t seed);
uint64_t wardi_random_u64(struct wardi_random *random);
/* Uniform in 0..bound - 1, without bias; bound > 0. */
uint64_t wardi_random_below(struct wardi_random *random, uint64_t bound);
/* Returns a seed from the kernel, else from the clocks, for a system without a seed. */
uint64_t wardi_random_seed(void);

#endif
