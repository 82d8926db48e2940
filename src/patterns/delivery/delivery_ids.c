/* SPDX-License-Identifier: MIT
 *
 * delivery_ids.c - the ids of at-least-once delivery: none is used twice.
 *
 * Each incarnation has its own range of 2^40 ids, the first the lowest. A state from elsewhere may
 * bring ids from a range that a later incarnation here would use. Then all later incarnations in
 * the process begin above it: the number of ranges passed over only grows, so the ranges of an
 * actor stay in order.
 *
 * Within an incarnation, its own ids are spans, since the ids of a state may leave gaps between
 * them; ids that came with a state are noted individually.
 *
 * Threads: runs only in callbacks of its actor, except for the process-wide counters.
 */
#include "patterns/delivery/delivery_ids.h"

#include <stdatomic.h>

#include <ward/actor.h>
#include <ward/delivery.h>

#include "common/records.h"

enum { RANGE_BITS = 40 };

struct wardi_delivery_span {
	struct wardi_delivery_span *next;
	uint64_t from, to; /* exclusive */
};

struct note {
	struct wardi_tag id;
	uint64_t series;
};

/* Relaxed, both: nothing but the number is shared. The incarnations of an actor see it in order. */
static _Atomic uint64_t last_series, ranges_passed;

static void pass_over(uint64_t ranges)
{
	uint64_t passed = atomic_load_explicit(&ranges_passed, memory_order_relaxed);

	while (passed < ranges &&
	       !atomic_compare_exchange_weak_explicit(&ranges_passed, &passed, ranges,
						      memory_order_relaxed, memory_order_relaxed))
		;
}

static uint64_t earlier_lives(const ward_self *self)
{
	return ward_incarnation(self) - 1;
}

void wardi_delivery_ids_begin(ward_self *self, ward_delivery *delivery)
{
	uint64_t range = earlier_lives(self);

	if (range > 0)
		range += atomic_load_explicit(&ranges_passed, memory_order_relaxed);
	delivery->next_id = delivery->own_from = (range << RANGE_BITS) + 1;
	delivery->series = atomic_fetch_add_explicit(&last_series, 1, memory_order_relaxed) + 1;
}

bool wardi_delivery_ids_begin_above(ward_self *self, ward_delivery *delivery, uint64_t next_id)
{
	uint64_t lives = earlier_lives(self), range = next_id >> RANGE_BITS;
	struct wardi_delivery_span *span;

	if (delivery->next_id >= next_id)
		return true;
	if (delivery->own_from < delivery->next_id) {
		span = wardi_record_make(self, sizeof *span);
		if (span == NULL)
			return false;
		*span = (struct wardi_delivery_span){delivery->own, delivery->own_from,
						     delivery->next_id};
		delivery->own = span;
	}
	delivery->own_from = delivery->next_id = next_id;
	if (range > lives)
		pass_over(range - lives);
	return true;
}

static bool is_own(const ward_delivery *delivery, uint64_t id)
{
	const struct wardi_delivery_span *span = delivery->own;

	if (id >= delivery->own_from && id < delivery->next_id)
		return true;
	while (span != NULL && (id < span->from || id >= span->to))
		span = span->next;
	return span != NULL;
}

bool wardi_delivery_id_is_taken(const ward_delivery *delivery, uint64_t id, uint64_t series)
{
	const struct note *note = (struct note *)wardi_tags_find(delivery->brought, id);

	if (note != NULL)
		return note->series != series;
	return series != delivery->series && is_own(delivery, id);
}

bool wardi_delivery_id_note(ward_self *self, const ward_delivery *delivery, uint64_t id,
			    uint64_t series, struct wardi_tag **notes)
{
	struct note *note;

	if (series == delivery->series || wardi_tags_find(delivery->brought, id) != NULL)
		return true;
	note = wardi_record_make(self, sizeof *note);
	if (note == NULL)
		return false;
	*note = (struct note){{*notes, id}, series};
	*notes = &note->id;
	return true;
}

void wardi_delivery_ids_enter(ward_self *self, ward_delivery *delivery, struct wardi_tag *notes)
{
	for (struct wardi_tag *next; notes != NULL; notes = next) {
		next = notes->next;
		(void)wardi_tags_reserve(self, &delivery->brought);
		wardi_tags_insert(delivery->brought, notes, notes->tag);
	}
}

void wardi_delivery_ids_forget(ward_self *self, struct wardi_tag *notes)
{
	for (struct wardi_tag *next; notes != NULL; notes = next) {
		next = notes->next;
		ward_discard(self, notes);
	}
}
