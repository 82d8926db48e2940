/* SPDX-License-Identifier: MIT
 *
 * free_cells.h - a worker's stock of free cells.
 */
#ifndef WARDI_FREE_CELLS_H
#define WARDI_FREE_CELLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <ward/types.h>

#include "base/biased_lock.h"

struct ward_self;
struct wardi_cell;

enum { WARDI_FREE_CELLS_MAX = 128 /* a power of two */ };

struct wardi_free_cells {
	/* Leans to the worker, if its run queue does: others come seldom, and take all. */
	struct wardi_biased_lock lock;
	/* written under the lock; of the ring: where the worker takes, and puts */
	_Atomic uint32_t first, end;
	/* under the lock */
	struct wardi_cell *cells[WARDI_FREE_CELLS_MAX];
};

/* Worker, before others know the stock: makes the lock lean to it. */
void wardi_free_cells_lean(struct wardi_free_cells *free_cells);
/* Any thread: how many it has; stale at once. */
static inline uint32_t wardi_free_cells_count(const struct wardi_free_cells *free_cells)
{
	/* Relaxed: the caller takes the lock, or compares set_out and arrived. */
	return atomic_load_explicit(&free_cells->end, memory_order_relaxed) -
	       atomic_load_explicit(&free_cells->first, memory_order_relaxed);
}
/* Worker: takes a free cell, held; NULL: *ret_err says why. self NULL: no thread runs yet. */
struct wardi_cell *wardi_free_cells_take(ward_system *system, struct ward_self *self,
					 ward_err *ret_err);
/* Worker: returns a cell without a life. */
void wardi_free_cells_give(struct ward_self *self, struct wardi_cell *cell);

/* What a look through the stocks of all workers has found. */
enum wardi_free_cells_look {
	WARDI_FREE_CELLS_NONE,    /* all were empty */
	WARDI_FREE_CELLS_SOME,    /* the table has them now */
	WARDI_FREE_CELLS_UNKNOWN, /* none, but one stock could not be looked at */
};

/* Any thread: takes back the stocks of all workers. */
enum wardi_free_cells_look wardi_free_cells_take_back(ward_system *system);
/* Worker, before it ends or sleeps: returns its stock. */
void wardi_free_cells_finish(struct ward_self *self);

#endif
