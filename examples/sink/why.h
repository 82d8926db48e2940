/* SPDX-License-Identifier: MIT
 *
 * why.h - a text that says what went wrong, where, and what to do.
 */
#ifndef SINK_WHY_H
#define SINK_WHY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <ward/text.h>

struct why {
	char text[512];
};

/* Notes it, as one line whatever names of files are in it; returns false, so that
 * `return why_not(why, ...)` reads as it should. */
__attribute__((format(printf, 2, 3))) static inline bool why_not(struct why *why, const char *text,
								 ...)
{
	va_list args;
	va_start(args, text);
	ward_text_vformat(why->text, sizeof(why->text), text, args);
	va_end(args);
	return false;
}

#endif
