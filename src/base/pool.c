/* SPDX-License-Identifier: MIT
 *
 * pool.c - small blocks of a few sizes, freed by whoever has them last.
 *
 *      cache of a worker              depot (one lock)
 *      free:  b b b ..                chain -> chain -> ...
 *      spare: a full chain, or NULL   slabs: all memory, for the end; of the last one of each
 *                                     class a rest may not be carved yet
 *
 * Blocks move between the two by chains, so that a worker which only frees and one which only takes
 * pay one lock for WARDI_CHAIN blocks. Slabs grow from SLAB_MIN bytes to a huge page, and what is
 * not carved yet is not touched: a small system takes little, and a large one asks seldom, and
 * spends its time on messages and not on pages. The spare keeps a worker that goes to and fro
 * around a full chain away from the depot; and of a list that is full some blocks stay at hand, so
 * that one that goes to and fro by a few blocks has them there, and does not even touch the spare.
 *
 * Blocks of different workers may share a cache line where they were carved side by side. That is
 * harmless as long as each worker keeps what it has; but who steals work gets the mail that lies in
 * it, and would use those blocks over and over, each in a line with one that the victim uses over
 * and over. So after a steal a worker turns away what it frees next: it goes to the depot.
 *
 * Who touches what   a cache: its holder; the outside cache: under outside_mu; the depot: under mu.
 * Lock rank          outside_mu > mu; no other lock is taken under them.
 */
#include "base/pool.h"

#include "base/assert.h"

enum { AWAY_MAX = 1024 };

/* The first block of a chain in the depot: written over the free block that it is. */
struct wardi_block_chain {
	struct wardi_block block; /* the blocks of this chain */
	struct wardi_block_chain *next;
	uint32_t count;
};

/* The head of a slab; its blocks follow. 16 bytes, so that they are 16-aligned as the slab is. */
struct wardi_slab {
	_Alignas(16) struct wardi_slab *next;
	uint32_t size;
};

enum { SLAB_MIN = 4096, SLAB_MAX = WARDI_HUGE_PAGE };

static const uint16_t block_sizes[] = {
	[WARDI_BLOCK_48] = 48,   [WARDI_BLOCK_80] = 80,
	[WARDI_BLOCK_144] = 144, [WARDI_BLOCK_272] = WARDI_BLOCK_MAX,
	[WARDI_BLOCK_32] = 32,
};
_Static_assert(sizeof(block_sizes) / sizeof(block_sizes[0]) == WARDI_BLOCK_CLASSES,
	       "one size for each class");
_Static_assert(sizeof(struct wardi_block_chain) <= 32, "a chain's head fits the smallest block");
_Static_assert(sizeof(struct wardi_slab) == 16, "blocks in a slab are 16-aligned");

size_t wardi_block_size(enum wardi_block_class class)
{
	wardi_assert(class < WARDI_BLOCK_CLASSES);
	return block_sizes[class];
}

enum wardi_block_class wardi_block_class_for(size_t size)
{
	int class = WARDI_BLOCK_48;

	if (size <= block_sizes[WARDI_BLOCK_32])
		return WARDI_BLOCK_32;
	while (class <= WARDI_BLOCK_272 && block_sizes[class] < size)
		class ++;
	return class <= WARDI_BLOCK_272 ? (enum wardi_block_class) class : WARDI_BLOCK_CLASSES;
}

/* ---- the depot --------------------------------------------------------------------------- */

static void depot_put(struct wardi_pool *pool, enum wardi_block_class class,
		      struct wardi_block *blocks, uint32_t count)
{
	struct wardi_block_chain *chain = (struct wardi_block_chain *)(void *)blocks;

	chain->count = count;
	pthread_mutex_lock(&pool->mu);
	chain->next = pool->chains[class];
	pool->chains[class] = chain;
	pthread_mutex_unlock(&pool->mu);
}

/* How many chains a slab of so many bytes holds. */
static uint32_t chains_in(size_t bytes, enum wardi_block_class class)
{
	return (uint32_t)((bytes - sizeof(struct wardi_slab)) /
			  (WARDI_CHAIN * (size_t)block_sizes[class]));
}

/* A new slab, twice as large as the one before it; where there is no memory for that, as large as
 * there is. False: not even for a chain. Under mu. */
static bool add_slab(struct wardi_pool *pool, enum wardi_block_class class)
{
	struct wardi_carving *carving = &pool->carvings[class];
	size_t bytes = carving->bytes == 0 ? SLAB_MIN : 2 * carving->bytes;
	struct wardi_slab *slab = NULL;

	while (chains_in(bytes, class) == 0)
		bytes *= 2;
	if (bytes > SLAB_MAX)
		bytes = SLAB_MAX;
	for (; chains_in(bytes, class) > 0; bytes /= 2) {
		slab = wardi_alloc(pool->alloc, bytes);
		if (slab != NULL)
			break;
	}
	if (slab == NULL)
		return false;
	slab->size = (uint32_t)bytes;
	slab->next = pool->slabs;
	pool->slabs = slab;
	*carving = (struct wardi_carving){(char *)(slab + 1), chains_in(bytes, class), bytes};
	return true;
}

/* A chain of blocks that were never used. NULL: no memory. Under mu. */
static struct wardi_block *carve(struct wardi_pool *pool, enum wardi_block_class class)
{
	struct wardi_carving *carving = &pool->carvings[class];
	struct wardi_block *first = NULL;
	size_t block_size = block_sizes[class];

	if (carving->chains == 0 && !add_slab(pool, class))
		return NULL;
	/* Of those that hold states every second one first: two that are taken one after the other
	 * share no cache line. What they are for may well run on two workers, as two actors that
	 * were spawned together. Messages follow each other: they are read in that order. */
	for (size_t i = WARDI_CHAIN; i-- > 0;) {
		size_t nth = i;

		if (class == WARDI_BLOCK_32)
			nth = i < WARDI_CHAIN / 2 ? 2 * i : 2 * i + 1 - WARDI_CHAIN;
		void *place = carving->at + nth * block_size;
		struct wardi_block *block = place;
		block->next = first;
		first = block;
	}
	carving->at += WARDI_CHAIN * block_size;
	carving->chains--;
	return first;
}

static struct wardi_block *depot_get(struct wardi_pool *pool, enum wardi_block_class class,
				     uint32_t *ret_count)
{
	struct wardi_block *blocks;

	pthread_mutex_lock(&pool->mu);
	struct wardi_block_chain *chain = pool->chains[class];
	if (chain != NULL) {
		pool->chains[class] = chain->next;
		*ret_count = chain->count;
		blocks = &chain->block;
	} else {
		*ret_count = WARDI_CHAIN;
		blocks = carve(pool, class);
	}
	pthread_mutex_unlock(&pool->mu);
	return blocks;
}

void wardi_pool_init(struct wardi_pool *pool, struct wardi_alloc *alloc)
{
	*pool = (struct wardi_pool){.alloc = alloc};
	pthread_mutex_init(&pool->mu, NULL);
	pthread_mutex_init(&pool->outside_mu, NULL);
	wardi_cache_init(&pool->outside, pool);
}

void wardi_pool_finish(struct wardi_pool *pool)
{
	while (pool->slabs != NULL) {
		struct wardi_slab *slab = pool->slabs;
		pool->slabs = slab->next;
		wardi_free(pool->alloc, slab, slab->size);
	}
	pthread_mutex_destroy(&pool->outside_mu);
	pthread_mutex_destroy(&pool->mu);
}

/* ---- caches ------------------------------------------------------------------------------ */

/* Where each block is an allocation of its own the caches never have one, nor room for one: so
 * only what is slow anyway must ask. */
void wardi_cache_init(struct wardi_cache *cache, struct wardi_pool *pool)
{
	*cache = (struct wardi_cache){.pool = pool};
	for (int class = 0; class < WARDI_BLOCK_CLASSES && !pool->alloc->separate; class ++)
		cache->lists[class].room = WARDI_CACHE_MAX;
}

/* What it would be if nothing were turned away. */
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
	/* Without room for any block it is none that keeps them. */
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
	for (int class = 0; class < WARDI_BLOCK_CLASSES; class ++) {
		struct wardi_cache_list *list = &cache->lists[class];
		if (list->free != NULL)
			depot_put(cache->pool, (enum wardi_block_class) class, list->free,
				  (uint32_t)(WARDI_CACHE_MAX - room_of(list)));
		if (list->away != NULL)
			depot_put(cache->pool, (enum wardi_block_class) class, list->away,
				  list->away_count);
		if (list->spare != NULL)
			depot_put(cache->pool, (enum wardi_block_class) class, list->spare,
				  WARDI_CHAIN);
	}
	wardi_cache_init(cache, cache->pool);
}

/* From an empty list: fills it, and takes the first. */
static void *cache_refill(struct wardi_cache *cache, enum wardi_block_class class)
{
	struct wardi_cache_list *list = &cache->lists[class];
	struct wardi_block *block = list->spare;
	uint32_t count = WARDI_CHAIN;

	if (block != NULL)
		list->spare = NULL;
	else
		block = depot_get(cache->pool, class, &count);
	if (block == NULL && list->away != NULL) { /* better than none */
		block = list->away;
		count = list->away_count;
		list->away = NULL;
		list->away_count = 0;
	}
	if (block == NULL)
		return NULL;
	list->free = block->next;
	/* without the one that is taken */
	set_room(list, (int32_t)(WARDI_CACHE_MAX + 1 - count));
	return block;
}

/* One of those that the cache does not keep. */
static void turn_away(struct wardi_cache *cache, enum wardi_block_class class,
		      struct wardi_block *block)
{
	struct wardi_cache_list *list = &cache->lists[class];
	int32_t room = room_of(list);

	block->next = list->away;
	list->away = block;
	list->away_left--;
	set_room(list, room);
	if (++list->away_count == WARDI_CHAIN) {
		depot_put(cache->pool, class, list->away, WARDI_CHAIN);
		list->away = NULL;
		list->away_count = 0;
	}
}

/* To a list without room: all but the last ones that came leave it, and are a chain. */
static void cache_complete(struct wardi_cache *cache, enum wardi_block_class class,
			   struct wardi_block *block)
{
	struct wardi_cache_list *list = &cache->lists[class];
	struct wardi_block *last = block;

	block->next = list->free;
	for (int kept = 1; kept < WARDI_CACHE_KEPT; kept++)
		last = last->next;
	if (list->spare != NULL)
		depot_put(cache->pool, class, list->spare, WARDI_CHAIN);
	list->spare = last->next;
	last->next = NULL;
	list->free = block;
	list->room = WARDI_CACHE_MAX - WARDI_CACHE_KEPT;
}

void *wardi_block_fetch(struct wardi_pool *pool, struct wardi_cache *cache,
			enum wardi_block_class class)
{
	void *block;

	wardi_assert(class < WARDI_BLOCK_CLASSES);
	if (pool->alloc->separate)
		return wardi_alloc(pool->alloc, block_sizes[class]);
	if (cache != NULL)
		return cache_refill(cache, class);
	pthread_mutex_lock(&pool->outside_mu);
	block = pool->outside.lists[class].free == NULL
			? cache_refill(&pool->outside, class)
			: wardi_block_get(pool, &pool->outside, class);
	pthread_mutex_unlock(&pool->outside_mu);
	return block;
}

void wardi_block_return(struct wardi_pool *pool, struct wardi_cache *cache,
			enum wardi_block_class class, void *block)
{
	wardi_assert(class < WARDI_BLOCK_CLASSES && block != NULL);
	if (pool->alloc->separate) {
		wardi_free(pool->alloc, block, block_sizes[class]);
	} else if (cache != NULL && cache->lists[class].away_left > 0) {
		turn_away(cache, class, block);
	} else if (cache != NULL) {
		cache_complete(cache, class, block);
	} else {
		pthread_mutex_lock(&pool->outside_mu);
		if (pool->outside.lists[class].room == 0)
			cache_complete(&pool->outside, class, block);
		else
			wardi_block_put(pool, &pool->outside, class, block);
		pthread_mutex_unlock(&pool->outside_mu);
	}
}
