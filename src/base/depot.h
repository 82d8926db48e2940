/* SPDX-License-Identifier: MIT
 *
 * depot.h - the common stock of free blocks behind all caches, and the slabs they are cut from.
 *
 * Blocks that nobody has needed for a period return to their slabs, a few at a time; a slab whose
 * blocks are all back goes to the allocator.
 *
 * Threads: calls may run at the same time, except init and finish.
 */
#ifndef WARDI_DEPOT_H
#define WARDI_DEPOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/lock.h"

struct wardi_block_chain;
struct wardi_slab;

enum wardi_block_class {
	WARDI_BLOCK_48, /* messages use the first three, too (message.h) */
	WARDI_BLOCK_80,
	WARDI_BLOCK_144,
	WARDI_BLOCK_272,
	/* Bodies outside of their messages, from here on (message.c): records and states of that
	 * size live long, and would not need all of such a block. */
	WARDI_BLOCK_320,
	WARDI_BLOCK_448,
	WARDI_BLOCK_576,
	WARDI_BLOCK_832,
	WARDI_BLOCK_1088,
	WARDI_BLOCK_1600,
	WARDI_BLOCK_2112,
	WARDI_BLOCK_3136,
	WARDI_BLOCK_4160,
	WARDI_BLOCK_32,
	WARDI_BLOCK_CLASSES
};

enum { WARDI_CHAIN_MAX = 64, WARDI_DEPOT_FEW = 16 };

/* Blocks that nobody has needed for this long are surplus. */
#define WARDI_DEPOT_PERIOD_NS (INT64_C(1000) * 1000 * 1000)
/* Fewer free bytes in chains are not worth the work. */
#define WARDI_DEPOT_LOOSE_MIN ((size_t)256 * 1024)

/* A free block. */
struct wardi_block {
	struct wardi_block *next;
};

struct wardi_depot {
	struct wardi_alloc *alloc; /* frozen */

	struct wardi_mutex mu;
	/* under mu */
	struct wardi_shelf {
		struct wardi_block_chain *chains; /* as the caches put them */
		uint32_t count;                   /* of chains */
		uint32_t least;                   /* the least count in this period */
		uint32_t surplus;                 /* chains still to be taken apart */
		struct wardi_slab *sorted;        /* slabs with free blocks in hand */
		struct wardi_slab *carved;        /* the last slab, if not all carved */
		char *rest;                       /* the part of that slab not carved yet */
		uint32_t rest_chains;             /* in chains */
		uint32_t slabs;
		size_t slab_bytes; /* of the last slab made; 0: none */
	} shelves[WARDI_BLOCK_CLASSES];
	int64_t period_end_ns;     /* INT64_MAX: no period runs */
	struct wardi_slab **slabs; /* all of them, by address */
	size_t slabs_count, slabs_max;
	struct wardi_slab *few[WARDI_DEPOT_FEW]; /* room for the first slabs */
};

void wardi_depot_init(struct wardi_depot *depot, struct wardi_alloc *alloc);
/* Frees all slabs, with the blocks that are not back. */
void wardi_depot_finish(struct wardi_depot *depot);

/* The bytes that a block of each class holds; and how many blocks move between a cache and the
 * depot at once. */
extern const struct wardi_block_kind {
	uint16_t size;
	uint16_t chain;
} wardi_block_kinds[WARDI_BLOCK_CLASSES];

static inline size_t wardi_block_size(enum wardi_block_class class)
{
	return wardi_block_kinds[class].size;
}

static inline uint32_t wardi_block_chain(enum wardi_block_class class)
{
	return wardi_block_kinds[class].chain;
}

/* Takes a list of `count` blocks: a chain, or fewer when a cache ends. */
void wardi_depot_put(struct wardi_depot *depot, enum wardi_block_class class,
		     struct wardi_block *blocks, uint32_t count);
/* Returns a list of *ret_count blocks. `brief`: no single call may take long, even if all together
 * take longer. NULL: no memory. */
struct wardi_block *wardi_depot_get(struct wardi_depot *depot, enum wardi_block_class class,
				    bool brief, uint32_t *ret_count);

/* Takes apart some of the surplus, and frees the slabs that it completes. Returns when to call
 * again: a time not after `now_ns`: there is more to do; INT64_MAX: after the next put. */
int64_t wardi_depot_tidy(struct wardi_depot *depot, int64_t now_ns);
/* Returns when to call wardi_depot_tidy(); INT64_MAX: after the next put, INT64_MIN + 1: now. */
int64_t wardi_depot_due(struct wardi_depot *depot);

#endif
