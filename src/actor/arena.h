/* SPDX-License-Identifier: MIT
 *
 * arena.h - the belongings of an incarnation: chunks of memory, deferred calls, bodies of messages,
 * adopted descriptors (as deferred calls). Made at the first use. Holder only.
 */
#ifndef WARDI_ARENA_H
#define WARDI_ARENA_H

#include "cell/self.h"

struct wardi_chunk;
struct wardi_defer;

struct wardi_arena {
	struct wardi_chunk *chunks; /* newest first */
	size_t bytes;               /* handed out */
	struct wardi_defer *defers; /* newest first */
	struct wardi_defer *spare;  /* records for reuse */
	uint64_t defer_ids;
	struct wardi_list bodies;
	struct wardi_arena *quarantined; /* the next one there */
};

/* NULL: no memory. */
struct wardi_arena *wardi_arena_of(struct ward_self *self);
/* Runs deferred calls, last first; drops bodies; frees all. NULL arena is fine. */
void wardi_arena_release(struct ward_self *self, struct wardi_cell *cell);

/* Chunked memory, of an arena or of the scratch. */
void *wardi_chunk_alloc(struct wardi_alloc *alloc, struct wardi_chunk **chunks, size_t size);
void wardi_chunk_free_all(struct wardi_alloc *alloc, struct wardi_chunk **chunks);
/* Frees all but one small chunk, which is emptied. There is one at least. */
void wardi_chunk_reset(struct wardi_alloc *alloc, struct wardi_chunk **chunks);

/* Between callbacks: empties the scratch memory. */
static inline void wardi_scratch_reset(struct ward_self *self)
{
	if (!self->scratched)
		return;
	self->scratched = false;
	if (self->scratch != NULL)
		wardi_chunk_reset(&self->system->alloc, &self->scratch);
}

#endif
