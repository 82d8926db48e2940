/* SPDX-License-Identifier: MIT
 *
 * ward/text.h - makes untrusted text safe to print on one line: it cannot start a new line or
 * control a terminal.
 *
 * All texts that the library shows are such lines: those of ward_event_format(),
 * ward_system_tree(), ward_err_detail(), and of failures, notes and statuses. The functions here
 * make them; they are also for programs that print names of files, or data that somebody sent.
 */
#ifndef WARD_TEXT_H
#define WARD_TEXT_H

#include <stdarg.h>

#include <ward/types.h>

WARD_BEGIN

/** For the length of a text: the text ends at its terminating 0. */
#define WARD_TEXT_ALL SIZE_MAX

/**
 * Writes `length` bytes of a text, or less up to its 0, as one line to to[max]; returns the full
 * length, as snprintf() does.
 *
 * UTF-8 characters stay as they are, except those that must not be on a line: control characters
 * (C0, DEL, C1), the line and paragraph separators, and those that change the direction of the
 * text. These become visible escapes, a backslash and letters: \n, \t, \r, \x1b or \u{202e}; a byte
 * that is not part of a well-formed character becomes such as \xe4. A backslash in the text stays
 * as it is: the result is for people, and cannot be decoded. Writing a line again leaves it
 * unchanged. A line is cut between two characters or two of these escapes.
 *
 *	char line[256];
 *
 *	ward_text_line(line, sizeof line, name, WARD_TEXT_ALL);
 *	printf("%s\n", line);
 *
 * Ownership  borrows the text, which must not overlap `to`. `to` may be NULL if `max` is 0.
 * Threads    any.
 * Cost       O(length).
 */
WARD_API size_t ward_text_line(char *to, size_t max, const char *text, size_t length);

/** Longest text that ward_text_format() formats, in bytes, before it becomes a line. */
enum { WARD_TEXT_FORMAT_MAX = 2047 };

/** Formats a text as printf does, cuts it to WARD_TEXT_FORMAT_MAX bytes, and writes it as
 *  ward_text_line() does. The arguments may be in `to`. Threads: any. Cost: O(length), as printf.
 */
WARD_API WARD_PRINTF(3, 4) size_t ward_text_format(char *to, size_t max, const char *format, ...);

/** Formats like ward_text_format(), with a va_list. Threads: any. Cost: as ward_text_format(). */
WARD_API WARD_PRINTF(3, 0) size_t
	ward_text_vformat(char *to, size_t max, const char *format, va_list args);

/** Returns the length in bytes of the longest beginning of a text that has at most `max` bytes and
 *  cuts no character in two, for "%.*s". Stops at the terminating 0. A `max` of 0 or less is
 *  returned as it is. Threads: any. Cost: O(max). */
WARD_API int ward_text_fit(const char *text, int max);

/** Expands to both arguments of a "%.*s": `printf("%.*s", WARD_TEXT_FIT(name, 64))`. Evaluates
 *  `text` twice. */
#define WARD_TEXT_FIT(text, max) ward_text_fit((text), (max)), (text)

WARD_END
#endif
