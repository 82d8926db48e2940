/* SPDX-License-Identifier: MIT
 *
 * counters.h - what each worker counts of lives, by itself.
 *
 * A count is written by its worker alone, so it costs no locked operation; who looks adds up those
 * of all workers. Each is exact as soon as what it counts has happened.
 *
 * Pairs  [T1] an end: release - acquire by who looks: it then sees the beginning of that life, too,
 *        so that there are never more ends than beginnings.
 */
#ifndef WARDI_COUNTERS_H
#define WARDI_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

#include <ward/types.h>

struct ward_self;

struct wardi_life_counters {
	_Atomic uint64_t spawned, ended; /* lives; until the parent knows of the end */
	_Atomic uint64_t failures, restarts;
};

/* The numbers of lives that a worker has at hand. */
struct wardi_life_numbers {
	uint64_t next, end;
};

/* By the worker whose it is: nobody else writes it. */
static inline void wardi_life_counter_add(_Atomic uint64_t *count)
{
	atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
			      memory_order_release); /* [T1] */
}

/* Adds up the counters of all, those of ended threads included. */
void wardi_life_counters_sum(ward_system *system, struct wardi_life_counters *ret_sum);
/* Under selves_mu: the thread of these counters ends. */
void wardi_life_counters_keep(ward_system *system, struct wardi_life_counters *life_counters);

/* The number of a new life, from 1: above `after`, those of its parent and of its older siblings.
 * In a simulation, in order for all. */
uint64_t wardi_life_number(ward_system *system, struct ward_self *self, uint64_t after);

#endif
