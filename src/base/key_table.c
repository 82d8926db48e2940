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
 *	bucket   [ 16 bits: filter | 48 bits: address of the first link ]
 *
 * A link is in memory that the table does not own, and mostly not in the cache. So each bucket has
 * a filter, with a bit set for each link in its chain: one of sixteen, which the hash chooses. Who
 * looks for a key that is not there seldom touches a link. A removal leaves the bit, as another
 * link may have the same, until the chain is empty or split.
 *
 * Threads: the owner of the table only.
 */
#include "base/key_table.h"

#include <string.h>

#include "base/assert.h"

enum {
	LANES = 8,
	BLOCK = 64, /* neighbouring keys that stay together */
	SEGMENT_LINES = 256,
	FIRST_LINES = 2,
	FIRST_SEGMENTS = 8,
	FEW = 4, /* in one chain without buckets */
	ADDRESS_BITS = 48,
	FILTER = 64 - ADDRESS_BITS
};

/* Where a key belongs. */
struct place {
	uint64_t bucket; /* in a table without an end */
	uint64_t bit;    /* in the filter of its bucket */
};

/* Keys of a block keep their order in it, so that who goes through successive keys goes through
 * lines. But each block begins elsewhere: else keys that are addresses would use one lane. */
static struct place place_of(const struct wardi_key_table *table, uint64_t key)
{
	uint64_t z = (key / BLOCK) ^ table->seed;

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return (struct place){z * BLOCK + (key + (z >> 58)) % BLOCK,
			      UINT64_C(1) << (ADDRESS_BITS + ((z >> 54) + key / LANES) % FILTER)};
}

/* ---- one bucket -------------------------------------------------------------------------- */

static uint64_t filter_of(uint64_t bucket)
{
	return bucket >> ADDRESS_BITS << ADDRESS_BITS;
}

static void push(uint64_t *bucket, struct wardi_keyed *link, uint64_t bit)
{
	wardi_assert((uintptr_t)link >> ADDRESS_BITS == 0);
	link->next = *bucket ^ filter_of(*bucket);
	*bucket = (*bucket ^ link->next) | bit | (uintptr_t)link;
}

static uint64_t *line_at(const struct wardi_key_table *table, size_t line)
{
	return &table->segments[line / SEGMENT_LINES][line % SEGMENT_LINES * LANES];
}

/* The largest power of two that is not above the number of lines; not of a table without lines. */
static size_t low_of(const struct wardi_key_table *table)
{
	return (SIZE_MAX / 2 + 1) >> __builtin_clzll(table->lines);
}

static uint64_t *bucket_at(struct wardi_key_table *table, uint64_t bucket)
{
	size_t low, line;

	if (table->lines == 0)
		return &table->few;
	low = low_of(table);
	line = bucket / LANES & (2 * low - 1);
	if (line >= table->lines)
		line = bucket / LANES & (low - 1);
	return line_at(table, line) + bucket % LANES;
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
	uint32_t max = table->segments_max == 0 ? FIRST_SEGMENTS : table->segments_max * 2;
	uint64_t **segments;

	if (number < table->segments_max)
		return true;
	segments = more_of(table->alloc, table->segments, table->segments_max * sizeof(uint64_t *),
			   max * sizeof(uint64_t *));
	if (segments == NULL)
		return false;
	table->segments = segments;
	table->segments_max = max;
	return true;
}

/* Makes room for one more line. False: no memory. */
static bool reserve_line(struct wardi_key_table *table)
{
	const size_t line_size = LANES * sizeof(uint64_t);
	size_t number = table->lines / SEGMENT_LINES;
	uint64_t *segment;

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
	uint32_t more = table->first_lines == 0 ? FIRST_LINES : table->first_lines * 2;
	segment = more_of(table->alloc, table->segments[0], table->first_lines * line_size,
			  more * line_size);
	if (segment == NULL)
		return false;
	table->segments[0] = segment;
	table->first_lines = more;
	return true;
}

/* Moves all links of a chain to where they belong now: of one key the last inserted stays the
 * first. */
static void spread(struct wardi_key_table *table, uint64_t *chain)
{
	struct wardi_keyed *link = wardi_key_table_link(chain), *next;
	uint64_t turned = 0;

	for (; link != NULL; link = next) {
		next = wardi_key_table_link(&link->next);
		push(&turned, link, 0);
	}
	*chain = 0;
	for (link = wardi_key_table_link(&turned); link != NULL; link = next) {
		struct place place = place_of(table, link->key);

		next = wardi_key_table_link(&link->next);
		push(bucket_at(table, place.bucket), link, place.bit);
	}
}

/* Fetches the first link of each chain of a line into the cache; they come together. */
static void fetch(const uint64_t *line)
{
	for (int lane = 0; lane < LANES; lane++)
		__builtin_prefetch(wardi_key_table_link(&line[lane]));
}

/* The same for the second ones. */
static void fetch_second(const uint64_t *line)
{
	for (int lane = 0; lane < LANES; lane++)
		if (line[lane] != 0)
			__builtin_prefetch(
				wardi_key_table_link(&wardi_key_table_link(&line[lane])->next));
}

static void add_line(struct wardi_key_table *table)
{
	size_t fresh = table->lines;

	if (!reserve_line(table))
		return; /* chains get longer */
	table->lines++;
	if (fresh == 0) {
		spread(table, &table->few);
		return;
	}
	/* The line that has had its links so far: the same number without its highest bit. */
	size_t old = fresh & ~((SIZE_MAX / 2 + 1) >> __builtin_clzll(fresh));
	uint64_t *line = line_at(table, old);
	fetch_second(line);
	for (int lane = 0; lane < LANES; lane++)
		spread(table, line + lane);
	fetch(line_at(table, table->lines - low_of(table))); /* for the next time */
}

/* An empty chain; nobody writes there. */
static const uint64_t none;

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
				   sizeof(uint64_t));
	wardi_free(table->alloc, table->segments, table->segments_max * sizeof(uint64_t *));
	wardi_key_table_init(table, table->alloc, table->seed);
}

void wardi_key_table_insert(struct wardi_key_table *table, struct wardi_keyed *link)
{
	struct place place = place_of(table, link->key);

	if (table->count >= table->lines * LANES + FEW)
		add_line(table);
	push(bucket_at(table, place.bucket), link, place.bit);
	table->count++;
	table->inserted++;
}

uint64_t *wardi_key_table_chain(struct wardi_key_table *table, uint64_t key)
{
	struct place place = place_of(table, key);
	uint64_t *bucket = bucket_at(table, place.bucket);

	return (*bucket & place.bit) != 0 ? bucket : (uint64_t *)(uintptr_t)&none;
}

void wardi_key_table_remove(struct wardi_key_table *table, uint64_t *at)
{
	uint64_t next = wardi_key_table_link(at)->next;

	wardi_assert(table->count > 0);
	table->count--;
	*at = next == 0 ? 0 : filter_of(*at) | next;
}

struct wardi_keyed *wardi_key_table_take(struct wardi_key_table *table, size_t *cursor)
{
	uint64_t *chain = &table->few;

	if (table->count == 0)
		return NULL;
	for (; table->lines > 0; (*cursor)++) {
		chain = line_at(table, *cursor / LANES) + *cursor % LANES;
		if (*chain != 0)
			break;
	}
	struct wardi_keyed *link = wardi_key_table_link(chain);
	wardi_key_table_remove(table, chain);
	return link;
}
