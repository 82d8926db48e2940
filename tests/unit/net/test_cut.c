/* SPDX-License-Identifier: MIT
 *
 * test_cut.c - frames do not depend on the pieces in which their bytes come.
 *
 * Method: for short texts all 2^(n-1) ways to cut them, with the end in the last piece or behind
 * it; the outcome is given. For long ones ways that are drawn from a seed.
 */
#include "support/cutting.h"

enum { SHORT_MAX = 12, LONG = 4000 };

struct sample {
	const char *bytes;
	size_t count;
	size_t frame_max;
	const char *wanted;
};
/* clang-format off */
#define SAMPLE(bytes, frame_max, wanted) {(bytes), sizeof(bytes) - 1, (frame_max), (wanted)}
/* clang-format on */

static void cut_in_way(const ward_framing *framing, const struct sample *sample, unsigned way,
		       bool late_end, struct record *record)
{
	struct cutting cutting;

	cutting_begin(&cutting, framing, sample->frame_max, (const unsigned char *)sample->bytes,
		      record);
	for (size_t there = 1; there < sample->count; there++)
		if (way & 1u << (there - 1))
			cutting_arrive(&cutting, there, false);
	if (late_end)
		cutting_arrive(&cutting, sample->count, false);
	cutting_arrive(&cutting, sample->count, true);
}

static void try_all_ways(const ward_framing *framing, const struct sample *samples, size_t count)
{
	static struct record record;

	for (size_t i = 0; i < count; i++) {
		const struct sample *sample = &samples[i];
		unsigned ways = sample->count > 0 ? 1u << (sample->count - 1) : 1;

		ward_assert(sample->count <= SHORT_MAX);
		cut_whole(framing, sample->frame_max, sample->bytes, sample->count, &record);
		ward_assert_str(record.text, sample->wanted);
		for (unsigned way = 0; way < ways * 2; way++) {
			cut_in_way(framing, sample, way / 2, way % 2, &record);
			ward_assert_str(record.text, sample->wanted);
		}
	}
}
#define TRY_ALL_WAYS(framing, samples)                                                             \
	try_all_ways(&(framing), samples, sizeof(samples) / sizeof(samples)[0])

WARD_TEST(raw_bytes_are_all_handed_out)
{
	static const ward_framing raw = WARD_RAW;
	static const struct sample samples[] = {
		SAMPLE("", 3, "end"),
		SAMPLE("abcdefg", 3, "abcdefgend"),
		SAMPLE("a\nb\0c", 100, "a\\0ab\\00cend"),
		SAMPLE("abcdefghijkl", 1, "abcdefghijklend"),
	};

	TRY_ALL_WAYS(raw, samples);
}

WARD_TEST(lines_are_the_same_in_all_pieces)
{
	static const ward_framing lines = WARD_LINES;
	static const struct sample samples[] = {
		SAMPLE("", 4, "end"),
		SAMPLE("\n", 4, "<>end"),
		SAMPLE("a\nbc\r\n\nd", 4, "<a><bc><><d>end"),
		SAMPLE("\r\n\r\n\n", 4, "<><><>end"),
		SAMPLE("a\rb\n\r\r\n", 4, "<a\\0db><\\0d>end"),
		SAMPLE("abcd\nabcd\r\n", 4, "<abcd><abcd>end"),
		SAMPLE("a\0b\n\0", 4, "<a\\00b><\\00>end"),
		/* the last one has no end: its "\r" is one of its bytes */
		SAMPLE("abcd\r\nabc\r", 4, "<abcd><abc\\0d>end"),
		SAMPLE("\r", 4, "<\\0d>end"),
		SAMPLE("abcd", 4, "<abcd>end"),
		SAMPLE("abcd\r", 4, "wrong: a line of more than 4 bytes"),
		SAMPLE("abcd\r\r\n", 4, "wrong: a line of more than 4 bytes"),
		SAMPLE("abcd\rx\n", 4, "wrong: a line of more than 4 bytes"),
		SAMPLE("a\nabcde\nf", 4, "<a>wrong: a line of more than 4 bytes"),
		SAMPLE("abcdefghij\n", 4, "wrong: a line of more than 4 bytes"),
		SAMPLE("a\n\r\nab", 1, "<a><>wrong: a line of more than 1 bytes"),
		SAMPLE("abcdefghij\nk", SIZE_MAX, "<abcdefghij><k>end"),
	};

	TRY_ALL_WAYS(lines, samples);
}

WARD_TEST(prefixed_frames_are_the_same_in_all_pieces)
{
	static const ward_framing one = WARD_PREFIX(1), two = WARD_PREFIX(2), four = WARD_PREFIX(4),
				  eight = WARD_PREFIX(8);
	static const struct sample of_one[] = {
		SAMPLE("", 3, "end"),
		SAMPLE("\1a\0\2bc\0", 3, "<a><><bc><>end"),
		SAMPLE("\3abc\3ab", 3, "<abc>cut off"),
		SAMPLE("\0\4abcd", 3, "<>wrong: a frame of 4 bytes, 3 allowed"),
		SAMPLE("\377", 254, "wrong: a frame of 255 bytes, 254 allowed"),
	};
	static const struct sample of_two[] = {
		SAMPLE("\0\2ab\0\0\0\1c\0", 3, "<ab><><c>cut off"),
		SAMPLE("\1\0", 255, "wrong: a frame of 256 bytes, 255 allowed"),
		SAMPLE("\1\0a", 256, "cut off"),
	};
	static const struct sample of_four[] = {
		SAMPLE("\0\0\0\3abc\0\0\0\0", 3, "<abc><>end"),
		SAMPLE("\0\1\x11\x70", 65536, "wrong: a frame of 70000 bytes, 65536 allowed"),
		SAMPLE("\0\0\0", 3, "cut off"),
	};
	static const struct sample of_eight[] = {
		SAMPLE("\0\0\0\0\0\0\0\3abc", 3, "<abc>end"),
		SAMPLE("\0\0\0\0\0\0\0\0\0", 3, "<>cut off"),
		SAMPLE("\377\377\377\377\377\377\377\377", 65536,
		       "wrong: a frame of 18446744073709551615 bytes, 65536 allowed"),
		SAMPLE("\177\377\377\377\377\377\377\377a", SIZE_MAX, "cut off"),
	};

	TRY_ALL_WAYS(one, of_one);
	TRY_ALL_WAYS(two, of_two);
	TRY_ALL_WAYS(four, of_four);
	TRY_ALL_WAYS(eight, of_eight);
}

WARD_TEST(delimited_frames_are_the_same_in_all_pieces)
{
	static const ward_framing two = WARD_UNTIL("ab"), three = WARD_UNTIL("aab"),
				  zero = WARD_UNTIL("\0"), blank = WARD_UNTIL("\r\n\r\n");
	static const struct sample of_two[] = {
		SAMPLE("", 3, "end"),
		SAMPLE("xabab", 3, "<x><>end"),
		SAMPLE("aabaaabb", 3, "<a><aa>cut off"),
		SAMPLE("xyzabxyza", 3, "<xyz>cut off"),
		SAMPLE("xyzwab", 3, "wrong: a frame of more than 3 bytes"),
		SAMPLE("xyzaa", 3, "wrong: a frame of more than 3 bytes"),
		SAMPLE("abxyzaab", 3, "<>wrong: a frame of more than 3 bytes"),
		SAMPLE("xyzwvutab", SIZE_MAX, "<xyzwvut>end"),
	};
	static const struct sample of_three[] = {
		SAMPLE("aaaaabaabab", 3, "<aaa><>cut off"),
	};
	static const struct sample of_zero[] = {
		SAMPLE("a\0\0bc\0\n", 3, "<a><><bc>cut off"),
	};
	static const struct sample of_blank[] = {
		SAMPLE("a\r\n\r\n\r\n\r\n", 4, "<a><>end"),
		SAMPLE("\r\r\n\r\r\n\r\n", 4, "<\\0d\\0d\\0a\\0d>end"),
	};

	TRY_ALL_WAYS(two, of_two);
	TRY_ALL_WAYS(three, of_three);
	TRY_ALL_WAYS(zero, of_zero);
	TRY_ALL_WAYS(blank, of_blank);
}

WARD_TEST(fixed_and_counted_bytes_are_the_same_in_all_pieces)
{
	static const ward_framing fixed = WARD_FIXED(3), counted = WARD_COUNTED(5);
	static const struct sample of_fixed[] = {
		SAMPLE("", 3, "end"),
		SAMPLE("abcdefghi", 3, "<abc><def><ghi>end"),
		SAMPLE("abcd", 3, "<abc>cut off"),
		SAMPLE("abcd", 2, "wrong: a frame of 3 bytes, 2 allowed"),
	};
	static const struct sample of_counted[] = {
		SAMPLE("", 2, "cut off"),          SAMPLE("abcde", 2, "abcdeover"),
		SAMPLE("abcdefg", 2, "abcdeover"), SAMPLE("abcdefg", 100, "abcdeover"),
		SAMPLE("abcd", 2, "abcdcut off"),
	};

	TRY_ALL_WAYS(fixed, of_fixed);
	TRY_ALL_WAYS(counted, of_counted);
}

WARD_TEST(found_frames_are_the_same_in_all_pieces)
{
	static const ward_framing netstring = {.kind = WARD_FRAMING_FOUND, .find = find_netstring};
	static const ward_framing semicolon = {.kind = WARD_FRAMING_FOUND, .find = find_semicolon};
	static const struct sample netstrings[] = {
		SAMPLE("", 4, "end"),
		SAMPLE("3:abc,0:,1:d", 4, "<abc><>cut off"),
		SAMPLE("4:abcd,", 4, "<abcd>end"),
		SAMPLE("5:abcde,", 4, "wrong: a frame of 5 bytes, 4 allowed"),
		SAMPLE("1:a,x", 4, "<a>wrong: a netstring without a length"),
		SAMPLE("1:abc", 4, "wrong: a netstring without an end"),
		SAMPLE("4095:a", 4, "wrong: a frame that takes more than 4100 bytes in all"),
		SAMPLE("4094:a", 4, "cut off"),
	};
	static const struct sample semicolons[] = {
		SAMPLE("a;..b;;c", 4, "<a><b><>cut off"),
		SAMPLE("....abcd;", 4, "<abcd>end"),
	};

	TRY_ALL_WAYS(netstring, netstrings);
	TRY_ALL_WAYS(semicolon, semicolons);
}

/* ---- long ones --------------------------------------------------------------------------- */

/* Framings, each with the bytes of which frames that end often are made. */
static const struct source {
	ward_framing framing;
	const char *letters;
	size_t letter_count;
} sources[] = {
	{WARD_RAW, "ab", 2},
	{WARD_LINES, "abcd\r\n", 6},
	{WARD_PREFIX(1), "\0\1\2\3\7", 5},
	{WARD_PREFIX(2), "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 15},
	{WARD_UNTIL("aab"), "aabc", 4},
	{WARD_UNTIL("abababc"), "ababababc", 9},
	{WARD_FIXED(7), "abc", 3},
	{WARD_COUNTED(LONG - 5), "abc", 3},
	{WARD_COUNTED(LONG + 5), "abc", 3},
	{{.kind = WARD_FRAMING_FOUND, .find = find_semicolon}, "ab...;", 6},
	{{.kind = WARD_FRAMING_FOUND, .find = find_netstring}, "0:,", 3},
};

static void fill(const struct source *source, struct wardi_random *random, unsigned char *bytes)
{
	for (size_t i = 0; i < LONG; i++)
		bytes[i] =
			(unsigned char)
				source->letters[wardi_random_below(random, source->letter_count)];
	if (source->framing.find == find_netstring)
		for (size_t i = 0; i < LONG; i++)
			bytes[i] = (unsigned char)"3:ab,,0:,1:;,"[i % 13];
}

WARD_TEST(long_texts_are_cut_the_same_in_random_pieces)
{
	static const size_t frame_max[] = {7, 64, 65536, SIZE_MAX};
	static const size_t piece_max[] = {1, 2, 17, 1500};
	static struct record whole, pieces;
	static unsigned char bytes[LONG];
	struct wardi_random random;

	WARD_TEST_SEEDS(5)
	{
		wardi_random_init(&random, ward_test_seed());
		for (size_t i = 0; i < sizeof sources / sizeof sources[0] * 16; i++) {
			const struct source *source = &sources[i / 16];
			size_t max = frame_max[i / 4 % 4];

			fill(source, &random, bytes);
			cut_whole(&source->framing, max, bytes, LONG, &whole);
			cut_at_random(&source->framing, max, bytes, LONG, &random, piece_max[i % 4],
				      &pieces);
			ward_assert_str(pieces.text, whole.text);
		}
	}
}

/* ---- the cutter -------------------------------------------------------------------------- */

WARD_TEST(cutter_knows_what_a_frame_needs)
{
	static const ward_framing prefix = WARD_PREFIX(2), fixed = WARD_FIXED(5);
	const unsigned char *bytes = (const unsigned char *)"\0\4abcd";
	struct wardi_cutter cutter = {0};
	struct wardi_piece piece;

	ward_assert_eq(wardi_cut(&prefix, &cutter, 9, bytes, 1, false, &piece), WARDI_CUT_MORE);
	ward_assert_eq(cutter.need, 2);
	ward_assert_eq(wardi_cut(&prefix, &cutter, 9, bytes, 2, false, &piece), WARDI_CUT_MORE);
	ward_assert_eq(cutter.need, 6);
	ward_assert_eq(wardi_cut(&prefix, &cutter, 9, bytes, 6, false, &piece), WARDI_CUT_FRAME);
	ward_assert_eq(cutter.need, 0);
	ward_assert_eq(wardi_cut(&fixed, &cutter, 9, bytes, 1, false, &piece), WARDI_CUT_MORE);
	ward_assert_eq(cutter.need, 5);
}

WARD_TEST(cut_that_is_wrong_is_wrong_again)
{
	static const ward_framing lines = WARD_LINES, until = WARD_UNTIL("ab"),
				  prefix = WARD_PREFIX(1),
				  found = {.kind = WARD_FRAMING_FOUND, .find = find_netstring};
	static const ward_framing *const framings[] = {&lines, &until, &prefix, &found};
	const unsigned char *bytes = (const unsigned char *)"xxxxxxxx";

	for (size_t i = 0; i < sizeof framings / sizeof framings[0]; i++) {
		struct wardi_cutter cutter = {0};
		struct wardi_piece piece;

		for (int again = 0; again < 2; again++)
			ward_assert_eq(wardi_cut(framings[i], &cutter, 4, bytes, 8, false, &piece),
				       WARDI_CUT_WRONG);
	}
}

WARD_TEST(line_that_is_too_long_is_wrong_before_its_end)
{
	static const ward_framing lines = WARD_LINES;
	const unsigned char *bytes = (const unsigned char *)"abcd\rx";

	for (size_t count = 1; count <= 6; count++) {
		struct wardi_cutter cutter = {0};
		struct wardi_piece piece;

		ward_assert_eq(wardi_cut(&lines, &cutter, 4, bytes, count, false, &piece),
			       count < 6 ? WARDI_CUT_MORE : WARDI_CUT_WRONG);
		ward_assert_eq(wardi_cut(&lines, &cutter, 3, bytes, count, false, &piece),
			       count < 4 ? WARDI_CUT_MORE : WARDI_CUT_WRONG);
	}
}

WARD_TEST_MAIN
