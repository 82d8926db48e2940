/* SPDX-License-Identifier: MIT
 *
 * mailbox.h - the two lanes in front of every actor: many senders, one holder.
 *
 * The holder is the worker that runs the cell. Bit 0 of `head` is the scheduling bit: set, the cell
 * is idle and has no holder; the thread that clears it must put the cell on a run queue. The
 * picture, the rules and the pairs [P1] to [P5] are in mailbox.c; this file has the three steps of
 * each message.
 */
#ifndef WARDI_MAILBOX_H
#define WARDI_MAILBOX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mail/bounded.h"
#include "mail/message.h"

/* A system message: a link in a larger record, which its kind tells. Needs no memory of its own. A
 * cell has three of them, so the kind is in the byte of the link that no address uses. */
struct wardi_sysmsg {
	uint64_t kind : 8; /* enum wardi_sys_kind, sysmsg.h */
	uint64_t link : 56;
};

_Static_assert(sizeof(struct wardi_sysmsg) == 8, "a system message is one word");

/* A system message that may reach a later life of the cell than it is meant for. */
struct wardi_addressed {
	struct wardi_sysmsg node;
	uint32_t target_gen;
	uint32_t which; /* tells several in one record apart */
};

/* Returns the next message in the list, or NULL. */
static inline struct wardi_sysmsg *wardi_sysmsg_next(const struct wardi_sysmsg *msg)
{
	return (struct wardi_sysmsg *)(uintptr_t)msg->link;
}

static inline void wardi_sysmsg_set_next(struct wardi_sysmsg *msg, struct wardi_sysmsg *next)
{
	msg->link = (uintptr_t)next;
}

/* A node of the user lane: the first word of a message, or the mailbox's own stub. */
typedef _Atomic(struct ward_msg *) wardi_next;

_Static_assert(offsetof(struct ward_msg, next) == 0, "a message begins with its link");

enum { WARDI_MAILBOX_BETWEEN = 80 };

/* In a stream the sender and the holder are two threads, so each has lines of its own
 * (docs/internals/shared-lines.md). */
struct wardi_mailbox {
	/* of each push */
	_Atomic uintptr_t head;                  /* the last link of the user lane | WARDI_IDLE */
	_Atomic(struct wardi_bounded *) bounded; /* NULL: the lane alone */
	/* Keeps the two apart. The owner of the mailbox has fields of its own here: in the first
	 * 48 bytes what the holder does not use for each message, behind them what no sender
	 * does. */
	char between[WARDI_MAILBOX_BETWEEN];
	/* of each pop */
	_Atomic(wardi_next *) tail;            /* the holder's: last node handled */
	wardi_next stub;                       /* takes its place in an idle lane */
	_Atomic(struct wardi_sysmsg *) system; /* newest first; or WARDI_SYS_CLOSED */
};

#define WARDI_SYS_CLOSED ((struct wardi_sysmsg *)1)

enum { WARDI_IDLE = 1 };

/* Makes the mailbox of a cell that was never used: held, closed. */
void wardi_mailbox_init(struct wardi_mailbox *bounded);
/* Frees what the lane of a closed, drained mailbox still holds. */
void wardi_mailbox_finish(struct wardi_mailbox *bounded, struct wardi_source from);

/* Holder: opens it for a new life. */
void wardi_mailbox_open(struct wardi_mailbox *mailbox, struct wardi_bounded *bounded);

static inline wardi_next *wardi_link_of(uintptr_t head)
{
	return (wardi_next *)(head & ~(uintptr_t)WARDI_IDLE);
}

static inline wardi_next *wardi_link_in(struct ward_msg *msg)
{
	return (wardi_next *)(void *)msg; /* &msg->next: the compiler sees better that it is msg */
}

/* Relaxed: only the holder writes it. */
static inline wardi_next *wardi_mailbox_tail(const struct wardi_mailbox *bounded)
{
	return atomic_load_explicit(&bounded->tail, memory_order_relaxed);
}

/* Holder: whether the mailbox of this life has a policy. Relaxed: it was set when the life
 * began. */
static inline bool wardi_mailbox_is_bounded(const struct wardi_mailbox *bounded)
{
	return atomic_load_explicit(&bounded->bounded, memory_order_relaxed) != NULL;
}

/* Any thread. True: the caller, and no other thread, must make the cell ready. */
static inline bool wardi_mailbox_push(struct wardi_mailbox *bounded, struct ward_msg *msg)
{
	/* Relaxed: published by the exchange. */
	atomic_store_explicit(&msg->next, NULL, memory_order_relaxed);

	uintptr_t old = atomic_exchange_explicit(&bounded->head, (uintptr_t)&msg->next,
						 memory_order_acq_rel);       /* [P2] [P3] */
	atomic_store_explicit(wardi_link_of(old), msg, memory_order_release); /* [P1] */
	return (old & WARDI_IDLE) != 0;
}

/* How a system message was linked. */
enum wardi_linked {
	WARDI_LINK_REFUSED, /* closed, nothing was done */
	WARDI_LINK_FIRST,   /* call wake */
	WARDI_LINK_BEHIND   /* the thread that linked the one before wakes, or is the holder */
};

/* Any thread: links a system message. */
enum wardi_linked wardi_mailbox_link_system(struct wardi_mailbox *bounded,
					    struct wardi_sysmsg *msg);
/* Any thread, after linking first. True: the caller must make the cell ready. */
bool wardi_mailbox_wake(struct wardi_mailbox *bounded);

/* Holder: whether system messages wait. */
static inline bool wardi_mailbox_has_system(const struct wardi_mailbox *bounded)
{
	/* Relaxed: take_back sees what this load misses. */
	return atomic_load_explicit(&bounded->system, memory_order_relaxed) != NULL;
}

/* Any thread: whether the life is over for senders of system messages. Relaxed: says nothing beyond
 * this word. */
static inline bool wardi_mailbox_is_closed(const struct wardi_mailbox *bounded)
{
	return atomic_load_explicit(&bounded->system, memory_order_relaxed) == WARDI_SYS_CLOSED;
}

/* Holder: takes all system messages, oldest first. */
struct wardi_sysmsg *wardi_mailbox_take_system(struct wardi_mailbox *bounded);
/* Holder: the same, and refuses all later messages. */
struct wardi_sysmsg *wardi_mailbox_close_system(struct wardi_mailbox *bounded);

enum wardi_pop { WARDI_POP_MESSAGE, WARDI_POP_EMPTY, WARDI_POP_BUSY /* a push is half done */ };

/* Frees a node of the lane. */
static inline void wardi_mailbox_free(struct wardi_mailbox *bounded, struct wardi_source from,
				      wardi_next *link)
{
	if (link != &bounded->stub)
		wardi_msg_free(from, (struct ward_msg *)(void *)link);
}

/* wardi_mailbox_pop(), when a push is half done: waits briefly for the other half. NULL: in
 * vain. */
struct ward_msg *wardi_mailbox_await(struct wardi_mailbox *bounded);

/* Holder: makes the message the last one handled; the previous one may be freed. */
static inline void wardi_mailbox_move_tail(struct wardi_mailbox *bounded, struct ward_msg *msg)
{
	/* Relaxed: the next holder, and a look, find it through head. */
	atomic_store_explicit(&bounded->tail, wardi_link_in(msg), memory_order_relaxed);
}

/* Returns the message behind this node; NULL: none, or a push is half done. */
static inline struct ward_msg *wardi_mailbox_after(const wardi_next *link)
{
	return atomic_load_explicit(link, memory_order_acquire); /* [P1] */
}

/* Holder: returns the next message of the lane. The next pop frees it, or giving up the cell: so
 * its body must be gone by then. */
static inline enum wardi_pop wardi_mailbox_pop(struct wardi_mailbox *bounded,
					       struct wardi_source from, struct ward_msg **ret_msg)
{
	wardi_next *tail = wardi_mailbox_tail(bounded);
	struct ward_msg *next = wardi_mailbox_after(tail);

	if (next == NULL) {
		/* Relaxed: only tells an empty lane from a half-done push; decides nothing. */
		if (wardi_link_of(atomic_load_explicit(&bounded->head, memory_order_relaxed)) ==
		    tail)
			return WARDI_POP_EMPTY;
		next = wardi_mailbox_await(bounded);
		if (next == NULL)
			return WARDI_POP_BUSY;
	}
	wardi_mailbox_move_tail(bounded, next);
	wardi_mailbox_free(bounded, from, tail);
	*ret_msg = next;
	return WARDI_POP_MESSAGE;
}

/* Holder whose owner has closed it: takes the next message that passes (auto_received.h) out of the
 * lane, and leaves the others there. *at is the node behind which to look, at first the tail; it
 * moves on. Looks at a limited number of messages, BUSY: call it again. The message is the
 * caller's. */
enum wardi_pop wardi_mailbox_pick(struct wardi_mailbox *mailbox, wardi_next **at,
				  struct ward_msg **ret_msg);
/* Holder: gives the cell up, with mail unread, if this is the last node of the lane. False: it is
 * not. */
bool wardi_mailbox_give_up_behind(struct wardi_mailbox *mailbox, wardi_next *last);

/* The step that gives the cell up. False: `last` is no longer the last node of the lane. */
static inline bool wardi_mailbox_swap_head(struct wardi_mailbox *bounded, wardi_next *last)
{
	uintptr_t head = (uintptr_t)last;

	return atomic_compare_exchange_strong_explicit(&bounded->head, &head,
						       (uintptr_t)&bounded->stub + WARDI_IDLE,
						       memory_order_acq_rel, /* [P2] [P3] */
						       memory_order_relaxed);
}

/* Holder whose tail is a message: gives the cell up if that is the last of the lane. The caller
 * then frees the message, which is no longer in a lane. */
static inline bool wardi_mailbox_leave(struct wardi_mailbox *bounded, wardi_next *last)
{
	/* Relaxed, all: published by the CAS. No other thread writes to the stub now: every push
	 * behind it is complete, or the tail would still be the stub, with nothing to reset. */
	atomic_store_explicit(&bounded->stub, NULL, memory_order_relaxed);
	atomic_store_explicit(&bounded->tail, &bounded->stub, memory_order_relaxed);
	if (wardi_mailbox_swap_head(bounded, last))
		return true;
	atomic_store_explicit(&bounded->tail, last, memory_order_relaxed);
	return false;
}

/* Holder, when the lane is empty: gives the cell up, and frees the last message. False: a message
 * came, the cell is still held. At the end of a life this is the last step; the thread that opens
 * the next life takes the cell by wake. */
static inline bool wardi_mailbox_give_up(struct wardi_mailbox *bounded, struct wardi_source from)
{
	wardi_next *last = wardi_mailbox_tail(bounded);

	if (last == &bounded->stub)
		return wardi_mailbox_swap_head(bounded, last);
	if (!wardi_mailbox_leave(bounded, last))
		return false;
	wardi_mailbox_free(bounded, from, last);
	return true;
}

/* Holder, with mail left unread (suspended, or held back): gives up anyway. A later push wakes the
 * cell again. */
void wardi_mailbox_give_up_unread(struct wardi_mailbox *bounded);
/* After giving up, when any thread may have the cell: wakes it if a system message came before.
 * True: the caller makes the cell ready, and no more than that: it may be in another life. */
static inline bool wardi_mailbox_take_back(struct wardi_mailbox *bounded)
{
	/* Relaxed: [P2] makes a message visible whose wake found the cell still held. */
	struct wardi_sysmsg *newest = atomic_load_explicit(&bounded->system, memory_order_relaxed);

	/* Closed: another holder has ended the life since, and nothing is left to do. */
	return newest != NULL && newest != WARDI_SYS_CLOSED && wardi_mailbox_wake(bounded);
}

/* Any thread, a snapshot: whether the cell is idle, and whether messages wait in the user lane.
 * Both are exact while the cell does not change. */
void wardi_mailbox_look(const struct wardi_mailbox *bounded, bool *ret_idle, bool *ret_unread);

#endif
