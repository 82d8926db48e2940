/* SPDX-License-Identifier: MIT
 *
 * test_hash.c - the hash table finds what is in it and nothing else; the hashes spread.
 *
 * Method: against a plain array; the reference outputs of SipHash-1-3 were computed from the
 * definition by an independent program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/system.h>
#include <ward/testkit.h>

#include "base/hash.h"
#include "base/list.h"
#include "base/random.h"

struct entry {
	struct wardi_hash_link link;
	uint64_t key;
	bool in;
};

static bool equal(const struct wardi_hash_link *link, const void *key)
{
	return wardi_container_of(link, struct entry, link)->key == *(const uint64_t *)key;
}

static struct entry *find(const struct wardi_hash *table, uint64_t hash, uint64_t key)
{
	struct wardi_hash_link *link = wardi_hash_find(table, hash, equal, &key);

	return link != NULL ? wardi_container_of(link, struct entry, link) : NULL;
}

/* Inserts and removes at random, with hashes cut to `mask`: 0 makes one chain of all. */
static void exercise(uint64_t mask)
{
	enum { ENTRIES = 500 };
	static struct entry entries[ENTRIES];
	struct wardi_alloc alloc;
	struct wardi_hash table;
	struct wardi_random random;
	size_t count = 0;

	memset(entries, 0, sizeof(entries));
	wardi_alloc_init(&alloc, NULL, false);
	wardi_hash_init(&table, &alloc);
	wardi_random_init(&random, mask);
	ward_assert(wardi_hash_any(&table) == NULL);
	ward_assert(find(&table, 1, 1) == NULL);
	for (int round = 0; round < 20 * ENTRIES; round++) {
		struct entry *entry = &entries[wardi_random_below(&random, ENTRIES)];
		entry->key = (uint64_t)(entry - entries);
		uint64_t hash = wardi_hash_u64(3, entry->key) & mask;

		ward_assert(find(&table, hash, entry->key) == (entry->in ? entry : NULL));
		if (entry->in) {
			wardi_hash_remove(&table, &entry->link);
			count--;
		} else {
			ward_assert(wardi_hash_insert(&table, &entry->link, hash));
			count++;
		}
		entry->in = !entry->in;
		ward_assert_eq(table.count, count);
	}
	ward_assert(count > 0);
	for (struct wardi_hash_link *link; (link = wardi_hash_any(&table)) != NULL; count--) {
		ward_assert(wardi_container_of(link, struct entry, link)->in);
		wardi_hash_remove(&table, link);
	}
	ward_assert_eq(count, 0);
	wardi_hash_finish(&table);
	ward_assert_eq(alloc.bytes, 0);
}

WARD_TEST(hash_table_holds_what_was_inserted_and_not_removed)
{
	exercise(UINT64_MAX);
	exercise(7);
	exercise(0);
}

static void *scarce_alloc(void *arg, size_t size)
{
	int *left = arg;

	return (*left)-- > 0 ? malloc(size) : NULL;
}

static void scarce_free(void *arg, void *block, size_t size)
{
	(void)arg;
	(void)size;
	free(block);
}

WARD_TEST(hash_table_without_memory_to_grow_goes_on)
{
	static struct entry entries[300];
	int left = 0;
	struct ward_allocator hooks = {scarce_alloc, scarce_free, &left};
	struct wardi_alloc alloc;
	struct wardi_hash table;

	wardi_alloc_init(&alloc, &hooks, false);
	wardi_hash_init(&table, &alloc);
	ward_assert(!wardi_hash_insert(&table, &entries[0].link, 1));
	ward_assert_eq(table.count, 0);
	left = 2;
	for (uint64_t i = 0; i < 300; i++) {
		entries[i].key = i;
		ward_assert(wardi_hash_insert(&table, &entries[i].link, wardi_hash_u64(1, i)));
	}
	for (uint64_t i = 0; i < 300; i++)
		ward_assert(find(&table, wardi_hash_u64(1, i), i) == &entries[i]);
	wardi_hash_finish(&table);
	ward_assert_eq(alloc.bytes, 0);
}

WARD_TEST(hash_of_bytes_depends_on_seed_length_and_each_byte)
{
	unsigned char bytes[20] = {0};
	uint64_t seen[20 * 2 + 2];
	size_t count = 0;

	for (size_t length = 0; length <= 20; length++)
		seen[count++] = wardi_hash_bytes(1, bytes, length);
	for (size_t i = 0; i < 20; i++) {
		bytes[i] = 1;
		seen[count++] = wardi_hash_bytes(1, bytes, 20);
		bytes[i] = 0;
	}
	seen[count++] = wardi_hash_bytes(2, bytes, 20);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < i; k++)
			ward_assert(seen[i] != seen[k]);
	}
	ward_assert_eq(wardi_hash_bytes(1, bytes, 20), seen[20]);
}

WARD_TEST(hash_of_bytes_is_siphash_1_3)
{
	static const struct {
		size_t length;
		uint64_t hash;
	} known[] = {
		{0, UINT64_C(0xc7936982edc376b9)},  {1, UINT64_C(0xe45e0603433bf7dc)},
		{7, UINT64_C(0xb2a52aa8c3e312b0)},  {8, UINT64_C(0xe0ffb2bcf58d5388)},
		{9, UINT64_C(0x895ebc02a5715cd5)},  {16, UINT64_C(0x75176c6bdcf0f19b)},
		{63, UINT64_C(0x2a24b653d8d11d7d)},
	};
	unsigned char bytes[64];

	for (int i = 0; i < 64; i++)
		bytes[i] = (unsigned char)i;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		ward_assert_eq(wardi_hash_bytes(7, bytes, known[i].length), known[i].hash);
}

/* The low bits choose the bucket: names that count up must not gather in a few. */
WARD_TEST(hash_low_bits_spread)
{
	enum { BUCKETS = 256, NAMES = 256 * 16 };
	unsigned names[BUCKETS] = {0}, numbers[BUCKETS] = {0};

	for (int i = 0; i < NAMES; i++) {
		char name[16];
		int length = snprintf(name, sizeof(name), "child-%d", i);
		names[wardi_hash_bytes(9, name, (size_t)length) % BUCKETS]++;
		numbers[wardi_hash_u64(9, (uint64_t)i << 32) % BUCKETS]++;
	}
	for (int i = 0; i < BUCKETS; i++) {
		ward_assert(names[i] > 0 && names[i] < 48);
		ward_assert(numbers[i] > 0 && numbers[i] < 48);
	}
}

WARD_TEST_MAIN
