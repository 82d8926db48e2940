/* SPDX-License-Identifier: MIT
 *
 * mailbox.h - the two lanes in front of every actor: many senders, one holder.
 *
 * The holder is the worker that runs the cell. Bit 0 of `head` is the scheduling bit: set, the cell
 * is idle and nobody's; whoever clears it must put the cell on a run queue. See mailbox.c.
 */
#ifndef WARDI_MAILBOX_H
#define WARDI_MAILBOX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/box.h"
#include "core/message.h"

/* A system message: a link in something bigger that its kind tells. Needs no memory of its own. */
struct wardi_sysmsg {
	struct wardi_sysmsg *next;
	uint32_t target_gen;
	uint8_t kind; /* enum wardi_sys_kind, sysmsg.h */
};

struct wardi_mailbox {
	_Atomic uintptr_t head;                /* last message of the user lane | idle bit */
	_Atomic(struct wardi_sysmsg *) system; /* newest first; or WARDI_SYS_CLOSED */
	_Atomic(struct ward_msg *) tail;       /* the holder: the last one handled, a stub */
	_Atomic(struct wardi_box *) box;       /* NULL: the lane alone */
};

#define WARDI_SYS_CLOSED ((struct wardi_sysmsg *)1)

/* Makes the mailbox of a cell that was never used: held, closed. Takes the stub. */
void wardi_mailbox_init(struct wardi_mailbox *box, struct ward_msg *stub);

/* Opens for a new life; held by the caller. */
void wardi_mailbox_open(struct wardi_mailbox *mailbox, struct wardi_box *box);

/* Any thread. True: the caller, and nobody else, now makes the cell ready. */
bool wardi_mailbox_push(struct wardi_mailbox *box, struct ward_msg *msg);

/* Any thread: links a system message. False: closed, nothing was done. Then wake. */
bool wardi_mailbox_link_system(struct wardi_mailbox *box, struct wardi_sysmsg *msg);
/* Any thread, after linking. True: the caller makes the cell ready. */
bool wardi_mailbox_wake(struct wardi_mailbox *box);

/* Holder: whether system messages wait. */
static inline bool wardi_mailbox_has_system(const struct wardi_mailbox *box)
{
	/* Relaxed: what is missed here is seen by take_back. */
	return atomic_load_explicit(&box->system, memory_order_relaxed) != NULL;
}

/* Holder: takes all system messages, oldest first. */
struct wardi_sysmsg *wardi_mailbox_take_system(struct wardi_mailbox *box);
/* Holder: the same, and refuses all that come later. */
struct wardi_sysmsg *wardi_mailbox_close_system(struct wardi_mailbox *box);

enum wardi_pop { WARDI_POP_MESSAGE, WARDI_POP_EMPTY, WARDI_POP_BUSY /* a push is half done */ };

/* Holder: the next message of the lane. It stays in the lane as its stub until the next pop, which
 * frees it: so its body must be gone by then. */
enum wardi_pop wardi_mailbox_pop(struct wardi_mailbox *box, struct wardi_source from,
				 struct ward_msg **ret_msg);

/* Holder, when the lane is empty: gives the cell up. False: something came, the cell is held
 * still. Once the life is over this is the last step; who opens the next one takes it by wake. */
bool wardi_mailbox_give_up(struct wardi_mailbox *box);
/* Holder, with mail left unread (suspended, or held back): gives up all the same. A later push
 * wakes it again. */
void wardi_mailbox_give_up_unread(struct wardi_mailbox *box);
/* After giving up, when the cell may be anybody's: wakes it if a system message came before. True:
 * the caller makes the cell ready, and does no more than that: it may be in another life. */
bool wardi_mailbox_take_back(struct wardi_mailbox *box);

/* Any thread, for a picture: whether the cell is nobody's, and whether messages wait in the user
 * lane. Both are exact while the cell stays as it is. */
void wardi_mailbox_look(const struct wardi_mailbox *box, bool *ret_idle, bool *ret_unread);

#endif
