/* SPDX-License-Identifier: MIT
 *
 * say.h - lines for people, on a stream: names of files and foreign texts cannot control the
 * terminal or start new lines.
 *
 * Threads: calls may run at the same time; a line is one call of the stream.
 */
#ifndef WARDI_SAY_H
#define WARDI_SAY_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <ward/text.h>

/* Prints `length` bytes as ward_text_line() makes them, up to a 0, and `end` behind them. */
static inline void wardi_say_text(FILE *to, const char *text, size_t length, const char *end)
{
	size_t full = ward_text_line(NULL, 0, text, length);
	char *line = malloc(full + 1);

	if (line == NULL)
		return;
	ward_text_line(line, full + 1, text, length);
	fprintf(to, "%s%s", line, end);
	free(line);
}

/* Prints a line; adds the newline. */
WARD_PRINTF(2, 3) static inline void wardi_say(FILE *to, const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return;
	wardi_say_text(to, text, (size_t)length, "\n");
	free(text);
}

#endif
