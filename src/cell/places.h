/* SPDX-License-Identifier: MIT
 *
 * places.h - the places of refs that are not of this system: a row for each association, open or
 * closed, and the actor at this end of it.
 */
#ifndef WARDI_PLACES_H
#define WARDI_PLACES_H

#include <stdatomic.h>

#include <ward/association.h>

#include "base/lock.h"
#include "cell/system.h"

struct wardi_alloc;

enum { WARDI_PLACES = 1024, WARDI_PLACES_OPEN_MAX = WARDI_PLACES / 2 };

/* A count for a look: relaxed. */
struct wardi_flow {
	_Atomic uint64_t messages, bytes; /* bytes: of their bodies */
};

static inline void wardi_flow_add(struct wardi_flow *flow, size_t bytes)
{
	atomic_fetch_add_explicit(&flow->messages, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&flow->bytes, bytes, memory_order_relaxed);
}

struct wardi_place_row {
	/* any thread; written under mu, `number` last */
	_Atomic uint32_t number; /* 0: the row is free */
	_Atomic uint32_t life;   /* the number of this opening, and of its outgoing messages */
	_Atomic uint64_t owner;  /* the uid of the association's actor; 0: it is closed */
	_Atomic uint32_t bytes_unit;
	_Atomic bool by_value; /* bodies of any type */
	/* under mu */
	char name[WARD_NODE_NAME];
	uint64_t guests;
	int64_t lost_after_ms;
	uint64_t closed; /* a number: the least is the row that was closed first */
	/* any thread: messages to it. Those that its association took have passed it, are lost, or
	 * wait */
	struct wardi_flow taken, passed, lost, refused;
};

struct wardi_places {
	struct wardi_mutex mu;
	/* under mu */
	uint32_t open, openings;
	uint64_t closings;
	/* A number is in one of the rows that follow number % WARDI_PLACES, before a free one. */
	struct wardi_place_row rows[WARDI_PLACES];
};

/* Returns a number that no place of this process has had; the count starts again after 2^30. */
uint32_t wardi_place_next(void);

/* In a turn or a visit, or under mu: returns the row of a place, NULL: none. `place` without
 * flags. */
struct wardi_place_row *wardi_place_find(const ward_system *system, uint32_t place);
/* Whether refs with this place are those of an association, open or closed. */
bool wardi_place_is_known(const ward_system *system, uint32_t place);

/* In a turn or a visit: returns the uid of the association's actor; 0: it is closed, or unknown. */
uint64_t wardi_place_owner(const ward_system *system, uint32_t place);
/* The same for the life of the association that has this place now; 0: none had it. A system of
 * this process has one place, and many lives. */
uint32_t wardi_place_life(const ward_system *system, uint32_t place);
/* Whether the ref is of this system, or of a known place. */
static inline bool wardi_place_is_near_or_known(const ward_system *system, ward_ref ref)
{
	return (wardi_ref_place(ref) & ~WARDI_PLACE_FLAGS) == system->place ||
	       wardi_place_is_known(system, wardi_ref_place(ref));
}

/* Whether the ref is of an actor of this system, or of a known place. Those of waiters and
 * questions get messages, and nothing else. */
static inline bool wardi_place_has_actor(const ward_system *system, ward_ref ref)
{
	return wardi_ref_is_here(system->place, ref) ||
	       (!wardi_ref_has_flag(ref, WARDI_PLACE_FLAGS) &&
		wardi_place_is_known(system, wardi_ref_place(ref)));
}

/* Enters an open association. place: 0: a new one is taken. */
ward_err wardi_place_enter(ward_system *system, const ward_association_options *options,
			   uint64_t owner, uint32_t place, uint32_t *ret_place);
/* The association is closed: its refs are dead, and its name is free. */
void wardi_place_close(ward_system *system, uint32_t place);

void wardi_places_finish(ward_system *system);

#endif
