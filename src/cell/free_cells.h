/* SPDX-License-Identifier: MIT
 *
 * free_cells.h - the free cells that a worker has at hand.
 */
#ifndef WARDI_FREE_CELLS_H
#define WARDI_FREE_CELLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <ward/types.h>

struct ward_self;
struct wardi_cell;

enum { WARDI_FREE_CELLS_MAX = 32 /* a power of two */ };

struct wardi_free_cells {
	/* the worker only */
	uint32_t first, end; /* of the ring: where it takes, and where it puts */
	/* The worker puts in; it and, seldom, others take out. NULL: none, or taken. */
	_Atomic(struct wardi_cell *) cells[WARDI_FREE_CELLS_MAX];
};

/* A free cell, held; NULL: *ret_err says why. By a worker; self NULL: no thread runs yet. */
struct wardi_cell *wardi_free_cells_take(ward_system *system, struct ward_self *self,
					 ward_err *ret_err);
/* By a worker: nobody lives in it any more. */
void wardi_free_cells_give(struct ward_self *self, struct wardi_cell *cell);
/* Takes back what all workers have at hand. False: that was nothing. Any thread. */
bool wardi_free_cells_take_back(ward_system *system);
/* The worker ends, or sleeps: gives back what it has at hand. */
void wardi_free_cells_finish(struct ward_self *self);

#endif
