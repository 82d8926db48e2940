/* SPDX-License-Identifier: MIT
 *
 * test_key_table.c - a table of numbers that grows in small steps.
 */
#include <stdlib.h>
#include <string.h>

#include <ward/testkit.h>

#include "base/key_table.h"
#include "base/list.h"

enum { LINKS = 50000, STEP_MAX = 16 * 1024 + 1024 };

struct rig {
	struct wardi_alloc alloc;
	struct wardi_key_table table;
	struct wardi_keyed links[LINKS];
};

/* What the table asks for: the largest block, and whether there is memory at all. */
static size_t largest;
static bool out_of_memory;

static void *take(void *arg, size_t size)
{
	(void)arg;
	if (size > largest)
		largest = size;
	return out_of_memory ? NULL : malloc(size);
}

static void give(void *arg, void *block, size_t size)
{
	(void)arg;
	(void)size;
	free(block);
}

static struct rig *rig_make(uint64_t seed)
{
	static const struct ward_allocator hooks = {take, give, NULL};
	struct rig *rig = calloc(1, sizeof(*rig));

	ward_assert(rig != NULL);
	largest = 0;
	out_of_memory = false;
	wardi_alloc_init(&rig->alloc, &hooks, false);
	wardi_key_table_init(&rig->table, &rig->alloc, seed);
	return rig;
}

static void rig_free(struct rig *rig)
{
	wardi_key_table_finish(&rig->table);
	ward_assert_eq(rig->alloc.bytes, 0);
	free(rig);
}

/* Returns where the link is; NULL: it is not in the table. */
static uint64_t *find(struct rig *rig, const struct wardi_keyed *wanted)
{
	uint64_t *at = wardi_key_table_chain(&rig->table, wanted->key);
	struct wardi_keyed *link;

	for (; (link = wardi_key_table_link(at)) != NULL; at = &link->next)
		if (link == wanted)
			return at;
	return NULL;
}

static void fill(struct rig *rig, uint64_t (*key_of)(uint64_t i), uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		rig->links[i].key = key_of(i);
		wardi_key_table_insert(&rig->table, &rig->links[i]);
		ward_assert(find(rig, &rig->links[i / 2]) != NULL);
	}
}

static uint64_t successive(uint64_t i)
{
	return i + 1;
}

static uint64_t addresses(uint64_t i)
{
	return UINT64_C(0x7f0000001000) + i * 64;
}

static uint64_t random_keys(uint64_t i)
{
	return i * UINT64_C(0x9e3779b97f4a7c15);
}

static void all_are_found(uint64_t (*key_of)(uint64_t i))
{
	struct rig *rig = rig_make(7);
	size_t longest = 0;

	fill(rig, key_of, LINKS);
	for (uint64_t i = 0; i < LINKS; i++) {
		size_t length = 0;
		for (const uint64_t *at = wardi_key_table_chain(&rig->table, rig->links[i].key);
		     wardi_key_table_link(at) != NULL; at = &wardi_key_table_link(at)->next)
			length++;
		if (length > longest)
			longest = length;
		ward_assert(find(rig, &rig->links[i]) != NULL);
	}
	ward_assert(longest < 24); /* no chain stands out */
	for (uint64_t i = 0; i < LINKS; i++) {
		uint64_t *at = find(rig, &rig->links[i]);
		ward_assert(at != NULL);
		wardi_key_table_remove(&rig->table, at);
		ward_assert(find(rig, &rig->links[i]) == NULL);
	}
	rig_free(rig);
}

WARD_TEST(key_table_finds_all_while_it_grows_and_after)
{
	all_are_found(successive);
	all_are_found(addresses);
	all_are_found(random_keys);
}

WARD_TEST(key_table_grows_in_small_steps)
{
	struct rig *rig = rig_make(1);
	size_t cursor = 0;

	fill(rig, successive, LINKS);
	ward_assert(largest <= STEP_MAX);
	/* There are buckets. */
	ward_assert(rig->alloc.bytes > (int64_t)(LINKS * sizeof(void *)) / 2);
	while (wardi_key_table_take(&rig->table, &cursor) != NULL)
		;
	rig_free(rig);
}

/* Each link that is looked at is a miss of the cache. */
WARD_TEST(key_table_that_lacks_a_key_seldom_shows_a_link)
{
	struct rig *rig = rig_make(1);
	size_t cursor = 0;
	int shown = 0;

	fill(rig, successive, LINKS);
	for (uint64_t i = LINKS; i < 2 * LINKS; i++)
		shown += *wardi_key_table_chain(&rig->table, successive(i)) != 0;
	ward_assert(shown < LINKS / 10);
	while (wardi_key_table_take(&rig->table, &cursor) != NULL)
		;
	for (uint64_t i = 0; i < LINKS; i++)
		ward_assert(*wardi_key_table_chain(&rig->table, successive(i)) == 0);
	rig_free(rig);
}

WARD_TEST(key_table_few_links_need_no_memory_and_none_is_needed_at_all)
{
	struct rig *rig = rig_make(1);
	size_t cursor = 0, count = 0;

	fill(rig, successive, 4);
	ward_assert_eq(rig->alloc.bytes, 0);
	out_of_memory = true;
	for (int i = 4; i < 1000; i++) {
		rig->links[i].key = (uint64_t)i + 1;
		wardi_key_table_insert(&rig->table, &rig->links[i]);
	}
	ward_assert_eq(rig->alloc.bytes, 0);
	out_of_memory = false;
	for (int i = 1000; i < 2000; i++) {
		rig->links[i].key = (uint64_t)i + 1;
		wardi_key_table_insert(&rig->table, &rig->links[i]);
	}
	for (int i = 0; i < 2000; i++)
		ward_assert(find(rig, &rig->links[i]) != NULL);
	while (wardi_key_table_take(&rig->table, &cursor) != NULL)
		count++;
	ward_assert_eq(count, 2000);
	rig_free(rig);
}

WARD_TEST(key_table_of_one_key_the_last_inserted_comes_first)
{
	struct rig *rig = rig_make(1);
	size_t cursor = 0;

	for (int i = 0; i < 300; i++) {
		rig->links[i].key = i % 3 == 0 ? 42 : (uint64_t)i + 100;
		wardi_key_table_insert(&rig->table, &rig->links[i]);
		ward_assert(find(rig, &rig->links[i]) != NULL);
	}
	int last = 300;
	struct wardi_keyed *link;
	for (const uint64_t *at = wardi_key_table_chain(&rig->table, 42);
	     (link = wardi_key_table_link(at)) != NULL; at = &link->next) {
		int number = (int)(link - rig->links);
		if (link->key != 42)
			continue;
		ward_assert(number < last);
		last = number;
	}
	ward_assert_eq(last, 0);
	while (wardi_key_table_take(&rig->table, &cursor) != NULL)
		;
	rig_free(rig);
}

WARD_TEST_MAIN
