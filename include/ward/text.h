/* SPDX-License-Identifier: MIT
 *
 * ward/text.h - texts of others on one line: what they hold must not make lines of its own, nor
 * steer a terminal.
 *
 * The library shows nothing else: ward_event_format(), ward_system_tree(), ward_err_detail(), the
 * texts of failures, notes and statuses are such lines. Here is what makes them, for programs that
 * print names of files, or what somebody sent.
 */
#ifndef WARD_TEXT_H
#define WARD_TEXT_H

#include <stdarg.h>

#include <ward/types.h>

WARD_BEGIN

/** For the length of a text: it ends at its 0. */
#define WARD_TEXT_ALL SIZE_MAX

/**
 * Writes `length` bytes of a text, or up to its 0, as one line into to[max]; returns the full
 * length, as snprintf does.
 *
 * Characters in UTF-8 stay as they are, but for those that are not to be seen on a line: control
 * characters (C0, DEL, C1), the line and paragraph separators, and those that turn the direction of
 * what follows. They become "\n", "\t", "\r", "\x1b" or "\u{202e}"; a byte that is not of a
 * well-formed character becomes "\xe4". A line stays the same when it is written again. It is cut
 * between two characters, and between two of these words.
 *
 *	char line[256];
 *
 *	ward_text_line(line, sizeof line, name, WARD_TEXT_ALL);
 *	printf("%s\n", line);
 *
 * Ownership  borrows the text, which must not overlap `to`. `to` may be NULL where `max` is 0.
 * Threads    any.
 * Cost       O(length).
 */
WARD_API size_t ward_text_line(char *to, size_t max, const char *text, size_t length);

/** Of what ward_text_format() makes, before it becomes a line. */
enum { WARD_TEXT_FORMAT_MAX = 2047 };

/** The same with a text that is printf's, of WARD_TEXT_FORMAT_MAX bytes; more is cut. The arguments
 *  may lie in `to`. Threads: any. Cost: O(length), as printf makes it. */
WARD_API WARD_PRINTF(3, 4) size_t ward_text_format(char *to, size_t max, const char *format, ...);

/** The same with a list of arguments. Threads: any. Cost: as ward_text_format(). */
WARD_API WARD_PRINTF(3, 0) size_t
	ward_text_vformat(char *to, size_t max, const char *format, va_list args);

/** Returns how many of the first `max` bytes of a text are whole characters, for "%.*s": so no
 *  character is cut in two. Threads: any. Cost: O(max). */
WARD_API int ward_text_fit(const char *text, int max);

/** Two arguments for one "%.*s": printf("%.*s", WARD_TEXT_FIT(name, 64)). `text` is evaluated
 *  twice. */
#define WARD_TEXT_FIT(text, max) ward_text_fit((text), (max)), (text)

WARD_END
#endif
