/* SPDX-License-Identifier: MIT
 *
 * pauses.h - the pause before something is tried again.
 */
#ifndef WARDI_PAUSES_H
#define WARDI_PAUSES_H

#include <ward/types.h>

/* Returns min_ms * factor^n, at most max_ms, plus up to random_factor of that, as
 * wardi_backoff_delay_ms() does. Contract: S93. */
int64_t wardi_pause_ms(int64_t min_ms, int64_t max_ms, double factor, uint32_t n,
		       double random_factor, uint64_t random);
/* Draws from the generator of the options, or of the system. */
uint64_t wardi_random(ward_self *self, uint64_t (*random)(ward_self *self));
/* Whether 0 <= factor <= 1; false for a NaN. */
bool wardi_is_share(double factor);

#endif
