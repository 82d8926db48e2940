/* SPDX-License-Identifier: MIT
 *
 * watch_record.h - the record of a watch, and the system messages that it travels as.
 */
#ifndef WARDI_WATCH_RECORD_H
#define WARDI_WATCH_RECORD_H

#include "cell/ending.h"
#include "watch/link.h"

/* Who of the two is an actor of another place, in whose stead the association's actor is there. */
enum wardi_watch_role {
	WARDI_WATCH_NEAR,    /* neither */
	WARDI_WATCH_FAR,     /* the watched: it is a struct wardi_far_watch */
	WARDI_WATCH_FOR_FAR, /* the watcher, which msg is addressed to: the same */
};

struct wardi_watch {
	_Atomic uint32_t refs;
	/* frozen */
	uint32_t place; /* of the watcher: a thread that waits has one of its own */
	ward_system *system;
	uint64_t watcher, target; /* uids, or what stands for a thread that waits */
	/* An unwatch needs no word to tell messages apart: it is the place of the target. */
	struct wardi_addressed unwatch_node, notice_node;
	/* the watcher's holder */
	uint64_t question; /* it belongs to a question of the watcher (ask.c); 0: to its table */
	struct wardi_hash_link found;
	struct ward_msg *msg;
	struct ward_msg *token; /* NULL: it needs none, or it is in the mailbox */
	union {
		struct wardi_watcher in_cell;  /* the holder of the watched; arrives with WATCH */
		struct wardi_shown_end ending; /* from NOTICE on */
	};
	/* each in a byte of its own: they have different holders */
	bool custom;  /* frozen: a message of the program's */
	bool active;  /* the watcher's holder */
	bool queued;  /* the same: msg is in its mailbox */
	bool linked;  /* the holder of the watched */
	uint8_t role; /* frozen */
};

_Static_assert(sizeof(struct wardi_watch) <= 144, "a watch fits a block of 144");

/* With another place at one end. The association's holder. */
struct wardi_far_watch {
	struct wardi_watch watch;
	struct wardi_hash_link paired; /* in the association, while `in_table` */
	struct ward_msg *order;        /* FAR: the WATCH for the peer, until it is sent */
	uint64_t owner;                /* FAR, frozen: the association's actor; 0: it was closed */
	bool in_table;
};

static inline struct wardi_far_watch *wardi_far_of(struct wardi_watch *watch)
{
	return wardi_container_of(watch, struct wardi_far_watch, watch);
}

/* Returns the watched. */
static inline ward_ref wardi_watch_target(const struct wardi_watch *watch)
{
	return wardi_ref_make(watch->target, watch->unwatch_node.which);
}

/* NULL: no memory. Two references: the watcher's, and that of WATCH under way. self: NULL
 * outside. */
struct wardi_watch *wardi_watch_make(ward_system *system, struct ward_self *self, ward_ref watcher,
				     ward_ref target, enum wardi_watch_role role);
void wardi_watch_unref(struct ward_self *self, struct wardi_watch *watch);

/* Sends WATCH; if the watched is gone, a NOTICE comes back. */
void wardi_watch_send(struct ward_self *self, struct wardi_watch *watch);
void wardi_watch_send_unwatch(struct ward_self *self, struct wardi_watch *watch);
/* Hands the reference of the watched side over to the watcher; `ending` is filled in. */
void wardi_watch_send_notice(struct ward_self *self, struct wardi_watch *watch);
/* The same for a life that is gone, or for a place that is not reached. */
void wardi_watch_answer_gone(struct ward_self *self, struct wardi_watch *watch);

#endif
