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

enum { WARDI_STOCK = 32 /* a power of two */ };

struct wardi_stock {
	/* the worker only */
	uint32_t first, end; /* of the ring: where it takes, and where it puts */
	/* The worker puts in; it and, seldom, others take out. NULL: none, or taken. */
	_Atomic(struct wardi_cell *) cells[WARDI_STOCK];
};

/* A free cell, held; NULL: *ret_err says why. By a worker; self NULL: no thread runs yet. */
struct wardi_cell *wardi_stock_take(ward_system *system, struct ward_self *self, ward_err *ret_err);
/* By a worker: nobody lives in it any more. */
void wardi_stock_give(struct ward_self *self, struct wardi_cell *cell);
/* Takes back what all stocks hold. False: that was nothing. Any thread. */
bool wardi_stocks_take_back(ward_system *system);
/* The worker ends, or sleeps: gives back what it has at hand. */
void wardi_stock_finish(struct ward_self *self);

#endif
