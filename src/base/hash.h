/* SPDX-License-Identifier: MIT
 *
 * hash.h - an intrusive chained hash table, seeded; and a hash of bytes. For one thread at a time.
 *
 * The table grows by doubling; when there is no memory to grow, chains get longer instead. So
 * insertion fails only before the first bucket array exists.
 */
#ifndef WARDI_HASH_H
#define WARDI_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"

struct wardi_hash_link {
	struct wardi_hash_link *next;
	uint64_t hash;
};

struct wardi_hash {
	struct wardi_alloc *alloc;
	struct wardi_hash_link **buckets; /* NULL until the first insertion */
	size_t bucket_count;              /* a power of two */
	size_t count;
	size_t first; /* index: no bucket before it holds a link */
};

void wardi_hash_init(struct wardi_hash *table, struct wardi_alloc *alloc);
/* Frees the buckets; the links stay the caller's. */
void wardi_hash_finish(struct wardi_hash *table);

/* Makes the next insertion succeed. False: no memory for the first buckets. */
bool wardi_hash_reserve(struct wardi_hash *table);
/* False: no memory for the first buckets. Does not look for an equal link. */
bool wardi_hash_insert(struct wardi_hash *table, struct wardi_hash_link *link, uint64_t hash);
/* The link must be in the table. */
void wardi_hash_remove(struct wardi_hash *table, struct wardi_hash_link *link);
/* Returns the first link with that hash for which equal(link, key) holds, or NULL. */
struct wardi_hash_link *wardi_hash_find(const struct wardi_hash *table, uint64_t hash,
					bool (*equal)(const struct wardi_hash_link *link,
						      const void *key),
					const void *key);
/* Returns any link, or NULL when the table is empty. Emptying a table this way takes linear
 * time. */
struct wardi_hash_link *wardi_hash_any(struct wardi_hash *table);

/* SipHash-1-3: without the seed nobody can choose names that collide. */
uint64_t wardi_hash_bytes(uint64_t seed, const void *bytes, size_t count);
/* For numbers that the library itself assigned. */
uint64_t wardi_hash_u64(uint64_t seed, uint64_t value);

#endif
