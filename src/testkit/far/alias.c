/* SPDX-License-Identifier: MIT
 *
 * alias.c - copies of one behaviour, by their names.
 *
 * Threads: the simulation's own.
 */
#include "testkit/far/alias.h"

#include <stdlib.h>

#include <ward/testkit/check.h>

struct wardi_far_alias {
	struct wardi_far_alias *next;
	ward_behavior behavior;
};

const ward_behavior *wardi_far_alias(struct wardi_far_alias **list, const ward_behavior *stand_in,
				     const char *name)
{
	struct wardi_far_alias *alias = *list;

	while (alias != NULL && alias->behavior.name != name)
		alias = alias->next;
	if (alias != NULL)
		return &alias->behavior;
	alias = malloc(sizeof *alias);
	ward_assert(alias != NULL);
	*alias = (struct wardi_far_alias){*list, *stand_in};
	alias->behavior.name = name;
	*list = alias;
	return &alias->behavior;
}

void wardi_far_aliases_free(struct wardi_far_alias *list)
{
	for (struct wardi_far_alias *alias; (alias = list) != NULL; free(alias))
		list = alias->next;
}
