/* SPDX-License-Identifier: MIT
 *
 * alias.h - the behaviour of a stand-in under the name of the child's.
 */
#ifndef WARDI_FAR_ALIAS_H
#define WARDI_FAR_ALIAS_H

#include <ward/actor.h>

struct wardi_far_alias;

/* Returns a stand-in's behaviour by this name, which is added to the list. */
const ward_behavior *wardi_far_alias(struct wardi_far_alias **list, const ward_behavior *stand_in,
				     const char *name);
void wardi_far_aliases_free(struct wardi_far_alias *list);

#endif
