/* SPDX-License-Identifier: MIT
 *
 * test_alloc.c - the allocator's counts and hooks, and the pool of small blocks on top of it.
 *
 * Method: an allocator that keeps its own books and can run dry; blocks written full, so that two
 * that overlap are found.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <ward/system.h>
#include <ward/testkit.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "base/random.h"

struct books {
	_Atomic uint64_t bytes;
	_Atomic uint64_t blocks;
	_Atomic int64_t left; /* so many more are granted */
};

static void *books_alloc(void *arg, size_t size)
{
	struct books *books = arg;

	if (books->left-- <= 0)
		return NULL;
	books->bytes += size;
	books->blocks++;
	return malloc(size);
}

static void books_free(void *arg, void *block, size_t size)
{
	struct books *books = arg;

	books->bytes -= size;
	books->blocks--;
	free(block);
}

static void init(struct wardi_alloc *alloc, struct books *books, bool separate)
{
	struct ward_allocator hooks = {books_alloc, books_free, books};

	*books = (struct books){.left = INT64_MAX};
	wardi_alloc_init(alloc, &hooks, separate);
	alloc->separate = separate; /* under AddressSanitizer too: both forms are to be tested */
}

WARD_TEST(alloc_counts_what_is_taken_and_given_back)
{
	struct wardi_alloc alloc;
	struct books books;

	init(&alloc, &books, false);
	char *block = wardi_alloc(&alloc, 100);
	char *zeroed = wardi_alloc_zeroed(&alloc, 50);
	ward_assert(block != NULL && zeroed != NULL);
	for (int i = 0; i < 50; i++)
		ward_assert_eq(zeroed[i], 0);
	ward_assert_eq(alloc.bytes, 150);
	ward_assert_eq(alloc.blocks, 2);
	ward_assert_eq(books.bytes, 150);
	books.left = 0;
	ward_assert(wardi_alloc(&alloc, 10) == NULL);
	ward_assert(wardi_alloc_zeroed(&alloc, 10) == NULL);
	ward_assert_eq(alloc.bytes, 150);
	wardi_free(&alloc, block, 100);
	wardi_free(&alloc, zeroed, 50);
	wardi_free(&alloc, NULL, 10);
	ward_assert_eq(alloc.bytes, 0);
	ward_assert_eq(alloc.blocks, 0);
	ward_assert_eq(books.blocks, 0);
}

static struct wardi_alloc_sum sum_of(struct wardi_alloc *alloc)
{
	return wardi_alloc_sum(alloc);
}

/* A thread with a share, which leaves some of its memory to others. */
struct lodger {
	struct wardi_alloc *alloc;
	void *given; /* by another thread */
	void *left;
};

static void *lodge(void *arg)
{
	struct lodger *lodger = arg;

	wardi_alloc_join(lodger->alloc);
	lodger->left = wardi_alloc(lodger->alloc, 30);
	wardi_free(lodger->alloc, lodger->given, 100);
	wardi_alloc_leave(lodger->alloc);
	return NULL;
}

/* The counters of the allocator are not written by it: two workers would fight for their line. */
WARD_TEST(alloc_share_counts_in_place_of_the_allocator)
{
	struct wardi_alloc alloc;
	struct books books;

	init(&alloc, &books, false);
	void *before = wardi_alloc(&alloc, 100);
	wardi_alloc_join(&alloc);
	void *block = wardi_alloc(&alloc, 30);
	ward_assert_eq(alloc.bytes, 100);
	ward_assert_eq(alloc.blocks, 1);
	ward_assert_eq(sum_of(&alloc).bytes, 130);
	ward_assert_eq(sum_of(&alloc).blocks, 2);
	wardi_free(&alloc, before, 100); /* the share is below 0 then */
	ward_assert_eq(sum_of(&alloc).bytes, 30);
	ward_assert_eq(sum_of(&alloc).blocks, 1);
	wardi_alloc_leave(&alloc);
	ward_assert_eq(alloc.bytes, 30);
	ward_assert_eq(alloc.blocks, 1);
	wardi_free(&alloc, block, 30);
	ward_assert_eq(sum_of(&alloc).bytes, 0);
	ward_assert_eq(sum_of(&alloc).blocks, 0);
	ward_assert_eq(books.bytes, 0);
}

WARD_TEST(alloc_shares_of_threads_that_have_ended_are_in_the_sum)
{
	enum { THREADS = 4 };
	struct wardi_alloc alloc;
	struct books books;
	struct lodger lodgers[THREADS];
	pthread_t threads[THREADS];

	init(&alloc, &books, false);
	for (int i = 0; i < THREADS; i++) {
		lodgers[i] = (struct lodger){.alloc = &alloc, .given = wardi_alloc(&alloc, 100)};
		ward_assert_eq(pthread_create(&threads[i], NULL, lodge, &lodgers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ward_assert_eq(sum_of(&alloc).bytes, THREADS * 30);
	ward_assert_eq(sum_of(&alloc).blocks, THREADS);
	ward_assert(alloc.shares == NULL);
	for (int i = 0; i < THREADS; i++)
		wardi_free(&alloc, lodgers[i].left, 30);
	ward_assert_eq(sum_of(&alloc).bytes, 0);
	ward_assert_eq(books.bytes, 0);
}

WARD_TEST(alloc_share_of_one_does_not_count_for_another)
{
	struct wardi_alloc one, other;
	struct books books, other_books;

	init(&one, &books, false);
	init(&other, &other_books, false);
	wardi_alloc_join(&one);
	wardi_alloc_join(&other); /* a thread has one share: this changes nothing */
	void *block = wardi_alloc(&other, 10);
	ward_assert_eq(sum_of(&one).bytes, 0);
	ward_assert_eq(sum_of(&other).bytes, 10);
	wardi_alloc_leave(&other);
	ward_assert_eq(sum_of(&other).bytes, 10);
	wardi_free(&other, block, 10);
	wardi_alloc_leave(&one);
	ward_assert_eq(sum_of(&other).bytes, 0);
	ward_assert(one.shares == NULL && other.shares == NULL);
}

WARD_TEST(alloc_without_hooks_uses_malloc)
{
	struct wardi_alloc alloc;

	wardi_alloc_init(&alloc, NULL, false);
	void *block = wardi_alloc(&alloc, 7);
	ward_assert(block != NULL);
	ward_assert_eq(alloc.bytes, 7);
	wardi_free(&alloc, block, 7);
	ward_assert_eq(alloc.bytes, 0);
}

WARD_TEST(alloc_of_a_huge_page_begins_with_one_and_ends_with_it)
{
	enum { PAGES = 5 };
	const size_t size = WARDI_HUGE_PAGE;
	struct wardi_alloc alloc;
	char *pages[PAGES];

	wardi_alloc_init(&alloc, NULL, false);
	for (int i = 0; i < PAGES; i++) {
		pages[i] = wardi_alloc_pages(&alloc, size);
		ward_assert(pages[i] != NULL);
		if (!alloc.separate) /* else AddressSanitizer is there, and it is malloc's */
			ward_assert_eq((uintptr_t)pages[i] % size, 0);
		memset(pages[i], i, size);
	}
	for (int i = 0; i < PAGES; i++) {
		ward_assert_eq(pages[i][0], i);
		ward_assert_eq(pages[i][size - 1], i);
		wardi_free_pages(&alloc, pages[i], size);
	}
	ward_assert_eq(alloc.bytes, 0);
}

WARD_TEST(pool_class_is_the_smallest_that_holds_the_size)
{
	ward_assert_eq(wardi_block_class_for(0), WARDI_BLOCK_32);
	ward_assert_eq(wardi_block_class_for(32), WARDI_BLOCK_32);
	ward_assert_eq(wardi_block_class_for(33), WARDI_BLOCK_48);
	ward_assert_eq(wardi_block_class_for(48), WARDI_BLOCK_48);
	ward_assert_eq(wardi_block_class_for(49), WARDI_BLOCK_80);
	ward_assert_eq(wardi_block_class_for(272), WARDI_BLOCK_272);
	ward_assert_eq(wardi_block_class_for(273), WARDI_BLOCK_CLASSES);
	ward_assert_eq(wardi_block_class_up_to(WARDI_BLOCK_4160, 273), WARDI_BLOCK_320);
	ward_assert_eq(wardi_block_class_up_to(WARDI_BLOCK_4160, 4160), WARDI_BLOCK_4160);
	ward_assert_eq(wardi_block_class_up_to(WARDI_BLOCK_4160, 4161), WARDI_BLOCK_CLASSES);
	for (int class = 0; class < WARDI_BLOCK_CLASSES; class ++)
		ward_assert_eq(
			wardi_block_class_up_to(WARDI_BLOCK_4160,
						wardi_block_size((enum wardi_block_class) class)),
			class);
}

/* What a worker may keep of a class: a full list, the spare, and a chain that is turned away. */
WARD_TEST(pool_caches_are_bounded_in_bytes)
{
	for (int i = 0; i < WARDI_BLOCK_CLASSES; i++) {
		enum wardi_block_class class = (enum wardi_block_class)i;
		size_t chain = wardi_block_chain(class) * wardi_block_size(class);

		ward_assert(wardi_block_chain(class) <= WARDI_CHAIN_MAX);
		ward_assert(chain <= 18 * 1024);
		ward_assert(2 * chain + wardi_cache_max(class) * wardi_block_size(class) <=
			    (size_t)100 * 1024);
		/* A chain is fresh from a slab that is not larger than eight pages. */
		ward_assert(chain + 64 <= 32 * 1024);
	}
}

enum { BLOCKS = 1000 };

/* Takes and gives back at random, each block full of its own number while it is out. */
static void exercise(struct wardi_pool *pool, struct wardi_cache *cache, uint64_t seed)
{
	struct {
		unsigned char *place;
		enum wardi_block_class class;
	} out[BLOCKS] = {{NULL, 0}};
	struct wardi_random random;

	wardi_random_init(&random, seed);
	for (int round = 0; round < 20 * BLOCKS; round++) {
		size_t i = (size_t)wardi_random_below(&random, BLOCKS);
		if (cache != NULL && i % 100 == 0)
			wardi_cache_turn_away(cache, (uint32_t)i / 10);
		if (out[i].place == NULL) {
			out[i].class = (enum wardi_block_class)wardi_random_below(
				&random, WARDI_BLOCK_CLASSES);
			out[i].place = wardi_block_get(pool, cache, out[i].class);
			ward_assert(out[i].place != NULL);
			ward_assert_eq((uintptr_t)out[i].place % 16, 0);
			memset(out[i].place, (int)(i & 0xff), wardi_block_size(out[i].class));
			continue;
		}
		for (size_t k = 0; k < wardi_block_size(out[i].class); k++)
			ward_assert_eq(out[i].place[k], i & 0xff);
		wardi_block_put(pool, cache, out[i].class, out[i].place);
		out[i].place = NULL;
	}
	for (int i = 0; i < BLOCKS; i++) {
		if (out[i].place != NULL)
			wardi_block_put(pool, cache, out[i].class, out[i].place);
	}
}

WARD_TEST(pool_blocks_do_not_overlap_and_all_memory_goes_back)
{
	for (int separate = 0; separate < 2; separate++) {
		struct wardi_alloc alloc;
		struct books books;
		struct wardi_pool pool;
		struct wardi_cache cache;

		init(&alloc, &books, separate);
		wardi_pool_init(&pool, &alloc);
		wardi_cache_init(&cache, &pool);
		exercise(&pool, &cache, 1);
		exercise(&pool, NULL, 2);
		wardi_cache_finish(&cache);
		if (separate)
			ward_assert_eq(books.blocks, 0);
		wardi_pool_finish(&pool);
		ward_assert_eq(books.blocks, 0);
		ward_assert_eq(alloc.bytes, 0);
	}
}

/* What one cache gave back another takes: memory stays flat however long the stream is. */
static void stream(enum wardi_block_class class)
{
	struct wardi_alloc alloc;
	struct books books;
	struct wardi_pool pool;
	struct wardi_cache from, to;

	init(&alloc, &books, false);
	wardi_pool_init(&pool, &alloc);
	wardi_cache_init(&from, &pool);
	wardi_cache_init(&to, &pool);
	for (int i = 0; i < 100000; i++) {
		void *block = wardi_block_get(&pool, &from, class);
		wardi_block_put(&pool, &to, class, block);
	}
	/* One chain at work and two put by on each side is all there can be. */
	ward_assert(alloc.blocks <= 5);
	wardi_cache_finish(&from);
	wardi_cache_finish(&to);
	wardi_pool_finish(&pool);
	ward_assert_eq(alloc.bytes, 0);
}

WARD_TEST(pool_stream_from_one_cache_to_another_needs_no_more_memory)
{
	for (int class = 0; class < WARDI_BLOCK_CLASSES; class ++)
		stream((enum wardi_block_class) class);
}

WARD_TEST(pool_without_memory_answers_null_and_goes_on_with_what_it_has)
{
	struct wardi_alloc alloc;
	struct books books;
	struct wardi_pool pool;
	struct wardi_cache cache;
	void *blocks[WARDI_CHAIN_MAX];

	init(&alloc, &books, false);
	wardi_pool_init(&pool, &alloc);
	wardi_cache_init(&cache, &pool);
	books.left = 0;
	ward_assert(wardi_block_get(&pool, &cache, WARDI_BLOCK_48) == NULL);
	ward_assert(wardi_block_get(&pool, NULL, WARDI_BLOCK_48) == NULL);
	books.left = 1;
	for (int i = 0; i < WARDI_CHAIN_MAX; i++) {
		blocks[i] = wardi_block_get(&pool, &cache, WARDI_BLOCK_48);
		ward_assert(blocks[i] != NULL);
	}
	ward_assert(wardi_block_get(&pool, &cache, WARDI_BLOCK_48) == NULL);
	wardi_block_put(&pool, &cache, WARDI_BLOCK_48, blocks[0]);
	ward_assert(wardi_block_get(&pool, &cache, WARDI_BLOCK_48) == blocks[0]);
	for (int i = 0; i < WARDI_CHAIN_MAX; i++)
		wardi_block_put(&pool, &cache, WARDI_BLOCK_48, blocks[i]);
	wardi_cache_finish(&cache);
	wardi_pool_finish(&pool);
	ward_assert_eq(alloc.bytes, 0);
}

/* Blocks of the list that go and come, `count` at a time: it is not filled anew, nor cut. */
static void go_to_and_fro(struct wardi_pool *pool, struct wardi_cache *cache, int count)
{
	const struct wardi_cache_list *list = &cache->lists[WARDI_BLOCK_144];
	const struct wardi_block *first = list->free, *spare = list->spare;
	void *blocks[WARDI_CACHE_KEPT];

	for (int i = 0; i < count; i++) {
		ward_assert(list->free != NULL);
		blocks[i] = wardi_block_get(pool, cache, WARDI_BLOCK_144);
	}
	while (count-- > 0) {
		ward_assert(list->room > 0);
		wardi_block_put(pool, cache, WARDI_BLOCK_144, blocks[count]);
	}
	ward_assert(list->free == first && list->spare == spare);
}

WARD_TEST(pool_list_that_was_filled_or_cut_has_and_takes_some_more)
{
	struct wardi_alloc alloc;
	struct books books;
	struct wardi_pool pool;
	struct wardi_cache cache;
	void *blocks[2 * WARDI_CHAIN_MAX];
	int taken = 0;

	init(&alloc, &books, false);
	wardi_pool_init(&pool, &alloc);
	wardi_cache_init(&cache, &pool);
	blocks[taken++] = wardi_block_get(&pool, &cache, WARDI_BLOCK_144);
	go_to_and_fro(&pool, &cache, WARDI_CACHE_KEPT);
	/* To the last one of a chain, and the first one of the next. */
	while (taken <= WARDI_CHAIN_MAX)
		blocks[taken++] = wardi_block_get(&pool, &cache, WARDI_BLOCK_144);
	for (int count = 0; count < WARDI_CACHE_KEPT; count++)
		wardi_block_put(&pool, &cache, WARDI_BLOCK_144, blocks[--taken]);
	ward_assert(cache.lists[WARDI_BLOCK_144].spare == NULL);
	wardi_block_put(&pool, &cache, WARDI_BLOCK_144, blocks[--taken]);
	ward_assert(cache.lists[WARDI_BLOCK_144].spare != NULL);
	go_to_and_fro(&pool, &cache, WARDI_CACHE_KEPT);
	while (taken > 0)
		wardi_block_put(&pool, &cache, WARDI_BLOCK_144, blocks[--taken]);
	wardi_cache_finish(&cache);
	wardi_pool_finish(&pool);
	ward_assert_eq(alloc.bytes, 0);
}

/* States of actors that were made together may be used by two workers; messages are read in the
 * order in which they were sent. */
WARD_TEST(pool_fresh_states_are_no_neighbours_and_fresh_messages_are)
{
	struct wardi_alloc alloc;
	struct books books;
	struct wardi_pool pool;
	struct wardi_cache cache;

	init(&alloc, &books, false);
	wardi_pool_init(&pool, &alloc);
	wardi_cache_init(&cache, &pool);
	for (int class = 0; class < WARDI_BLOCK_CLASSES; class ++) {
		uintptr_t size = wardi_block_size((enum wardi_block_class) class), before = 0;
		for (uint32_t i = 0; i < wardi_block_chain((enum wardi_block_class) class); i++) {
			uintptr_t at = (uintptr_t)wardi_block_get(&pool, &cache,
								  (enum wardi_block_class) class);
			ward_assert(at != 0);
			if (i > 0 && class == WARDI_BLOCK_32)
				ward_assert(at > before + size || at + size < before);
			else if (i > 0)
				ward_assert_eq(at, before + size);
			before = at;
		}
	}
	wardi_cache_finish(&cache);
	wardi_pool_finish(&pool);
	ward_assert_eq(alloc.bytes, 0);
}

/* Those that are turned away another cache gets, and this one only when there is nothing else. */
WARD_TEST(pool_blocks_turned_away_do_not_come_back)
{
	enum { AWAY = 10 };
	struct wardi_alloc alloc;
	struct books books;
	struct wardi_pool pool;
	struct wardi_cache cache;
	void *blocks[WARDI_CHAIN_MAX];

	init(&alloc, &books, false);
	books.left = 1;
	wardi_pool_init(&pool, &alloc);
	wardi_cache_init(&cache, &pool);
	for (int i = 0; i < WARDI_CHAIN_MAX; i++) {
		blocks[i] = wardi_block_get(&pool, &cache, WARDI_BLOCK_48);
		ward_assert(blocks[i] != NULL);
	}
	wardi_cache_turn_away(&cache, AWAY);
	for (int i = 0; i <= AWAY; i++)
		wardi_block_put(&pool, &cache, WARDI_BLOCK_48, blocks[i]);
	ward_assert(cache.lists[WARDI_BLOCK_48].free == blocks[AWAY]);
	ward_assert(wardi_block_get(&pool, &cache, WARDI_BLOCK_48) == blocks[AWAY]);
	/* There is no more memory. */
	for (int i = AWAY - 1; i >= 0; i--)
		ward_assert(wardi_block_get(&pool, &cache, WARDI_BLOCK_48) == blocks[i]);
	ward_assert(wardi_block_get(&pool, &cache, WARDI_BLOCK_48) == NULL);
	wardi_cache_turn_away(&cache, WARDI_CHAIN_MAX);
	for (int i = 0; i < WARDI_CHAIN_MAX; i++)
		wardi_block_put(&pool, &cache, WARDI_BLOCK_48, blocks[i]);
	ward_assert(cache.lists[WARDI_BLOCK_48].free == NULL);
	ward_assert(wardi_block_get(&pool, NULL, WARDI_BLOCK_48) == blocks[WARDI_CHAIN_MAX - 1]);
	wardi_cache_finish(&cache);
	wardi_pool_finish(&pool);
	ward_assert_eq(alloc.bytes, 0);
}

struct sharer {
	struct wardi_pool *pool;
	uint64_t seed;
	bool outside;
};

static void *share(void *arg)
{
	struct sharer *sharer = arg;
	struct wardi_cache cache;

	wardi_cache_init(&cache, sharer->pool);
	exercise(sharer->pool, sharer->outside ? NULL : &cache, sharer->seed);
	wardi_cache_finish(&cache);
	return NULL;
}

WARD_TEST(pool_is_shared_by_caches_and_threads_outside)
{
	struct wardi_alloc alloc;
	struct books books;
	struct wardi_pool pool;
	pthread_t threads[4];
	struct sharer sharers[4];

	init(&alloc, &books, false);
	wardi_pool_init(&pool, &alloc);
	for (uint64_t i = 0; i < 4; i++) {
		sharers[i] = (struct sharer){&pool, i, i >= 2};
		ward_assert_eq(pthread_create(&threads[i], NULL, share, &sharers[i]), 0);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	wardi_pool_finish(&pool);
	ward_assert_eq(alloc.bytes, 0);
	ward_assert_eq(books.blocks, 0);
}

WARD_TEST_MAIN
