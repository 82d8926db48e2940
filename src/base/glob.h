/* SPDX-License-Identifier: MIT
 *
 * glob.h - names with wildcards: `*` stands for any run of bytes, `?` for one byte.
 */
#ifndef WARDI_GLOB_H
#define WARDI_GLOB_H

#include <stdbool.h>

/* Whether the text contains a wildcard. */
bool wardi_is_pattern(const char *text);
/* Whether the whole text matches. O(length of the text times length of the pattern). */
bool wardi_glob_matches(const char *pattern, const char *text);

#endif
