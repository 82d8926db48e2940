/* SPDX-License-Identifier: MIT
 *
 * key_table.h - an intrusive chained hash table for keys that are numbers, which grows in small
 * steps. For one thread at a time.
 *
 * No call takes long, however large the table is: each insertion moves the links of a few buckets
 * at most, and asks for 16 KiB at most, apart from a pointer for each 16 KiB. The table does not
 * shrink. Without memory chains get longer instead; so an insertion never fails.
 */
#ifndef WARDI_KEY_TABLE_H
#define WARDI_KEY_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"

struct wardi_keyed {
	struct wardi_keyed *next; /* in its chain */
	uint64_t key;
};

struct wardi_key_table {
	struct wardi_alloc *alloc;
	uint64_t seed;
	struct wardi_keyed *few;        /* while there are no buckets: all, last inserted first */
	struct wardi_keyed ***segments; /* of buckets */
	size_t segments_max;
	size_t first_lines; /* that fit the first segment, which grows by doubling */
	size_t lines;       /* of buckets, in use */
	size_t low;         /* the largest power of two that is not above it */
	size_t count;       /* of links */
};

void wardi_key_table_init(struct wardi_key_table *table, struct wardi_alloc *alloc, uint64_t seed);
/* Frees the buckets; the table must be empty. */
void wardi_key_table_finish(struct wardi_key_table *table);

/* Does not look for an equal key. */
void wardi_key_table_insert(struct wardi_key_table *table, struct wardi_keyed *link);
/* Returns where the chain begins in which all links of that key are, last inserted first. */
struct wardi_keyed **wardi_key_table_chain(struct wardi_key_table *table, uint64_t key);
/* Removes a link; `at` points to it, in its chain. */
void wardi_key_table_remove(struct wardi_key_table *table, struct wardi_keyed **at);
/* Removes and returns a link; NULL: there is none. Begin with a cursor of 0. The order depends on
 * keys and seed alone. */
struct wardi_keyed *wardi_key_table_take(struct wardi_key_table *table, size_t *cursor);

#endif
