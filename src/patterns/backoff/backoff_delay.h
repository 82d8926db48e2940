/* SPDX-License-Identifier: MIT
 *
 * backoff_delay.h - how long it is until the next start (S93).
 */
#ifndef WARDI_BACKOFF_DELAY_H
#define WARDI_BACKOFF_DELAY_H

#include <stdint.h>

/* In milliseconds: min_backoff_ms doubled `restarts` times, at most max_backoff_ms; and to that
 * `random_factor` of it, times `random` / 2^64. What is too large for the type is max_backoff_ms;
 * what is negative or no number counts as 0. Contract: S93. */
int64_t wardi_backoff_delay_ms(uint32_t restarts, int64_t min_backoff_ms, int64_t max_backoff_ms,
			       double random_factor, uint64_t random);

#endif
