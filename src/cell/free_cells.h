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

struct ward_self;
struct wardi_cell;

enum { WARDI_FREE_CELLS_MAX = 32 /* a power of two */ };

struct wardi_free_cells {
	/* the worker only */
	uint32_t first, end; /* of the ring: where the worker takes, and puts */
	/* The worker puts cells in; it and, seldom, others take them. NULL: none, or taken. */
	_Atomic(struct wardi_cell *) cells[WARDI_FREE_CELLS_MAX];
};

/* Worker: takes a free cell, held; NULL: *ret_err says why. self NULL: no thread runs yet. */
struct wardi_cell *wardi_free_cells_take(ward_system *system, struct ward_self *self,
					 ward_err *ret_err);
/* Worker: returns a cell without a life. */
void wardi_free_cells_give(struct ward_self *self, struct wardi_cell *cell);
/* Any thread: takes back the stocks of all workers. False: they were empty. */
bool wardi_free_cells_take_back(ward_system *system);
/* Worker, before it ends or sleeps: returns its stock. */
void wardi_free_cells_finish(struct ward_self *self);

#endif
