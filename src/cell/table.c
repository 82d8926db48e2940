/* SPDX-License-Identifier: MIT
 *
 * table.c - the table of cells: type-stable memory, found by slot number.
 *
 *	segments -> 16 cells, 32 cells, 64, ... 2048, 4096, 4096, 4096, ...
 *
 * Segments are arrays of cells, each made when the last is full: a small system takes little
 * memory, and in a large one a cell costs only its own bytes. Unused cells are not touched. A stale
 * ref leads to a cell, or to one that stands for all freed cells, never to freed memory; and the
 * generation shows that its life is over. segments.c makes and frees segments. Freed cells are
 * reused first, those of a segment in the order in which they were freed, except the few in each
 * worker's stock (free_cells.c).
 *
 * The first cells also have a shorter path, by groups of 16: near. Their segments stay.
 *
 * A free cell may be held: by a worker that clears its late mail, by a run queue for that, or by a
 * sender that is about to queue it (late_mail.c). The worker that asks may be the one to release it
 * later. Its place among `max` is free nevertheless. So if no other cell is left it is set aside,
 * and a spare takes its place: a cell that was set aside earlier, or a new one. Cells in use, free
 * in the table or in stocks are never more than `max` together. A cell set aside waits for the next
 * exchange; its segment is not freed.
 *
 * Data that few cells need, and keep from life to life, is in an array of the segment.
 *
 * Pairs  [S1] publish of a segment and of `published`: release - acquire in table.h
 *        [S2] open_gen: release at the opening (spawn.c) - acquire in table.h
 */
#include "cell/table.h"

#include <sched.h>

#include "base/error.h"
#include "cell/bounded_pool.h"
#include "cell/segments.h"

typedef _Atomic(struct wardi_segment *) segment_word;

enum {
	REUSE_TRIES = 4,
	LOOKS_MAX = 64,   /* looks for a free cell, when no spare may be made */
	SPARES_MIN = 4096 /* above `max`: they take memory when they are made */
};
_Static_assert(WARDI_NEAR * 16 <= WARDI_TABLE_KEPT, "cells with a near way stay");

ward_err wardi_table_init(ward_system *system, uint32_t max)
{
	struct wardi_table *table = &system->table;

	table->max = max;
	table->cells_max =
		max < (WARDI_ACTORS_MAX - SPARES_MIN) / 2 ? 2 * max + SPARES_MIN : WARDI_ACTORS_MAX;
	table->segments_max = wardi_place_of(table->cells_max - 1).segment + 1;
	table->segments =
		wardi_alloc_zeroed(&system->alloc, table->segments_max * sizeof(segment_word));
	if (table->segments == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for the table of %u actors", max);
	wardi_segments_init(table);
	wardi_mutex_init(&table->mu, WARDI_LOCK_TABLE);
	wardi_bounded_pool_init(system);
	return WARD_OK;
}

void wardi_table_finish(ward_system *system)
{
	struct wardi_table *table = &system->table;

	if (table->segments == NULL)
		return;
	wardi_segments_finish(system);
	wardi_free(&system->alloc, table->segments, table->segments_max * sizeof(segment_word));
	wardi_mutex_destroy(&table->mu);
	wardi_bounded_pool_finish(system);
}

/* Under table->mu: adds a cell. */
static struct wardi_cell *add_cell(ward_system *system, ward_err *ret_err)
{
	struct wardi_table *table = &system->table;
	struct wardi_cell *cell = wardi_segments_new_cell(system, table->used);

	if (cell == NULL) {
		*ret_err = wardi_error(WARD_ENOMEM, "no memory for another actor");
		return NULL;
	}
	/* A group of 16 is in one segment: segments begin at multiples of 16. */
	if (table->used % 16 == 0 && table->used / 16 < WARDI_NEAR)
		atomic_store_explicit(&table->near[table->used / 16], cell, memory_order_relaxed);
	table->used++;
	atomic_store_explicit(&table->published, table->used, memory_order_release); /* [S1] */
	return cell;
}

/* Under table->mu: takes a free cell by its scheduling bit. NULL: there is none, or workers are
 * busy with late mail in those that were tried (*ret_busy). */
static struct wardi_cell *reuse_cell(struct wardi_table *table, bool *ret_busy)
{
	struct wardi_cell *held[REUSE_TRIES], *cell = NULL;
	int count = 0;

	/* Held cells are set aside, so that each try takes another. */
	for (; count < REUSE_TRIES; count++) {
		cell = wardi_segments_get(table);
		if (cell == NULL || wardi_table_seize(cell))
			break;
		held[count] = cell;
		cell = NULL;
	}
	*ret_busy = count > 0;
	while (count > 0)
		wardi_segments_put(table, held[--count]);
	return cell;
}

/* Under table->mu: returns a spare that is no longer held. NULL: none of those that were tried. */
static struct wardi_cell *take_spare(struct wardi_table *table)
{
	struct wardi_list *spares = &table->spares;

	for (int tries = 0; tries < REUSE_TRIES && !wardi_list_empty(spares); tries++) {
		struct wardi_cell *cell =
			wardi_container_of(spares->next, struct wardi_cell, sibling);

		wardi_list_remove(&cell->sibling);
		if (wardi_table_seize(cell))
			return cell;
		wardi_list_append(spares, &cell->sibling);
	}
	return NULL;
}

/* Under table->mu, at the limit, if all free cells that were tried are held: replaces one by a
 * spare. NULL: there is no spare; *ret_busy: there is a free cell, but held. */
static struct wardi_cell *exchange_cell(ward_system *system, bool *ret_busy, ward_err *ret_err)
{
	struct wardi_table *table = &system->table;
	struct wardi_cell *held = wardi_segments_get(table), *cell;

	*ret_busy = held != NULL;
	*ret_err = WARD_ELIMIT;
	if (held == NULL || wardi_table_seize(held))
		return held;
	cell = take_spare(table);
	if (cell == NULL && table->used < table->cells_max)
		cell = add_cell(system, ret_err);
	if (cell == NULL)
		wardi_segments_put(table, held);
	else
		wardi_list_append(&table->spares, &held->sibling);
	return cell;
}

/* Whether the last segment is full: the next cell needs a new one. */
static bool needs_row(const struct wardi_table *table)
{
	return table->used >= table->max || wardi_place_of(table->used).index == 0;
}

/* Under table->mu: returns a cell not used before, or not since its segment was made again. NULL:
 * no memory. */
static struct wardi_cell *fresh_cell(ward_system *system, ward_err *ret_err)
{
	struct wardi_table *table = &system->table;
	struct wardi_cell *cell;
	bool busy;

	if (needs_row(table) && wardi_segments_bring_back(system) &&
	    (cell = reuse_cell(table, &busy)) != NULL)
		return cell;
	if (table->used < table->max)
		return add_cell(system, ret_err);
	*ret_err = wardi_error(WARD_ENOMEM, "no memory for another actor");
	return NULL;
}

/* Looks once. True: there is a free cell, but it is held now, and no spare may be made. */
static bool look_for_cell(ward_system *system, struct wardi_cell **ret_cell, ward_err *ret_err)
{
	struct wardi_table *table = &system->table;
	struct wardi_cell *cell;
	bool busy;

	*ret_err = WARD_ELIMIT;
	wardi_mutex_lock(&table->mu);
	cell = reuse_cell(table, &busy);
	if (cell == NULL && (table->used < table->max || table->gone != NULL))
		cell = fresh_cell(system, ret_err);
	if (cell == NULL && busy && table->used >= table->max)
		cell = exchange_cell(system, &busy, ret_err);
	busy = busy && cell == NULL && table->used == table->cells_max;
	wardi_mutex_unlock(&table->mu);
	if (cell == NULL && *ret_err == WARD_ELIMIT)
		*ret_err = wardi_error(WARD_ELIMIT,
				       "all %u actors that options.actors_max allows are alive, "
				       "guardians included: raise it, or stop some first",
				       table->max);
	*ret_cell = cell;
	return busy;
}

/* If the spares are used up, looks for a held cell again, a few times; see the top. */
struct wardi_cell *wardi_table_take(ward_system *system, ward_err *ret_err)
{
	struct wardi_cell *cell;

	for (int looks = 0; look_for_cell(system, &cell, ret_err); looks++) {
		if (system->simulation != NULL || looks == LOOKS_MAX)
			break; /* no other thread runs; or it takes too long */
		sched_yield();
	}
	return cell;
}

void wardi_table_give(ward_system *system, struct wardi_cell *cell)
{
	struct wardi_table *table = &system->table;

	/* The generations of this slot are used up: it retires, so that each uid is unique. */
	if (wardi_uid_gen(cell->uid) == UINT32_MAX)
		return;
	wardi_mutex_lock(&table->mu);
	wardi_segments_put(table, cell);
	wardi_mutex_unlock(&table->mu);
}

uint32_t wardi_table_take_some(ward_system *system, struct wardi_cell **ret_cells, uint32_t max)
{
	struct wardi_table *table = &system->table;
	uint32_t count = 0;
	ward_err err;

	wardi_mutex_lock(&table->mu);
	if (table->used >= table->max)
		max = 0; /* each cell may be the last that another thread asks for */
	do {
		while (count < max && (ret_cells[count] = wardi_segments_get(table)) != NULL)
			count++;
	} while (count == 0 && max > 0 && needs_row(table) && wardi_segments_bring_back(system));
	/* Without memory for a segment the caller next asks for a single cell, and gets the
	 * error. */
	if (count == 0)
		while (count < max && table->used < table->max &&
		       (ret_cells[count] = add_cell(system, &err)) != NULL)
			count++;
	wardi_mutex_unlock(&table->mu);
	return count;
}

void wardi_table_give_some(ward_system *system, struct wardi_list *cells)
{
	struct wardi_table *table = &system->table;

	wardi_mutex_lock(&table->mu);
	while (!wardi_list_empty(cells)) {
		struct wardi_list *link = cells->next;

		wardi_list_remove(link);
		wardi_segments_put(table, wardi_container_of(link, struct wardi_cell, sibling));
	}
	wardi_mutex_unlock(&table->mu);
}
