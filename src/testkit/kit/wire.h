/* SPDX-License-Identifier: MIT
 *
 * wire.h - actors that stand for a wire between systems: by their paths.
 */
#ifndef WARDI_TESTKIT_WIRE_H
#define WARDI_TESTKIT_WIRE_H

#include <stdbool.h>

/* Returns what follows `begin`, such as "/system/guests", behind the name of the system in a path;
 * NULL: the path does not begin so. */
const char *wardi_path_behind(const char *path, const char *begin);
/* Whether it is at or below the end of a connection of a loop: "NAME/system/loop-...". */
bool wardi_path_is_wire(const char *path);

#endif
