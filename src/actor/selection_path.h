/* SPDX-License-Identifier: MIT
 *
 * selection_path.h - the text of a path that a selection walks.
 *
 *	"a/..", "w?/.."    here, if such a child is there
 *	"w?/a/../.."       no path: it would come back once from each child that matches
 */
#ifndef WARDI_SELECTION_PATH_H
#define WARDI_SELECTION_PATH_H

#include <stdbool.h>

/* Whether it can be walked so that each receiver is reached once: a pattern that is taken back by a
 * ".." has it directly behind itself. NULL: no. O(length). */
bool wardi_path_is_one(const char *path);
/* Writes the elements behind each other, each ended by a zero, without those that are ".". There is
 * room for the text and a zero more. */
void wardi_path_split(const char *path, char *to);

#endif
