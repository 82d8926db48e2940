/* SPDX-License-Identifier: MIT
 *
 * seed.h - the seeds of a case: one round after the other, or the one that the environment names.
 */
#ifndef WARDI_TESTKIT_SEED_H
#define WARDI_TESTKIT_SEED_H

#include <stdint.h>

/* The seed of the run of a simulation that is under way in this process; 0: none is. */
extern _Atomic uint64_t wardi_testkit_seed_of_run;

/* For the next case: its seed and its limit. */
void wardi_testkit_seed_reset(void);

#endif
