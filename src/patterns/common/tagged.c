/* SPDX-License-Identifier: MIT
 *
 * tagged.c - records of an incarnation that are found by a number, and how long to pause.
 *
 * single-threaded: runs only in callbacks of its actor.
 */
#include "patterns/common/tagged.h"

#include <ward/actor.h>
#include <ward/backoff.h>

enum { LISTS_MIN = 8 };

static const ward_type record_type = {
	.name = "ward.record", .size = 0, .size_max = UINT32_MAX, .flags = 0};

void *wardi_record_make(ward_self *self, size_t size)
{
	return ward_make_body(self, &record_type, size);
}

/* ---- the table --------------------------------------------------------------------------- */

static struct wardi_tag **list_of(const struct wardi_tags *tags, uint64_t tag)
{
	/* Fibonacci hashing: the upper half of the product is well mixed. */
	uint64_t mixed = tag * UINT64_C(0x9E3779B97F4A7C15);

	return &tags->at[(mixed >> 32) & (tags->lists - 1)];
}

static void link_in(struct wardi_tags *tags, struct wardi_tag *record)
{
	struct wardi_tag **list = list_of(tags, record->tag);

	record->next = *list;
	*list = record;
}

static void move_all(struct wardi_tags *tags, const struct wardi_tags *from)
{
	for (size_t i = 0; i < from->lists; i++) {
		struct wardi_tag *next;

		for (struct wardi_tag *at = from->at[i]; at != NULL; at = next) {
			next = at->next;
			link_in(tags, at);
		}
	}
}

static bool widen(ward_self *self, struct wardi_tags *tags)
{
	struct wardi_tags wide = {.lists = tags->lists == 0 ? LISTS_MIN : tags->lists * 2,
				  .count = tags->count};

	wide.at = wardi_record_make(self, wide.lists * sizeof(wide.at[0]));
	if (wide.at == NULL)
		return tags->lists > 0; /* the lists become longer than one */
	move_all(&wide, tags);
	ward_discard(self, tags->at);
	*tags = wide;
	return true;
}

bool wardi_tags_reserve(ward_self *self, struct wardi_tags **tags)
{
	if (*tags == NULL)
		*tags = wardi_record_make(self, sizeof **tags);
	if (*tags == NULL)
		return false;
	return (*tags)->count < (*tags)->lists || widen(self, *tags);
}

void wardi_tags_insert(struct wardi_tags *tags, struct wardi_tag *record, uint64_t tag)
{
	record->tag = tag;
	link_in(tags, record);
	tags->count++;
}

static struct wardi_tag **place_of(const struct wardi_tags *tags, uint64_t tag)
{
	struct wardi_tag **at = list_of(tags, tag);

	while (*at != NULL && (*at)->tag != tag)
		at = &(*at)->next;
	return at;
}

struct wardi_tag *wardi_tags_find(const struct wardi_tags *tags, uint64_t tag)
{
	return tags == NULL || tags->count == 0 ? NULL : *place_of(tags, tag);
}

struct wardi_tag *wardi_tags_remove(struct wardi_tags *tags, uint64_t tag)
{
	struct wardi_tag **place, *record;

	if (tags == NULL || tags->count == 0)
		return NULL;
	place = place_of(tags, tag);
	record = *place;
	if (record != NULL) {
		*place = record->next;
		tags->count--;
	}
	return record;
}

/* ---- pauses ------------------------------------------------------------------------------ */

uint64_t wardi_random(ward_self *self, uint64_t (*random)(ward_self *self))
{
	return random != NULL ? random(self) : ward_random(self);
}

bool wardi_is_share(double factor)
{
	return factor >= 0 && factor <= 1;
}

/* ---- bodies ------------------------------------------------------------------------------ */

bool wardi_fits(const ward_type *type, const void *body, size_t size)
{
	if (body == NULL)
		return size == 0;
	return size >= type->size && size <= (type->size_max != 0 ? type->size_max : type->size);
}

void wardi_drop_unsent(const ward_type *type, const void *body, size_t size)
{
	if (type != NULL && type->drop != NULL && body != NULL && wardi_fits(type, body, size))
		type->drop((void *)(uintptr_t)body);
}
