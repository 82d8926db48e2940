/* SPDX-License-Identifier: MIT
 *
 * rows.h - the benchmarks of the floor: those of ward-bench that have a counterpart here.
 */
#ifndef FLOOR_ROWS_H
#define FLOOR_ROWS_H

#include "floor.h"

/* Makes the actors of a benchmark and sends the first messages. Returns the number of operations by
 * which the time is divided. `n` is the N of the row. */
typedef int64_t floor_setup(int64_t n);

/* floor_tell.c */
floor_setup pingpong, threadring, big, chameneos;
/* floor_stream.c */
floor_setup counting, mpsc, fjthroughput;
/* floor_lives.c */
floor_setup fjcreate, spawn_die_notify, restart;

/* Notes that one of `n` actors is through; the last one ends the run. */
void rows_expect(int64_t n);
void rows_done(void);

#define STATE(actor, T) ((struct T *)(void *)(actor)->state)
#define STATE_FITS(T) _Static_assert(sizeof(struct T) <= STATE_BYTES, "a state fits the actor")

#endif
