/* SPDX-License-Identifier: MIT
 *
 * names.h - the actors that a run has met: their paths, also when they are gone. Single-threaded.
 */
#ifndef WARDI_TESTKIT_NAMES_H
#define WARDI_TESTKIT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include <ward/simulation.h>

/* An actor. Valid until the next one is met. */
struct wardi_name {
	uint64_t uid;
	bool matches; /* the glob of the table */
	char *path;
};

/* All zero is an empty table without a glob, which all match. */
struct wardi_names {
	const char *glob;
	struct wardi_name *slots; /* a power of two of them, half of them empty at least */
	size_t count;
	size_t room;
};

void wardi_names_finish(struct wardi_names *names);
/* Meets the actor, for the first time or again. Nobody is one, too: "outside". */
const struct wardi_name *wardi_names_meet(struct wardi_names *names, ward_system *system,
					  ward_ref who);
/* The path of one that was met, else "?". */
const char *wardi_names_path(const struct wardi_names *names, uint64_t uid);

#endif
