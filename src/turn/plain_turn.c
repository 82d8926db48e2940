/* SPDX-License-Identifier: MIT
 *
 * plain_turn.c - the loop of a worker of the default dispatcher: turn after turn, most of them the
 * plain way.
 *
 * The general way of a turn is turn.c. The plain way does the same with fewer checks, for a cell
 * that needs no general turn (cell.h) and whose mailbox is the lane alone, as nearly all are:
 *
 *	look at the system lane
 *	the next message: look at it, then pop it; receive; was anything left behind? <-+
 *	look at the system lane; is there another message?  yes ------------------------+
 *	give the cell up by the CAS of head; free the last message; look at the system lane again
 *
 * Everything else goes the general way, from there to the end of the turn: wardi_turn_goes_on()
 * continues as between two messages. So the plain way is left only there: before a message is
 * popped, or after wardi_settle() has dealt with one; with no message in hand, no callback running,
 * the tail at the last message handled, and the rest of the batch in self->left.
 *
 *	in turn.c                                  here
 *	look_around(), of a cell that needs       such a cell does not come here; and receive, which
 *	  a general turn                          alone can make it need one, is followed by a look
 *	look_around(), for system messages        the same look before each message; then leaves
 *	is the batch over?                        asked when there is a message; then leaves
 *	pop: empty, or is a push half done?       not asked: the CAS of head fails for a push; then
 *	                                          leaves, unless the message is there by now
 *	pop: of a bounded mailbox                 such a cell does not come here
 *	another life? auto-received? no block?    asked before the pop; then leaves
 *	receive, and what it may leave behind     the same
 *	give up, and look at the system lane      the same
 *	message in a bounded mailbox?              there is none: see give_up_plainly()
 *
 * Nor do turns with a deadline come here: these are general from the start.
 *
 * A jump out of receive lands in turn.c, which settles it and ends the turn the general way. All
 * that it needs is in memory: self->msg, self->left, the callback that is running, the tail.
 *
 * Threads: runs only on the holder's worker.
 */
#include "turn/plain_turn.h"

#include "base/lock.h"
#include "base/reload.h"
#include "cell/ready.h"
#include "mail/ref.h"
#include "sched/worker.h"
#include "turn/turn.h"

/* The loop is there twice: with the usual batch, a constant, and with that of the dispatcher. */
#define INLINE inline __attribute__((always_inline))

/* Whether wardi_turn_goes_on() would hand the message to receive as it is, and free it as a
 * block. */
static INLINE bool is_plain(const struct wardi_cell *cell, const struct ward_msg *msg)
{
	return msg->target_gen == wardi_uid_gen(cell->uid) && wardi_msg_plain(msg);
}

/* False: receive was settled, and the turn goes on the general way. */
static INLINE bool receive_plainly(struct ward_self *self, struct wardi_cell *cell,
				   struct ward_msg *msg)
{
	const ward_type *type = wardi_msg_type(msg);
	uintptr_t owns = (uintptr_t)type->drop;
	ward_result result;

	self->msg = msg;
	wardi_self_show(self, type);
	wardi_lock_none(WARDI_LOCK_PLACE);
	self->callback = true;
	result = cell->receive(self, cell->memory, msg);
	if (__builtin_expect(
		    !wardi_leaves_nothing(self, msg, owns | result | wardi_cell_turn_flags(cell)),
		    0)) {
		wardi_settle(self, result);
		return false;
	}
	self->callback = false;
	return true;
}

/* Frees a plain message, which has left the lane or is not needed there. */
static INLINE void free_plain(struct ward_self *self, struct ward_msg *msg)
{
	if (__builtin_expect(wardi_msg_form(msg) != WARDI_IN_48 ||
				     !wardi_cache_put(&self->cache, WARDI_BLOCK_48, msg),
			     0))
		wardi_msg_free(self->from, msg);
}

/* After the last message of the lane. False: something came. */
static INLINE bool give_up_plainly(struct ward_self *self, struct wardi_cell *cell,
				   struct ward_msg *last)
{
	if (__builtin_expect(!wardi_mailbox_leave(&cell->mailbox, wardi_link_in(last)), 0))
		return false;
	/* Any thread may hold the cell now. A message to the bounded mailbox of a later life found
	 * the bit that was set here, or the thread that had taken it: this life had no such
	 * mailbox. */
	self->msg = NULL;
	wardi_self_show(self, NULL);
	free_plain(self, last);
	wardi_reload(cell);
	if (__builtin_expect(wardi_mailbox_take_back(&cell->mailbox), 0))
		wardi_cell_ready_here(self, cell);
	return true;
}

/* turn_plainly(), after its first message. */
static INLINE bool go_on_plainly(struct ward_self *self, struct wardi_cell *cell,
				 struct ward_msg *msg)
{
	struct ward_msg *next;

	/* A look at the system lane before each message (S1). */
	for (; !wardi_mailbox_has_system(&cell->mailbox); msg = next) {
		next = wardi_mailbox_after(wardi_link_in(msg));
		if (next == NULL) {
			if (give_up_plainly(self, cell, msg))
				return true;
			next = wardi_mailbox_after(wardi_link_in(msg));
		}
		if (next == NULL || self->left == 0 || !is_plain(cell, next))
			break;
		wardi_mailbox_move_tail(&cell->mailbox, next);
		free_plain(self, msg);
		self->left--;
		if (!receive_plainly(self, cell, next))
			break;
		wardi_reload(self);
		wardi_reload(cell);
	}
	self->msg = NULL;
	return false;
}

/* True: the turn is over. False: it goes on the general way. */
static INLINE bool turn_plainly(struct ward_self *self, struct wardi_cell *cell, uint32_t batch)
{
	bool has_system = wardi_mailbox_has_system(&cell->mailbox);
	wardi_next *tail = wardi_mailbox_tail(&cell->mailbox);
	struct ward_msg *msg = wardi_mailbox_after(tail);

	if (__builtin_expect(has_system || msg == NULL || !is_plain(cell, msg), 0)) {
		self->left = batch;
		return false;
	}
	wardi_mailbox_move_tail(&cell->mailbox, msg);
	if (tail != &cell->mailbox.stub)
		wardi_msg_free(self->from, (struct ward_msg *)(void *)tail);
	wardi_reload(cell);
	self->left = batch - 1;
	if (!receive_plainly(self, cell, msg))
		return false;
	wardi_reload(self);
	wardi_reload(cell);
	return go_on_plainly(self, cell, msg);
}

/* `limited`: turns have as many messages as the dispatcher says. A constant, so that other turns
 * pay nothing for it. False: it is the end. */
static INLINE bool serve(struct wardi_worker *worker, bool limited)
{
	struct ward_self *self = worker->context;
	uint64_t turns = 1 + atomic_load_explicit(&self->turns, memory_order_relaxed);
	struct wardi_runnable *runnable = wardi_worker_next(wardi_thread_of(worker), turns);
	struct wardi_cell *cell;

	if (runnable == NULL)
		return false;
	cell = wardi_container_of(runnable, struct wardi_cell, runnable);
	wardi_reload(self);
	wardi_self_take_cell(self, cell);
	wardi_self_count_turn(self, turns);
	if (__builtin_expect(wardi_cell_turn_flags(cell) != 0, 0))
		(limited ? wardi_limited_turn : wardi_turn)(self);
	else if (!turn_plainly(self, cell, limited ? self->throughput : WARDI_BATCH))
		wardi_turn_goes_on(worker->context);
	return true;
}

/* Not in wardi_plain_turns(): the compiler would lay out its loop with less care. */
static __attribute__((noinline)) void limited_turns(struct wardi_worker *worker)
{
	while (serve(worker, true))
		wardi_reload(worker);
}

void wardi_plain_turns(struct wardi_worker *worker)
{
	const struct ward_self *self = worker->context;

	if (self->deadline_ns != 0) {
		wardi_worker_loop(wardi_thread_of(worker));
		return;
	}
	if (self->throughput != WARDI_BATCH) {
		limited_turns(worker);
		return;
	}
	while (serve(worker, false))
		wardi_reload(worker);
}
