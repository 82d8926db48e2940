/* SPDX-License-Identifier: MIT
 *
 * free_cells.c - a worker's stock of free cells, so that few spawns and ends take a lock.
 *
 *	table (one lock)  -- FILL at once -->  ring of a worker  --> a life
 *	                  <-- FILL at once --                    <-- its end
 *	                  <-- all, by any thread, at the limit, or to free segments --
 *
 * A thread that finds no cell in the table first takes back those of all workers, so a spawn is
 * refused only if there is no free cell anywhere. Once the table has its maximum of cells no worker
 * gets a stock: so that does not happen again and again.
 *
 * A worker's stock was freed last, and is used before cells of the table: a stale ref may meet a
 * new life after WARDI_FREE_CELLS_MAX others. In a simulation workers have no stock, and slots are
 * used in the order of the table.
 *
 * Threads: first and end belong to the worker; cells: see free_cells.h
 * Pairs  [S4] a cell in the stock: release by the thread that puts - acquire by the one that takes
 *        [S5] set_out, arrived: in one order with the looks between them: if after a look at table
 *             and workers one more has set out than had arrived before it, that one is the looking
 *             thread: no cell was in transit, and each was in one of the two
 */
#include "cell/free_cells.h"

#include <sched.h>

#include "cell/self.h"
#include "cell/table.h"
#include "mail/ref.h"

enum { FILL = WARDI_FREE_CELLS_MAX / 2, LOOKS_MAX = 1000 };

static void put(struct wardi_free_cells *free_cells, struct wardi_cell *cell)
{
	atomic_store_explicit(&free_cells->cells[free_cells->end++ % WARDI_FREE_CELLS_MAX], cell,
			      memory_order_release); /* [S4] */
}

/* Any thread: takes the cell out of a place of the ring, or NULL. */
static struct wardi_cell *take_at(struct wardi_free_cells *free_cells, uint32_t at)
{
	return atomic_exchange_explicit(&free_cells->cells[at % WARDI_FREE_CELLS_MAX], NULL,
					memory_order_acquire); /* [S4] */
}

/* Worker: takes the oldest cell; NULL: none is left. */
static struct wardi_cell *take_first(struct wardi_free_cells *free_cells)
{
	struct wardi_cell *cell = NULL;

	while (cell == NULL && free_cells->first != free_cells->end)
		cell = take_at(free_cells, free_cells->first++);
	return cell;
}

/* Encloses a move, in which the cells are in neither place. */
static void set_out(ward_system *system)
{
	atomic_fetch_add_explicit(&system->table.set_out, 1, memory_order_seq_cst); /* [S5] */
}

static void arrive(ward_system *system)
{
	atomic_fetch_add_explicit(&system->table.arrived, 1, memory_order_seq_cst); /* [S5] */
}

static void fill(ward_system *system, struct wardi_free_cells *free_cells)
{
	struct wardi_cell *cells[FILL];
	uint32_t count;

	set_out(system);
	count = wardi_table_take_some(system, cells, FILL);
	for (uint32_t i = 0; i < count; i++)
		put(free_cells, cells[i]);
	arrive(system);
}

bool wardi_free_cells_take_back(ward_system *system)
{
	struct wardi_list *selves = &system->selves;
	struct wardi_list found;

	wardi_list_init(&found);
	set_out(system);
	wardi_mutex_lock(&system->selves_mu);
	for (struct wardi_list *at = selves->next; at != selves; at = at->next) {
		struct wardi_free_cells *free_cells =
			&wardi_container_of(at, struct ward_self, link)->free_cells;

		for (uint32_t i = 0; i < WARDI_FREE_CELLS_MAX; i++) {
			struct wardi_cell *cell = take_at(free_cells, i);

			if (cell != NULL)
				wardi_list_append(&found, &cell->sibling);
		}
	}
	wardi_mutex_unlock(&system->selves_mu);
	bool any = !wardi_list_empty(&found);
	wardi_table_give_some(system, &found);
	arrive(system);
	return any;
}

/* Takes a cell from the table or from any worker. Fails only if both are empty with no cell in
 * transit, or after too many tries. */
static struct wardi_cell *take_any(ward_system *system, ward_err *ret_err)
{
	struct wardi_table *table = &system->table;
	struct wardi_cell *cell = wardi_table_take(system, ret_err);

	for (int looks = 0; cell == NULL && looks < LOOKS_MAX; looks++) {
		uint32_t arrived =
			atomic_load_explicit(&table->arrived, memory_order_seq_cst); /* [S5] */

		if (!wardi_free_cells_take_back(system) && *ret_err != WARD_ELIMIT)
			break; /* no memory */
		cell = wardi_table_take(system, ret_err);
		/* Only this thread was on the way since. */
		if (atomic_load_explicit(&table->set_out, memory_order_seq_cst) == arrived + 1)
			break;
		sched_yield();
	}
	return cell;
}

struct wardi_cell *wardi_free_cells_take(ward_system *system, struct ward_self *self,
					 ward_err *ret_err)
{
	struct wardi_cell *cell;

	if (self != NULL && system->simulation == NULL) {
		if (self->free_cells.first == self->free_cells.end)
			fill(system, &self->free_cells);
		while ((cell = take_first(&self->free_cells)) != NULL) {
			if (wardi_table_seize(cell))
				return cell;
			wardi_table_give(system, cell); /* a worker is clearing it right now */
		}
	}
	return system->simulation == NULL ? take_any(system, ret_err)
					  : wardi_table_take(system, ret_err);
}

void wardi_free_cells_give(struct ward_self *self, struct wardi_cell *cell)
{
	ward_system *system = self->system;
	struct wardi_free_cells *free_cells = &self->free_cells;

	if (system->simulation != NULL || wardi_uid_gen(cell->uid) == UINT32_MAX ||
	    /* Relaxed: a late view does no harm. */
	    atomic_load_explicit(&system->table.published, memory_order_relaxed) >=
		    system->table.max) {
		wardi_table_give(system, cell);
		return;
	}
	if (free_cells->end - free_cells->first == WARDI_FREE_CELLS_MAX) {
		struct wardi_list spilt;

		wardi_list_init(&spilt);
		set_out(system);
		for (int i = 0; i < FILL; i++) {
			struct wardi_cell *first = take_at(free_cells, free_cells->first++);

			if (first != NULL)
				wardi_list_append(&spilt, &first->sibling);
		}
		wardi_table_give_some(system, &spilt);
		arrive(system);
	}
	put(free_cells, cell);
}

void wardi_free_cells_finish(struct ward_self *self)
{
	struct wardi_list rest;
	struct wardi_cell *cell;

	if (self->free_cells.first == self->free_cells.end)
		return;
	wardi_list_init(&rest);
	set_out(self->system);
	while ((cell = take_first(&self->free_cells)) != NULL)
		wardi_list_append(&rest, &cell->sibling);
	wardi_table_give_some(self->system, &rest);
	arrive(self->system);
}
