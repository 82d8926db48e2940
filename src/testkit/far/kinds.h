/* SPDX-License-Identifier: MIT
 *
 * kinds.h - what the guests of one system of a kit may start, by bytes: a kind for each spawn.
 */
#ifndef WARDI_FAR_KINDS_H
#define WARDI_FAR_KINDS_H

#include <ward/guests.h>
#include <ward/remote.h>

struct wardi_far_kind;

struct wardi_far_kinds {
	struct wardi_far_kind *first;
	ward_kind *table; /* for ward_guests_options; it grows in place */
	unsigned count;
};

/* Starts the guests of a system, with a table that has no kinds yet. Returns their actor. */
ward_ref wardi_far_kinds_guests(struct wardi_far_kinds *kinds, ward_system *system);
/* Adds a kind for `remote`, which has these props so far, and in their place names it, with the
 * arguments. False: the props are refused. */
bool wardi_far_kinds_describe(struct wardi_far_kinds *kinds, const ward_props *props,
			      struct ward_remote *remote);
void wardi_far_kinds_finish(struct wardi_far_kinds *kinds);

#endif
