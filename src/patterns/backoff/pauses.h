/* SPDX-License-Identifier: MIT
 *
 * pauses.h - how long to pause before something is tried again.
 */
#ifndef WARDI_PAUSES_H
#define WARDI_PAUSES_H

#include <ward/types.h>

/* min_ms * factor^n, at most max_ms; and up to random_factor of that on top, as
 * wardi_backoff_delay_ms() does it. Contract: S93. */
int64_t wardi_pause_ms(int64_t min_ms, int64_t max_ms, double factor, uint32_t n,
		       double random_factor, uint64_t random);
/* Of the generator of some options, or of the system. */
uint64_t wardi_random(ward_self *self, uint64_t (*random)(ward_self *self));
/* Whether 0 <= factor <= 1; of a NaN it is not. */
bool wardi_is_share(double factor);

#endif
