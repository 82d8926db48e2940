/* SPDX-License-Identifier: MIT
 *
 * backoff_sender.h - what the parts of a back-off sender share: its pending messages.
 *
 * Threads: all of it belongs to the sender's actor.
 */
#ifndef WARDI_BACKOFF_SENDER_H
#define WARDI_BACKOFF_SENDER_H

#include <ward/backoff_sender.h>

/* ---- pending messages (sender_pending.c) ------------------------------------------------- */

struct wardi_pending {
	struct wardi_pending *next, *before; /* younger, older */
	struct wardi_pending *same;          /* in the same row of the table */
	const ward_type *type;
	void *body; /* belongs to the incarnation */
	size_t size;
	ward_ref sender;
	uint64_t id;
	bool sent; /* to the present child */
};

enum { WARDI_PENDINGS_FEW = 16 };

/* Messages in order of arrival, also found by id. Call wardi_pendings_init() first. */
struct wardi_pendings {
	struct wardi_pending *first, *last;
	struct wardi_pending *spare; /* records for reuse: only the incarnation frees memory */
	uint64_t count;
	struct wardi_pending **rows; /* by a hash of the id; at first `few` */
	size_t rows_count;           /* a power of 2 */
	struct wardi_pending *few[WARDI_PENDINGS_FEW];
};

#endif
