/* SPDX-License-Identifier: MIT
 *
 * backoff_sender.h - what the parts of a back-off sender share: its state, and what it keeps.
 *
 * single-threaded: all of it belongs to the sender's actor.
 */
#ifndef WARDI_BACKOFF_SENDER_H
#define WARDI_BACKOFF_SENDER_H

#include <ward/backoff_sender.h>

/* ---- what is kept (sender_pending.c) ---------------------------------------------- */

struct wardi_pending {
	struct wardi_pending *next, *before; /* younger, older */
	struct wardi_pending *same;          /* of the same row of the table */
	const ward_type *type;
	void *body; /* of the incarnation */
	size_t size;
	ward_ref sender;
	uint64_t id;
	bool sent; /* to the child that is there now */
};

enum { WARDI_PENDINGS_FEW = 16 };

/* In order of arrival, and found by number. wardi_pendings_init() before all. */
struct wardi_pendings {
	struct wardi_pending *first, *last;
	struct wardi_pending *spare; /* memory of the incarnation goes back with it only */
	uint64_t count;
	struct wardi_pending **rows; /* by a hash of the number; at first `few` */
	size_t rows_count;           /* a power of 2 */
	struct wardi_pending *few[WARDI_PENDINGS_FEW];
};

void wardi_pendings_init(struct wardi_pendings *all);
/* Keeps the current message, as the last. False: no memory, and it is where it was. */
bool wardi_pendings_keep(struct wardi_pendings *all, ward_self *self, const ward_msg *msg,
			 uint64_t id);
/* Drops those with this number, in O(1). */
void wardi_pendings_done(struct wardi_pendings *all, ward_self *self, uint64_t id);
/* Takes the first one out; it is good until the next one is kept. Its body is the caller's. */
const struct wardi_pending *wardi_pendings_shift(struct wardi_pendings *all);
void wardi_pendings_unsent(struct wardi_pendings *all);
/* Takes that one out, as wardi_pendings_shift() does the first. */
void wardi_pendings_take(struct wardi_pendings *all, struct wardi_pending *pending);
/* Makes a copy of one, in *ret_copy. WARD_ENOMEM; or its clone says why there can be none. */
ward_err wardi_pending_copy(const struct wardi_pending *pending, ward_self *self, void **ret_copy);
/* Sends that copy, or discards it. */
ward_err wardi_pending_send(struct wardi_pending *pending, ward_self *self, ward_ref to,
			    void *copy);

/* ---- the arguments (sender_args.c) ------------------------------------------------ */

extern const ward_type wardi_type_backoff_sender;

#endif
