/* SPDX-License-Identifier: MIT
 *
 * hash.c - an intrusive chained hash table, seeded; and a hash of bytes.
 *
 *      buckets   [ 0 ]-> link -> link -> NULL
 *                [ 1 ]-> NULL
 *                [...]                            bucket of a link: the low bits of its hash
 *
 * Threads: the owner of the table only.
 */
#include "base/hash.h"

#include <string.h>

#include "base/assert.h"

enum { FIRST_BUCKETS = 8 };

static size_t bucket_of(const struct wardi_hash *table, uint64_t hash)
{
	return (size_t)hash & (table->bucket_count - 1);
}

static void link_in(struct wardi_hash *table, struct wardi_hash_link *link)
{
	size_t bucket = bucket_of(table, link->hash);

	link->next = table->buckets[bucket];
	table->buckets[bucket] = link;
	if (bucket < table->first)
		table->first = bucket;
}

/* Doubles the buckets, or makes the first. False: no memory, nothing has changed. */
static bool grow(struct wardi_hash *table)
{
	struct wardi_hash_link **old = table->buckets;
	size_t old_count = table->bucket_count;
	size_t count = old != NULL ? old_count * 2 : FIRST_BUCKETS;
	struct wardi_hash_link **fresh = wardi_alloc_zeroed(table->alloc, count * sizeof(*fresh));

	if (fresh == NULL)
		return false;
	table->buckets = fresh;
	table->bucket_count = count;
	table->first = count;
	for (size_t i = 0; i < old_count; i++) {
		while (old[i] != NULL) {
			struct wardi_hash_link *link = old[i];
			old[i] = link->next;
			link_in(table, link);
		}
	}
	wardi_free(table->alloc, old, old_count * sizeof(*old));
	return true;
}

void wardi_hash_init(struct wardi_hash *table, struct wardi_alloc *alloc)
{
	*table = (struct wardi_hash){.alloc = alloc};
}

void wardi_hash_finish(struct wardi_hash *table)
{
	wardi_free(table->alloc, table->buckets, table->bucket_count * sizeof(*table->buckets));
	wardi_hash_init(table, table->alloc);
}

bool wardi_hash_reserve(struct wardi_hash *table)
{
	return table->buckets != NULL || grow(table);
}

bool wardi_hash_insert(struct wardi_hash *table, struct wardi_hash_link *link, uint64_t hash)
{
	if (table->count >= table->bucket_count && !grow(table) && table->buckets == NULL)
		return false;
	link->hash = hash;
	link_in(table, link);
	table->count++;
	return true;
}

void wardi_hash_remove(struct wardi_hash *table, struct wardi_hash_link *link)
{
	wardi_assert(table->count > 0);
	struct wardi_hash_link **at = &table->buckets[bucket_of(table, link->hash)];

	while (*at != link) {
		wardi_assert(*at != NULL);
		at = &(*at)->next;
	}
	*at = link->next;
	link->next = NULL;
	table->count--;
}

struct wardi_hash_link *
wardi_hash_find(const struct wardi_hash *table, uint64_t hash,
		bool (*equal)(const struct wardi_hash_link *link, const void *key), const void *key)
{
	if (table->count == 0)
		return NULL;
	struct wardi_hash_link *link = table->buckets[bucket_of(table, hash)];

	while (link != NULL && !(link->hash == hash && equal(link, key)))
		link = link->next;
	return link;
}

struct wardi_hash_link *wardi_hash_any(struct wardi_hash *table)
{
	if (table->count == 0)
		return NULL;
	while (table->buckets[table->first] == NULL)
		table->first++;
	return table->buckets[table->first];
}

/* ---- hashes ------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint64_t wardi_hash_u64(uint64_t seed, uint64_t value)
{
	return mix(mix(value + UINT64_C(0x9e3779b97f4a7c15)) ^ seed);
}

static uint64_t rotate_left(uint64_t value, int bits)
{
	return value << bits | value >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotate_left(v[1], 13) ^ v[0];
	v[0] = rotate_left(v[0], 32);
	v[2] += v[3];
	v[3] = rotate_left(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate_left(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate_left(v[1], 17) ^ v[2];
	v[2] = rotate_left(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_round(v);
	v[0] ^= word;
}

uint64_t wardi_hash_bytes(uint64_t seed, const void *bytes, size_t count)
{
	uint64_t key[2] = {seed, mix(seed)};
	uint64_t v[4] = {
		key[0] ^ UINT64_C(0x736f6d6570736575),
		key[1] ^ UINT64_C(0x646f72616e646f6d),
		key[0] ^ UINT64_C(0x6c7967656e657261),
		key[1] ^ UINT64_C(0x7465646279746573),
	};
	const unsigned char *at = bytes;
	uint64_t word;

	for (size_t left = count; left >= sizeof(word); left -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sip_word(v, word);
		at += sizeof(word);
	}
	word = (uint64_t)count << 56;
	for (size_t i = 0; i < count % sizeof(word); i++)
		word |= (uint64_t)at[i] << (8 * i);
	sip_word(v, word);
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
