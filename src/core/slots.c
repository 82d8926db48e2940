/* SPDX-License-Identifier: MIT
 *
 * slots.c - the table of cells: type-stable memory, found by slot number.
 *
 *	rows -> 16 cells, 32 cells, 64, ... 2048, 4096, 4096, 4096, ...
 *
 * Cells lie side by side in rows, each made when the one before it is full: a small system takes
 * little, and in a large one a cell costs its own bytes. What was not used yet is not touched. A
 * cell stays until the system is destroyed; so a stale ref leads to a cell, never to freed memory,
 * and the generation tells that its life is over. Freed cells are used again first in, first out: a
 * stale ref meets a new life as late as possible; but for the few that each worker has at hand
 * (stock.c).
 *
 * The first cells have a shorter way besides, by groups of 16: near.
 *
 * What a cell must remember from life to life, but few ever need, is in an array of its row.
 *
 * Pairs  [S1] publish of a row and of `published`: release - acquire in slots.h
 *        [S3] numbers of a row: release - acquire
 *        [S2] open_gen: release at the opening (spawn.c) - acquire in slots.h
 */
#include "core/self.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/error.h"
#include "core/ask.h"
#include "core/box.h"

typedef _Atomic(struct wardi_row *) row_word;

enum {
	POPULATE_FROM = 128 * 1024, /* bytes; those of a small system are taken as they are used */
	FIRST_BITS = WARDI_SLOTS_FIRST_BITS,
	FULL_BITS = WARDI_SLOTS_FULL_BITS,
	REUSE_TRIES = 4,
	LOOKS_MAX = 64 /* for a free cell, when no other may be made */
};

/* Of a row, in cells. */
static size_t row_cells(uint32_t row)
{
	return (size_t)1 << (row + FIRST_BITS < FULL_BITS ? row + FIRST_BITS : FULL_BITS);
}

/* In bytes. */
static size_t row_size(uint32_t row)
{
	return sizeof(struct wardi_row) + row_cells(row) * sizeof(struct wardi_cell);
}

ward_err wardi_slots_init(ward_system *system, uint32_t max)
{
	struct wardi_slots *slots = &system->slots;

	slots->max = max;
	slots->rows_max = wardi_place_of(max - 1).row + 1;
	slots->rows = wardi_alloc_zeroed(&system->alloc, slots->rows_max * sizeof(row_word));
	if (slots->rows == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for the table of %u actors", max);
	wardi_list_init(&slots->free);
	pthread_mutex_init(&slots->mu, NULL);
	pthread_mutex_init(&system->boxes_mu, NULL);
	return WARD_OK;
}

static void free_boxes(ward_system *system)
{
	struct wardi_box *box = system->boxes_all;

	while (box != NULL) {
		struct wardi_box *next = box->all;

		/* Relaxed: all threads have ended. */
		wardi_assert(atomic_load_explicit(&box->owner, memory_order_relaxed) == 0);
		pthread_mutex_destroy(&box->mu);
		wardi_free(&system->alloc, box, sizeof *box);
		box = next;
	}
	pthread_mutex_destroy(&system->boxes_mu);
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

static void free_row(ward_system *system, uint32_t number)
{
	/* Relaxed: all threads have ended. */
	struct wardi_row *row =
		atomic_load_explicit(&system->slots.rows[number], memory_order_relaxed);

	if (row == NULL)
		return;
	wardi_free(&system->alloc, atomic_load_explicit(&row->numbers, memory_order_relaxed),
		   row_cells(number) * sizeof(uint64_t));
	wardi_free(&system->alloc, row, row_size(number));
}

void wardi_slots_finish(ward_system *system)
{
	struct wardi_slots *slots = &system->slots;

	if (slots->rows == NULL)
		return;
	for (uint32_t slot = 0; slot < slots->used; slot++)
		finish_cell(system, wardi_slot_cell(system, slot));
	for (uint32_t i = 0; i < slots->rows_max; i++)
		free_row(system, i);
	wardi_free(&system->alloc, slots->rows, slots->rows_max * sizeof(row_word));
	pthread_mutex_destroy(&slots->mu);
	free_boxes(system);
}

/* Asks for the pages of a large row at once: it is filled from its begin to its end, and a fault
 * for each page costs several times what the page does. Refused, by older systems, all is as it
 * was. */
static void populate(struct wardi_row *row, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)row + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)row + size) & ~(page - 1);

	if (end > first && end - first >= POPULATE_FROM)
#ifdef MADV_POPULATE_WRITE /* of Linux 5.14 */
		(void)madvise((void *)first, end - first, MADV_POPULATE_WRITE);
#else
		return;
#endif
}

/* A row, made if need be. NULL: no memory. Under slots->mu. */
static struct wardi_row *row_of(ward_system *system, uint32_t number)
{
	row_word *word = &system->slots.rows[number];
	struct wardi_row *row = atomic_load_explicit(word, memory_order_relaxed);

	if (row == NULL && (row = wardi_alloc(&system->alloc, row_size(number))) != NULL) {
		populate(row, row_size(number));
		row->system = system;
		atomic_init(&row->numbers, NULL);
		atomic_store_explicit(word, row, memory_order_release); /* [S1] */
	}
	return row;
}

/* The cell of a slot that has none. NULL: no memory. Under slots->mu. */
static struct wardi_cell *make_cell(ward_system *system, uint32_t slot)
{
	struct wardi_place place = wardi_place_of(slot);
	struct wardi_row *row = row_of(system, place.row);
	struct wardi_cell *cell;

	if (row == NULL)
		return NULL;
	cell = &row->cells[place.index];
	memset(cell, 0, sizeof *cell);
	wardi_mailbox_init(&cell->mailbox);
	cell->uid = slot;
	cell->gear = WARDI_NO_GEAR;
	cell->command_node.kind = WARDI_SYS_COMMAND;
	cell->failed_node.kind = WARDI_SYS_FAILED;
	return cell;
}

/* Under slots->mu. */
static struct wardi_cell *add_cell(ward_system *system, ward_err *ret_err)
{
	struct wardi_slots *slots = &system->slots;
	struct wardi_cell *cell = make_cell(system, slots->used);

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
 * late mail in those that were tried. Under slots->mu. */
static struct wardi_cell *reuse_cell(struct wardi_slots *slots)
{
	for (int tries = 0; tries < REUSE_TRIES && !wardi_list_empty(&slots->free); tries++) {
		struct wardi_cell *cell =
			wardi_container_of(slots->free.next, struct wardi_cell, sibling);

		wardi_list_remove(&cell->sibling);
		if (wardi_slot_seize(cell))
			return cell;
		wardi_list_append(&slots->free, &cell->sibling);
	}
	return NULL;
}

/* One look. True: there is a free cell, but all that were tried are held just now. */
static bool look_for_cell(ward_system *system, struct wardi_cell **ret_cell, ward_err *ret_err)
{
	struct wardi_slots *slots = &system->slots;
	struct wardi_cell *cell;
	bool busy;

	pthread_mutex_lock(&slots->mu);
	cell = reuse_cell(slots);
	busy = cell == NULL && slots->used == slots->max && !wardi_list_empty(&slots->free);
	if (cell == NULL && slots->used < slots->max)
		cell = add_cell(system, ret_err);
	else if (cell == NULL)
		*ret_err = wardi_error(WARD_ELIMIT,
				       "all %u actors that options.actors_max allows are alive, "
				       "guardians included: raise it, or stop some first",
				       slots->max);
	pthread_mutex_unlock(&slots->mu);
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
	pthread_mutex_lock(&slots->mu);
	wardi_list_append(&slots->free, &cell->sibling);
	pthread_mutex_unlock(&slots->mu);
}

uint32_t wardi_slots_take_some(ward_system *system, struct wardi_cell **ret_cells, uint32_t max)
{
	struct wardi_slots *slots = &system->slots;
	uint32_t count = 0;
	ward_err err;

	pthread_mutex_lock(&slots->mu);
	if (slots->used == slots->max)
		max = 0; /* each may be the last one that somebody else asks for */
	for (; count < max && !wardi_list_empty(&slots->free); count++) {
		ret_cells[count] = wardi_container_of(slots->free.next, struct wardi_cell, sibling);
		wardi_list_remove(&ret_cells[count]->sibling);
	}
	/* Without memory for a row the caller asks for a single one next, and is told. */
	if (count == 0)
		while (count < max && slots->used < slots->max &&
		       (ret_cells[count] = add_cell(system, &err)) != NULL)
			count++;
	pthread_mutex_unlock(&slots->mu);
	return count;
}

void wardi_slots_give_some(ward_system *system, struct wardi_list *cells)
{
	struct wardi_slots *slots = &system->slots;

	pthread_mutex_lock(&slots->mu);
	while (!wardi_list_empty(cells)) {
		struct wardi_list *link = cells->next;

		wardi_list_remove(link);
		wardi_list_append(&slots->free, link);
	}
	pthread_mutex_unlock(&slots->mu);
}

struct wardi_row *wardi_cell_row(const struct wardi_cell *cell)
{
	const struct wardi_cell *first = cell - wardi_place_of(wardi_cell_slot(cell)).index;

	return wardi_container_of(first, struct wardi_row, cells);
}

uint64_t *wardi_cell_numbers(const struct wardi_cell *cell)
{
	struct wardi_place place = wardi_place_of(wardi_cell_slot(cell));
	struct wardi_row *row = wardi_cell_row(cell);
	struct wardi_alloc *alloc = &row->system->alloc;
	size_t size = row_cells(place.row) * sizeof(uint64_t);
	uint64_t *numbers = atomic_load_explicit(&row->numbers, memory_order_acquire); /* [S3] */
	uint64_t *made;

	if (numbers == NULL) {
		made = wardi_alloc_zeroed(alloc, size);
		if (made == NULL)
			return NULL;
		if (atomic_compare_exchange_strong_explicit(&row->numbers, &numbers, made,
							    memory_order_acq_rel, /* [S3] */
							    memory_order_acquire))
			numbers = made;
		else
			wardi_free(alloc, made, size); /* another cell of the row was first */
	}
	return &numbers[place.index];
}

struct wardi_box *wardi_box_take(ward_system *system)
{
	struct wardi_box *box;

	pthread_mutex_lock(&system->boxes_mu);
	box = system->boxes_free;
	if (box != NULL) {
		system->boxes_free = box->next;
	} else {
		box = wardi_alloc_zeroed(&system->alloc, sizeof *box);
		if (box != NULL) {
			pthread_mutex_init(&box->mu, NULL);
			wardi_list_init(&box->held);
			box->all = system->boxes_all;
			system->boxes_all = box;
		}
	}
	pthread_mutex_unlock(&system->boxes_mu);
	return box;
}

void wardi_box_give(ward_system *system, struct wardi_box *box)
{
	pthread_mutex_lock(&system->boxes_mu);
	box->next = system->boxes_free;
	system->boxes_free = box;
	pthread_mutex_unlock(&system->boxes_mu);
}
