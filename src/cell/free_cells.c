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
 * The lock of a stock leans to its worker, so that a spawn and an end need no locked instruction
 * for it. Where the kernel withdraws membarrier (biased_lock.c) nobody else can look into a stock
 * until its worker has noticed that: a look then comes again, a limited number of times, and a
 * worker that sleeps has no stock.
 *
 * Threads: the ring under its lock, which the worker and, seldom, others take
 * Pairs  [S5] set_out, arrived: in one order with the looks between them: if after a look at table
 *             and workers one more has set out than had arrived before it, that one is the looking
 *             thread: no cell was in transit, and each was in one of the two
 */
#include "cell/free_cells.h"

#include <sched.h>

#include "base/lock.h"
#include "base/spin.h"
#include "cell/self.h"
#include "cell/table.h"
#include "mail/ref.h"

enum { FILL = WARDI_FREE_CELLS_MAX / 2, LOOKS_MAX = 1000 };

void wardi_free_cells_lean(struct wardi_free_cells *free_cells)
{
	wardi_biased_lock_lean(&free_cells->lock);
}

/* Worker. */
static inline void enter(struct wardi_free_cells *free_cells)
{
	if (!wardi_biased_lock_enter_at_once(&free_cells->lock))
		wardi_biased_lock_enter(&free_cells->lock);
	wardi_lock_take(&free_cells->lock, WARDI_LOCK_FREE_CELLS, WARDI_LOCK_PLACE);
}

static inline void leave(struct wardi_free_cells *free_cells)
{
	wardi_lock_drop(&free_cells->lock, WARDI_LOCK_PLACE);
	if (__builtin_expect(free_cells->lock.leans, 1))
		wardi_biased_lock_leave_at_once(&free_cells->lock);
	else
		wardi_biased_lock_leave(&free_cells->lock);
}

/* Under the lock; relaxed: only its holders write the two. */
static inline uint32_t advance(_Atomic uint32_t *at)
{
	uint32_t old = atomic_load_explicit(at, memory_order_relaxed);

	atomic_store_explicit(at, old + 1, memory_order_relaxed);
	return old % WARDI_FREE_CELLS_MAX;
}

/* Worker. */
static void put(struct wardi_free_cells *free_cells, struct wardi_cell *cell)
{
	enter(free_cells);
	free_cells->cells[advance(&free_cells->end)] = cell;
	leave(free_cells);
}

/* Under the lock: takes the oldest cell; NULL: none is left. */
static inline struct wardi_cell *take_first(struct wardi_free_cells *free_cells)
{
	return wardi_free_cells_count(free_cells) == 0
		       ? NULL
		       : free_cells->cells[advance(&free_cells->first)];
}

/* Under the lock: moves up to `count` cells to the list, the oldest first. */
static void take_many(struct wardi_free_cells *free_cells, uint32_t count, struct wardi_list *cells)
{
	struct wardi_cell *cell;

	while (count-- > 0 && (cell = take_first(free_cells)) != NULL)
		wardi_list_append(cells, &cell->sibling);
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

/* Worker: fills its stock, which is empty. */
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

/* Worker: returns up to `count` cells to the table, the oldest first. */
static void spill(struct ward_self *self, uint32_t count)
{
	struct wardi_list spilt;

	wardi_list_init(&spilt);
	set_out(self->system);
	enter(&self->free_cells);
	take_many(&self->free_cells, count, &spilt);
	leave(&self->free_cells);
	wardi_table_give_some(self->system, &spilt);
	arrive(self->system);
}

/* Enters the stock of another worker, or the caller's own. False: the kernel has withdrawn
 * membarrier, and the worker has not noticed yet. */
static bool visit(struct wardi_free_cells *free_cells)
{
	while (!wardi_biased_lock_visit(&free_cells->lock)) {
		if (wardi_biased_lock_refused()) {
			wardi_biased_lock_set_upright(&free_cells->lock);
			return false;
		}
		wardi_pause();
	}
	wardi_lock_take(&free_cells->lock, WARDI_LOCK_FREE_CELLS, WARDI_LOCK_PLACE);
	return true;
}

static void depart(struct wardi_free_cells *free_cells)
{
	wardi_lock_drop(&free_cells->lock, WARDI_LOCK_PLACE);
	wardi_biased_lock_depart(&free_cells->lock);
}

enum wardi_free_cells_look wardi_free_cells_take_back(ward_system *system)
{
	enum wardi_free_cells_look look = WARDI_FREE_CELLS_NONE;
	struct wardi_list *selves = &system->selves;
	struct wardi_list found;

	wardi_list_init(&found);
	set_out(system);
	wardi_mutex_lock(&system->selves_mu);
	for (struct wardi_list *at = selves->next; at != selves; at = at->next) {
		struct wardi_free_cells *free_cells =
			&wardi_container_of(at, struct ward_self, link)->free_cells;

		if (wardi_free_cells_count(free_cells) == 0)
			continue;
		if (!visit(free_cells)) {
			look = WARDI_FREE_CELLS_UNKNOWN;
			continue;
		}
		take_many(free_cells, WARDI_FREE_CELLS_MAX, &found);
		depart(free_cells);
	}
	wardi_mutex_unlock(&system->selves_mu);
	if (!wardi_list_empty(&found))
		look = WARDI_FREE_CELLS_SOME;
	wardi_table_give_some(system, &found);
	arrive(system);
	return look;
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

		enum wardi_free_cells_look look = wardi_free_cells_take_back(system);

		if (look == WARDI_FREE_CELLS_NONE && *ret_err != WARD_ELIMIT)
			break; /* no memory */
		cell = wardi_table_take(system, ret_err);
		/* All stocks were empty, and only this thread was on the way since. */
		if (look != WARDI_FREE_CELLS_UNKNOWN &&
		    atomic_load_explicit(&table->set_out, memory_order_seq_cst) == arrived + 1)
			break;
		sched_yield();
	}
	return cell;
}

/* Worker. */
static struct wardi_cell *take(struct wardi_free_cells *free_cells)
{
	struct wardi_cell *cell;

	enter(free_cells);
	cell = take_first(free_cells);
	leave(free_cells);
	return cell;
}

struct wardi_cell *wardi_free_cells_take(ward_system *system, struct ward_self *self,
					 ward_err *ret_err)
{
	struct wardi_cell *cell;

	if (self != NULL && system->simulation == NULL) {
		if (wardi_free_cells_count(&self->free_cells) == 0)
			fill(system, &self->free_cells);
		while ((cell = take(&self->free_cells)) != NULL) {
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

	if (system->simulation != NULL || wardi_uid_gen(cell->uid) == UINT32_MAX ||
	    /* Relaxed: a late view does no harm. */
	    atomic_load_explicit(&system->table.published, memory_order_relaxed) >=
		    system->table.max) {
		wardi_table_give(system, cell);
		return;
	}
	if (wardi_free_cells_count(&self->free_cells) == WARDI_FREE_CELLS_MAX)
		spill(self, FILL);
	put(&self->free_cells, cell);
}

void wardi_free_cells_finish(struct ward_self *self)
{
	if (wardi_free_cells_count(&self->free_cells) > 0)
		spill(self, WARDI_FREE_CELLS_MAX);
}
