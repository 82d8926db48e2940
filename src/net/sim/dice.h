/* SPDX-License-Identifier: MIT
 *
 * dice.h - the chances of a network: a generator of its own (splitmix64), from one seed.
 */
#ifndef WARDI_SIM_DICE_H
#define WARDI_SIM_DICE_H

#include <stdbool.h>
#include <stdint.h>

struct wardi_dice {
	uint64_t state;
	bool none; /* no fault strikes from here on */
};

static inline uint64_t wardi_dice_u64(struct wardi_dice *dice)
{
	uint64_t value = dice->state += 0x9e3779b97f4a7c15;

	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
	value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
	return value ^ (value >> 31);
}

/* In 1..most; most > 0. */
static inline uint64_t wardi_dice_throw(struct wardi_dice *dice, uint64_t most)
{
	return 1 + wardi_dice_u64(dice) % most;
}

/* Whether something of that chance, in 1,000, happens. */
static inline bool wardi_dice_strike(struct wardi_dice *dice, uint32_t chance)
{
	return chance != 0 && !dice->none && wardi_dice_throw(dice, 1000) <= chance;
}

#endif
