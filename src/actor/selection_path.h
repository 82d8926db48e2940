/* SPDX-License-Identifier: MIT
 *
 * selection_path.h - the path that a selection walks, as text.
 *
 *	"a/..", "w?/.."    here, if such a child is there
 *	"w?/a/../.."       refused: it would come back once from each child that matches
 */
#ifndef WARDI_SELECTION_PATH_H
#define WARDI_SELECTION_PATH_H

#include <stdbool.h>

/* Whether a walk along the path reaches each receiver once: the ".." that takes back a pattern
 * comes right after it. NULL: no. O(length). */
bool wardi_path_is_one(const char *path);
/* Writes the elements behind each other, each ended by a zero, without those that are ".". There is
 * room for the text and a zero more. */
void wardi_path_split(const char *path, char *to);

#endif
