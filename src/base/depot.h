/* SPDX-License-Identifier: MIT
 *
 * depot.h - where the free blocks of all caches meet, and the slabs that they are cut from.
 *
 * What nobody has needed for a period is looked through, a little at a time; a slab whose blocks
 * are all there goes back to the allocator.
 *
 * Safe together: everything but init and finish.
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
	WARDI_BLOCK_48, /* the first three are those of messages, too (message.h) */
	WARDI_BLOCK_80,
	WARDI_BLOCK_144,
	WARDI_BLOCK_272,
	WARDI_BLOCK_32,
	WARDI_BLOCK_CLASSES
};

enum {
	WARDI_BLOCK_MAX = 272,
	WARDI_CHAIN = 64, /* blocks that move between a cache and the depot at once */
	WARDI_DEPOT_FEW = 16
};

/* What nobody has needed for so long is surplus. */
#define WARDI_DEPOT_PERIOD_NS (INT64_C(1000) * 1000 * 1000)
/* Less than that, in free blocks that were not looked through yet, is not worth a look. */
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
		struct wardi_block_chain *chains; /* as the caches gave them */
		uint32_t count;                   /* of chains */
		uint32_t least;                   /* that it was, in this period */
		uint32_t surplus;                 /* chains that are to be looked through yet */
		struct wardi_slab *sorted; /* slabs that have free blocks of theirs in hand */
		struct wardi_slab *carved; /* the last slab, which may have a rest, or NULL */
		char *rest;                /* of that slab, what is not carved yet */
		uint32_t rest_chains;      /* so many */
		uint32_t slabs;
		size_t slab_bytes; /* of the last slab that was made; 0: there is none */
	} shelves[WARDI_BLOCK_CLASSES];
	int64_t period_end_ns;     /* INT64_MAX: none runs */
	struct wardi_slab **slabs; /* all of them, by address */
	size_t slabs_count, slabs_max;
	struct wardi_slab *few[WARDI_DEPOT_FEW]; /* room for the first ones */
};

void wardi_depot_init(struct wardi_depot *depot, struct wardi_alloc *alloc);
/* All blocks must be back or are forgotten with their slabs. */
void wardi_depot_finish(struct wardi_depot *depot);

/* The bytes that a block of each class holds. */
extern const uint16_t wardi_block_sizes[WARDI_BLOCK_CLASSES];
size_t wardi_block_size(enum wardi_block_class class);

/* Takes a list of so many; WARDI_CHAIN, or what a cache has left at its end. */
void wardi_depot_put(struct wardi_depot *depot, enum wardi_block_class class,
		     struct wardi_block *blocks, uint32_t count);
/* Returns a list, of ret_count blocks. NULL: no memory. */
struct wardi_block *wardi_depot_get(struct wardi_depot *depot, enum wardi_block_class class,
				    uint32_t *ret_count);

/* Looks through a little of what is surplus, and frees the slabs that it completes. Returns when to
 * call again: not after `now_ns`, there is more to do; INT64_MAX, when something was put. */
int64_t wardi_depot_tidy(struct wardi_depot *depot, int64_t now_ns);
/* When that is to be called; INT64_MAX: not before something is put, INT64_MIN + 1: it is time. */
int64_t wardi_depot_due(struct wardi_depot *depot);

#endif
