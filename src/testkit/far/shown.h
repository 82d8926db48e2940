/* SPDX-License-Identifier: MIT
 *
 * shown.h - how a test sees the actors of two systems: their paths, and the state of a child.
 */
#ifndef WARDI_TESTKIT_FAR_SHOWN_H
#define WARDI_TESTKIT_FAR_SHOWN_H

#include <stdbool.h>

/* Returns what follows "NAME/system/guests/HOST" in a path, "" or "/...", or NULL. */
const char *wardi_far_below_host(const char *path);
/* Whether it is at or below "NAME/system". */
bool wardi_far_is_service(const char *path);
/* Whether it is of the mechanism: "NAME/system/guests", a host below it, "NAME/system/loop-...". */
bool wardi_far_is_mechanism(const char *path);
/* Whether it is a type of what a stand-in, a host and the guests say to each other. */
bool wardi_far_is_order(const char *type);

/* Returns the state of a child, as in ward_actor_info, of those of its stand-in and its guest. */
const char *wardi_far_state(const char *stand_in, const char *guest);

#endif
