/* SPDX-License-Identifier: MIT
 *
 * mailbox.c - the two lanes in front of every actor.
 *
 *	user lane    tail -> m0 -> m1 -> m2 -> m3 <- head           (Vyukov's queue)
 *	             tail -> stub <- head                           idle: the stub alone
 *	system lane  system -> s3 -> s2 -> s1                       (a stack, taken whole)
 *
 *	              a push or a wake finds bit 0 set: it schedules
 *	       IDLE ----------------------------------------------> HELD
 *	        ^      bit 0 of head is set          bit 0 is clear   |
 *	        +-----------------------------------------------------+
 *	         give_up: lane empty, CAS tail -> stub | 1
 *	         give_up_unread: suspended or held, fetch_or 1
 *
 * The tail needs a node for a push to link behind. While there is mail that is the last message
 * handled (m0), whose memory waits for the next pop; in an idle lane it is a word in the mailbox
 * itself, the stub, so that an idle actor holds no message: giving up replaces the message by the
 * stub in the same CAS that sets the bit, and frees the message.
 *
 * Bit 0 of `head` is the scheduling bit: there is no other word for it, so a tell costs one
 * exchange. The thread that clears the bit makes the cell ready; while it is clear the cell is
 * queued or held. A system push clears it, too; and a holder that gave up looks at the system lane
 * once more after it set the bit (take_back), and clears the bit if a message came. Both sides do
 * read-modify-writes on `head`, whose one order decides which sees the other: so no wake-up is
 * lost, with no fence. With the bit set any thread may take the cell: another worker may have run
 * it since, ended its life and begun the next. So take_back does no more than a sender does: it
 * makes the cell ready.
 *
 * A system message linked behind another wakes nobody: nobody has taken the other one yet, or the
 * CAS would have failed, and its thread wakes after it has linked it, or is the holder, which looks
 * before it gives up. The thread that takes the one takes both.
 *
 * A mailbox that its owner has closed (wardi_mailbox_pick): messages that pass are taken out from
 * between the others. One in the middle is unlinked by its holder alone; the last one by a CAS of
 * head back to the node before it, which fails if something was pushed behind it. The cell is given
 * up by the CAS of the last node that was looked at to the same with bit 0: nothing is overlooked.
 *
 * A model of all this, of the turn and of the end of a life: mailbox.pml.
 *
 * Threads                 Pairs   release                     acquire
 *   head    all             [P1]  push: store next            pop: load next
 *   system  all             [P2]  push, wake: RMW of head     give_up: RMW of head
 *   tail    the holder      [P3]  give_up: RMW of head        push, wake: RMW; look: load
 *                           [P4]  link: CAS of system         take: exchange of system
 *                           [P5]  open: store bounded         deliver, inspect: load it
 *
 * [P3] also hands over tail and stub: written before the CAS that gives up.
 *
 * Threads: push, link, wake and look may run at any time; all else is the holder's. Progress: push
 * and wake are wait-free, link is lock-free; a thread that stops between its link and its wake
 * delays what is linked behind; pop returns BUSY while a push is half done (its thread
 * has exchanged head and not stored next yet).
 */
#include "mail/mailbox.h"

#include "base/assert.h"
#include "base/spin.h"
#include "mail/auto_received.h"

enum { PAUSES_MAX = 100, PICKS_MAX = 1000 };

void wardi_mailbox_init(struct wardi_mailbox *bounded)
{
	/* Relaxed: no other thread knows the cell yet; its slot is published with release. */
	atomic_store_explicit(&bounded->stub, NULL, memory_order_relaxed);
	atomic_store_explicit(&bounded->head, (uintptr_t)&bounded->stub, memory_order_relaxed);
	atomic_store_explicit(&bounded->system, WARDI_SYS_CLOSED, memory_order_relaxed);
	atomic_store_explicit(&bounded->bounded, NULL, memory_order_relaxed);
	atomic_store_explicit(&bounded->tail, &bounded->stub, memory_order_relaxed);
}

void wardi_mailbox_finish(struct wardi_mailbox *bounded, struct wardi_source from)
{
	wardi_mailbox_free(bounded, from, wardi_mailbox_tail(bounded));
}

void wardi_mailbox_open(struct wardi_mailbox *mailbox, struct wardi_bounded *bounded)
{
	/* Release: a sender with an old ref gets here without the open_gen of this life. */
	atomic_store_explicit(&mailbox->bounded, bounded, memory_order_release); /* [P5] */
	/* Relaxed: senders get here through open_gen, which is stored with release after this. */
	atomic_store_explicit(&mailbox->system, NULL, memory_order_relaxed);
}

enum wardi_linked wardi_mailbox_link_system(struct wardi_mailbox *bounded, struct wardi_sysmsg *msg)
{
	struct wardi_sysmsg *newest = atomic_load_explicit(&bounded->system, memory_order_relaxed);

	do {
		if (newest == WARDI_SYS_CLOSED)
			return WARDI_LINK_REFUSED;
		wardi_sysmsg_set_next(msg, newest);
	} while (!atomic_compare_exchange_weak_explicit(&bounded->system, &newest, msg,
							memory_order_release, /* [P4] */
							memory_order_relaxed));
	return newest == NULL ? WARDI_LINK_FIRST : WARDI_LINK_BEHIND;
}

bool wardi_mailbox_wake(struct wardi_mailbox *bounded)
{
	/* An RMW, never a plain load: this and give_up meet on one word, and the second sees what
	 * the first did. */
	return (atomic_fetch_and_explicit(&bounded->head, ~(uintptr_t)WARDI_IDLE,
					  memory_order_acq_rel) & /* [P2] [P3] */
		WARDI_IDLE) != 0;
}

static struct wardi_sysmsg *reversed(struct wardi_sysmsg *newest)
{
	struct wardi_sysmsg *oldest = NULL;

	while (newest != NULL && newest != WARDI_SYS_CLOSED) {
		struct wardi_sysmsg *next = wardi_sysmsg_next(newest);

		wardi_sysmsg_set_next(newest, oldest);
		oldest = newest;
		newest = next;
	}
	return oldest;
}

struct wardi_sysmsg *wardi_mailbox_take_system(struct wardi_mailbox *bounded)
{
	struct wardi_sysmsg *newest =
		atomic_exchange_explicit(&bounded->system, NULL, memory_order_acquire); /* [P4] */

	wardi_assert(newest != WARDI_SYS_CLOSED); /* this would open the lane of a dead cell */
	return reversed(newest);
}

struct wardi_sysmsg *wardi_mailbox_close_system(struct wardi_mailbox *bounded)
{
	return reversed(atomic_exchange_explicit(&bounded->system, WARDI_SYS_CLOSED,
						 memory_order_acquire)); /* [P4] */
}

static struct ward_msg *await_behind(const wardi_next *link)
{
	for (int i = 0; i < PAUSES_MAX; i++) {
		struct ward_msg *next = wardi_mailbox_after(link);

		if (next != NULL)
			return next;
		wardi_pause();
	}
	return NULL;
}

struct ward_msg *wardi_mailbox_await(struct wardi_mailbox *bounded)
{
	return await_behind(wardi_mailbox_tail(bounded));
}

/* ---- a mailbox that its owner has closed ------------------------------------------------- */

static bool is_last(const struct wardi_mailbox *mailbox, const wardi_next *link)
{
	/* Relaxed: only tells an empty lane from a half-done push; decides nothing. */
	return wardi_link_of(atomic_load_explicit(&mailbox->head, memory_order_relaxed)) == link;
}

/* Takes out the message behind this node. False: a push behind it is half done. */
static bool take_out(struct wardi_mailbox *mailbox, wardi_next *before, struct ward_msg *msg)
{
	struct ward_msg *next = wardi_mailbox_after(wardi_link_in(msg));
	uintptr_t head = (uintptr_t)wardi_link_in(msg);

	if (next == NULL) {
		/* Relaxed, all stores to it: published by the CAS, behind which a push finds it as
		 * the last node; no other thread writes it before. */
		atomic_store_explicit(before, NULL, memory_order_relaxed);
		if (atomic_compare_exchange_strong_explicit(&mailbox->head, &head,
							    (uintptr_t)before, memory_order_acq_rel,
							    memory_order_relaxed))
			return true;
		atomic_store_explicit(before, msg, memory_order_relaxed);
		next = await_behind(wardi_link_in(msg));
		if (next == NULL)
			return false;
	}
	atomic_store_explicit(before, next, memory_order_relaxed);
	return true;
}

enum wardi_pop wardi_mailbox_pick(struct wardi_mailbox *mailbox, wardi_next **at,
				  struct ward_msg **ret_msg)
{
	for (int i = 0; i < PICKS_MAX; i++) {
		struct ward_msg *next = wardi_mailbox_after(*at);

		if (next == NULL && is_last(mailbox, *at))
			return WARDI_POP_EMPTY;
		if (next == NULL)
			next = await_behind(*at);
		if (next == NULL)
			return WARDI_POP_BUSY;
		if (!wardi_msg_passes(next)) {
			*at = wardi_link_in(next);
			continue;
		}
		if (!take_out(mailbox, *at, next))
			return WARDI_POP_BUSY;
		*ret_msg = next;
		return WARDI_POP_MESSAGE;
	}
	return WARDI_POP_BUSY;
}

bool wardi_mailbox_give_up_behind(struct wardi_mailbox *mailbox, wardi_next *last)
{
	uintptr_t head = (uintptr_t)last;

	return atomic_compare_exchange_strong_explicit(&mailbox->head, &head, head | WARDI_IDLE,
						       memory_order_acq_rel, /* [P2] [P3] */
						       memory_order_relaxed);
}

/* ------------------------------------------------------------------------------------------ */

void wardi_mailbox_give_up_unread(struct wardi_mailbox *bounded)
{
	uintptr_t old = atomic_fetch_or_explicit(&bounded->head, WARDI_IDLE,
						 memory_order_acq_rel); /* [P2] [P3] */

	wardi_assert((old & WARDI_IDLE) == 0);
}

void wardi_mailbox_look(const struct wardi_mailbox *bounded, bool *ret_idle, bool *ret_unread)
{
	/* Acquire: a thread that sees the cell idle sees all that the holder did before it gave
	 * up. */
	uintptr_t head = atomic_load_explicit(&bounded->head, memory_order_acquire); /* [P3] */

	*ret_idle = (head & WARDI_IDLE) != 0;
	*ret_unread = wardi_link_of(head) != wardi_mailbox_tail(bounded);
}
