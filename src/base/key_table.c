/* SPDX-License-Identifier: MIT
 *
 * key_table.c - an intrusive chained hash table that grows in small steps: linear hashing.
 *
 *	line     [ 8 buckets ]     a cache line: keys that are neighbours share one
 *	segment  [ 256 lines ]     16 KiB; the first one is smaller while the table is
 *
 * When the table is full it gets one more line, and the links of one older line that belong there
 * move over. Lines are split in turn: with `lines` in use, of which `low` is a power of two, those
 * from lines - low to low - 1 wait for their split.
 *
 * Threads: the owner of the table only.
 */
#include "base/key_table.h"

#include <string.h>

#include "base/assert.h"

enum {
	LANES = 8,
	SEGMENT_LINES = 256,
	SEGMENT_BUCKETS = SEGMENT_LINES * LANES,
	FIRST_LINES = 2,
	FIRST_SEGMENTS = 8,
	FEW = 4 /* in one chain without buckets */
};

static uint64_t hash_of(const struct wardi_key_table *table, uint64_t key)
{
	uint64_t z = (key / LANES) ^ table->seed;

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static struct wardi_keyed **line_at(const struct wardi_key_table *table, size_t line)
{
	return &table->segments[line / SEGMENT_LINES][line % SEGMENT_LINES * LANES];
}

struct wardi_keyed **wardi_key_table_chain(struct wardi_key_table *table, uint64_t key)
{
	uint64_t hash = hash_of(table, key);
	size_t line = hash & (2 * table->low - 1);

	if (table->lines == 0)
		return &table->few;
	if (line >= table->lines)
		line = hash & (table->low - 1);
	/* The lane depends on the hash, too: else keys that are addresses would use one lane. */
	return line_at(table, line) + ((key ^ hash >> 61) & (LANES - 1));
}

/* ---- growth ------------------------------------------------------------------------------ */

static void *more_of(struct wardi_alloc *alloc, void *old, size_t old_size, size_t size)
{
	char *fresh = wardi_alloc_zeroed(alloc, size);

	if (fresh == NULL)
		return NULL;
	if (old != NULL)
		memcpy(fresh, old, old_size);
	wardi_free(alloc, old, old_size);
	return fresh;
}

/* Makes room for a segment of that number. False: no memory. */
static bool reserve_segment(struct wardi_key_table *table, size_t number)
{
	size_t max = table->segments_max == 0 ? FIRST_SEGMENTS : table->segments_max * 2;
	struct wardi_keyed ***segments;

	if (number < table->segments_max)
		return true;
	segments = more_of(table->alloc, table->segments,
			   table->segments_max * sizeof(struct wardi_keyed **),
			   max * sizeof(struct wardi_keyed **));
	if (segments == NULL)
		return false;
	table->segments = segments;
	table->segments_max = max;
	return true;
}

/* Makes room for one more line. False: no memory. */
static bool reserve_line(struct wardi_key_table *table)
{
	const size_t line_size = LANES * sizeof(struct wardi_keyed *);
	size_t number = table->lines / SEGMENT_LINES;
	struct wardi_keyed **segment;

	if (!reserve_segment(table, number))
		return false;
	if (number > 0) {
		if (table->segments[number] == NULL)
			table->segments[number] =
				wardi_alloc_zeroed(table->alloc, SEGMENT_LINES * line_size);
		return table->segments[number] != NULL;
	}
	if (table->lines < table->first_lines)
		return true;
	size_t more = table->first_lines == 0 ? FIRST_LINES : table->first_lines * 2;
	segment = more_of(table->alloc, table->segments[0], table->first_lines * line_size,
			  more * line_size);
	if (segment == NULL)
		return false;
	table->segments[0] = segment;
	table->first_lines = more;
	return true;
}

/* Moves all links of a chain to where they belong now. */
static void spread(struct wardi_key_table *table, struct wardi_keyed **chain)
{
	struct wardi_keyed *link = *chain;
	struct wardi_keyed *stay = NULL, **stay_end = &stay;

	*chain = NULL;
	while (link != NULL) {
		struct wardi_keyed *next = link->next;
		struct wardi_keyed **to = wardi_key_table_chain(table, link->key);

		if (to == chain) {
			*stay_end = link;
			stay_end = &link->next;
		} else {
			/* To the end: of one key the last inserted stays the first. */
			while (*to != NULL)
				to = &(*to)->next;
			*to = link;
			link->next = NULL;
		}
		link = next;
	}
	*stay_end = NULL;
	*chain = stay;
}

static void add_line(struct wardi_key_table *table)
{
	size_t fresh = table->lines;

	if (!reserve_line(table))
		return; /* chains get longer */
	table->lines++;
	if (fresh == 0) {
		table->low = 1;
		spread(table, &table->few);
		return;
	}
	if (table->lines == 2 * table->low)
		table->low *= 2;
	/* The line that has had its links so far: the same number without its highest bit. */
	size_t old = fresh & ~((SIZE_MAX / 2 + 1) >> __builtin_clzll(fresh));
	for (int lane = 0; lane < LANES; lane++)
		spread(table, line_at(table, old) + lane);
}

/* ---- for the owner ----------------------------------------------------------------------- */

void wardi_key_table_init(struct wardi_key_table *table, struct wardi_alloc *alloc, uint64_t seed)
{
	*table = (struct wardi_key_table){.alloc = alloc, .seed = seed};
}

void wardi_key_table_finish(struct wardi_key_table *table)
{
	wardi_assert(table->count == 0);
	for (size_t i = 0; i < table->segments_max && table->segments[i] != NULL; i++)
		wardi_free(table->alloc, table->segments[i],
			   (i == 0 ? table->first_lines : SEGMENT_LINES) * LANES *
				   sizeof(struct wardi_keyed *));
	wardi_free(table->alloc, table->segments,
		   table->segments_max * sizeof(struct wardi_keyed **));
	wardi_key_table_init(table, table->alloc, table->seed);
}

void wardi_key_table_insert(struct wardi_key_table *table, struct wardi_keyed *link)
{
	if (table->count >= table->lines * LANES + FEW)
		add_line(table);
	struct wardi_keyed **chain = wardi_key_table_chain(table, link->key);
	link->next = *chain;
	*chain = link;
	table->count++;
}

void wardi_key_table_remove(struct wardi_key_table *table, struct wardi_keyed **at)
{
	wardi_assert(table->count > 0);
	*at = (*at)->next;
	table->count--;
}

struct wardi_keyed *wardi_key_table_take(struct wardi_key_table *table, size_t *cursor)
{
	struct wardi_keyed **chain = &table->few;

	if (table->count == 0)
		return NULL;
	while (table->lines > 0) {
		chain = line_at(table, *cursor / LANES) + *cursor % LANES;
		if (*chain != NULL)
			break;
		(*cursor)++;
	}
	struct wardi_keyed *link = *chain;
	wardi_key_table_remove(table, chain);
	return link;
}
