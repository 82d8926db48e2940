/* SPDX-License-Identifier: MIT
 *
 * test_format.c - which line is of which format, and which is of none but should be.
 *
 * Goal: real lines are recognised with their fields; impossible ones are told from mere text.
 * Method: tables of lines with the expected outcome, and every prefix of a line of each format.
 */
#include "../format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/testkit.h>

struct example {
	const char *line;
	enum format format;
	const char *time, *subject, *action, *detail;
	const char *problem; /* a part of it; NULL: none */
};

static void check_slice(const char *line, struct slice slice, const char *expected)
{
	char text[256];
	snprintf(text, sizeof(text), "%.*s", (int)slice.length, line + slice.at);
	ward_assert_str(text, expected);
}

static void check_example(const struct example *example)
{
	struct parsed parsed;
	fprintf(stderr, "%s\n", example->line);
	format_parse(example->line, strlen(example->line), &parsed);
	ward_assert_str(format_name(parsed.format), format_name(example->format));
	if (example->problem) {
		ward_assert_part(parsed.problem, example->problem);
		return;
	}
	ward_assert_str(parsed.problem, "");
	ward_assert_str(parsed.time, example->time);
	check_slice(example->line, parsed.subject, example->subject);
	check_slice(example->line, parsed.action, example->action);
	check_slice(example->line, parsed.detail, example->detail);
}

#define CHECK_ALL(examples)                                                                        \
	for (size_t i_ = 0; i_ < sizeof(examples) / sizeof(*(examples)); i_++)                     \
	check_example(&(examples)[i_])

WARD_TEST(dpkg_lines_are_recognised_with_their_fields)
{
	static const struct example examples[] = {
		{"2025-06-24 14:36:25 startup archives unpack", FORMAT_DPKG, "2025-06-24 14:36:25",
		 "", "startup archives", "unpack", NULL},
		{"2025-06-24 14:36:25 upgrade libsystemd0:amd64 252.36-1 252.38-1", FORMAT_DPKG,
		 "2025-06-24 14:36:25", "libsystemd0:amd64", "upgrade", "252.36-1 252.38-1", NULL},
		{"2024-02-29 23:59:60 status triggers-pending libc-bin:amd64 2.36-9", FORMAT_DPKG,
		 "2024-02-29 23:59:60", "libc-bin:amd64", "status triggers-pending", "2.36-9",
		 NULL},
		{"2025-06-24 14:36:25 trigproc man-db:amd64 2.11.2-2 <none>", FORMAT_DPKG,
		 "2025-06-24 14:36:25", "man-db:amd64", "trigproc", "2.11.2-2 <none>", NULL},
		{"2025-06-24 14:36:25 conffile /etc/foo keep", FORMAT_DPKG, "2025-06-24 14:36:25",
		 "/etc/foo", "conffile", "keep", NULL},
	};
	CHECK_ALL(examples);
}

WARD_TEST(dpkg_lines_with_impossible_fields_are_refused)
{
	static const struct example examples[] = {
		{"2025-13-24 14:36:25 startup archives unpack", FORMAT_DPKG, "", "", "", "",
		 "no month 13"},
		{"2025-02-29 14:36:25 startup archives unpack", FORMAT_DPKG, "", "", "", "",
		 "has no day 29"},
		{"2025-00-01 14:36:25 startup archives unpack", FORMAT_DPKG, "", "", "", "",
		 "no month 0"},
		{"2025-01-01 24:00:00 startup archives unpack", FORMAT_DPKG, "", "", "", "",
		 "no time 24:00:00"},
		{"2025-01-01 10:00:00 status melted libc6:amd64 2.36", FORMAT_DPKG, "", "", "", "",
		 "never in such a state"},
		{"2025-01-01 10:00:00 status installed libc6:amd64", FORMAT_DPKG, "", "", "", "",
		 "2 words where 3 belong"},
		{"2025-01-01 10:00:00 install libc6:amd64 <none> 2.36 2.37", FORMAT_DPKG, "", "",
		 "", "", "words where 3 belong"},
		{"2025-01-01 10:00:00 upgrade", FORMAT_DPKG, "", "", "", "",
		 "0 words where 3 belong"},
		{"2025-01-01 10:00:00 conffile /etc/foo burn", FORMAT_DPKG, "", "", "", "",
		 "kept or installed"},
	};
	CHECK_ALL(examples);
}

WARD_TEST(web_lines_are_recognised_with_their_fields)
{
	static const struct example examples[] = {
		{"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET /a.gif HTTP/1.0\" 200 2326",
		 FORMAT_WEB, "2000-10-10 13:55:36 -0700", "127.0.0.1", "GET /a.gif HTTP/1.0",
		 "200 2326", NULL},
		{"::1 - - [01/Jan/2024:00:00:00 +0000] \"-\" 408 - \"-\" \"-\"", FORMAT_WEB,
		 "2024-01-01 00:00:00 +0000", "::1", "-", "408 -", NULL},
		{"h - - [29/Feb/2024:00:00:00 +0000] \"GET /\\\"x\\\" HTTP/1.1\" 404 0 "
		 "\"http://a/\" \"Agent (X)\" extra",
		 FORMAT_WEB, "2024-02-29 00:00:00 +0000", "h", "GET /\\\"x\\\" HTTP/1.1", "404 0",
		 NULL},
	};
	CHECK_ALL(examples);
}

WARD_TEST(web_lines_with_impossible_fields_are_refused)
{
	static const struct example examples[] = {
		{"h - - [10/Okt/2000:13:55:36 -0700] \"GET /\" 200 1", FORMAT_WEB, "", "", "", "",
		 "no month 'Okt'"},
		{"h - - [31/Apr/2000:13:55:36 -0700] \"GET /\" 200 1", FORMAT_WEB, "", "", "", "",
		 "has no day 31"},
		{"h - - [10/Oct/2000:13:60:36 -0700] \"GET /\" 200 1", FORMAT_WEB, "", "", "", "",
		 "no time"},
		{"h - - [10/Oct/2000:13:55:36 -0700] \"GET /\" 600 1", FORMAT_WEB, "", "", "", "",
		 "100 to 599"},
		{"h - - [10/Oct/2000:13:55:36 -0700] \"GET /\" 20x 1", FORMAT_WEB, "", "", "", "",
		 "100 to 599"},
		{"h - - [10/Oct/2000:13:55:36 -0700] \"GET /\" 200 many", FORMAT_WEB, "", "", "",
		 "", "neither a number"},
		{"h - - [10/Oct/2000:13:55:36 -0700] \"GET /\" 200", FORMAT_WEB, "", "", "", "",
		 "no bytes"},
		{"h - - [10/Oct/2000:13:55:36 -0700] \"GET / 200 1", FORMAT_WEB, "", "", "", "",
		 "request has no end"},
		{"h - - [10/Oct/2000:13:55:36 -0700] \"GET /\" 200 1 agent", FORMAT_WEB, "", "", "",
		 "", "no referer"},
	};
	CHECK_ALL(examples);
}

WARD_TEST(lines_of_no_format_are_text)
{
	static const struct example examples[] = {
		{"", FORMAT_TEXT, "", "", "", "", NULL},
		{"Package: libc6", FORMAT_TEXT, "", "", "", "", NULL},
		{"2025-06-24 14:36:25 something else happened", FORMAT_TEXT, "", "", "", "", NULL},
		{"2025-06-24 14:36:25", FORMAT_TEXT, "", "", "", "", NULL},
		{"2025-6-24 14:36:25 startup archives unpack", FORMAT_TEXT, "", "", "", "", NULL},
		{"a b c [not a date] \"d\" 200 1", FORMAT_TEXT, "", "", "", "", NULL},
		{"\xff\xfe\x80 [[[\"\"\"", FORMAT_TEXT, "", "", "", "", NULL},
	};
	CHECK_ALL(examples);
}

/* Each prefix in memory of just its size, so that a sanitizer sees one byte too far. */
WARD_TEST(cut_lines_are_read_no_further_than_they_go)
{
	static const char *const whole[] = {
		"2025-06-24 14:36:25 upgrade libsystemd0:amd64 252.36-1 252.38-1",
		"h - - [29/Feb/2024:00:00:00 +0000] \"GET /\\\"x\" 404 0 \"r\\\\\" \"a\"",
	};
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
		for (size_t length = 0; length <= strlen(whole[i]); length++) {
			struct parsed parsed;
			char *line = malloc(length + (length == 0));
			memcpy(line, whole[i], length);
			format_parse(line, length, &parsed);
			ward_assert(parsed.subject.at + parsed.subject.length <= length);
			ward_assert(parsed.action.at + parsed.action.length <= length);
			ward_assert(parsed.detail.at + parsed.detail.length <= length);
			free(line);
		}
	}
}

WARD_TEST_MAIN
