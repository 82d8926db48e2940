/* SPDX-License-Identifier: MIT
 *
 * link.h - links; and the list of those that are notified of the end of a cell.
 */
#ifndef WARDI_LINK_H
#define WARDI_LINK_H

#include "watch/exit.h"

struct wardi_link;

/* A part of a watch (watch.c) or of one end of a link: the kind of the message that brought it to
 * the cell says which. Holder of the cell. */
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

/* Holder: system messages. False: the cell is gone. */
bool wardi_link_arrived(struct ward_self *self, struct wardi_sysmsg *msg);
bool wardi_link_over(struct ward_self *self, struct wardi_sysmsg *msg);
/* The life that a message about a link is for is over. */
void wardi_link_misaddressed(struct ward_self *self, struct wardi_sysmsg *msg);

/* Holder: notes in all links why the actor is about to end; a reason that was noted before
 * stays. */
void wardi_links_say(struct ward_self *self, const ward_exit_reason *reason);
/* Notifies the other end that this life is over; does not touch the cell. Takes the watcher. */
void wardi_link_tell(struct ward_self *self, struct wardi_watcher *watcher,
		     const struct wardi_ending *ending);

/* Holder: ends the link; no exit signal arrives from it afterwards. */
void wardi_unlink(struct ward_self *self, ward_ref who);

/* A trapped signal is due: makes the message what receive sees. False: it was unlinked. */
bool wardi_exited_due(struct ward_self *self, struct ward_msg *msg);
/* A trapped signal is not delivered. */
void wardi_exited_dropped(ward_system *system, struct ward_self *self, const struct ward_msg *msg);

#endif
