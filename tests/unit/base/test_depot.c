/* SPDX-License-Identifier: MIT
 *
 * test_depot.c - memory goes back after a burst, stays with a load that breathes, and is never cut
 * twice.
 *
 * Method: an allocator that keeps its own books; time is a number that the test counts up.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <ward/system.h>
#include <ward/testkit.h>

#include "base/pool.h"
#include "base/random.h"

enum { BURST = 300 * 1000, SOME = 100 };
/* Of large blocks there are fewer in a burst. */
enum { BURST_BYTES = 80 << 20 };
#define PERIOD WARDI_DEPOT_PERIOD_NS

struct books {
	_Atomic int64_t granted; /* so far */
	_Atomic int64_t left;    /* to be granted yet */
};

static void *books_alloc(void *arg, size_t size)
{
	struct books *books = arg;

	if (books->left <= 0)
		return NULL;
	books->left--;
	books->granted++;
	return malloc(size);
}

static void books_free(void *arg, void *block, size_t size)
{
	(void)arg;
	memset(block, 0xee, size); /* what is used after this is found */
	free(block);
}

struct fixture {
	struct books books;
	struct wardi_alloc alloc;
	struct wardi_pool pool;
	struct wardi_cache cache;
	void **blocks;
};

static void begin(struct fixture *it)
{
	struct ward_allocator hooks = {books_alloc, books_free, &it->books};

	*it = (struct fixture){.books = {.left = INT64_MAX}};
	wardi_alloc_init(&it->alloc, &hooks, false);
	it->alloc.separate = false; /* under AddressSanitizer, too */
	wardi_pool_init(&it->pool, &it->alloc);
	wardi_cache_init(&it->cache, &it->pool);
	it->blocks = malloc(BURST * sizeof(*it->blocks));
	ward_assert(it->blocks != NULL);
}

static void end(struct fixture *it)
{
	wardi_cache_finish(&it->cache);
	wardi_pool_finish(&it->pool);
	ward_assert_eq(it->alloc.bytes, 0);
	free(it->blocks);
}

/* Each block is full of its number. */
static void take(struct fixture *it, enum wardi_block_class class, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		it->blocks[i] = wardi_block_get(&it->pool, &it->cache, class);
		ward_assert(it->blocks[i] != NULL);
		memset(it->blocks[i], (int)(i & 0xff), wardi_block_size(class));
	}
}

static void put(struct fixture *it, enum wardi_block_class class, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		unsigned char *bytes = it->blocks[i];

		ward_assert_eq(bytes[0], i & 0xff);
		ward_assert_eq(bytes[wardi_block_size(class) - 1], i & 0xff);
		wardi_block_put(&it->pool, &it->cache, class, bytes);
	}
}

/* Everything that can be done at this time. Returns when there is more. */
static int64_t tidy(struct fixture *it, int64_t now_ns)
{
	int64_t at_ns;

	wardi_cache_finish(&it->cache);
	do
		at_ns = wardi_pool_tidy(&it->pool, now_ns);
	while (at_ns <= now_ns);
	return at_ns;
}

WARD_TEST(depot_after_a_burst_has_nothing_left)
{
	for (int class = 0; class < WARDI_BLOCK_CLASSES; class ++) {
		struct fixture it;
		const size_t size = wardi_block_size((enum wardi_block_class) class);
		const uint32_t count =
			(uint32_t)(size < BURST_BYTES / BURST ? BURST : BURST_BYTES / size);

		begin(&it);
		take(&it, (enum wardi_block_class) class, 0, count);
		ward_assert(it.alloc.bytes >= (int64_t)(count * size));
		put(&it, (enum wardi_block_class) class, 0, count);
		ward_assert_eq(tidy(&it, 1), 1 + PERIOD);
		ward_assert(it.alloc.blocks > 5);
		ward_assert_eq(tidy(&it, PERIOD), 1 + PERIOD);
		ward_assert(it.alloc.blocks > 5);
		ward_assert_eq(tidy(&it, 1 + PERIOD), INT64_MAX);
		/* The index of slabs has grown. */
		ward_assert(it.alloc.blocks <= 1);
		ward_assert(it.alloc.bytes < 4096);
		take(&it, (enum wardi_block_class) class, 0, 1);
		ward_assert(it.alloc.bytes < 64 * 1024); /* it begins small again */
		put(&it, (enum wardi_block_class) class, 0, 1);
		end(&it);
	}
}

WARD_TEST(depot_of_a_small_system_is_never_looked_through)
{
	struct fixture it;

	begin(&it);
	take(&it, WARDI_BLOCK_48, 0, SOME);
	put(&it, WARDI_BLOCK_48, 0, SOME);
	ward_assert_eq(tidy(&it, 1), INT64_MAX);
	ward_assert_eq(tidy(&it, 1 + 2 * PERIOD), INT64_MAX);
	ward_assert(it.alloc.blocks > 0);
	end(&it);
}

WARD_TEST(depot_with_separate_blocks_has_nothing_to_do)
{
	struct fixture it;

	begin(&it);
	it.alloc.separate = true;
	ward_assert_eq(wardi_pool_tidy(&it.pool, 1), INT64_MAX);
	it.alloc.separate = false;
	end(&it);
}

/* Up and down within a period, for ever: no slab comes or goes. */
WARD_TEST(depot_of_a_load_that_breathes_keeps_its_memory)
{
	struct fixture it;
	int64_t granted = 0, now_ns = 1;

	begin(&it);
	for (int breath = 0; breath < 20; breath++, now_ns += PERIOD / 3) {
		take(&it, WARDI_BLOCK_80, 0, BURST / 4);
		put(&it, WARDI_BLOCK_80, 0, BURST / 4);
		(void)tidy(&it, now_ns);
		if (breath == 0)
			granted = it.books.granted;
	}
	ward_assert_eq(it.books.granted, granted);
	/* Then it breathes less deeply: what it does not reach goes. */
	for (int breath = 0; breath < 20; breath++, now_ns += PERIOD / 3) {
		take(&it, WARDI_BLOCK_80, 0, BURST / 40);
		put(&it, WARDI_BLOCK_80, 0, BURST / 40);
		(void)tidy(&it, now_ns);
	}
	ward_assert(it.alloc.bytes < (int64_t)(BURST / 8 * wardi_block_size(WARDI_BLOCK_80)));
	end(&it);
}

/* One block keeps its slab, whose others are used again before there is a new one. */
WARD_TEST(depot_keeps_the_slab_of_a_block_in_use_and_uses_the_others)
{
	struct fixture it;
	uint64_t bytes;

	begin(&it);
	take(&it, WARDI_BLOCK_48, 0, BURST);
	put(&it, WARDI_BLOCK_48, 0, BURST / 2);
	put(&it, WARDI_BLOCK_48, BURST / 2 + 1, BURST);
	(void)tidy(&it, 1);
	ward_assert_eq(tidy(&it, 1 + PERIOD), INT64_MAX);
	bytes = it.alloc.bytes;
	ward_assert(bytes >= WARDI_HUGE_PAGE && bytes < WARDI_HUGE_PAGE + 4096);
	take(&it, WARDI_BLOCK_48, 0, BURST / 16);
	ward_assert_eq(it.alloc.bytes, bytes);
	put(&it, WARDI_BLOCK_48, BURST / 2, BURST / 2 + 1);
	put(&it, WARDI_BLOCK_48, 0, BURST / 16);
	(void)tidy(&it, 2 + PERIOD);
	(void)tidy(&it, 2 + 2 * PERIOD);
	ward_assert(it.alloc.bytes < 4096);
	end(&it);
}

/* What came back while it looked through, and what was needed meanwhile. */
WARD_TEST(depot_is_used_while_it_is_looked_through)
{
	struct fixture it;
	struct wardi_random random;
	bool out[BURST / 10] = {false};
	int64_t now_ns = 1;

	begin(&it);
	wardi_random_init(&random, ward_test_seed());
	take(&it, WARDI_BLOCK_144, BURST / 10, BURST);
	put(&it, WARDI_BLOCK_144, BURST / 10, BURST);
	for (int round = 0; round < 40 * 1000; round++) {
		uint32_t i = (uint32_t)wardi_random_below(&random, BURST / 10);

		if (out[i])
			put(&it, WARDI_BLOCK_144, i, i + 1);
		else
			take(&it, WARDI_BLOCK_144, i, i + 1);
		out[i] = !out[i];
		now_ns += PERIOD / 10000;
		if (round % 10 == 0)
			(void)wardi_pool_tidy(&it.pool, now_ns);
	}
	for (uint32_t i = 0; i < BURST / 10; i++)
		if (out[i])
			put(&it, WARDI_BLOCK_144, i, i + 1);
	(void)tidy(&it, now_ns + 1);
	(void)tidy(&it, now_ns + 2 * PERIOD);
	(void)tidy(&it, now_ns + 4 * PERIOD);
	ward_assert(it.alloc.bytes < 4096);
	end(&it);
}

/* The index needs memory, too: where there is none, nothing is lost. */
WARD_TEST(depot_without_memory_goes_on_with_what_it_has)
{
	for (int64_t left = 0; left < 25; left++) {
		struct fixture it;
		uint32_t count = 0;

		begin(&it);
		it.books.left = left;
		while (count < BURST) {
			it.blocks[count] = wardi_block_get(&it.pool, &it.cache, WARDI_BLOCK_272);
			if (it.blocks[count] == NULL)
				break;
			memset(it.blocks[count], (int)(count & 0xff),
			       wardi_block_size(WARDI_BLOCK_272));
			count++;
		}
		ward_assert(count < BURST);
		put(&it, WARDI_BLOCK_272, 0, count);
		(void)tidy(&it, 1);
		(void)tidy(&it, 1 + PERIOD);
		ward_assert(count < 1000 || it.alloc.bytes < 4096);
		end(&it);
	}
}

static void *breathe(void *arg)
{
	enum { MINE = 20 * 1000 };
	struct fixture *it = arg;
	struct wardi_cache cache;
	static _Thread_local void *blocks[MINE];

	wardi_cache_init(&cache, &it->pool);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < MINE; i++) {
			blocks[i] = wardi_block_get(&it->pool, round % 4 == 0 ? NULL : &cache,
						    WARDI_BLOCK_48);
			ward_assert(blocks[i] != NULL);
			memset(blocks[i], round, wardi_block_size(WARDI_BLOCK_48));
		}
		for (int i = 0; i < MINE; i++) {
			ward_assert_eq(*(char *)blocks[i], round);
			wardi_block_put(&it->pool, round % 4 == 1 ? NULL : &cache, WARDI_BLOCK_48,
					blocks[i]);
		}
	}
	wardi_cache_finish(&cache);
	return NULL;
}

WARD_TEST(depot_is_looked_through_while_others_take_and_put)
{
	struct fixture it;
	pthread_t threads[2];
	int64_t now_ns = 1;

	begin(&it);
	for (int i = 0; i < 2; i++)
		ward_assert_eq(pthread_create(&threads[i], NULL, breathe, &it), 0);
	for (int i = 0; i < 2000; i++, now_ns += PERIOD / 2)
		(void)wardi_pool_tidy(&it.pool, now_ns);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 5; i++, now_ns += PERIOD)
		(void)tidy(&it, now_ns);
	ward_assert(it.alloc.bytes < 4096);
	end(&it);
}

WARD_TEST_MAIN
