/* SPDX-License-Identifier: MIT
 *
 * mailbox.h - the two lanes in front of every actor: many senders, one holder.
 *
 * The holder is the worker that runs the cell. Bit 0 of `head` is the scheduling bit: set, the cell
 * is idle and nobody's; whoever clears it must put the cell on a run queue. The picture, the rules
 * and what the tags [P1] to [P5] pair are in mailbox.c; here are the three steps of each message.
 */
#ifndef WARDI_MAILBOX_H
#define WARDI_MAILBOX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mail/bounded.h"
#include "mail/message.h"

/* A system message: a link in something bigger that its kind tells. Needs no memory of its own. A
 * cell has three of them, so the kind is in the byte of the link that no address uses. */
struct wardi_sysmsg {
	uint64_t kind : 8; /* enum wardi_sys_kind, sysmsg.h */
	uint64_t link : 56;
};

_Static_assert(sizeof(struct wardi_sysmsg) == 8, "a system message is one word");

/* One that may reach a later life of the cell than it is meant for. */
struct wardi_addressed {
	struct wardi_sysmsg node;
	uint32_t target_gen;
	uint32_t which; /* for those of which there are several in one record */
};

/* The next one where it is linked, or NULL. */
static inline struct wardi_sysmsg *wardi_sysmsg_next(const struct wardi_sysmsg *msg)
{
	return (struct wardi_sysmsg *)(uintptr_t)msg->link;
}

static inline void wardi_sysmsg_set_next(struct wardi_sysmsg *msg, struct wardi_sysmsg *next)
{
	msg->link = (uintptr_t)next;
}

/* What the user lane strings together: the first word of a message, or the mailbox's own stub. */
typedef _Atomic(struct ward_msg *) wardi_next;

_Static_assert(offsetof(struct ward_msg, next) == 0, "a message begins with its link");

struct wardi_mailbox {
	_Atomic uintptr_t head;                  /* the last link of the user lane | WARDI_IDLE */
	_Atomic(struct wardi_sysmsg *) system;   /* newest first; or WARDI_SYS_CLOSED */
	_Atomic(wardi_next *) tail;              /* the holder: that of the last one handled */
	wardi_next stub;                         /* takes its place where the lane is idle */
	_Atomic(struct wardi_bounded *) bounded; /* NULL: the lane alone */
};

#define WARDI_SYS_CLOSED ((struct wardi_sysmsg *)1)

enum { WARDI_IDLE = 1 };

/* Makes the mailbox of a cell that was never used: held, closed. */
void wardi_mailbox_init(struct wardi_mailbox *bounded);
/* Nobody's any more, and drained: frees what the lane still holds. */
void wardi_mailbox_finish(struct wardi_mailbox *bounded, struct wardi_source from);

/* Opens for a new life; held by the caller. */
void wardi_mailbox_open(struct wardi_mailbox *mailbox, struct wardi_bounded *bounded);

static inline wardi_next *wardi_link_of(uintptr_t head)
{
	return (wardi_next *)(head & ~(uintptr_t)WARDI_IDLE);
}

static inline wardi_next *wardi_link_in(struct ward_msg *msg)
{
	return (wardi_next *)(void *)msg; /* &msg->next: the compiler sees better that it is msg */
}

/* Relaxed: the holder wrote it, and nobody else does. */
static inline wardi_next *wardi_mailbox_tail(const struct wardi_mailbox *bounded)
{
	return atomic_load_explicit(&bounded->tail, memory_order_relaxed);
}

/* Holder: whether this life's has a policy. Relaxed: it was there when the life began. */
static inline bool wardi_mailbox_is_bounded(const struct wardi_mailbox *bounded)
{
	return atomic_load_explicit(&bounded->bounded, memory_order_relaxed) != NULL;
}

/* Any thread. True: the caller, and nobody else, now makes the cell ready. */
static inline bool wardi_mailbox_push(struct wardi_mailbox *bounded, struct ward_msg *msg)
{
	/* Relaxed: published by the exchange. */
	atomic_store_explicit(&msg->next, NULL, memory_order_relaxed);

	uintptr_t old = atomic_exchange_explicit(&bounded->head, (uintptr_t)&msg->next,
						 memory_order_acq_rel);       /* [P2] [P3] */
	atomic_store_explicit(wardi_link_of(old), msg, memory_order_release); /* [P1] */
	return (old & WARDI_IDLE) != 0;
}

/* Any thread: links a system message. False: closed, nothing was done. Then wake. */
bool wardi_mailbox_link_system(struct wardi_mailbox *bounded, struct wardi_sysmsg *msg);
/* Any thread, after linking. True: the caller makes the cell ready. */
bool wardi_mailbox_wake(struct wardi_mailbox *bounded);

/* Holder: whether system messages wait. */
static inline bool wardi_mailbox_has_system(const struct wardi_mailbox *bounded)
{
	/* Relaxed: what is missed here is seen by take_back. */
	return atomic_load_explicit(&bounded->system, memory_order_relaxed) != NULL;
}

/* Any thread: whether the life is over for who sends system messages. Relaxed: of this word alone
 * does it say anything. */
static inline bool wardi_mailbox_is_closed(const struct wardi_mailbox *bounded)
{
	return atomic_load_explicit(&bounded->system, memory_order_relaxed) == WARDI_SYS_CLOSED;
}

/* Holder: takes all system messages, oldest first. */
struct wardi_sysmsg *wardi_mailbox_take_system(struct wardi_mailbox *bounded);
/* Holder: the same, and refuses all that come later. */
struct wardi_sysmsg *wardi_mailbox_close_system(struct wardi_mailbox *bounded);

enum wardi_pop { WARDI_POP_MESSAGE, WARDI_POP_EMPTY, WARDI_POP_BUSY /* a push is half done */ };

/* Frees a link of the lane that is done with. */
static inline void wardi_mailbox_free(struct wardi_mailbox *bounded, struct wardi_source from,
				      wardi_next *link)
{
	if (link != &bounded->stub)
		wardi_msg_free(from, (struct ward_msg *)(void *)link);
}

/* wardi_mailbox_pop(), when a push is half done: waits a little for the rest. NULL: in vain. */
struct ward_msg *wardi_mailbox_await(struct wardi_mailbox *bounded);

/* Holder: the message is the last one handled; the one before it may be freed. */
static inline void wardi_mailbox_move_tail(struct wardi_mailbox *bounded, struct ward_msg *msg)
{
	/* Relaxed: the next holder finds it through head, and so does a look. */
	atomic_store_explicit(&bounded->tail, wardi_link_in(msg), memory_order_relaxed);
}

/* What follows this link; NULL: nothing, or a push is half done. */
static inline struct ward_msg *wardi_mailbox_after(const wardi_next *link)
{
	return atomic_load_explicit(link, memory_order_acquire); /* [P1] */
}

/* Holder: the next message of the lane. It stays in the lane until the next pop or until the cell
 * is given up, which frees it: so its body must be gone by then. */
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

/* The step that gives the cell up. False: `last` is not the last link of the lane any more. */
static inline bool wardi_mailbox_swap_head(struct wardi_mailbox *bounded, wardi_next *last)
{
	uintptr_t head = (uintptr_t)last;

	return atomic_compare_exchange_strong_explicit(&bounded->head, &head,
						       (uintptr_t)&bounded->stub + WARDI_IDLE,
						       memory_order_acq_rel, /* [P2] [P3] */
						       memory_order_relaxed);
}

/* Holder, whose tail is the link of a message: gives the cell up if that is the last of the lane.
 * It is the caller's then, to be freed: it is in no lane any more. */
static inline bool wardi_mailbox_leave(struct wardi_mailbox *bounded, wardi_next *last)
{
	/* Relaxed, all: published by the CAS. Nobody else writes to the stub now: whoever pushed
	 * behind it has done so, or the tail would be there still, with nothing to reset. */
	atomic_store_explicit(&bounded->stub, NULL, memory_order_relaxed);
	atomic_store_explicit(&bounded->tail, &bounded->stub, memory_order_relaxed);
	if (wardi_mailbox_swap_head(bounded, last))
		return true;
	atomic_store_explicit(&bounded->tail, last, memory_order_relaxed);
	return false;
}

/* Holder, when the lane is empty: gives the cell up, and frees the last message. False: something
 * came, the cell is held still. Once the life is over this is the last step; who opens the next
 * one takes it by wake. */
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

/* Holder, with mail left unread (suspended, or held back): gives up all the same. A later push
 * wakes it again. */
void wardi_mailbox_give_up_unread(struct wardi_mailbox *bounded);
/* After giving up, when the cell may be anybody's: wakes it if a system message came before. True:
 * the caller makes the cell ready, and does no more than that: it may be in another life. */
static inline bool wardi_mailbox_take_back(struct wardi_mailbox *bounded)
{
	/* Relaxed: a message whose wake met the cell still held is seen because of [P2]. */
	struct wardi_sysmsg *newest = atomic_load_explicit(&bounded->system, memory_order_relaxed);

	/* Closed: the life ended meanwhile, in other hands, and needs nothing any more. */
	return newest != NULL && newest != WARDI_SYS_CLOSED && wardi_mailbox_wake(bounded);
}

/* Any thread, for a picture: whether the cell is nobody's, and whether messages wait in the user
 * lane. Both are exact while the cell stays as it is. */
void wardi_mailbox_look(const struct wardi_mailbox *bounded, bool *ret_idle, bool *ret_unread);

#endif
