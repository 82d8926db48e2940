/* SPDX-License-Identifier: MIT
 *
 * pairs.h - the stand-ins of a kit, each with its guest: found by their refs, paths and numbers.
 */
#ifndef WARDI_FAR_PAIRS_H
#define WARDI_FAR_PAIRS_H

#include <ward/ward.h>

enum { WARDI_FAR_STAND_IN, WARDI_FAR_GUEST_OF, WARDI_FAR_HOST, WARDI_FAR_WAYS };
enum { WARDI_FAR_LISTS = 4096 };

/* A stand-in, and its guest. */
struct wardi_far_pair {
	/* in the lists of its stand-in, its guest, the host of that */
	struct wardi_far_pair *next_of[WARDI_FAR_WAYS];
	unsigned number; /* from 1 on */
	ward_ref stand_in, guest;
	int guest_side;
	char *name;                       /* that the spawn asked for; or NULL */
	char path[WARD_EVENT_PATH];       /* of the stand-in, as the test knows it */
	char guest_path[WARD_EVENT_PATH]; /* ""; not yet */
};

struct wardi_far_pairs {
	struct wardi_far_pair **by_number;
	unsigned count;
	struct wardi_far_pair *lists[WARDI_FAR_WAYS][WARDI_FAR_LISTS];
};

/* Makes a pair for a child of this name (or NULL). */
struct wardi_far_pair *wardi_far_pair_make(struct wardi_far_pairs *pairs, const char *name);
/* `path` is that of the stand-in in its system. */
void wardi_far_pair_stands_in(struct wardi_far_pairs *pairs, struct wardi_far_pair *pair,
			      ward_ref stand_in, const char *path);
/* A start after the first has another guest. */
void wardi_far_pair_has_guest(struct wardi_far_pairs *pairs, struct wardi_far_pair *pair,
			      ward_ref guest, int side, const char *path);
void wardi_far_pairs_finish(struct wardi_far_pairs *pairs);

/* All return NULL if there is no such pair. The name ends with "~NUMBER". */
struct wardi_far_pair *wardi_far_pair_of_name(const struct wardi_far_pairs *pairs,
					      const char *name);
/* Of an actor that is, or was, a stand-in or a guest. */
const struct wardi_far_pair *wardi_far_pair_of_ref(const struct wardi_far_pairs *pairs,
						   ward_ref who);
/* Of a path at or below that of a guest. */
const struct wardi_far_pair *wardi_far_pair_of_path(const struct wardi_far_pairs *pairs,
						    const char *path);

/* Writes the path by which the test knows an actor; "": there is no room for it. */
void wardi_far_known_path(const struct wardi_far_pairs *pairs, const char *path,
			  char to[WARD_EVENT_PATH]);

#endif
