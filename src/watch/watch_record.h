/* SPDX-License-Identifier: MIT
 *
 * watch_record.h - the record of a watch, and the system messages that it travels as.
 *
 * Inline: what each watch does. Sizes of records are constants there: one that only the run knows
 * costs a search for the class of blocks.
 *
 * Pairs     [W1] unref: release - acquire by the last reference, which frees
 */
#ifndef WARDI_WATCH_RECORD_H
#define WARDI_WATCH_RECORD_H

#include "base/assert.h"
#include "base/list.h"
#include "base/memory.h"
#include "cell/ending.h"
#include "cell/table.h"
#include "cell/visit.h"
#include "mail/ref.h"
#include "send/waiter.h"
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

/* Whether it is in the table of an association: itself, or by another one of the same pair. */
enum wardi_far_table { WARDI_FAR_NOWHERE, WARDI_FAR_PAIRED, WARDI_FAR_ALIKE };

/* With another place at one end. The association's holder. */
struct wardi_far_watch {
	struct wardi_watch watch;
	struct wardi_hash_link paired; /* in the association, while `in_table` is PAIRED */
	struct wardi_list alike;       /* the others of its pair, while it is in either */
	struct ward_msg *order;        /* FAR: the WATCH for the peer, until it is sent */
	uint64_t owner;                /* FAR, frozen: the association's actor; 0: it was closed */
	struct ward_msg *detour;       /* FOR_FAR: by which the notice goes; NULL: straight */
	uint8_t in_table;              /* a wardi_far_table */
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

/* ---- the record -------------------------------------------------------------------------- */

static inline struct wardi_source wardi_watch_source(ward_system *system, struct ward_self *self)
{
	return self == NULL ? wardi_outside_source(system) : self->from;
}

/* Frees a record with another place at one end. */
void wardi_watch_free_far(struct wardi_source from, struct wardi_watch *watch);
/* Fills in what such a record has in addition. False: no memory. */
bool wardi_watch_make_far(ward_system *system, struct ward_self *self, struct wardi_watch *watch,
			  ward_ref watcher, ward_ref target);

/* Before it is sent: its notice does not wait for the mail of the stand-in that the watcher has. */
void wardi_watch_go_straight(struct wardi_watch *watch);

static inline void wardi_watch_unref(struct ward_self *self, struct wardi_watch *watch)
{
	struct wardi_source from;

	/* The only reference has nobody to race with: only its owner could take another one. */
	if (atomic_load_explicit(&watch->refs, memory_order_acquire) != 1 &&       /* [W1] */
	    atomic_fetch_sub_explicit(&watch->refs, 1, memory_order_acq_rel) != 1) /* [W1] */
		return;
	from = wardi_watch_source(watch->system, self);
	wardi_assert(watch->msg == NULL); /* it went with the watcher's reference */
	if (watch->token != NULL)
		wardi_msg_free(from, watch->token);
	if (watch->role != WARDI_WATCH_NEAR)
		wardi_watch_free_far(from, watch);
	else /* of one class: the call that looks for the class costs twenty instructions */
		wardi_block_put(from.pool, from.cache, wardi_block_class_for(sizeof *watch), watch);
}

/* Returns zeroed memory for a record. NULL: none. */
static inline struct wardi_watch *wardi_watch_take(struct wardi_source from,
						   enum wardi_watch_role role)
{
	struct wardi_far_watch *far;

	if (__builtin_expect(role == WARDI_WATCH_NEAR, 1))
		return wardi_memory_get(from, sizeof(struct wardi_watch));
	far = wardi_memory_get(from, sizeof *far);
	return far == NULL ? NULL : &far->watch;
}

/* NULL: no memory. Two references: the watcher's, and that of WATCH under way. self: NULL
 * outside. */
static inline struct wardi_watch *wardi_watch_make(ward_system *system, struct ward_self *self,
						   ward_ref watcher, ward_ref target,
						   enum wardi_watch_role role)
{
	struct wardi_watch *watch = wardi_watch_take(wardi_watch_source(system, self), role);

	if (watch == NULL)
		return NULL;
	atomic_init(&watch->refs, 2); /* the watcher's table, and WATCH under way */
	watch->system = system;
	watch->watcher = watcher.uid;
	watch->place = wardi_ref_place(watcher);
	watch->target = target.uid;
	watch->unwatch_node.which = wardi_ref_place(target);
	watch->role = (uint8_t)role;
	watch->in_cell.arrival.node.kind = WARDI_SYS_WATCH;
	watch->unwatch_node.node.kind = WARDI_SYS_UNWATCH;
	watch->notice_node.node.kind = WARDI_SYS_NOTICE;
	if (role != WARDI_WATCH_FAR || wardi_watch_make_far(system, self, watch, watcher, target))
		return watch;
	wardi_watch_free_far(wardi_watch_source(system, self), watch);
	return NULL;
}

/* ---- messages between the two ------------------------------------------------------------ */

/* A life that is gone, or a place that is not reached: a NOTICE that says so. */
void wardi_watch_answer_gone(struct ward_self *self, struct wardi_watch *watch);
void wardi_watch_send_unwatch(struct ward_self *self, struct wardi_watch *watch);

static inline bool wardi_watch_send_to(struct ward_self *self, struct wardi_watch *watch,
				       uint64_t to, struct wardi_sysmsg *msg)
{
	ward_system *system = watch->system;
	uint32_t visit = wardi_visit(system, self);
	struct wardi_cell *cell = wardi_table_open(system, to);
	bool sent = cell != NULL && wardi_sys_send(self, cell, wardi_uid_gen(to), msg);

	wardi_visited(system, self, visit); /* the watch may be gone */
	return sent;
}

/* Returns the uid of the actor that the watch hangs on. */
static inline uint64_t wardi_watch_owner(struct wardi_watch *watch)
{
	return watch->role == WARDI_WATCH_FAR ? wardi_far_of(watch)->owner : watch->target;
}

/* Hands the reference of the watched side over to the watcher; `ending` is filled in. */
static inline void wardi_watch_send_notice(struct ward_self *self, struct wardi_watch *watch)
{
	if (watch->place != watch->system->place) {
		if (watch->ending.end == WARD_END_UNREACHED)
			wardi_waiter_unreached(watch->system, watch->watcher);
		else
			wardi_waiter_gone(watch->system, watch->watcher);
		wardi_watch_unref(self, watch);
	} else if (!wardi_watch_send_to(self, watch, watch->watcher, &watch->notice_node.node)) {
		wardi_watch_unref(self, watch); /* the watcher is gone, too */
	}
}

/* Sends WATCH; if the watched is gone, a NOTICE comes back. */
static inline void wardi_watch_send(struct ward_self *self, struct wardi_watch *watch)
{
	if (!wardi_watch_send_to(self, watch, wardi_watch_owner(watch),
				 &watch->in_cell.arrival.node))
		wardi_watch_answer_gone(self, watch);
}

#endif
