/* SPDX-License-Identifier: MIT
 *
 * name.h - the bytes allowed in a name, and a name derived from any text.
 *
 * Threads: calls may run at the same time.
 */
#ifndef WARDI_NAME_H
#define WARDI_NAME_H

#include <stdbool.h>
#include <string.h>

/* Whether a name may contain the byte; not for the byte that ends it. */
static inline bool wardi_is_name_char(char c)
{
	if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
		return true;
	return strchr("-_.$+:@&=,!~';", c) != NULL;
}

/* Derives a name from any text: '_' for '$' and for each byte that no name may contain; cut to fit.
 * "": no text. */
static inline void wardi_name_from(const char *text, char *name, size_t max)
{
	size_t length = text == NULL ? 0 : strnlen(text, max - 1);

	for (size_t i = 0; i < length; i++)
		name[i] = wardi_is_name_char(text[i]) && text[i] != '$' ? text[i] : '_';
	name[length] = '\0';
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		name[0] = '_';
}

#endif
