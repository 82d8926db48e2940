/* SPDX-License-Identifier: MIT
 *
 * closed_mailbox.c - a mailbox that its actor has closed: only special messages pass.
 *
 *	lane      tail -> m1 -> m2 -> tick -> m3 <- head      the tick is taken out; m1 to m3 stay
 *	                        looked ^
 *	bounded   those that pass have a line of their own (priority.c)
 *
 * So what waits is where it would be anyway: it counts, holds its senders, keeps its order, needs
 * no memory, and is found there at the end of the actor. The cell needs general turns while it is
 * closed (cell.h); a turn that finds nothing that passes gives the cell up with mail unread, and
 * the next push wakes it.
 *
 * The place up to which the lane was looked through is kept while the mailbox is open: an actor
 * that closes it again and again looks at each message once.
 *
 * Threads: runs only on the holder's worker, except the function that any thread may call.
 */
#include "actor/closed_mailbox.h"

#include "actor/rare.h"
#include "base/error.h"
#include "base/memory.h"

static void set_flags(struct wardi_cell *cell, uint8_t off, uint8_t on)
{
	uint8_t flags = atomic_load_explicit(&cell->turn_flags, memory_order_relaxed);

	/* Relaxed: a picture for those who look; the holder reads what it wrote. */
	atomic_store_explicit(&cell->turn_flags, (uint8_t)((flags & ~off) | on),
			      memory_order_relaxed);
}

static void set_closed(struct wardi_cell *cell, bool closed)
{
	struct wardi_bounded *bounded =
		atomic_load_explicit(&cell->mailbox.bounded, memory_order_relaxed);

	if (wardi_cell_is_closed(cell) == closed)
		return;
	set_flags(cell, WARDI_CLOSED, closed ? WARDI_CLOSED | WARDI_ONCE_CLOSED : 0);
	if (bounded != NULL)
		wardi_bounded_set_closed(bounded, closed);
}

static void free_current(struct ward_self *self, struct wardi_closed_mailbox *closed)
{
	if (closed->current != NULL)
		wardi_msg_free(self->from, closed->current);
	closed->current = NULL;
}

static wardi_next *place_of(const struct wardi_cell *cell)
{
	wardi_next *looked = cell->rare->extra->closed->looked;

	return looked == NULL ? wardi_mailbox_tail(&cell->mailbox) : looked;
}

static void set_place(struct wardi_cell *cell, wardi_next *place)
{
	bool is_tail = place == wardi_mailbox_tail(&cell->mailbox);

	cell->rare->extra->closed->looked = is_tail ? NULL : place;
}

struct ward_msg *wardi_closed_next(struct ward_self *self, bool *ret_busy)
{
	struct wardi_cell *cell = self->cell;
	struct wardi_closed_mailbox *closed = cell->rare->extra->closed;
	struct wardi_bounded *bounded;
	wardi_next *place = place_of(cell);
	enum wardi_pop pop;

	free_current(self, closed);
	pop = wardi_mailbox_pick(&cell->mailbox, &place, &closed->current);
	set_place(cell, place);
	*ret_busy = pop == WARDI_POP_BUSY;
	if (pop == WARDI_POP_MESSAGE)
		return closed->current;
	bounded = atomic_load_explicit(&cell->mailbox.bounded, memory_order_relaxed);
	return bounded == NULL ? NULL : wardi_bounded_pop_passing(bounded, self->from);
}

bool wardi_closed_give_up(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;

	if (cell->rare->extra->closed->looked == NULL)
		return wardi_mailbox_give_up(&cell->mailbox, self->from);
	return wardi_mailbox_give_up_behind(&cell->mailbox, place_of(cell));
}

bool wardi_closed_passing_came(struct wardi_cell *cell)
{
	/* Acquire, as in deliver: the thread that opened a later life may have made it. */
	struct wardi_bounded *bounded =
		atomic_load_explicit(&cell->mailbox.bounded, memory_order_acquire); /* [P5] */

	return bounded != NULL && wardi_bounded_has_passing(bounded);
}

void wardi_closed_read_on(struct wardi_cell *cell)
{
	const struct wardi_extra *extra = cell->rare->extra;

	if (extra != NULL && extra->closed != NULL)
		set_place(cell, place_of(cell));
}

void wardi_closed_reset(struct ward_self *self)
{
	struct wardi_extra *extra = self->cell->rare->extra;

	set_closed(self->cell, false);
	set_flags(self->cell, WARDI_ONCE_CLOSED, 0);
	free_current(self, extra->closed);
	wardi_memory_put(self->from, extra->closed, sizeof *extra->closed);
	extra->closed = NULL;
}

/* ---- for the user ------------------------------------------------------------------------ */

ward_err ward_try_mailbox_close(ward_self *self)
{
	struct wardi_extra *extra;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	extra = wardi_extra_for_asks(self);
	if (extra != NULL && extra->closed == NULL)
		extra->closed = wardi_memory_get(self->from, sizeof *extra->closed);
	if (extra == NULL || extra->closed == NULL)
		return wardi_no_memory(self->system, "no memory to close the mailbox");
	set_closed(self->cell, true);
	return WARD_OK;
}

void ward_mailbox_open(ward_self *self)
{
	if (wardi_self_usable(self))
		set_closed(self->cell, false);
}
