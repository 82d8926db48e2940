/* SPDX-License-Identifier: MIT
 *
 * busy.h - pairs of actors that play ping-pong without rest, beside what is measured.
 */
#ifndef BENCH_BUSY_H
#define BENCH_BUSY_H

#include <ward/ward.h>

enum { BUSY_PAIRS = 4 };

/* Starts the pairs; they play until their system ends. */
void busy_start(ward_system *system);

/* Returns the number of messages that they have handled so far. */
int64_t busy_messages(void);

/* Waits on a thread outside for that long. */
void busy_rest(int64_t ms);

/* Returns how many messages they handle in a second, measured over that long. */
double busy_rate(int64_t ms);

#endif
