/* SPDX-License-Identifier: MIT
 *
 * key_table.h - an intrusive chained hash table for keys that are numbers, which grows in small
 * steps. For one thread at a time.
 *
 * No call takes long, however large the table is: each insertion moves the links of a few buckets
 * at most, and asks for 16 KiB at most, apart from a pointer for each 16 KiB. The table does not
 * shrink. Without memory chains get longer instead; so an insertion never fails.
 *
 * The address of a link fits 48 bits. Linux gives a program other addresses only on request.
 */
#ifndef WARDI_KEY_TABLE_H
#define WARDI_KEY_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"

struct wardi_keyed {
	uint64_t next; /* in its chain: an address; 0: none */
	uint64_t key;
};

struct wardi_key_table {
	struct wardi_alloc *alloc;
	uint64_t seed;
	uint64_t few;        /* a bucket: while there are no others, for all */
	uint64_t **segments; /* of buckets */
	uint32_t segments_max;
	uint32_t first_lines; /* that fit the first segment, which grows by doubling */
	size_t lines;         /* of buckets, in use */
	size_t count;         /* of links */
	uint64_t inserted;    /* so far */
};

void wardi_key_table_init(struct wardi_key_table *table, struct wardi_alloc *alloc, uint64_t seed);
/* Frees the buckets; the table must be empty. */
void wardi_key_table_finish(struct wardi_key_table *table);

/* Does not look for an equal key. */
void wardi_key_table_insert(struct wardi_key_table *table, struct wardi_keyed *link);
/* Returns where the chain begins in which all links of that key are, last inserted first; or an
 * empty one, if there is none of that key. */
uint64_t *wardi_key_table_chain(struct wardi_key_table *table, uint64_t key);

/* Returns the link to which a place in a chain leads; NULL: to its end. The next place is the
 * `next` of that link. */
static inline struct wardi_keyed *wardi_key_table_link(const uint64_t *at)
{
	/* The highest bits are a filter (key_table.c). */
	return (struct wardi_keyed *)(uintptr_t)(*at << 16 >> 16);
}

/* Removes the link to which a place leads. */
void wardi_key_table_remove(struct wardi_key_table *table, uint64_t *at);
/* Removes and returns a link; NULL: there is none. Begin with a cursor of 0. The order depends on
 * keys and seed alone. */
struct wardi_keyed *wardi_key_table_take(struct wardi_key_table *table, size_t *cursor);

#endif
