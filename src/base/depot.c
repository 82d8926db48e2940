/* SPDX-License-Identifier: MIT
 *
 * depot.c - the common stock of free blocks behind all caches, and the slabs they are cut from.
 *
 *        put                    tidy                          all of its blocks are there
 *      -------> chains  --------------------> slabs that have -----------------> allocator
 *      <-------    |    surplus: what stayed  blocks in hand
 *        get       |    for a whole period        |
 *                  +--- none --> they <-----------+
 *                                 +---- none --> the rest of the last slab, a new slab
 *
 * A chain has up to 64 blocks of one class, from any slabs; of large blocks it has fewer, so that a
 * cache holds a few dozen KiB of each class. Slabs grow from SLAB_MIN bytes to a huge page, and the
 * part that is not carved yet is not touched: a small system takes little memory, and a large one
 * seldom asks for more.
 *
 * Returning memory costs senders nothing: a block does not know its slab. The depot records the
 * least number of chains in a period; that many were never needed, and an idle worker takes them
 * apart: each block goes to its slab, found by its address. A load that comes and goes within a
 * period leaves no surplus, and so keeps its memory. New chains come first from blocks that are
 * back in their slabs, slab by slab, so that slabs which are nearly empty get empty.
 *
 * Slabs are found by address, but no work is done in the order of addresses: a simulation would not
 * repeat it.
 *
 * Slabs are made under mu, and freed without it.
 */
#include "base/depot.h"

#include <string.h>

#include "base/assert.h"

/* The first block of a chain: written over that free block. */
struct wardi_block_chain {
	struct wardi_block block; /* the blocks of this chain */
	struct wardi_block_chain *next;
	uint32_t count;
};

/* The head of a slab; its blocks follow, 16-aligned like the slab. */
struct wardi_slab {
	_Alignas(16) struct wardi_slab
		*next;            /* among slabs with blocks in hand, or slabs to be freed */
	struct wardi_slab **link; /* the pointer to it in that list */
	struct wardi_block *free; /* blocks in hand */
	uint32_t free_count;
	uint32_t count; /* blocks carved from it */
	uint32_t size;
	enum wardi_block_class class;
	bool paced; /* of small pages, which are fetched a few at a time */
};

enum {
	SLAB_MIN = 4096,
	SLAB_MAX = WARDI_HUGE_PAGE,
	/* Chains that are taken apart at once, under mu: some microseconds. */
	LOOK_CHAINS = 16
};

const struct wardi_block_kind wardi_block_kinds[] = {
	[WARDI_BLOCK_48] = {48, 64},     [WARDI_BLOCK_80] = {80, 64},
	[WARDI_BLOCK_144] = {144, 64},   [WARDI_BLOCK_272] = {272, 64},
	[WARDI_BLOCK_320] = {320, 32},   [WARDI_BLOCK_448] = {448, 32},
	[WARDI_BLOCK_576] = {576, 16},   [WARDI_BLOCK_832] = {832, 16},
	[WARDI_BLOCK_1088] = {1088, 16}, [WARDI_BLOCK_1600] = {1600, 8},
	[WARDI_BLOCK_2112] = {2112, 8},  [WARDI_BLOCK_3136] = {3136, 4},
	[WARDI_BLOCK_4160] = {4160, 4},  [WARDI_BLOCK_32] = {32, WARDI_CHAIN_MAX},
};
_Static_assert(sizeof(wardi_block_kinds) / sizeof(wardi_block_kinds[0]) == WARDI_BLOCK_CLASSES,
	       "one kind for each class");
_Static_assert(sizeof(struct wardi_block_chain) <= 32, "a chain's head fits the smallest block");
_Static_assert(sizeof(struct wardi_slab) % 16 == 0, "blocks in a slab are 16-aligned");

void wardi_depot_init(struct wardi_depot *depot, struct wardi_alloc *alloc)
{
	*depot = (struct wardi_depot){.alloc = alloc, .period_end_ns = INT64_MAX};
	depot->slabs = depot->few;
	depot->slabs_max = WARDI_DEPOT_FEW;
	wardi_mutex_init(&depot->mu, WARDI_LOCK_DEPOT);
}

static void *slab_memory(struct wardi_alloc *alloc, size_t bytes, bool brief)
{
	if (bytes < SLAB_MAX)
		return wardi_alloc(alloc, bytes);
	return brief ? wardi_alloc_small_pages(alloc, bytes) : wardi_alloc_pages(alloc, bytes);
}

static struct wardi_slab *make_slab(struct wardi_depot *depot, size_t bytes,
				    enum wardi_block_class class, bool brief)
{
	struct wardi_slab *slab = slab_memory(depot->alloc, bytes, brief);

	if (slab != NULL)
		*slab = (struct wardi_slab){.size = (uint32_t)bytes,
					    .class = class,
					    .paced = brief && bytes == SLAB_MAX};
	return slab;
}

static void free_slab(struct wardi_depot *depot, struct wardi_slab *slab)
{
	if (slab->size == SLAB_MAX)
		wardi_free_pages(depot->alloc, slab, slab->size);
	else
		wardi_free(depot->alloc, slab, slab->size);
}

static void free_index(struct wardi_depot *depot)
{
	if (depot->slabs != depot->few)
		wardi_free(depot->alloc, depot->slabs, depot->slabs_max * sizeof(*depot->slabs));
}

void wardi_depot_finish(struct wardi_depot *depot)
{
	for (size_t i = 0; i < depot->slabs_count; i++)
		free_slab(depot, depot->slabs[i]);
	free_index(depot);
	wardi_mutex_destroy(&depot->mu);
}

/* ---- slabs; all under mu ----------------------------------------------------------------- */

/* Returns how many slabs begin at this address or below. */
static size_t slabs_up_to(const struct wardi_depot *depot, const void *at)
{
	size_t from = 0, to = depot->slabs_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if ((uintptr_t)depot->slabs[middle] <= (uintptr_t)at)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Makes room for a slab in the array. False: no memory. */
static bool keep_place(struct wardi_depot *depot)
{
	size_t max = 2 * depot->slabs_max;
	struct wardi_slab **slabs;

	if (depot->slabs_count < depot->slabs_max)
		return true;
	slabs = wardi_alloc(depot->alloc, max * sizeof(*slabs));
	if (slabs == NULL)
		return false;
	memcpy(slabs, depot->slabs, depot->slabs_count * sizeof(*slabs));
	free_index(depot);
	depot->slabs = slabs;
	depot->slabs_max = max;
	return true;
}

static void enter_slab(struct wardi_depot *depot, struct wardi_slab *slab)
{
	size_t place = slabs_up_to(depot, slab);

	memmove(&depot->slabs[place + 1], &depot->slabs[place],
		(depot->slabs_count - place) * sizeof(*depot->slabs));
	depot->slabs[place] = slab;
	depot->slabs_count++;
}

static void forget_slab(struct wardi_depot *depot, const struct wardi_slab *slab)
{
	size_t place = slabs_up_to(depot, slab) - 1;

	wardi_assert(depot->slabs[place] == slab);
	depot->slabs_count--;
	memmove(&depot->slabs[place], &depot->slabs[place + 1],
		(depot->slabs_count - place) * sizeof(*depot->slabs));
}

/* Returns how many chains a slab of this size holds. */
static uint32_t chains_in(size_t bytes, enum wardi_block_class class)
{
	return (uint32_t)((bytes - sizeof(struct wardi_slab)) /
			  (wardi_block_chain(class) * wardi_block_size(class)));
}

/* Adds a slab, twice as large as the last; without memory for that, as large as possible. False: no
 * memory, not even for a chain. */
static bool add_slab(struct wardi_depot *depot, enum wardi_block_class class, bool brief)
{
	struct wardi_shelf *shelf = &depot->shelves[class];
	size_t bytes = shelf->slab_bytes == 0 ? SLAB_MIN : 2 * shelf->slab_bytes;
	struct wardi_slab *slab = NULL;

	while (chains_in(bytes, class) == 0)
		bytes *= 2;
	if (bytes > SLAB_MAX)
		bytes = SLAB_MAX;
	if (!keep_place(depot))
		return false;
	for (; slab == NULL && chains_in(bytes, class) > 0; bytes /= 2)
		slab = make_slab(depot, bytes, class, brief);
	if (slab == NULL)
		return false;
	enter_slab(depot, slab);
	shelf->carved = slab;
	shelf->rest = (char *)(slab + 1);
	shelf->rest_chains = chains_in(slab->size, class);
	shelf->slab_bytes = slab->size;
	shelf->slabs++;
	return true;
}

/* Blocks for messages and bodies in order: they are read in that order. */
static struct wardi_block *link_in_order(char *from, size_t size, uint32_t count)
{
	struct wardi_block *first = NULL;

	for (char *at = from + size * count; at != from;) {
		at -= size;
		void *place = at;
		struct wardi_block *block = place;
		block->next = first;
		first = block;
	}
	return first;
}

/* Blocks for states: every second one first, so that two that are taken one after the other share
 * no cache line: two actors that were spawned together may run on two workers. */
static struct wardi_block *link_apart(char *from, size_t size, uint32_t count)
{
	struct wardi_block *first = NULL;

	for (uint32_t i = count; i-- > 0;) {
		uint32_t nth = i < count / 2 ? 2 * i : 2 * i + 1 - count;
		void *place = from + nth * size;
		struct wardi_block *block = place;
		block->next = first;
		first = block;
	}
	return first;
}

/* `from`: where the last chain begins. */
static void pace(const struct wardi_depot *depot, const struct wardi_shelf *shelf, const char *from)
{
	const char *end = (const char *)shelf->carved + shelf->carved->size;

	if ((uintptr_t)from / WARDI_PAGES_PACE != (uintptr_t)shelf->rest / WARDI_PAGES_PACE &&
	    end - shelf->rest >= 2 * WARDI_PAGE)
		wardi_alloc_pace(depot->alloc, shelf->rest);
}

/* Returns a chain of blocks that were never used. NULL: no memory. */
static struct wardi_block *carve(struct wardi_depot *depot, enum wardi_block_class class,
				 bool brief)
{
	struct wardi_shelf *shelf = &depot->shelves[class];
	const size_t size = wardi_block_size(class);
	const uint32_t chain = wardi_block_chain(class);
	char *from;

	if (shelf->rest_chains == 0 && !add_slab(depot, class, brief))
		return NULL;
	from = shelf->rest;
	shelf->rest += chain * size;
	shelf->rest_chains--;
	shelf->carved->count += chain;
	if (shelf->carved->paced)
		pace(depot, shelf, from);
	return class == WARDI_BLOCK_32 ? link_apart(from, size, chain)
				       : link_in_order(from, size, chain);
}

/* ---- blocks back in their slab; all under mu --------------------------------------------- */

static void link_slab(struct wardi_shelf *shelf, struct wardi_slab *slab)
{
	slab->next = shelf->sorted;
	slab->link = &shelf->sorted;
	if (slab->next != NULL)
		slab->next->link = &slab->next;
	shelf->sorted = slab;
}

static void unlink_slab(struct wardi_slab *slab)
{
	*slab->link = slab->next;
	if (slab->next != NULL)
		slab->next->link = slab->link;
}

/* Returns `most` blocks, or all that one slab has. NULL: no slab has any. */
static struct wardi_block *take_sorted(struct wardi_shelf *shelf, uint32_t most,
				       uint32_t *ret_count)
{
	struct wardi_slab *slab = shelf->sorted;
	struct wardi_block *first = NULL;
	uint32_t count = 0;

	if (slab == NULL)
		return NULL;
	for (; count < most && slab->free != NULL; count++) {
		struct wardi_block *block = slab->free;

		slab->free = block->next;
		block->next = first;
		first = block;
	}
	slab->free_count -= count;
	if (slab->free == NULL)
		unlink_slab(slab);
	*ret_count = count;
	return first;
}

/* Takes out a slab of which no block is in use. */
static void retire(struct wardi_depot *depot, struct wardi_slab *slab)
{
	struct wardi_shelf *shelf = &depot->shelves[slab->class];

	unlink_slab(slab);
	forget_slab(depot, slab);
	if (shelf->carved == slab) {
		shelf->carved = NULL;
		shelf->rest_chains = 0;
	}
	if (--shelf->slabs == 0)
		shelf->slab_bytes = 0;
}

static struct wardi_slab *slab_of(const struct wardi_depot *depot, const struct wardi_block *block)
{
	struct wardi_slab *slab;
	size_t place = slabs_up_to(depot, block);

	wardi_assert(place > 0);
	slab = depot->slabs[place - 1];
	wardi_assert((uintptr_t)block - (uintptr_t)slab < slab->size);
	return slab;
}

/* Returns each block of a chain to its slab. A slab that is then complete is put before `gone`. */
static void sort_chain(struct wardi_depot *depot, struct wardi_block *block,
		       struct wardi_slab **gone)
{
	struct wardi_slab *slab = NULL;

	for (struct wardi_block *next; block != NULL; block = next) {
		next = block->next;
		/* The next block mostly has the same slab. */
		if (slab == NULL || (uintptr_t)block - (uintptr_t)slab >= slab->size)
			slab = slab_of(depot, block);
		block->next = slab->free;
		slab->free = block;
		if (slab->free_count++ == 0)
			link_slab(&depot->shelves[slab->class], slab);
		if (slab->free_count < slab->count)
			continue;
		retire(depot, slab);
		slab->next = *gone;
		*gone = slab;
		slab = NULL;
	}
}

/* ---- chains ------------------------------------------------------------------------------ */

/* Under mu. NULL: there is none. */
static struct wardi_block_chain *take_chain(struct wardi_shelf *shelf)
{
	struct wardi_block_chain *chain = shelf->chains;

	if (chain == NULL)
		return NULL;
	shelf->chains = chain->next;
	if (--shelf->count < shelf->least)
		shelf->least = shelf->count;
	return chain;
}

void wardi_depot_put(struct wardi_depot *depot, enum wardi_block_class class,
		     struct wardi_block *blocks, uint32_t count)
{
	struct wardi_block_chain *chain = (struct wardi_block_chain *)(void *)blocks;
	struct wardi_shelf *shelf = &depot->shelves[class];

	chain->count = count;
	wardi_mutex_lock(&depot->mu);
	chain->next = shelf->chains;
	shelf->chains = chain;
	shelf->count++;
	wardi_mutex_unlock(&depot->mu);
}

struct wardi_block *wardi_depot_get(struct wardi_depot *depot, enum wardi_block_class class,
				    bool brief, uint32_t *ret_count)
{
	struct wardi_shelf *shelf = &depot->shelves[class];
	struct wardi_block *blocks;

	wardi_mutex_lock(&depot->mu);
	struct wardi_block_chain *chain = take_chain(shelf);
	if (chain != NULL) {
		*ret_count = chain->count;
		blocks = &chain->block;
	} else if ((blocks = take_sorted(shelf, wardi_block_chain(class), ret_count)) == NULL) {
		*ret_count = wardi_block_chain(class);
		blocks = carve(depot, class, brief);
	}
	wardi_mutex_unlock(&depot->mu);
	return blocks;
}

/* ---- giving back ------------------------------------------------------------------------- */

static bool has_surplus(const struct wardi_depot *depot)
{
	for (int class = 0; class < WARDI_BLOCK_CLASSES; class ++)
		if (depot->shelves[class].surplus > 0)
			return true;
	return false;
}

/* Returns the bytes of all chains, about. */
static size_t loose_bytes(const struct wardi_depot *depot)
{
	size_t bytes = 0;

	for (int class = 0; class < WARDI_BLOCK_CLASSES; class ++)
		bytes += (size_t)depot->shelves[class].count * wardi_block_kinds[class].chain *
			 wardi_block_kinds[class].size;
	return bytes;
}

/* Begins a period, and ends the last if one ran: chains that were never needed in it are
 * surplus. */
static void begin_period(struct wardi_depot *depot, int64_t now_ns)
{
	for (int class = 0; class < WARDI_BLOCK_CLASSES; class ++) {
		struct wardi_shelf *shelf = &depot->shelves[class];

		if (depot->period_end_ns != INT64_MAX)
			shelf->surplus = shelf->least;
		shelf->least = shelf->count;
	}
	depot->period_end_ns = now_ns + WARDI_DEPOT_PERIOD_NS;
}

/* Under mu: returns when there is something to do. A few blocks are no reason to begin, but one to
 * go on: the blocks that were put last may each keep a slab. */
static int64_t plan(struct wardi_depot *depot, int64_t now_ns)
{
	const size_t owns_block = loose_bytes(depot);
	const bool much = owns_block >= WARDI_DEPOT_LOOSE_MIN;
	const bool runs = depot->period_end_ns != INT64_MAX;

	if (has_surplus(depot))
		return now_ns;
	if (much || (runs && owns_block > 0)) {
		if (runs && now_ns < depot->period_end_ns)
			return depot->period_end_ns;
		begin_period(depot, now_ns);
		if (has_surplus(depot))
			return now_ns;
		if (much || !runs)
			return depot->period_end_ns;
		/* The few chains left are needed now and then. */
	}
	depot->period_end_ns = INT64_MAX;
	return INT64_MAX;
}

int64_t wardi_depot_due(struct wardi_depot *depot)
{
	int64_t at_ns = INT64_MAX;

	wardi_mutex_lock(&depot->mu);
	const size_t owns_block = loose_bytes(depot);
	if (has_surplus(depot) ||
	    (depot->period_end_ns == INT64_MAX && owns_block >= WARDI_DEPOT_LOOSE_MIN))
		at_ns = INT64_MIN + 1;
	else if (owns_block > 0)
		at_ns = depot->period_end_ns;
	wardi_mutex_unlock(&depot->mu);
	return at_ns;
}

/* Under mu: takes apart some of the surplus. */
static void look_through(struct wardi_depot *depot, struct wardi_slab **gone)
{
	int left = LOOK_CHAINS;

	for (int class = 0; class < WARDI_BLOCK_CLASSES; class ++) {
		struct wardi_shelf *shelf = &depot->shelves[class];

		for (; shelf->surplus > 0 && left > 0; left--) {
			struct wardi_block_chain *chain = take_chain(shelf);

			/* The chain may have been needed after all. */
			shelf->surplus = chain == NULL ? 0 : shelf->surplus - 1;
			if (chain != NULL)
				sort_chain(depot, &chain->block, gone);
		}
	}
}

int64_t wardi_depot_tidy(struct wardi_depot *depot, int64_t now_ns)
{
	struct wardi_slab *gone = NULL;

	wardi_mutex_lock(&depot->mu);
	int64_t at_ns = plan(depot, now_ns);
	if (at_ns <= now_ns)
		look_through(depot, &gone);
	wardi_mutex_unlock(&depot->mu);
	for (struct wardi_slab *slab; (slab = gone) != NULL;) {
		gone = slab->next;
		free_slab(depot, slab);
	}
	return at_ns;
}
