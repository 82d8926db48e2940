/* SPDX-License-Identifier: MIT
 *
 * text.c - short texts of bounded length.
 *
 * Safe together: everything.
 */
#include "base/text.h"

#include <string.h>

void wardi_text_copy(char *to, size_t max, const char *text)
{
	size_t length = strnlen(text, max - 1);

	memcpy(to, text, length);
	to[length] = '\0';
}
