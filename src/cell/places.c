/* SPDX-License-Identifier: MIT
 *
 * places.c - the table of places: written when an association is opened or closed, read without a
 * lock for each message that leaves the system.
 *
 * A row is found by its number, in the first rows from number % WARDI_PLACES on. A closed row
 * stays, so that its refs are known as dead, until its room is needed: the one that was closed
 * first goes. Then its refs are those of an unknown system, which are refused anyway.
 *
 * Threads   any
 * Pairs     [N1] the table: release - acquire
 *           [N2] number, after the rest of the row: release - acquire
 */
#include "cell/places.h"

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/foreign_call.h"
#include "base/text.h"
#include "cell/system.h"
#include "common/uncancelled.h"
#include "mail/outgoing.h"

enum { BYTES_UNIT = 1024, LOST_AFTER_MS = 10000, STEPS = 16 };

uint32_t wardi_place_next(void)
{
	static _Atomic uint32_t places;
	uint32_t place;

	/* Systems of a process must not take each other's refs for their own. This count is all
	 * that they share; it orders nothing. */
	do
		place = atomic_fetch_add_explicit(&places, 1, memory_order_relaxed) + 1;
	while ((place & ~WARDI_PLACE_FLAGS) == 0);
	return place & ~WARDI_PLACE_FLAGS;
}

static struct wardi_places *table_of(const ward_system *system)
{
	return atomic_load_explicit(&((ward_system *)(uintptr_t)system)->places,
				    memory_order_acquire); /* [N1] */
}

/* Returns the row at this step of the search for a place. */
static struct wardi_place_row *row_at(struct wardi_places *table, uint32_t place, uint32_t step)
{
	return &table->rows[(place + step) % WARDI_PLACES];
}

static uint32_t number_of(const struct wardi_place_row *row)
{
	return atomic_load_explicit(&row->number, memory_order_acquire); /* [N2] */
}

struct wardi_place_row *wardi_place_find(const ward_system *system, uint32_t place)
{
	struct wardi_places *table = table_of(system);

	for (uint32_t step = 0; table != NULL && step < STEPS; step++) {
		struct wardi_place_row *row = row_at(table, place, step);

		if (number_of(row) == place)
			return place == 0 ? NULL : row;
	}
	return NULL;
}

uint64_t wardi_place_owner(const ward_system *system, uint32_t place)
{
	const struct wardi_place_row *row = wardi_place_find(system, place & ~WARDI_PLACE_FLAGS);

	return row == NULL ? 0 : atomic_load_explicit(&row->owner, memory_order_relaxed);
}

uint32_t wardi_place_life(const ward_system *system, uint32_t place)
{
	const struct wardi_place_row *row = wardi_place_find(system, place & ~WARDI_PLACE_FLAGS);

	return row == NULL ? 0 : atomic_load_explicit(&row->life, memory_order_relaxed);
}

bool wardi_place_is_known(const ward_system *system, uint32_t place)
{
	return wardi_place_find(system, place & ~WARDI_PLACE_FLAGS) != NULL;
}

static bool is_open(const struct wardi_place_row *row)
{
	return atomic_load_explicit(&row->owner, memory_order_relaxed) != 0;
}

/* ---- opening and closing ----------------------------------------------------------------- */

/* NULL: no memory. */
static struct wardi_places *make_table(ward_system *system)
{
	struct wardi_places *table = wardi_alloc_zeroed(&system->alloc, sizeof *table);
	struct wardi_places *other = NULL;

	if (table == NULL)
		return NULL;
	wardi_mutex_init(&table->mu, WARDI_LOCK_PLACES);
	if (atomic_compare_exchange_strong_explicit(&system->places, &other, table,
						    memory_order_acq_rel, /* [N1] */
						    memory_order_acquire))
		return table;
	wardi_mutex_destroy(&table->mu);
	wardi_free(&system->alloc, table, sizeof *table);
	return other;
}

static struct wardi_place_row *named(struct wardi_places *table, const char *name)
{
	for (uint32_t i = 0; i < WARDI_PLACES; i++)
		if (number_of(&table->rows[i]) != 0 && is_open(&table->rows[i]) &&
		    strcmp(table->rows[i].name, name) == 0)
			return &table->rows[i];
	return NULL;
}

/* Under mu: returns the row for the place: its own, a free one, or the one that was closed first.
 * NULL: all are open. */
static struct wardi_place_row *row_for(struct wardi_places *table, uint32_t place)
{
	struct wardi_place_row *best = NULL;

	for (uint32_t step = 0; step < STEPS; step++) {
		struct wardi_place_row *row = row_at(table, place, step);

		if (number_of(row) == place)
			return row;
		if (number_of(row) == 0)
			return row;
		if (!is_open(row) && (best == NULL || row->closed < best->closed))
			best = row;
	}
	return best;
}

static void clear_flow(struct wardi_flow *flow)
{
	atomic_store_explicit(&flow->messages, 0, memory_order_relaxed);
	atomic_store_explicit(&flow->bytes, 0, memory_order_relaxed);
}

static void clear_flows(struct wardi_place_row *row)
{
	clear_flow(&row->taken);
	clear_flow(&row->passed);
	clear_flow(&row->lost);
	clear_flow(&row->refused);
}

static void write_row(struct wardi_place_row *row, const ward_association_options *options,
		      uint64_t owner, uint32_t place, uint32_t life)
{
	/* By value a place comes back, and with it what still waits there: it stays known. */
	if (number_of(row) != place) {
		clear_flows(row);
		/* A reader that still finds the old number sees a closed row. */
		atomic_store_explicit(&row->number, 0, memory_order_release); /* [N2] */
	}
	atomic_store_explicit(&row->bytes_unit,
			      options->bytes_unit == 0 ? BYTES_UNIT : options->bytes_unit,
			      memory_order_relaxed);
	atomic_store_explicit(&row->life, life, memory_order_relaxed);
	atomic_store_explicit(&row->by_value, options->by_value != NULL && !options->bodies_written,
			      memory_order_relaxed);
	wardi_text_copy(row->name, sizeof row->name, options->name);
	row->guests = options->guests;
	row->lost_after_ms = options->lost_after_ms == 0 ? LOST_AFTER_MS : options->lost_after_ms;
	atomic_store_explicit(&row->owner, owner, memory_order_relaxed);
	atomic_store_explicit(&row->number, place, memory_order_release); /* [N2] */
}

/* Under mu. */
static ward_err enter(struct wardi_places *table, const ward_association_options *options,
		      uint64_t owner, uint32_t place, uint32_t *ret_place)
{
	struct wardi_place_row *row = NULL;
	bool given = place != 0;

	if (named(table, options->name) != NULL)
		return WARD_EEXIST;
	if (table->open == WARDI_PLACES_OPEN_MAX)
		return WARD_ELIMIT;
	for (uint32_t tries = 0; row == NULL && tries < (given ? 1 : WARDI_PLACES); tries++) {
		if (!given)
			place = wardi_place_next();
		row = row_for(table, place);
	}
	if (row == NULL)
		return WARD_ELIMIT;
	if (number_of(row) == place && is_open(row))
		return WARD_EEXIST;
	table->openings = table->openings % WARDI_LIFE_MAX + 1;
	write_row(row, options, owner, place, table->openings);
	table->open++;
	*ret_place = place;
	return WARD_OK;
}

/* Under mu, where one was in the way: of the same name, or of the same place. */
static void copy_open_name(struct wardi_places *table, const ward_association_options *options,
			   uint32_t place, char name[WARD_NODE_NAME])
{
	const struct wardi_place_row *row = named(table, options->name);

	if (row == NULL)
		row = row_for(table, place);
	wardi_text_copy(name, WARD_NODE_NAME, row->name);
}

ward_err wardi_place_enter(ward_system *system, const ward_association_options *options,
			   uint64_t owner, uint32_t place, uint32_t *ret_place)
{
	struct wardi_places *table = table_of(system);
	char other[WARD_NODE_NAME];
	ward_err err;

	if (table == NULL)
		table = make_table(system);
	if (table == NULL)
		return wardi_no_memory(system, "ward_association_open: no memory");
	wardi_mutex_lock(&table->mu);
	err = enter(table, options, owner, place, ret_place);
	if (err == WARD_EEXIST)
		copy_open_name(table, options, place, other);
	wardi_mutex_unlock(&table->mu);
	if (err == WARD_EEXIST)
		return wardi_error(err, "ward_association_open: an association with \"%s\" is open",
				   other);
	if (err == WARD_ELIMIT)
		return wardi_error(err, "ward_association_open: %d associations are open",
				   WARDI_PLACES_OPEN_MAX);
	return err;
}

void wardi_place_close(ward_system *system, uint32_t place)
{
	struct wardi_places *table = table_of(system);
	struct wardi_place_row *row;

	wardi_mutex_lock(&table->mu);
	row = wardi_place_find(system, place);
	if (row == NULL)
		wardi_fatal("ward: broken invariant: an open association has no place");
	atomic_store_explicit(&row->owner, 0, memory_order_relaxed);
	row->closed = ++table->closings;
	table->open--;
	wardi_mutex_unlock(&table->mu);
}

void wardi_places_finish(ward_system *system)
{
	struct wardi_places *table = table_of(system);

	if (table == NULL)
		return;
	wardi_mutex_destroy(&table->mu);
	wardi_free(&system->alloc, table, sizeof *table);
}

/* ---- names ------------------------------------------------------------------------------- */

static bool is_node_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("-_.@:", c) != NULL);
}

ward_err ward_node_name_check(const char *name)
{
	size_t length = name == NULL ? 0 : strlen(name);

	if (length == 0)
		return wardi_error(WARD_ENAME, "the name of a node is empty");
	if (length >= WARD_NODE_NAME)
		return wardi_error(WARD_ENAME,
				   "the name of a node has %zu bytes, at most %d are "
				   "allowed",
				   length, WARD_NODE_NAME - 1);
	for (size_t i = 0; i < length; i++)
		if (!is_node_char(name[i]))
			return wardi_error(WARD_ENAME,
					   "the name of a node has a forbidden character (0x%02x) "
					   "at position %zu: letters, digits and -_.@: are fine",
					   (unsigned char)name[i], i);
	return WARD_OK;
}

bool ward_node_name(const ward_system *system, uint32_t place, char name[WARD_NODE_NAME])
{
	struct wardi_places *table = system == NULL ? NULL : table_of(system);
	const struct wardi_place_row *row;

	if (table == NULL)
		return false;
	wardi_mutex_lock(&table->mu);
	row = wardi_place_find(system, place & ~WARDI_PLACE_FLAGS);
	if (row != NULL)
		wardi_text_copy(name, WARD_NODE_NAME, row->name);
	wardi_mutex_unlock(&table->mu);
	return row != NULL;
}

uint32_t ward_node_place(const ward_system *system, const char *name)
{
	struct wardi_places *table = system == NULL || name == NULL ? NULL : table_of(system);
	const struct wardi_place_row *row;
	uint32_t place = 0;

	if (table == NULL)
		return 0;
	wardi_mutex_lock(&table->mu);
	row = named(table, name);
	if (row != NULL)
		place = number_of(row);
	wardi_mutex_unlock(&table->mu);
	return place;
}

bool ward_node_guests(const ward_system *system, const char *name, ward_ref *ret_guests,
		      int64_t *ret_lost_after_ms)
{
	struct wardi_places *table = system == NULL || name == NULL ? NULL : table_of(system);
	const struct wardi_place_row *row;
	bool takes = false;

	if (table == NULL)
		return false;
	wardi_mutex_lock(&table->mu);
	row = named(table, name);
	if (row != NULL && row->guests != 0) {
		*ret_guests = ward_ref_at(number_of(row), WARD_REF_ACTOR, row->guests);
		*ret_lost_after_ms = row->lost_after_ms;
		takes = true;
	}
	wardi_mutex_unlock(&table->mu);
	return takes;
}

static uint64_t read(const _Atomic uint64_t *count)
{
	return atomic_load_explicit(count, memory_order_relaxed);
}

/* Of what was taken. The counts are read one after the other: it may seem to be less than none. */
static uint64_t waiting(uint64_t taken, uint64_t passed, uint64_t lost)
{
	return taken > passed + lost ? taken - passed - lost : 0;
}

static void fill(const ward_system *system, const struct wardi_place_row *row, ward_node_info *info)
{
	uint64_t owner = atomic_load_explicit(&row->owner, memory_order_relaxed);

	memset(info, 0, sizeof *info);
	wardi_text_copy(info->name, sizeof info->name, row->name);
	info->place = number_of(row);
	info->open = owner != 0;
	if (info->open)
		info->association = wardi_ref_make(owner, system->place);
	info->passed = read(&row->passed.messages);
	info->refused = read(&row->refused.messages) + read(&row->lost.messages);
	info->waiting = waiting(read(&row->taken.messages), read(&row->passed.messages),
				read(&row->lost.messages));
	info->waiting_bytes =
		waiting(read(&row->taken.bytes), read(&row->passed.bytes), read(&row->lost.bytes));
}

size_t ward_system_nodes(ward_system *system, void (*each)(void *arg, const ward_node_info *info),
			 void *arg)
{
	WARDI_UNCANCELLED;
	struct wardi_places *table;
	ward_node_info info;
	size_t count = 0;

	table = system == NULL || !wardi_system_here(system) ? NULL : table_of(system);
	for (uint32_t i = 0; table != NULL && i < WARDI_PLACES; i++) {
		bool known;

		wardi_mutex_lock(&table->mu);
		known = number_of(&table->rows[i]) != 0;
		if (known)
			fill(system, &table->rows[i], &info);
		wardi_mutex_unlock(&table->mu);
		if (!known)
			continue;
		count++;
		if (each == NULL)
			continue;
		wardi_foreign_call_begin();
		each(arg, &info);
		wardi_foreign_call_end();
	}
	return count;
}

uint32_t ward_place(const ward_system *system)
{
	return system == NULL ? 0 : system->place;
}
