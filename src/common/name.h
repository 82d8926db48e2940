/* SPDX-License-Identifier: MIT
 *
 * name.h - which bytes a name has, and a name for what has none: that of its behaviour.
 *
 * Safe together: everything.
 */
#ifndef WARDI_NAME_H
#define WARDI_NAME_H

#include <stdbool.h>
#include <string.h>

/* Of a name: not the byte that ends it. */
static inline bool wardi_is_name_char(char c)
{
	if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
		return true;
	return strchr("-_.$+:@&=,!~';", c) != NULL;
}

/* Writes a name out of any text: '_' for each byte that stands for itself in no name, and for '$';
 * cut to fit. "": there is no text. */
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
