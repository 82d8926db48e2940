/* SPDX-License-Identifier: MIT
 *
 * pool.h - small blocks of a few sizes, which any thread may free.
 *
 * A cache belongs to one worker: a list of free blocks for each size, without locked operations.
 * Surplus blocks go to the depot of the system in chains, and new ones come from there (depot.h).
 * Threads outside use the caches of the shards (shard.h).
 *
 * With alloc->separate each block is an allocation of its own.
 */
#ifndef WARDI_POOL_H
#define WARDI_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/depot.h"
#include "base/line.h"
#include "base/lock.h"

enum {
	WARDI_CACHE_KEPT = 8, /* blocks that stay when a chain leaves the list */
	WARDI_AWAY = 1 << 20, /* more than there is ever room for */
};

struct wardi_cache {
	struct wardi_pool *pool; /* frozen */
	/* holder only */
	struct wardi_cache_list {
		struct wardi_block *free;
		struct wardi_block *spare; /* a full chain kept for reuse, or NULL */
		/* Blocks that `free` may take before a chain leaves it; less WARDI_AWAY, and so
		 * below 0, while blocks are turned away. */
		int32_t room;
		uint32_t away_left;       /* blocks still to be turned away */
		uint32_t away_count;      /* in `away`, a chain for the depot */
		struct wardi_block *away; /* NULL: none */
	} lists[WARDI_BLOCK_CLASSES];
	bool brief; /* whether the holder is in a call that must not take long: see depot.h */
};

enum { WARDI_SHARDS = 16 };

/* What threads outside use, each thread always the same shard: see shard.h. */
struct wardi_shard {
	_Atomic uint32_t step;        /* odd: a thread is inside */
	_Atomic uint32_t visitors[2]; /* of sched/grace.c, by side */
	struct wardi_cache cache;     /* of the thread inside */
	char apart[WARDI_LINE];       /* keeps the next shard off the lines of this one */
};

_Static_assert(sizeof(struct wardi_shard) - offsetof(struct wardi_shard, apart) >= WARDI_LINE,
	       "two shards have no line in common");

struct wardi_pool {
	/* frozen */
	struct wardi_alloc *alloc;
	bool counts_owners; /* whether `owners` is counted */
	/* atomic, relaxed: a statistic */
	_Atomic uint64_t owners; /* live bodies whose type has a drop */

	struct wardi_depot depot; /* own lock */
	struct wardi_shard shards[WARDI_SHARDS];
};

/* Returns the smallest class up to `largest` that holds `size`; WARDI_BLOCK_CLASSES: none does. */
enum wardi_block_class wardi_block_class_up_to(enum wardi_block_class largest, size_t size);

/* The class of a record or a state. */
static inline enum wardi_block_class wardi_block_class_for(size_t size)
{
	return wardi_block_class_up_to(WARDI_BLOCK_272, size);
}

/* Returns how many blocks there may be in a list of a cache. */
static inline uint32_t wardi_cache_max(enum wardi_block_class class)
{
	return wardi_block_chain(class) + WARDI_CACHE_KEPT - 1;
}

void wardi_pool_init(struct wardi_pool *pool, struct wardi_alloc *alloc);
/* Frees all slabs, with the blocks that are not back. Finish the caches first. */
void wardi_pool_finish(struct wardi_pool *pool);
/* wardi_depot_tidy(), including the caches of the shards. */
int64_t wardi_pool_tidy(struct wardi_pool *pool, int64_t now_ns);

void wardi_cache_init(struct wardi_cache *cache, struct wardi_pool *pool);
/* Returns all blocks to the depot; the cache may be used again. */
void wardi_cache_finish(struct wardi_cache *cache);
/* Sends the next `count` blocks of each class that are put to the depot. */
void wardi_cache_turn_away(struct wardi_cache *cache, uint32_t count);

/* The slow paths of the two below: the cache is empty, or full, or there is none. */
void *wardi_block_fetch(struct wardi_pool *pool, struct wardi_cache *cache,
			enum wardi_block_class class);
void wardi_block_return(struct wardi_pool *pool, struct wardi_cache *cache,
			enum wardi_block_class class, void *block);

/* Takes a block out of a cache; NULL: it has none. */
static inline void *wardi_cache_take(struct wardi_cache *cache, enum wardi_block_class class)
{
	struct wardi_cache_list *list = &cache->lists[class];
	struct wardi_block *block = list->free;

	if (__builtin_expect(block == NULL, 0))
		return NULL;
	list->free = block->next;
	list->room++;
	return block;
}

/* Takes a block, 16-aligned. The caller holds the cache; a NULL cache means a thread outside, and
 * enters its shard. NULL: no memory. */
static inline void *wardi_block_get(struct wardi_pool *pool, struct wardi_cache *cache,
				    enum wardi_block_class class)
{
	void *block = cache == NULL ? NULL : wardi_cache_take(cache, class);

	return block != NULL ? block : wardi_block_fetch(pool, cache, class);
}

/* Puts a block into a cache. False: there is no room. */
static inline bool wardi_cache_put(struct wardi_cache *cache, enum wardi_block_class class,
				   void *place)
{
	struct wardi_cache_list *list = &cache->lists[class];
	struct wardi_block *block = place;

	if (__builtin_expect(list->room <= 0, 0))
		return false;
	block->next = list->free;
	list->free = block;
	list->room--;
	return true;
}

static inline void wardi_block_put(struct wardi_pool *pool, struct wardi_cache *cache,
				   enum wardi_block_class class, void *block)
{
	if (cache == NULL || !wardi_cache_put(cache, class, block))
		wardi_block_return(pool, cache, class, block);
}

/* The source of blocks: the pool of the system, and the cache of this worker or NULL. */
struct wardi_source {
	struct wardi_pool *pool;
	struct wardi_cache *cache;
};

#endif
