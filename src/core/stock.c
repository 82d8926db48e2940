/* SPDX-License-Identifier: MIT
 *
 * stock.c - the free cells that a worker has at hand, so that few spawns and ends take a lock.
 *
 *	slots (one lock)  -- FILL at once -->  ring of a worker  --> a life
 *	                  <-- FILL at once --                    <-- its end
 *	                  <-- all, at the limit, by anybody --
 *
 * Who finds no cell in the table takes those of all stocks back first, so a spawn is refused only
 * if there is none anywhere. From the moment on when the table has all the cells that it may have
 * the stocks get no more: that does not come again and again.
 *
 * What a stock holds was freed last, and is used before what the table has: a stale ref may meet a
 * new life after WARDI_STOCK others. In a simulation there are no stocks, and slots are used in the
 * order of the table.
 *
 * Who touches what   first, end: the worker; cells: see stock.h
 * Pairs  [S4] a cell in a stock: release by who puts it in - acquire by who takes it out.
 * Lock rank          selves_mu, and slots.mu after it: not together.
 */
#include "core/stock.h"

#include "core/self.h"

enum { FILL = WARDI_STOCK / 2 };

static void put(struct wardi_stock *stock, struct wardi_cell *cell)
{
	atomic_store_explicit(&stock->cells[stock->end++ % WARDI_STOCK], cell,
			      memory_order_release); /* [S4] */
}

/* What is in a place of the ring, which is empty then. Any thread. */
static struct wardi_cell *take_at(struct wardi_stock *stock, uint32_t at)
{
	return atomic_exchange_explicit(&stock->cells[at % WARDI_STOCK], NULL,
					memory_order_acquire); /* [S4] */
}

/* The one that is there for the longest time; NULL: none is left. By the worker. */
static struct wardi_cell *take_first(struct wardi_stock *stock)
{
	struct wardi_cell *cell = NULL;

	while (cell == NULL && stock->first != stock->end)
		cell = take_at(stock, stock->first++);
	return cell;
}

static void fill(ward_system *system, struct wardi_stock *stock)
{
	struct wardi_cell *cells[FILL];
	uint32_t count = wardi_slots_take_some(system, cells, FILL);

	for (uint32_t i = 0; i < count; i++)
		put(stock, cells[i]);
}

/* Takes back what all stocks hold. False: that was nothing. */
static bool take_back(ward_system *system)
{
	struct wardi_list *selves = &system->selves;
	struct wardi_list found;

	wardi_list_init(&found);
	pthread_mutex_lock(&system->selves_mu);
	for (struct wardi_list *at = selves->next; at != selves; at = at->next) {
		struct wardi_stock *stock = &wardi_container_of(at, struct ward_self, link)->stock;

		for (uint32_t i = 0; i < WARDI_STOCK; i++) {
			struct wardi_cell *cell = take_at(stock, i);

			if (cell != NULL)
				wardi_list_append(&found, &cell->sibling);
		}
	}
	pthread_mutex_unlock(&system->selves_mu);
	if (wardi_list_empty(&found))
		return false;
	wardi_slots_give_some(system, &found);
	return true;
}

struct wardi_cell *wardi_stock_take(ward_system *system, struct ward_self *self, ward_err *ret_err)
{
	struct wardi_cell *cell;

	if (self != NULL && system->simulation == NULL) {
		if (self->stock.first == self->stock.end)
			fill(system, &self->stock);
		while ((cell = take_first(&self->stock)) != NULL) {
			if (wardi_slot_seize(cell))
				return cell;
			wardi_slot_give(system, cell); /* somebody clears it up just now */
		}
	}
	cell = wardi_slot_take(system, ret_err);
	while (cell == NULL && system->simulation == NULL && take_back(system))
		cell = wardi_slot_take(system, ret_err);
	return cell;
}

void wardi_stock_give(struct ward_self *self, struct wardi_cell *cell)
{
	ward_system *system = self->system;
	struct wardi_stock *stock = &self->stock;

	if (system->simulation != NULL || wardi_uid_gen(cell->uid) == UINT32_MAX ||
	    /* Relaxed: a moment too late is as good as a moment earlier. */
	    atomic_load_explicit(&system->slots.published, memory_order_relaxed) ==
		    system->slots.max) {
		wardi_slot_give(system, cell);
		return;
	}
	if (stock->end - stock->first == WARDI_STOCK) {
		struct wardi_list spilt;

		wardi_list_init(&spilt);
		for (int i = 0; i < FILL; i++) {
			struct wardi_cell *first = take_at(stock, stock->first++);

			if (first != NULL)
				wardi_list_append(&spilt, &first->sibling);
		}
		wardi_slots_give_some(system, &spilt);
	}
	put(stock, cell);
}

void wardi_stock_finish(struct ward_self *self)
{
	struct wardi_list rest;
	struct wardi_cell *cell;

	wardi_list_init(&rest);
	while ((cell = take_first(&self->stock)) != NULL)
		wardi_list_append(&rest, &cell->sibling);
	wardi_slots_give_some(self->system, &rest);
}
