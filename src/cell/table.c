/* SPDX-License-Identifier: MIT
 *
 * table.c - the table of cells: type-stable memory, found by slot number.
 *
 *	rows -> 16 cells, 32 cells, 64, ... 2048, 4096, 4096, 4096, ...
 *
 * Cells lie side by side in rows, each made when the one before it is full: a small system takes
 * little, and in a large one a cell costs its own bytes. What was not used yet is not touched. A
 * stale ref leads to a cell, or to one that serves for all that are gone, never to freed memory;
 * and the generation tells that its life is over. The rows with their free cells are segments.c,
 * which gives them back, too. Freed cells are used again first, those of a row in the order in
 * which they were freed; but for the few that each worker has at hand (free_cells.c).
 *
 * The first cells have a shorter way besides, by groups of 16: near. Their rows stay.
 *
 * What a cell must remember from life to life, but few ever need, is in an array of its row.
 *
 * Pairs  [S1] publish of a row and of `published`: release - acquire in table.h
 *        [S2] open_gen: release at the opening (spawn.c) - acquire in table.h
 */
#include "cell/table.h"

#include <sched.h>

#include "base/error.h"
#include "cell/bounded_pool.h"
#include "cell/reply_ref.h"
#include "cell/segments.h"
#include "mail/auto_received.h"

typedef _Atomic(struct wardi_row *) row_word;

enum {
	REUSE_TRIES = 4,
	LOOKS_MAX = 64 /* for a free cell, when no other may be made */
};
_Static_assert(WARDI_NEAR * 16 <= WARDI_SLOTS_KEPT, "cells with a near way stay");

ward_err wardi_slots_init(ward_system *system, uint32_t max)
{
	struct wardi_slots *slots = &system->slots;

	slots->max = max;
	slots->rows_max = wardi_place_of(max - 1).row + 1;
	slots->rows = wardi_alloc_zeroed(&system->alloc, slots->rows_max * sizeof(row_word));
	if (slots->rows == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for the table of %u actors", max);
	wardi_rows_init(slots);
	wardi_mutex_init(&slots->mu, WARDI_LOCK_SLOTS);
	wardi_boxes_init(system);
	return WARD_OK;
}

/* What came too late for the last life of a cell lies in its lane still. */
static void finish_cell(ward_system *system, struct wardi_cell *cell)
{
	struct wardi_source from = wardi_outside_source(system);
	struct ward_msg *msg = NULL;

	while (wardi_mailbox_pop(&cell->mailbox, from, &msg) == WARDI_POP_MESSAGE) {
		if (wardi_msg_type(msg) == &wardi_type_answer)
			wardi_msg_destroy(from, wardi_answer_unwrap(msg));
		wardi_msg_drop(from, msg);
		wardi_msg_free_body(from, msg);
	}
	wardi_mailbox_finish(&cell->mailbox, from);
	wardi_cause_unref(cell->last_failure); /* the root has no parent that does it */
}

void wardi_slots_finish(ward_system *system)
{
	struct wardi_slots *slots = &system->slots;

	if (slots->rows == NULL)
		return;
	wardi_rows_finish(system, finish_cell);
	wardi_free(&system->alloc, slots->rows, slots->rows_max * sizeof(row_word));
	wardi_mutex_destroy(&slots->mu);
	wardi_boxes_finish(system);
}

/* Under slots->mu. */
static struct wardi_cell *add_cell(ward_system *system, ward_err *ret_err)
{
	struct wardi_slots *slots = &system->slots;
	struct wardi_cell *cell = wardi_rows_new_cell(system, slots->used);

	if (cell == NULL) {
		*ret_err = wardi_error(WARD_ENOMEM, "no memory for another actor");
		return NULL;
	}
	/* A group of 16 lies in one row: rows begin at multiples of 16. */
	if (slots->used % 16 == 0 && slots->used / 16 < WARDI_NEAR)
		atomic_store_explicit(&slots->near[slots->used / 16], cell, memory_order_relaxed);
	slots->used++;
	atomic_store_explicit(&slots->published, slots->used, memory_order_release); /* [S1] */
	return cell;
}

/* A free cell, taken by its scheduling bit. NULL: there is none, or a worker is busy just now with
 * late mail in those that were tried; *ret_busy. Under slots->mu. */
static struct wardi_cell *reuse_cell(struct wardi_slots *slots, bool *ret_busy)
{
	struct wardi_cell *held[REUSE_TRIES], *cell = NULL;
	int count = 0;

	/* Those that are held are put aside, so that each try is another one. */
	for (; count < REUSE_TRIES; count++) {
		cell = wardi_rows_get(slots);
		if (cell == NULL || wardi_slot_seize(cell))
			break;
		held[count] = cell;
		cell = NULL;
	}
	*ret_busy = count > 0;
	while (count > 0)
		wardi_rows_put(slots, held[--count]);
	return cell;
}

/* Whether the row that is filled up is full: the next cell needs another one. */
static bool needs_row(const struct wardi_slots *slots)
{
	return slots->used == slots->max || wardi_place_of(slots->used).index == 0;
}

/* A cell that nobody has used, or not since its row is back. NULL: no memory. Under slots->mu. */
static struct wardi_cell *fresh_cell(ward_system *system, ward_err *ret_err)
{
	struct wardi_slots *slots = &system->slots;
	struct wardi_cell *cell;
	bool busy;

	if (needs_row(slots) && wardi_rows_bring_back(system) &&
	    (cell = reuse_cell(slots, &busy)) != NULL)
		return cell;
	if (slots->used < slots->max)
		return add_cell(system, ret_err);
	*ret_err = wardi_error(WARD_ENOMEM, "no memory for another actor");
	return NULL;
}

/* One look. True: there is a free cell, but all that were tried are held just now. */
static bool look_for_cell(ward_system *system, struct wardi_cell **ret_cell, ward_err *ret_err)
{
	struct wardi_slots *slots = &system->slots;
	struct wardi_cell *cell;
	bool busy;

	wardi_mutex_lock(&slots->mu);
	cell = reuse_cell(slots, &busy);
	if (cell == NULL && (slots->used < slots->max || slots->gone != NULL))
		cell = fresh_cell(system, ret_err);
	else if (cell == NULL)
		*ret_err = wardi_error(WARD_ELIMIT,
				       "all %u actors that options.actors_max allows are alive, "
				       "guardians included: raise it, or stop some first",
				       slots->max);
	busy = busy && cell == NULL && slots->used == slots->max;
	wardi_mutex_unlock(&slots->mu);
	*ret_cell = cell;
	return busy;
}

/* At the limit a free cell may be held by a worker for a moment, for mail that came too late: it is
 * looked for again. Not for ever: the one to let go of it may be this worker, later. */
struct wardi_cell *wardi_slot_take(ward_system *system, ward_err *ret_err)
{
	struct wardi_cell *cell;

	for (int looks = 0; look_for_cell(system, &cell, ret_err); looks++) {
		if (system->simulation != NULL || looks == LOOKS_MAX)
			break; /* nobody else runs; or it takes too long */
		sched_yield();
	}
	return cell;
}

void wardi_slot_give(ward_system *system, struct wardi_cell *cell)
{
	struct wardi_slots *slots = &system->slots;

	/* The generations of this slot are used up: it retires, so that no uid comes twice. */
	if (wardi_uid_gen(cell->uid) == UINT32_MAX)
		return;
	wardi_mutex_lock(&slots->mu);
	wardi_rows_put(slots, cell);
	wardi_mutex_unlock(&slots->mu);
}

uint32_t wardi_slots_take_some(ward_system *system, struct wardi_cell **ret_cells, uint32_t max)
{
	struct wardi_slots *slots = &system->slots;
	uint32_t count = 0;
	ward_err err;

	wardi_mutex_lock(&slots->mu);
	if (slots->used == slots->max)
		max = 0; /* each may be the last one that somebody else asks for */
	do {
		while (count < max && (ret_cells[count] = wardi_rows_get(slots)) != NULL)
			count++;
	} while (count == 0 && max > 0 && needs_row(slots) && wardi_rows_bring_back(system));
	/* Without memory for a row the caller asks for a single one next, and is told. */
	if (count == 0)
		while (count < max && slots->used < slots->max &&
		       (ret_cells[count] = add_cell(system, &err)) != NULL)
			count++;
	wardi_mutex_unlock(&slots->mu);
	return count;
}

void wardi_slots_give_some(ward_system *system, struct wardi_list *cells)
{
	struct wardi_slots *slots = &system->slots;

	wardi_mutex_lock(&slots->mu);
	while (!wardi_list_empty(cells)) {
		struct wardi_list *link = cells->next;

		wardi_list_remove(link);
		wardi_rows_put(slots, wardi_container_of(link, struct wardi_cell, sibling));
	}
	wardi_mutex_unlock(&slots->mu);
}
