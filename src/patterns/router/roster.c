/* SPDX-License-Identifier: MIT
 *
 * roster.c - the routees of a router, and those that are leaving.
 *
 *	at  [ first in turn ... last ][ leaving ... ]
 *	    0                    count            all
 *
 * Moving a routee from one half to the other needs no memory, so a routee can always leave. The
 * memory comes from malloc(): it belongs to the arguments, which outlive the incarnations.
 *
 * Threads: one.
 */
#include "patterns/router/roster.h"

#include <stdlib.h>
#include <string.h>

#include "patterns/router/router.h"

bool wardi_roster_reserve(struct wardi_roster *roster)
{
	size_t room = roster->room == 0 ? 8 : roster->room * 2;
	struct wardi_routee *more;

	if (roster->all < roster->room)
		return true;
	more = realloc(roster->at, room * sizeof *more);
	if (more == NULL)
		return false;
	roster->at = more;
	roster->room = room;
	return true;
}

/* Moves an entry from `from` to `to`; those between shift by one. */
static void move(struct wardi_roster *roster, size_t from, size_t to)
{
	struct wardi_routee moved = roster->at[from];

	if (from < to)
		memmove(&roster->at[from], &roster->at[from + 1], (to - from) * sizeof moved);
	else
		memmove(&roster->at[to + 1], &roster->at[to], (from - to) * sizeof moved);
	roster->at[to] = moved;
}

void wardi_roster_add(struct wardi_roster *roster, struct wardi_routee routee)
{
	roster->at[roster->all++] = routee;
	wardi_roster_recall(roster, roster->all - 1);
}

size_t wardi_roster_find(const struct wardi_roster *roster, ward_ref ref)
{
	size_t at = 0;

	while (at < roster->all &&
	       (roster->at[at].path != NULL || !ward_ref_equal(roster->at[at].ref, ref)))
		at++;
	return at;
}

void wardi_roster_retire(struct wardi_roster *roster, size_t at)
{
	move(roster, at, roster->all - 1);
	roster->count--;
}

void wardi_roster_recall(struct wardi_roster *roster, size_t at)
{
	move(roster, at, roster->count++);
}

void wardi_roster_remove(struct wardi_roster *roster, size_t at)
{
	if (at < roster->count)
		roster->count--;
	move(roster, at, --roster->all);
}
