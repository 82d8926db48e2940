/* SPDX-License-Identifier: MIT
 *
 * backoff_delay.h - how long a pause is, of all that waits longer after each failure.
 */
#ifndef WARDI_BACKOFF_DELAY_H
#define WARDI_BACKOFF_DELAY_H

#include <stdint.h>

/* min_ms * factor^n, at most max_ms; and up to random_factor of that on top, as
 * ward_backoff_delay_ms() does it. Contract: S93. */
int64_t wardi_pause_ms(int64_t min_ms, int64_t max_ms, double factor, uint32_t n,
		       double random_factor, uint64_t random);

#endif
