/* SPDX-License-Identifier: MIT
 *
 * names.h - the paths of the actors of a run, kept after their end. Single-threaded.
 */
#ifndef WARDI_TESTKIT_NAMES_H
#define WARDI_TESTKIT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include <ward/simulation.h>

/* An actor. Valid until the next call of wardi_names_meet(). */
struct wardi_name {
	uint64_t uid;
	bool matches; /* its path matches the glob of the table; without one: it is no wire */
	char *path;
};

/* All zero: an empty table without a glob, in which every actor matches that is no wire. */
struct wardi_names {
	const char *glob;
	struct wardi_name *slots; /* a power of two; at least half of them are empty */
	size_t count;
	size_t room;
};

void wardi_names_finish(struct wardi_names *names);
/* Returns the actor's entry, added if it is new. Nobody has an entry, too: "outside". */
const struct wardi_name *wardi_names_meet(struct wardi_names *names, ward_system *system,
					  ward_ref who);
/* Returns the word before the path: "of" an actor, "from" outside. */
const char *wardi_names_preposition(uint64_t uid);
/* Returns the path of an actor in the table, else "?". */
const char *wardi_names_path(const struct wardi_names *names, uint64_t uid);

#endif
