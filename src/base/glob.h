/* SPDX-License-Identifier: MIT
 *
 * glob.h - names with wildcards: `*` stands for any run of bytes, `?` for one byte.
 */
#ifndef WARDI_GLOB_H
#define WARDI_GLOB_H

#include <stdbool.h>

/* Whether there is a wildcard in the text. */
bool wardi_is_pattern(const char *text);
/* Whether all of the text matches. O(length of the text times length of the pattern). */
bool wardi_glob_matches(const char *pattern, const char *text);

#endif
