/* SPDX-License-Identifier: MIT
 *
 * records.h - records of an incarnation that are found by a number.
 *
 * A record begins with a struct wardi_tag. It is made, found and freed in O(1), and freed with the
 * incarnation: its memory is a message body that is never sent.
 *
 * Threads: runs only in callbacks of its actor.
 */
#ifndef WARDI_RECORDS_H
#define WARDI_RECORDS_H

#include <ward/message.h>

struct wardi_tag {
	struct wardi_tag *next;
	uint64_t tag;
};

/* The records of an incarnation. A NULL pointer to it is an empty set. */
struct wardi_tags {
	struct wardi_tag **at; /* a power of two of lists */
	size_t lists, count;
};

/* Returns zeroed memory of the incarnation, which ward_discard() frees. NULL: no memory. */
static inline void *wardi_record_make(ward_self *self, size_t size)
{
	static const ward_type record_type = {
		.name = "ward.record", .size = 0, .size_max = UINT32_MAX, .flags = 0};

	return ward_make_body(self, &record_type, size);
}

static inline struct wardi_tag **wardi_tags_list(const struct wardi_tags *tags, uint64_t tag)
{
	/* Fibonacci hashing: the upper half of the product is well mixed. */
	uint64_t mixed = tag * UINT64_C(0x9E3779B97F4A7C15);

	return &tags->at[(mixed >> 32) & (tags->lists - 1)];
}

static inline void wardi_tags_link(struct wardi_tags *tags, struct wardi_tag *record)
{
	struct wardi_tag **list = wardi_tags_list(tags, record->tag);

	record->next = *list;
	*list = record;
}

static inline void wardi_tags_move(struct wardi_tags *tags, const struct wardi_tags *from)
{
	for (size_t i = 0; i < from->lists; i++) {
		struct wardi_tag *next;

		for (struct wardi_tag *at = from->at[i]; at != NULL; at = next) {
			next = at->next;
			wardi_tags_link(tags, at);
		}
	}
}

/* Doubles the lists. False: there are none, and no memory for any. */
static inline bool wardi_tags_widen(ward_self *self, struct wardi_tags *tags)
{
	const size_t lists_min = 8;
	struct wardi_tags wide = {.lists = tags->lists == 0 ? lists_min : tags->lists * 2,
				  .count = tags->count};

	wide.at = wardi_record_make(self, wide.lists * sizeof(wide.at[0]));
	if (wide.at == NULL)
		return tags->lists > 0; /* if there are any, they get longer instead */
	wardi_tags_move(&wide, tags);
	ward_discard(self, tags->at);
	*tags = wide;
	return true;
}

/* Makes room for another record. False: no memory. */
static inline bool wardi_tags_reserve(ward_self *self, struct wardi_tags **tags)
{
	if (*tags == NULL)
		*tags = wardi_record_make(self, sizeof **tags);
	if (*tags == NULL)
		return false;
	return (*tags)->count < (*tags)->lists || wardi_tags_widen(self, *tags);
}

/* Inserts a record; there must be room. */
static inline void wardi_tags_insert(struct wardi_tags *tags, struct wardi_tag *record,
				     uint64_t tag)
{
	record->tag = tag;
	wardi_tags_link(tags, record);
	tags->count++;
}

static inline struct wardi_tag **wardi_tags_place(const struct wardi_tags *tags, uint64_t tag)
{
	struct wardi_tag **at = wardi_tags_list(tags, tag);

	while (*at != NULL && (*at)->tag != tag)
		at = &(*at)->next;
	return at;
}

static inline struct wardi_tag *wardi_tags_find(const struct wardi_tags *tags, uint64_t tag)
{
	return tags == NULL || tags->count == 0 ? NULL : *wardi_tags_place(tags, tag);
}

/* Takes a record out without freeing it. NULL: there is none. */
static inline struct wardi_tag *wardi_tags_remove(struct wardi_tags *tags, uint64_t tag)
{
	struct wardi_tag **place, *record;

	if (tags == NULL || tags->count == 0)
		return NULL;
	place = wardi_tags_place(tags, tag);
	record = *place;
	if (record != NULL) {
		*place = record->next;
		tags->count--;
	}
	return record;
}

#endif
