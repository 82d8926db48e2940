/* SPDX-License-Identifier: MIT
 *
 * pairs.c - the stand-ins of a kit, each with its guest: found by their refs, paths and numbers.
 *
 * Threads: the simulation's own.
 */
#include "testkit/far/pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/testkit/check.h>

#include "testkit/far/shown.h"

/* ---- lists ------------------------------------------------------------------------------- */

static size_t list_of_ref(ward_ref who)
{
	return ward_ref_number(who) % WARDI_FAR_LISTS;
}

/* `end` is where the name of the host ends. */
static size_t list_of_host(const char *path, const char *end)
{
	size_t hash = 0;

	while (path < end)
		hash = 31 * hash + (unsigned char)*path++;
	return hash % WARDI_FAR_LISTS;
}

static void enter(struct wardi_far_pairs *pairs, struct wardi_far_pair *pair, int way, size_t list)
{
	pair->next_of[way] = pairs->lists[way][list];
	pairs->lists[way][list] = pair;
}

/* It may be in none. */
static void leave(struct wardi_far_pairs *pairs, const struct wardi_far_pair *pair, int way,
		  size_t list)
{
	struct wardi_far_pair **at = &pairs->lists[way][list];

	while (*at != NULL && *at != pair)
		at = &(*at)->next_of[way];
	if (*at != NULL)
		*at = pair->next_of[way];
}

/* ---- changes ----------------------------------------------------------------------------- */

struct wardi_far_pair *wardi_far_pair_make(struct wardi_far_pairs *pairs, const char *name)
{
	struct wardi_far_pair *pair = calloc(1, sizeof *pair);

	ward_assert(pair != NULL);
	if ((pairs->count & (pairs->count + 1)) == 0) { /* there is room for 2^n - 1 */
		pairs->by_number = realloc(pairs->by_number, (2 * (size_t)pairs->count + 1) *
								     sizeof *pairs->by_number);
		ward_assert(pairs->by_number != NULL);
	}
	pairs->by_number[pairs->count] = pair;
	pair->number = ++pairs->count;
	if (name != NULL)
		ward_assert((pair->name = strdup(name)) != NULL);
	return pair;
}

void wardi_far_pair_stands_in(struct wardi_far_pairs *pairs, struct wardi_far_pair *pair,
			      ward_ref stand_in, const char *path)
{
	pair->stand_in = stand_in;
	enter(pairs, pair, WARDI_FAR_STAND_IN, list_of_ref(stand_in));
	wardi_far_known_path(pairs, path, pair->path);
}

void wardi_far_pair_has_guest(struct wardi_far_pairs *pairs, struct wardi_far_pair *pair,
			      ward_ref guest, int side, const char *path)
{
	const char *below = wardi_far_below_host(path),
		   *before = wardi_far_below_host(pair->guest_path);

	leave(pairs, pair, WARDI_FAR_GUEST_OF, list_of_ref(pair->guest));
	if (before != NULL)
		leave(pairs, pair, WARDI_FAR_HOST, list_of_host(pair->guest_path, before));
	pair->guest = guest;
	pair->guest_side = side;
	snprintf(pair->guest_path, sizeof pair->guest_path, "%s", path);
	enter(pairs, pair, WARDI_FAR_GUEST_OF, list_of_ref(guest));
	if (below != NULL) /* the path was not cut */
		enter(pairs, pair, WARDI_FAR_HOST, list_of_host(path, below));
}

void wardi_far_pairs_finish(struct wardi_far_pairs *pairs)
{
	for (unsigned i = 0; i < pairs->count; i++) {
		free(pairs->by_number[i]->name);
		free(pairs->by_number[i]);
	}
	free(pairs->by_number);
}

/* ---- queries ----------------------------------------------------------------------------- */

struct wardi_far_pair *wardi_far_pair_of_name(const struct wardi_far_pairs *pairs, const char *name)
{
	const char *mark = name == NULL ? NULL : strrchr(name, '~');
	unsigned long number = mark == NULL ? 0 : strtoul(mark + 1, NULL, 10);

	return number == 0 || number > pairs->count ? NULL : pairs->by_number[number - 1];
}

const struct wardi_far_pair *wardi_far_pair_of_ref(const struct wardi_far_pairs *pairs,
						   ward_ref who)
{
	size_t list = list_of_ref(who);
	const struct wardi_far_pair *pair = pairs->lists[WARDI_FAR_STAND_IN][list];

	if (ward_ref_is_nobody(who))
		return NULL;
	while (pair != NULL && !ward_ref_equal(pair->stand_in, who))
		pair = pair->next_of[WARDI_FAR_STAND_IN];
	if (pair != NULL)
		return pair;
	pair = pairs->lists[WARDI_FAR_GUEST_OF][list];
	while (pair != NULL && !ward_ref_equal(pair->guest, who))
		pair = pair->next_of[WARDI_FAR_GUEST_OF];
	return pair;
}

const struct wardi_far_pair *wardi_far_pair_of_path(const struct wardi_far_pairs *pairs,
						    const char *path)
{
	const char *below = wardi_far_below_host(path);
	const struct wardi_far_pair *pair = NULL;

	if (below != NULL && *below == '/')
		pair = pairs->lists[WARDI_FAR_HOST][list_of_host(path, below)];
	for (; pair != NULL; pair = pair->next_of[WARDI_FAR_HOST]) {
		size_t length = strlen(pair->guest_path);

		if (strncmp(path, pair->guest_path, length) == 0 &&
		    (path[length] == '\0' || path[length] == '/'))
			return pair;
	}
	return NULL;
}

void wardi_far_known_path(const struct wardi_far_pairs *pairs, const char *path,
			  char to[WARD_EVENT_PATH])
{
	const struct wardi_far_pair *pair = wardi_far_pair_of_path(pairs, path);

	if (pair == NULL)
		snprintf(to, WARD_EVENT_PATH, "%s", path);
	else if (snprintf(to, WARD_EVENT_PATH, "%s%s", pair->path,
			  path + strlen(pair->guest_path)) >= WARD_EVENT_PATH)
		to[0] = '\0';
}
