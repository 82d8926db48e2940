/* SPDX-License-Identifier: MIT
 *
 * text.c - reports are put together in a buffer, and cut when that is full.
 */
#include "testkit/text.h"

#include <stdarg.h>
#include <stdio.h>

size_t wardi_text_add(char *text, size_t size, size_t length, const char *format, ...)
{
	va_list args;
	if (length + 1 >= size)
		return length;
	va_start(args, format);
	int more = vsnprintf(text + length, size - length, format, args);
	va_end(args);
	length += more > 0 ? (size_t)more : 0;
	return length < size ? length : size - 1;
}
