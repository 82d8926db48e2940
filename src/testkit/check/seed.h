/* SPDX-License-Identifier: MIT
 *
 * seed.h - the seeds of a case: one round after the other, or the one that the environment names.
 */
#ifndef WARDI_TESTKIT_SEED_H
#define WARDI_TESTKIT_SEED_H

#include <stdbool.h>
#include <stdint.h>

/* The seed of the run of a simulation that is under way in this process; 0: none is. */
extern _Atomic uint64_t wardi_testkit_seed_of_run;

/* False: WARD_SEED is set, and is no seed. */
bool wardi_testkit_seed_is_sound(void);

/* Reads WARD_SEEDS, COUNT or FIRST:COUNT, the seeds of simulations; changes nothing without it.
 * False: it is neither. */
bool wardi_testkit_seeds_read(uint64_t *first, uint64_t *count);
bool wardi_testkit_seeds_are_sound(void);

/* For the next case: its seed and its limit. */
void wardi_testkit_seed_reset(void);

#endif
