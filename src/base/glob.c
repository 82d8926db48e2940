/* SPDX-License-Identifier: MIT
 *
 * glob.c - names with wildcards, matched without a stack.
 *
 *	pattern  a * b ? * c          of all stars passed so far only the last one can matter:
 *	              ^ star          what the ones before took is as short as possible, and a
 *	text     a x x b y z z c      longer one leaves less for what follows.
 *	                 ^ taken
 *
 * So there is one place to go back to, not one for each star, and "a*a*a*a*b" takes at most the
 * product of the lengths.
 *
 * Threads: no state.
 */
#include "base/glob.h"

#include <stddef.h>
#include <string.h>

bool wardi_is_pattern(const char *text)
{
	return strpbrk(text, "*?") != NULL;
}

bool wardi_glob_matches(const char *pattern, const char *text)
{
	const char *star = NULL;  /* behind the last star passed */
	const char *taken = NULL; /* the end of the text that this star takes, for now */

	while (*text != '\0') {
		if (*pattern == '*') {
			star = ++pattern;
			taken = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star != NULL) {
			pattern = star;
			text = ++taken; /* the star takes one more byte */
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}
