/* SPDX-License-Identifier: MIT
 *
 * dice.h - numbers from a seed (splitmix64): the same seed, the same faults in the same order.
 */
#ifndef SINK_DICE_H
#define SINK_DICE_H

#include <stdint.h>

struct dice {
	uint64_t state;
};

/* Returns a number below `sides`, which is small: the bias does not matter. */
static inline uint64_t dice_roll(struct dice *dice, uint64_t sides)
{
	uint64_t z = dice->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (z ^ (z >> 31)) % sides;
}

#endif
