/* SPDX-License-Identifier: MIT
 *
 * link.h - links; and the list of those that are notified of the end of a cell.
 */
#ifndef WARDI_LINK_H
#define WARDI_LINK_H

#include "watch/exit.h"

struct wardi_link;

/* In a watch (watch.c), or in one end of a link: the message by which it came to the cell tells
 * which, by its kind. The holder of the cell. */
struct wardi_watcher {
	struct wardi_watcher *prev, *next;
	struct wardi_addressed arrival;
};

static inline bool wardi_watcher_is_link(const struct wardi_watcher *watcher)
{
	return watcher->arrival.node.kind == WARDI_SYS_LINK;
}

static inline void wardi_watcher_enter(struct wardi_cell *cell, struct wardi_watcher *watcher)
{
	watcher->prev = NULL;
	watcher->next = cell->watchers;
	if (watcher->next != NULL)
		watcher->next->prev = watcher;
	cell->watchers = watcher;
}

static inline void wardi_watcher_leave(struct wardi_cell *cell, struct wardi_watcher *watcher)
{
	if (watcher->prev != NULL)
		watcher->prev->next = watcher->next;
	else
		cell->watchers = watcher->next;
	if (watcher->next != NULL)
		watcher->next->prev = watcher->prev;
}

/* A link that can be made without memory from here on. NULL: no memory. */
struct wardi_link *wardi_link_make(struct ward_self *self);
/* It is not made. */
void wardi_link_free(struct ward_self *self, struct wardi_link *link);

/* Holder: system messages. False: the cell is gone. */
bool wardi_link_arrived(struct ward_self *self, struct wardi_sysmsg *msg);
bool wardi_link_over(struct ward_self *self, struct wardi_sysmsg *msg);
/* The life that such a message is for is over. */
void wardi_link_misaddressed(struct ward_self *self, struct wardi_sysmsg *msg);

/* Holder: why it is about to end, for all who are linked now; what was said before stands. */
void wardi_links_say(struct ward_self *self, const ward_exit_reason *reason);
/* An end of a cell whose life is over; the cell is not touched. Takes it. */
void wardi_link_tell(struct ward_self *self, struct wardi_watcher *watcher,
		     const struct wardi_ending *ending);

/* Holder: no exit signal of this link any more. */
void wardi_unlink(struct ward_self *self, ward_ref who);

/* A trapped signal is due: makes the message what receive sees. False: it was unlinked. */
bool wardi_exited_due(struct ward_self *self, struct ward_msg *msg);
/* It is not delivered. */
void wardi_exited_dropped(ward_system *system, struct ward_self *self, const struct ward_msg *msg);

#endif
