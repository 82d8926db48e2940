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

#endif
