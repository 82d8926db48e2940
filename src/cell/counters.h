/* SPDX-License-Identifier: MIT
 *
 * counters.h - each worker's own counters of lives.
 *
 * A count is written by its worker alone, so it costs no locked operation; a reader adds up the
 * counts of all workers. Each count is exact as soon as the event has happened.
 *
 * Pairs  [T1] an end: release - acquire by a reader: it then sees the beginning of that life, too,
 *        so that there are never more ends than beginnings.
 */
#ifndef WARDI_COUNTERS_H
#define WARDI_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

#include <ward/types.h>

struct ward_self;

struct wardi_life_counters {
	_Atomic uint64_t spawned, ended; /* lives; a life ends when its parent knows */
	_Atomic uint64_t failures, restarts;
};

/* A worker's stock of life numbers. */
struct wardi_life_numbers {
	uint64_t next, end;
};

/* Owner of the counter, the only thread that writes it. */
static inline void wardi_life_counter_add(_Atomic uint64_t *count)
{
	atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
			      memory_order_release); /* [T1] */
}

/* Adds up the counters of all threads, including those that have ended. */
void wardi_life_counters_sum(ward_system *system, struct wardi_life_counters *ret_sum);
/* Under selves_mu: keeps the counters of a thread that ends. */
void wardi_life_counters_keep(ward_system *system, struct wardi_life_counters *life_counters);

/* Returns the number of a new life, from 1: above `after`, the highest of its parent and its older
 * siblings. In a simulation numbers are in order for all lives. */
uint64_t wardi_life_number(ward_system *system, struct ward_self *self, uint64_t after);

#endif
