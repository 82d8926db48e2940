/* SPDX-License-Identifier: MIT
 *
 * test_shard.c - each thread has one shard for good, few threads share one, and those that do are
 * inside one at a time; what they free is used again.
 *
 * Method: more threads than shards take and return blocks as threads outside do. A shard's thread
 * counts in a place that nothing else protects.
 */
#include <pthread.h>

#include <ward/testkit.h>

#include "base/pool.h"
#include "base/shard.h"

enum { THREADS = WARDI_SHARDS * 2, ROUNDS = 2000 };

static struct wardi_alloc alloc;
static struct wardi_pool pool;
static uint64_t rounds[WARDI_SHARDS]; /* of the threads inside */

static void *name_shard(void *arg)
{
	struct wardi_shard **ret_shard = arg;

	*ret_shard = wardi_shard_mine(pool.shards);
	ward_assert(wardi_shard_mine(pool.shards) == *ret_shard);
	return NULL;
}

WARD_TEST(shard_threads_spread_evenly)
{
	unsigned users[WARDI_SHARDS] = {0};

	wardi_alloc_init(&alloc, NULL, false);
	wardi_pool_init(&pool, &alloc);
	for (int i = 0; i < THREADS; i++) {
		struct wardi_shard *shard = NULL;
		pthread_t thread;

		ward_assert_eq(pthread_create(&thread, NULL, name_shard, &shard), 0);
		pthread_join(thread, NULL);
		users[shard - pool.shards]++;
	}
	for (int i = 0; i < WARDI_SHARDS; i++)
		ward_assert_eq(users[i], THREADS / WARDI_SHARDS);
	wardi_pool_finish(&pool);
}

static void *take_and_return(void *arg)
{
	struct wardi_shard *shard = wardi_shard_mine(pool.shards);
	void *kept = NULL;

	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		void *block = wardi_block_get(&pool, NULL, WARDI_BLOCK_48);

		ward_assert(block != NULL && block != kept);
		if (kept != NULL)
			wardi_block_put(&pool, NULL, WARDI_BLOCK_48, kept);
		kept = block;
		wardi_shard_enter(shard);
		rounds[shard - pool.shards]++;
		wardi_shard_leave(shard);
	}
	wardi_block_put(&pool, NULL, WARDI_BLOCK_48, kept);
	return NULL;
}

WARD_TEST(shard_has_one_thread_inside_at_a_time)
{
	pthread_t threads[THREADS];
	uint64_t sum = 0;

	wardi_alloc_init(&alloc, NULL, false);
	wardi_pool_init(&pool, &alloc);
	for (int i = 0; i < THREADS; i++)
		ward_assert_eq(pthread_create(&threads[i], NULL, take_and_return, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < WARDI_SHARDS; i++) {
		ward_assert_eq(pool.shards[i].step % 2, 0);
		sum += rounds[i];
	}
	ward_assert_eq(sum, (uint64_t)THREADS * ROUNDS);
	wardi_pool_finish(&pool);
	ward_assert_eq(alloc.blocks, 0);
}

WARD_TEST(shard_has_been_left_once_its_thread_has_gone)
{
	struct wardi_shard shard = {0};
	uint32_t outside = wardi_shard_look(&shard), inside;

	ward_assert(wardi_shard_was_left(&shard, outside));
	wardi_shard_enter(&shard);
	inside = wardi_shard_look(&shard);
	ward_assert(!wardi_shard_was_left(&shard, inside));
	wardi_shard_leave(&shard);
	ward_assert(wardi_shard_was_left(&shard, inside));
	wardi_shard_enter(&shard); /* somebody who came later */
	ward_assert(wardi_shard_was_left(&shard, inside));
	ward_assert(wardi_shard_was_left(&shard, outside));
	wardi_shard_leave(&shard);
}

WARD_TEST_MAIN
