/* SPDX-License-Identifier: MIT
 *
 * table.h - from a ref to a cell: a few instructions, since each tell does it. table.c has the
 * picture, and the pairs [S1] and [S2].
 */
#ifndef WARDI_TABLE_H
#define WARDI_TABLE_H

#include "base/prefetch.h"
#include "cell/cell.h"
#include "cell/system.h"

enum {
	WARDI_SLOTS_FIRST_BITS = 4, /* cells of the first segment */
	WARDI_SLOTS_FULL_BITS = 12  /* of segments of full size */
};

/* The place of a slot's cell. */
struct wardi_place {
	uint32_t segment, index;
};

static inline struct wardi_place wardi_place_of(uint32_t slot)
{
	/* So a segment begins at each power of two. */
	uint32_t at = slot + (UINT32_C(1) << WARDI_SLOTS_FIRST_BITS);
	uint32_t bits = 31 - (uint32_t)__builtin_clz(at);

	if (bits >= WARDI_SLOTS_FULL_BITS)
		return (struct wardi_place){(at >> WARDI_SLOTS_FULL_BITS) + WARDI_SLOTS_FULL_BITS -
						    WARDI_SLOTS_FIRST_BITS - 1,
					    at & ((1 << WARDI_SLOTS_FULL_BITS) - 1)};
	return (struct wardi_place){bits - WARDI_SLOTS_FIRST_BITS,
				    at & ((UINT32_C(1) << bits) - 1)};
}

/* Whether it is one of the first slots, whose cells are found with one load less. */
static inline bool wardi_table_is_near(uint32_t slot)
{
	return slot < WARDI_NEAR * 16;
}

/* Same as wardi_table_cell(), for a near slot. */
static inline struct wardi_cell *wardi_table_near(const ward_system *system, uint32_t slot)
{
	const struct wardi_table *table = &system->table;

	if (slot >= atomic_load_explicit(&table->published, memory_order_acquire)) /* [S1] */
		return NULL;
	/* Relaxed: it was written before `published`. */
	return atomic_load_explicit(&table->near[slot / 16], memory_order_relaxed) + slot % 16;
}

/* Any thread, in a turn or in a visit (below), after which the cell may be freed: returns the cell
 * of a slot, whatever its life; NULL: never used. Without a life it may be the cell that stands for
 * all freed ones: no generation is open, it has no path, and it must not be written. */
static inline struct wardi_cell *wardi_table_cell(const ward_system *system, uint32_t slot)
{
	const struct wardi_table *table = &system->table;
	struct wardi_segment *segment;
	struct wardi_place place;

	if (wardi_table_is_near(slot))
		return wardi_table_near(system, slot);
	if (slot >= atomic_load_explicit(&table->published, memory_order_acquire)) /* [S1] */
		return NULL;
	place = wardi_place_of(slot);
	segment = atomic_load_explicit(&table->segments[place.segment],
				       memory_order_acquire); /* [S1] */
	return &segment->cells[place.index];
}

/* Any thread: whether that life of the cell takes mail; may be stale at once. */
static inline bool wardi_cell_is_open(const struct wardi_cell *cell, uint64_t uid)
{
	return wardi_uid_gen(uid) != 0 &&
	       atomic_load_explicit(&cell->open_gen, memory_order_acquire) == /* [S2] */
		       wardi_uid_gen(uid);
}

/* Takes a free cell by its scheduling bit. False: a worker is busy with mail that came too late for
 * its last life. The finder of a cell that never had a life holds it already. */
static inline bool wardi_table_seize(struct wardi_cell *cell)
{
	return wardi_uid_gen(cell->uid) == 0 || wardi_mailbox_wake(&cell->mailbox);
}

/* Any thread, as above: returns the cell if that life takes mail; may be stale at once. */
static inline struct wardi_cell *wardi_table_open(const ward_system *system, uint64_t uid)
{
	struct wardi_cell *cell = wardi_table_cell(system, wardi_uid_slot(uid));

	return cell != NULL && wardi_cell_is_open(cell, uid) ? cell : NULL;
}

/* In a turn or a visit: prefetches a cell that will soon get a message. */
static inline void wardi_table_expect(const ward_system *system, uint64_t uid)
{
	struct wardi_cell *cell = wardi_table_cell(system, wardi_uid_slot(uid));

	if (cell != NULL)
		wardi_prefetch_to_write(&cell->mailbox);
}

void wardi_table_give(ward_system *system, struct wardi_cell *cell);

/* Takes a free cell, held, with its lane; NULL: *ret_err says why. */
struct wardi_cell *wardi_table_take(ward_system *system, ward_err *ret_err);

void wardi_table_finish(ward_system *system);

/* Returns a worker's stock, by the link of siblings. */
void wardi_table_give_some(ward_system *system, struct wardi_list *cells);

ward_err wardi_table_init(ward_system *system, uint32_t max);

/* Takes free cells for a worker's stock (free_cells.c), not held; none at the limit. Returns how
 * many. */
uint32_t wardi_table_take_some(ward_system *system, struct wardi_cell **ret_cells, uint32_t max);

/* Returns the segment of a cell. */
static inline struct wardi_segment *wardi_segment_of(const struct wardi_cell *cell)
{
	const struct wardi_cell *first = cell - wardi_place_of(wardi_cell_slot(cell)).index;

	return wardi_container_of(first, struct wardi_segment, cells);
}

#endif
