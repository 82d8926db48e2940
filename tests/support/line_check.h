/* SPDX-License-Identifier: MIT
 *
 * line_check.h - whether a text is one line, without what steers a terminal: a second opinion,
 * which shares nothing with the library.
 */
#ifndef SUPPORT_LINE_CHECK_H
#define SUPPORT_LINE_CHECK_H

#include <stdbool.h>
#include <string.h>

#include <ward/testkit.h>

/* The bytes of controls, separators and turns in UTF-8, and whole characters otherwise. */
static inline bool is_line(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at != '\0') {
		size_t more = *at < 0x80 ? 0 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3;

		if (*at < 0x20 || *at == 0x7f || (*at >= 0x80 && *at < 0xc2) || *at > 0xf4)
			return false;
		if (at[0] == 0xc2 && at[1] < 0xa0)
			return false;
		if (at[0] == 0xe2 && at[1] == 0x80 && at[2] >= 0xa8 && at[2] <= 0xae)
			return false;
		if (at[0] == 0xe2 && at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9)
			return false;
		while (more-- > 0)
			if ((*++at & 0xc0) != 0x80)
				return false;
		at++;
	}
	return true;
}

/* Fails the test. */
static inline void check_line(const char *text)
{
	if (!is_line(text))
		ward_test_fail(__FILE__, __LINE__, "is no line: \"%s\"", text);
}

#endif
