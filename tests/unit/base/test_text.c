/* SPDX-License-Identifier: MIT
 *
 * test_text.c - texts become one line: what could make lines or steer a terminal is written out.
 *
 * Method: each character that there is, alone; bytes at random; and all lengths of room.
 */
#include "base/text.h"

#include <stdlib.h>

#include <ward/extend.h>
#include <ward/testkit.h>

#include "support/line_check.h"

static const char *line(const char *text)
{
	static char room[1024];
	size_t full = ward_text_line(room, sizeof room, text, WARD_TEXT_ALL);

	ward_assert_eq(full, strlen(room));
	return room;
}

WARD_TEST(text_in_utf_8_stays_as_it_is)
{
	ward_assert_str(line(""), "");
	ward_assert_str(line("a plain one: \\ \"~\""), "a plain one: \\ \"~\"");
	ward_assert_str(line("Gr\xc3\xbc\xc3\x9f\x65 \xe2\x82\xac \xf0\x9f\x90\x88 \xe6\x97\xa5"),
			"Gr\xc3\xbc\xc3\x9f\x65 \xe2\x82\xac \xf0\x9f\x90\x88 \xe6\x97\xa5");
	ward_assert_str(line("\xc2\xa0\xef\xbf\xbd\xf4\x8f\xbf\xbf"),
			"\xc2\xa0\xef\xbf\xbd\xf4\x8f\xbf\xbf");
}

WARD_TEST(text_with_controls_has_them_written_out)
{
	ward_assert_str(line("a\nb\tc\rd"), "a\\nb\\tc\\rd");
	ward_assert_str(line("\x1b[31mred\x7f\x01"), "\\x1b[31mred\\x7f\\x01");
	ward_assert_str(line("\xc2\x80\xc2\x85\xc2\x9b"
			     "31m\xc2\x9f"),
			"\\u{80}\\u{85}\\u{9b}31m\\u{9f}");
	ward_assert_str(line("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae"),
			"\\u{2028}\\u{2029}\\u{202a}\\u{202e}");
	ward_assert_str(line("\xe2\x81\xa6\xe2\x81\xa9"), "\\u{2066}\\u{2069}");
}

WARD_TEST(text_that_is_no_utf_8_has_its_bytes_written_out)
{
	ward_assert_str(line("\x9b"
			     "31m \xff\xfe"),
			"\\x9b31m \\xff\\xfe");
	ward_assert_str(line("\xc0\x8a \xe0\x80\x8a"), "\\xc0\\x8a \\xe0\\x80\\x8a");
	ward_assert_str(line("\xed\xa0\x80 \xf4\x90\x80\x80"),
			"\\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80");
	ward_assert_str(line("\xe2\x82"), "\\xe2\\x82");
	ward_assert_str(line("\xe2\x82\xe2\x82\xac"), "\\xe2\\x82\xe2\x82\xac");
}

WARD_TEST(text_of_a_length_ends_there_or_at_its_0)
{
	char room[16];

	ward_assert_eq(ward_text_line(room, sizeof room, "a\nbc", 3), 4);
	ward_assert_str(room, "a\\nb");
	ward_assert_eq(ward_text_line(room, sizeof room, "a\0b", 3), 1);
	ward_assert_eq(ward_text_line(room, sizeof room, "\xe2\x82\xac", 2), 8);
	ward_assert_str(room, "\\xe2\\x82");
	ward_assert_eq(ward_text_line(NULL, 0, "a\n", WARD_TEXT_ALL), 3);
}

/* Each text is cut everywhere: what is left is its beginning, and whole characters and words. */
static void cut_everywhere(const char *text)
{
	char whole[256], part[256], again[256];
	size_t full = ward_text_line(whole, sizeof whole, text, WARD_TEXT_ALL), before = 0;

	for (size_t max = 1; max <= full + 2; max++) {
		ward_assert_eq(ward_text_line(part, max, text, WARD_TEXT_ALL), full);
		ward_assert(strlen(part) < max && strlen(part) >= before);
		ward_assert(strncmp(part, whole, strlen(part)) == 0);
		check_line(part);
		ward_text_line(again, sizeof again, part, WARD_TEXT_ALL);
		ward_assert_str(again, part);
		before = strlen(part);
	}
	ward_assert_str(part, whole);
}

WARD_TEST(text_is_cut_between_characters)
{
	char room[8];

	cut_everywhere("a\xe2\x82\xac"
		       "b\xf0\x9f\x90\x88\n\x1b\xc3\xbc\xff\xe2\x80\xae.");
	ward_text_line(room, 4, "a\xe2\x82\xac", WARD_TEXT_ALL);
	ward_assert_str(room, "a");
	ward_text_line(room, 4, "\x1b", WARD_TEXT_ALL);
	ward_assert_str(room, "");
	/* Nothing behind what has no room, although it would have. */
	ward_text_line(room, 4,
		       "ab\x1b"
		       "c",
		       WARD_TEXT_ALL);
	ward_assert_str(room, "ab");
}

WARD_TEST(text_that_is_quoted_in_part_is_cut_between_characters)
{
	ward_assert_eq(ward_text_fit("abc", 10), 3);
	ward_assert_eq(ward_text_fit("abc", 2), 2);
	ward_assert_eq(ward_text_fit("a\xe2\x82\xac", 4), 4);
	ward_assert_eq(ward_text_fit("a\xe2\x82\xac", 3), 1);
	ward_assert_eq(ward_text_fit("a\xe2\x82\xac", 2), 1);
	ward_assert_eq(ward_text_fit("\xf0\x9f\x90\x88", 3), 0);
	ward_assert_eq(ward_text_fit("\x80\x80\x80\x80\x80\x80", 5), 5);
	ward_assert_eq(ward_text_fit("", 5), 0);
	ward_assert_eq(ward_text_fit("abc", 0), 0);
}

/* Pieces that are likely to go wrong beside each other. */
static void add_piece(char *text, uint32_t dice)
{
	static const char *const pieces[] = {"a",    "\n",   "\x1b[2J", "\xc2\x9b", "\xe2\x80\xae",
					     "\xe2", "\x82", "\xac",    "\xf0\x9f", "\xe2\x82\xac",
					     "\xff", "\x7f", "\xc0",    "\xed\xa0", "\xf4\x90"};
	char byte[2] = {(char)(dice >> 8 | 1), '\0'};
	size_t count = sizeof pieces / sizeof pieces[0];

	strcat(text, dice % (count + 1) == count ? byte : pieces[dice % (count + 1)]);
}

WARD_TEST(text_of_random_bytes_becomes_a_line)
{
	srand48((long)ward_test_seed());
	for (int round = 0; round < 20000; round++) {
		char text[64] = "";

		for (int i = 0; i < 12; i++)
			add_piece(text, (uint32_t)mrand48());
		check_line(line(text));
		if (round % 100 == 0)
			cut_everywhere(text);
	}
}

WARD_TEST(detail_of_a_refusal_is_a_line)
{
	char wide[1200] = "";

	ward_assert_err(ward_refused(WARD_EINVAL, "no \"%s\"", "\x1b[2J\n"), WARD_EINVAL);
	ward_assert_str(ward_err_detail(), "no \"\\x1b[2J\\n\"");
	ward_assert_err(ward_refused(WARD_EINVAL, "again: %s", ward_err_detail()), WARD_EINVAL);
	ward_assert_str(ward_err_detail(), "again: no \"\\x1b[2J\\n\"");
	for (int i = 0; i < 390; i++)
		strcat(wide, "\xe2\x82\xac");
	ward_assert_err(ward_refused(WARD_EINVAL, "%s", wide), WARD_EINVAL);
	ward_assert_eq(strlen(ward_err_detail()), 510);
	check_line(ward_err_detail());
}

WARD_TEST_MAIN
