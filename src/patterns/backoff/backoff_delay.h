/* SPDX-License-Identifier: MIT
 *
 * backoff_delay.h - the delay before the next start (S93).
 */
#ifndef WARDI_BACKOFF_DELAY_H
#define WARDI_BACKOFF_DELAY_H

#include <stdint.h>

/* Returns, in milliseconds, min_backoff_ms doubled `restarts` times, at most max_backoff_ms, plus
 * `random_factor` of that times `random` / 2^64. On overflow returns max_backoff_ms; a negative
 * argument or a NaN counts as 0. Contract: S93. */
int64_t wardi_backoff_delay_ms(uint32_t restarts, int64_t min_backoff_ms, int64_t max_backoff_ms,
			       double random_factor, uint64_t random);

#endif
