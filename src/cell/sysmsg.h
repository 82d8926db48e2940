/* SPDX-License-Identifier: MIT
 *
 * sysmsg.h - system messages: their kinds, and the gate that defers some.
 */
#ifndef WARDI_SYSMSG_H
#define WARDI_SYSMSG_H

#include "mail/mailbox.h"

struct wardi_cell;
struct ward_self;

enum wardi_sys_kind {
	WARDI_SYS_COMMAND, /* in a cell: its parent's orders, summed */
	WARDI_SYS_STOP,    /* in a cell: stop it */
	WARDI_SYS_FAILED,  /* in a child's cell, to its parent: I failed */
	WARDI_SYS_GONE,    /* in a child's cell, to its parent: I am gone; the cell is yours. In the
			     * node of STOP: that lane is closed */
	WARDI_SYS_WATCH,   /* in a watch, to the watched */
	WARDI_SYS_UNWATCH, /* in a watch, to the watched */
	WARDI_SYS_NOTICE,  /* in a watch, to the watcher: the watched is gone */
	WARDI_SYS_LINK,    /* in a link, to the linked */
	WARDI_SYS_LINK_OVER, /* in a link, to one end: the other has ended, or unlinked */
	WARDI_SYS_EXIT,      /* in a carrier of ward_exit() */
	WARDI_SYS_RELEASED,  /* in a record of backpressure.c: a full mailbox has drained */
	WARDI_SYS_SPAWN,     /* in a request of a thread outside, to a guardian */
	WARDI_SYS_SELECT,    /* in a message on its way along a path */
	WARDI_SYS_SHUTDOWN,  /* in the system, to /system: check what has happened */
	WARDI_SYS_KINDS
};

/* Which system messages wait (S5). The order matters: see S6. */
enum wardi_gate { WARDI_GATE_OPEN, WARDI_GATE_SUSPENDED, WARDI_GATE_WAITING };

/* A row for each kind, in turn/system_messages.c. The holder calls the functions; false: the cell
 * is gone. The last two may be NULL: nothing to do. */
struct wardi_sys_row {
	bool (*action)(struct ward_self *self, struct wardi_sysmsg *msg);
	enum wardi_gate passes; /* the highest gate that lets it through */
	/* The life is over, and the message was still in the lane, or deferred. */
	bool (*discarded)(struct ward_self *self, struct wardi_sysmsg *msg);
	/* The message was meant for an earlier life of the cell. */
	bool (*misaddressed)(struct ward_self *self, struct wardi_sysmsg *msg);
};
extern const struct wardi_sys_row wardi_sys_kinds[WARDI_SYS_KINDS];

/* Whether the kind is a struct wardi_addressed: all others are sent only to living actors. */
static inline bool wardi_sys_is_addressed(uint32_t kind)
{
	const uint32_t addressed =
		1U << WARDI_SYS_WATCH | 1U << WARDI_SYS_UNWATCH | 1U << WARDI_SYS_NOTICE |
		1U << WARDI_SYS_LINK | 1U << WARDI_SYS_LINK_OVER | 1U << WARDI_SYS_EXIT |
		1U << WARDI_SYS_SPAWN | 1U << WARDI_SYS_SELECT | 1U << WARDI_SYS_SHUTDOWN;

	return (addressed >> kind & 1) != 0;
}

/* Sends; false: that life of the cell is closed, the message is still the caller's. Only a struct
 * wardi_addressed uses the generation. */
bool wardi_sys_send(struct ward_self *self, struct wardi_cell *cell, uint32_t target_gen,
		    struct wardi_sysmsg *msg);

/* Holder: executes all waiting system messages, and those that they let through. False: the cell is
 * gone, and must no longer be touched. */
bool wardi_sys_drain(struct ward_self *self);

/* Holder, at the end: discards the rest of the batch, and answers senders that wait. */
void wardi_sys_discard(struct ward_self *self, struct wardi_cell *cell);

#endif
