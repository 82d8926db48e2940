/* SPDX-License-Identifier: MIT
 *
 * test_few_keys.c - a key table that needs no memory while there are few links.
 */
#include <stdlib.h>

#include <ward/testkit.h>

#include "base/few_keys.h"

enum { LINKS = 1000, SEED = 7, FEW = 4 };

struct rig {
	struct wardi_alloc alloc;
	struct wardi_few_keys keys;
	struct wardi_keyed links[LINKS];
};

static bool out_of_memory;

static void *take(void *arg, size_t size)
{
	(void)arg;
	return out_of_memory ? NULL : malloc(size);
}

static void give(void *arg, void *block, size_t size)
{
	(void)arg;
	(void)size;
	free(block);
}

static struct rig *rig_make(void)
{
	static const struct ward_allocator hooks = {take, give, NULL};
	struct rig *rig = calloc(1, sizeof *rig);

	ward_assert(rig != NULL);
	out_of_memory = false;
	wardi_alloc_init(&rig->alloc, &hooks, false);
	return rig;
}

static void insert(struct rig *rig, int i, uint64_t key)
{
	rig->links[i].key = key;
	wardi_few_keys_insert(&rig->keys, &rig->alloc, SEED, &rig->links[i]);
}

static uint64_t *find(struct rig *rig, int i)
{
	uint64_t *at = wardi_few_keys_chain(&rig->keys, rig->links[i].key);
	struct wardi_keyed *link;

	for (; (link = wardi_key_table_link(at)) != NULL; at = &link->next)
		if (link == &rig->links[i])
			return at;
	return NULL;
}

static size_t take_all(struct rig *rig)
{
	size_t cursor = 0, count = 0;

	while (wardi_few_keys_take(&rig->keys, &cursor) != NULL)
		count++;
	return count;
}

static void rig_free(struct rig *rig)
{
	wardi_few_keys_finish(&rig->keys, &rig->alloc);
	ward_assert_eq(rig->keys.word, 0);
	ward_assert_eq(rig->alloc.bytes, 0);
	free(rig);
}

WARD_TEST(few_keys_need_no_memory)
{
	struct rig *rig = rig_make();

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < FEW; i++) {
			insert(rig, i, (uint64_t)i + 1);
			ward_assert_eq(wardi_few_keys_is_one(&rig->keys), i == 0);
		}
		for (int i = 0; i < FEW; i++) {
			ward_assert(find(rig, i) != NULL);
			wardi_few_keys_remove(&rig->keys, find(rig, i));
			ward_assert(find(rig, i) == NULL);
		}
		ward_assert(!wardi_few_keys_is_one(&rig->keys));
	}
	ward_assert_eq(rig->alloc.blocks, 0);
	ward_assert_eq(rig->keys.word, 0);
	rig_free(rig);
}

WARD_TEST(few_keys_that_become_many_are_all_found_in_a_table)
{
	struct rig *rig = rig_make();

	for (int i = 0; i < LINKS; i++)
		insert(rig, i, (uint64_t)i + 1);
	ward_assert(rig->alloc.blocks > 0);
	for (int i = 0; i < LINKS; i++)
		ward_assert(find(rig, i) != NULL);
	for (int i = 1; i < LINKS; i++)
		wardi_few_keys_remove(&rig->keys, find(rig, i));
	ward_assert(wardi_few_keys_is_one(&rig->keys));
	ward_assert(find(rig, 0) != NULL);
	ward_assert_eq(take_all(rig), 1);
	rig_free(rig);
}

WARD_TEST(few_keys_without_memory_for_a_table_stay_a_chain)
{
	struct rig *rig = rig_make();

	out_of_memory = true;
	for (int i = 0; i < 100; i++)
		insert(rig, i, (uint64_t)i + 1);
	ward_assert_eq(rig->alloc.blocks, 0);
	out_of_memory = false;
	insert(rig, 100, 101);
	ward_assert(rig->alloc.blocks > 0);
	for (int i = 0; i <= 100; i++)
		ward_assert(find(rig, i) != NULL);
	ward_assert_eq(take_all(rig), 101);
	rig_free(rig);
}

WARD_TEST(few_keys_of_one_key_the_last_inserted_comes_first_in_chain_and_table)
{
	struct rig *rig = rig_make();

	for (int i = 0; i < 20; i++) {
		struct wardi_keyed *link;
		int last = i + 1;

		insert(rig, i, 42);
		for (const uint64_t *at = wardi_few_keys_chain(&rig->keys, 42);
		     (link = wardi_key_table_link(at)) != NULL; at = &link->next)
			ward_assert_eq(link - rig->links, --last);
		ward_assert_eq(last, 0);
	}
	ward_assert_eq(take_all(rig), 20);
	rig_free(rig);
}

/* Numbers that repeat would make one long chain of all that have none of their own. */
WARD_TEST(few_keys_numbers_do_not_repeat_in_a_table)
{
	struct rig *rig = rig_make();

	for (int i = 0; i < LINKS; i++) {
		uint64_t number = wardi_few_keys_number(&rig->keys);

		ward_assert(i <= FEW || number == (uint64_t)i);
		insert(rig, i, number);
		if (i > FEW) { /* one comes, one goes */
			wardi_few_keys_remove(&rig->keys, find(rig, i - 1));
			ward_assert(find(rig, i) != NULL);
		}
	}
	(void)take_all(rig);
	rig_free(rig);
}

WARD_TEST_MAIN
