/* SPDX-License-Identifier: MIT
 *
 * pool.c - small blocks of a few sizes, which any thread may free.
 *
 *      cache of a worker              depot (one lock)
 *      free:  b b b ..                chains, slabs: see depot.c
 *      spare: a full chain, or NULL
 *
 * Blocks move between the two by chains, so that a worker which only frees and a worker which only
 * takes pay one lock for a chain of blocks. The spare keeps a worker whose stock moves around a
 * full chain away from the depot; and when a chain leaves a full list some blocks stay, so that a
 * worker which frees and takes a few does not even touch the spare. A worker returns all blocks
 * before it sleeps: they would keep their slabs.
 *
 * Blocks of different workers may share a cache line where they were carved side by side. That is
 * harmless while each worker keeps its own; but a thief of work gets the messages with it, and
 * would use their blocks again and again, each in a line with a block that the victim uses. So
 * after a steal a worker turns away the blocks that it frees next: they go to the depot.
 *
 * Threads: a cache belongs to its holder; that of a shard to the thread inside.
 */
#include "base/pool.h"

#include "base/assert.h"
#include "base/shard.h"

enum { AWAY_MAX = 1024 };

enum wardi_block_class wardi_block_class_up_to(enum wardi_block_class largest, size_t size)
{
	int class = WARDI_BLOCK_48;

	if (size <= wardi_block_size(WARDI_BLOCK_32))
		return WARDI_BLOCK_32;
	while (class <= (int)largest && wardi_block_kinds[class].size < size)
		class ++;
	return class <= (int)largest ? (enum wardi_block_class) class : WARDI_BLOCK_CLASSES;
}

void wardi_pool_init(struct wardi_pool *pool, struct wardi_alloc *alloc)
{
	*pool = (struct wardi_pool){.alloc = alloc};
	wardi_depot_init(&pool->depot, alloc);
	for (int i = 0; i < WARDI_SHARDS; i++)
		wardi_cache_init(&pool->shards[i].cache, pool);
}

void wardi_pool_finish(struct wardi_pool *pool)
{
	wardi_depot_finish(&pool->depot);
}

int64_t wardi_pool_tidy(struct wardi_pool *pool, int64_t now_ns)
{
	if (pool->alloc->separate)
		return INT64_MAX;
	for (int i = 0; i < WARDI_SHARDS; i++) {
		struct wardi_shard *shard = &pool->shards[i];

		/* Relaxed: what comes later is for the next time. */
		if (atomic_load_explicit(&shard->step, memory_order_relaxed) == 0)
			continue; /* never used */
		wardi_shard_enter(shard);
		wardi_cache_finish(&shard->cache);
		wardi_shard_leave(shard);
	}
	return wardi_depot_tidy(&pool->depot, now_ns);
}

/* ---- caches ------------------------------------------------------------------------------ */

/* If each block is an allocation of its own the caches never hold a block, nor have room for one:
 * so only the slow path must ask. */
void wardi_cache_init(struct wardi_cache *cache, struct wardi_pool *pool)
{
	*cache = (struct wardi_cache){.pool = pool};
	for (int class = 0; class < WARDI_BLOCK_CLASSES && !pool->alloc->separate; class ++)
		cache->lists[class].room = (int32_t)wardi_cache_max((enum wardi_block_class) class);
}

/* Returns the room there would be if no block were turned away. */
static int32_t room_of(const struct wardi_cache_list *list)
{
	return list->away_left > 0 ? list->room + WARDI_AWAY : list->room;
}

static void set_room(struct wardi_cache_list *list, int32_t room)
{
	list->room = list->away_left > 0 ? room - WARDI_AWAY : room;
}

void wardi_cache_turn_away(struct wardi_cache *cache, uint32_t count)
{
	/* With separate allocations the list has no room, and keeps no blocks. */
	for (int class = 0; class < WARDI_BLOCK_CLASSES && !cache->pool->alloc->separate;
	     class ++) {
		struct wardi_cache_list *list = &cache->lists[class];
		int32_t room = room_of(list);
		list->away_left += count;
		if (list->away_left > AWAY_MAX)
			list->away_left = AWAY_MAX;
		set_room(list, room);
	}
}

void wardi_cache_finish(struct wardi_cache *cache)
{
	struct wardi_depot *depot = &cache->pool->depot;

	for (int i = 0; i < WARDI_BLOCK_CLASSES; i++) {
		enum wardi_block_class class = (enum wardi_block_class)i;
		struct wardi_cache_list *list = &cache->lists[class];
		if (list->free != NULL)
			wardi_depot_put(depot, class, list->free,
					wardi_cache_max(class) - (uint32_t)room_of(list));
		if (list->away != NULL)
			wardi_depot_put(depot, class, list->away, list->away_count);
		if (list->spare != NULL)
			wardi_depot_put(depot, class, list->spare, wardi_block_chain(class));
	}
	wardi_cache_init(cache, cache->pool);
}

/* Fills an empty list, and takes the first block. */
static void *cache_refill(struct wardi_cache *cache, enum wardi_block_class class)
{
	struct wardi_cache_list *list = &cache->lists[class];
	struct wardi_block *block = list->spare;
	uint32_t count = wardi_block_chain(class);

	if (block != NULL)
		list->spare = NULL;
	else
		block = wardi_depot_get(&cache->pool->depot, class, cache->brief, &count);
	if (block == NULL && list->away != NULL) { /* better than no block */
		block = list->away;
		count = list->away_count;
		list->away = NULL;
		list->away_count = 0;
	}
	if (block == NULL)
		return NULL;
	list->free = block->next;
	/* without the block that is taken */
	set_room(list, (int32_t)(wardi_cache_max(class) + 1 - count));
	return block;
}

/* Takes a block that the cache does not keep. */
static void turn_away(struct wardi_cache *cache, enum wardi_block_class class,
		      struct wardi_block *block)
{
	struct wardi_cache_list *list = &cache->lists[class];
	int32_t room = room_of(list);

	block->next = list->away;
	list->away = block;
	list->away_left--;
	set_room(list, room);
	if (++list->away_count == wardi_block_chain(class)) {
		wardi_depot_put(&cache->pool->depot, class, list->away, list->away_count);
		list->away = NULL;
		list->away_count = 0;
	}
}

/* Puts a block into a list without room: all but the newest blocks leave it as a chain. */
static void cache_complete(struct wardi_cache *cache, enum wardi_block_class class,
			   struct wardi_block *block)
{
	struct wardi_cache_list *list = &cache->lists[class];
	struct wardi_block *last = block;

	block->next = list->free;
	for (int kept = 1; kept < WARDI_CACHE_KEPT; kept++)
		last = last->next;
	if (list->spare != NULL)
		wardi_depot_put(&cache->pool->depot, class, list->spare, wardi_block_chain(class));
	list->spare = last->next;
	last->next = NULL;
	list->free = block;
	list->room = (int32_t)wardi_cache_max(class) - WARDI_CACHE_KEPT;
}

void *wardi_block_fetch(struct wardi_pool *pool, struct wardi_cache *cache,
			enum wardi_block_class class)
{
	struct wardi_shard *shard;
	void *block;

	wardi_assert(class < WARDI_BLOCK_CLASSES);
	if (pool->alloc->separate)
		return wardi_alloc(pool->alloc, wardi_block_size(class));
	if (cache != NULL)
		return cache_refill(cache, class);
	shard = wardi_shard_mine(pool->shards);
	wardi_shard_enter(shard);
	block = wardi_cache_take(&shard->cache, class);
	if (block == NULL)
		block = cache_refill(&shard->cache, class);
	wardi_shard_leave(shard);
	return block;
}

void wardi_block_return(struct wardi_pool *pool, struct wardi_cache *cache,
			enum wardi_block_class class, void *block)
{
	wardi_assert(class < WARDI_BLOCK_CLASSES && block != NULL);
	if (pool->alloc->separate) {
		wardi_free(pool->alloc, block, wardi_block_size(class));
	} else if (cache != NULL && cache->lists[class].away_left > 0) {
		turn_away(cache, class, block);
	} else if (cache != NULL) {
		cache_complete(cache, class, block);
	} else {
		struct wardi_shard *shard = wardi_shard_mine(pool->shards);

		wardi_shard_enter(shard);
		if (!wardi_cache_put(&shard->cache, class, block))
			cache_complete(&shard->cache, class, block);
		wardi_shard_leave(shard);
	}
}
