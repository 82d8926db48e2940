/* SPDX-License-Identifier: MIT
 *
 * names.c - the paths of actors, by uid, in an open hash table.
 */
#include "testkit/kit/names.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <ward/testkit/check.h>

#include "testkit/check/chance.h"
#include "testkit/kit/wire.h"

enum { FIRST_ROOM = 64 };

void wardi_names_finish(struct wardi_names *names)
{
	for (size_t i = 0; i < names->room; i++)
		free(names->slots[i].path);
	free(names->slots);
	names->slots = NULL;
	names->count = names->room = 0;
}

/* Returns the slot of the uid, or the empty slot where it belongs. */
static struct wardi_name *find(const struct wardi_names *names, uint64_t uid)
{
	size_t at = (size_t)wardi_chance_spread(uid) & (names->room - 1);
	while (names->slots[at].path != NULL && names->slots[at].uid != uid)
		at = (at + 1) & (names->room - 1);
	return &names->slots[at];
}

static void grow(struct wardi_names *names)
{
	struct wardi_names larger = {
		.glob = names->glob,
		.count = names->count,
		.room = names->room > 0 ? names->room * 2 : FIRST_ROOM,
	};
	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (larger.slots == NULL)
		ward_test_fail(__FILE__, __LINE__, "no memory for the names of actors");
	for (size_t i = 0; i < names->room; i++) {
		if (names->slots[i].path != NULL)
			*find(&larger, names->slots[i].uid) = names->slots[i];
	}
	free(names->slots);
	*names = larger;
}

const struct wardi_name *wardi_names_meet(struct wardi_names *names, ward_system *system,
					  ward_ref who)
{
	if (names->count * 2 >= names->room)
		grow(names);
	struct wardi_name *name = find(names, who.uid);
	if (name->path != NULL)
		return name;
	char path[WARD_EVENT_PATH] = "outside";
	if (!ward_ref_is_nobody(who))
		ward_system_path(system, who, path, sizeof(path));
	name->path = strdup(path);
	if (name->path == NULL)
		ward_test_fail(__FILE__, __LINE__, "no memory for the names of actors");
	name->uid = who.uid;
	name->matches = names->glob == NULL ? !wardi_path_is_wire(path)
					    : fnmatch(names->glob, path, 0) == 0;
	names->count++;
	return name;
}

const char *wardi_names_preposition(uint64_t uid)
{
	return uid == ward_nobody().uid ? "from" : "of";
}

const char *wardi_names_path(const struct wardi_names *names, uint64_t uid)
{
	const struct wardi_name *name = names->room > 0 ? find(names, uid) : NULL;
	return name != NULL && name->path != NULL ? name->path : "?";
}
