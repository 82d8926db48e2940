/* SPDX-License-Identifier: MIT
 *
 * free_cells.c - the free cells that a worker has at hand, so that few spawns and ends take a lock.
 *
 *	table (one lock)  -- FILL at once -->  ring of a worker  --> a life
 *	                  <-- FILL at once --                    <-- its end
 *	                  <-- all, by anybody, at the limit, or when segments are to go --
 *
 * Who finds no cell in the table takes those of all workers back first, so a spawn is refused only
 * if there is none anywhere. From the moment on when the table has all the cells that it may have
 * no worker gets more: that does not come again and again.
 *
 * What a worker has at hand was freed last, and is used before what the table has: a stale ref may
 * meet a new life after WARDI_FREE_CELLS_MAX others. In a simulation no worker has any at hand, and
 * slots are used in the order of the table.
 *
 * Who touches what   first, end: the worker; cells: see free_cells.h
 * Pairs  [S4] a cell at hand: release by who puts it in - acquire by who takes it out.
 *        [S5] set_out, arrived: in one order with the looks between them: as many have set out
 *             behind a look at table and workers as had arrived before it, and one, which is who
 *             looks: then no cell was on its way, and each was in one of the two
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

/* What is in a place of the ring, which is empty then. Any thread. */
static struct wardi_cell *take_at(struct wardi_free_cells *free_cells, uint32_t at)
{
	return atomic_exchange_explicit(&free_cells->cells[at % WARDI_FREE_CELLS_MAX], NULL,
					memory_order_acquire); /* [S4] */
}

/* The one that is there for the longest time; NULL: none is left. By the worker. */
static struct wardi_cell *take_first(struct wardi_free_cells *free_cells)
{
	struct wardi_cell *cell = NULL;

	while (cell == NULL && free_cells->first != free_cells->end)
		cell = take_at(free_cells, free_cells->first++);
	return cell;
}

/* Around a move: meanwhile the cells are in neither place. */
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

/* From the table, with what all workers have at hand. It is refused only if there was no cell in
 * either at a moment when none was on its way; or if there is no end of that. */
static struct wardi_cell *take_any(ward_system *system, ward_err *ret_err)
{
	struct wardi_table *table = &system->table;
	struct wardi_cell *cell = wardi_table_take(system, ret_err);

	for (int looks = 0; cell == NULL && looks < LOOKS_MAX; looks++) {
		uint32_t arrived =
			atomic_load_explicit(&table->arrived, memory_order_seq_cst); /* [S5] */

		if (!wardi_free_cells_take_back(system) && *ret_err != WARD_ELIMIT)
			break; /* memory is out */
		cell = wardi_table_take(system, ret_err);
		/* We were the only one on the way since. */
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
			wardi_table_give(system, cell); /* somebody clears it up just now */
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
	    /* Relaxed: a moment too late is as good as a moment earlier. */
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
