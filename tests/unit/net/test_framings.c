/* SPDX-License-Identifier: MIT
 *
 * test_framings.c - which framings can be used, and what stands around a frame that is written.
 *
 * Method: what was wrapped, cut in random pieces, is the frames again.
 */
#include "support/cutting.h"

/* clang-format off */
static const char delimiter[] = "0123456789012345678901234567890123456789012345678901234567890123x";
#define DELIMITED(size) \
	{.kind = WARD_FRAMING_UNTIL, .delimiter = delimiter, .delimiter_size = (size)}
/* clang-format on */

static bool no_find(void *arg, const unsigned char *bytes, size_t count, ward_found *ret_found,
		    const char **ret_wrong)
{
	(void)arg, (void)bytes, (void)count, (void)ret_found, (void)ret_wrong;
	return false;
}

WARD_TEST(framing_that_can_be_used_is_not_wrong)
{
	static const ward_framing good[] = {
		WARD_RAW,
		WARD_LINES,
		WARD_PREFIX(1),
		WARD_PREFIX(2),
		WARD_PREFIX(4),
		WARD_PREFIX(8),
		WARD_UNTIL("a"),
		DELIMITED(64),
		WARD_FIXED(1),
		WARD_FIXED(100),
		WARD_COUNTED(1),
		WARD_COUNTED(UINT64_MAX),
		{.kind = WARD_FRAMING_FOUND, .find = no_find},
	};
	char why[WARDI_FRAMING_WRONG];

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		ward_assert(wardi_framing_wrong(&good[i], 100, why) == NULL);
		ward_assert_str(wardi_framing_wrong(&good[i], 0, why),
				"frame_max is 0: it must be at least 1");
	}
}

WARD_TEST(framing_that_cannot_be_used_is_refused_with_a_text)
{
	static const struct {
		ward_framing framing;
		const char *text;
	} bad[] = {
		{WARD_PREFIX(0), "WARD_PREFIX(0): it must be 1, 2, 4 or 8 bytes"},
		{WARD_PREFIX(3), "WARD_PREFIX(3): it must be 1, 2, 4 or 8 bytes"},
		{WARD_PREFIX(16), "WARD_PREFIX(16): it must be 1, 2, 4 or 8 bytes"},
		{WARD_PREFIX(UINT64_C(1) << 32 | 1),
		 "WARD_PREFIX(4294967297): it must be 1, 2, 4 or 8 bytes"},
		{WARD_UNTIL(""), "WARD_UNTIL of 0 bytes: it must be 1 to 64"},
		{DELIMITED(65), "WARD_UNTIL of 65 bytes: it must be 1 to 64"},
		{{.kind = WARD_FRAMING_UNTIL, .delimiter_size = 1},
		 "WARD_FRAMING_UNTIL: .delimiter is NULL"},
		{WARD_FIXED(0), "WARD_FIXED(0): it must be 1 to 100, frame_max"},
		{WARD_FIXED(101), "WARD_FIXED(101): it must be 1 to 100, frame_max"},
		{WARD_COUNTED(0), "WARD_COUNTED(0): it must be at least 1"},
		{{.kind = WARD_FRAMING_FOUND}, "WARD_FRAMING_FOUND: .find is NULL"},
		{{.kind = (ward_framing_kind)7}, ".kind is 7: there is no such framing"},
	};
	char why[WARDI_FRAMING_WRONG];

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ward_assert_str(wardi_framing_wrong(&bad[i].framing, 100, why), bad[i].text);
}

/* ---- frames that are written ------------------------------------------------------------- */

WARD_TEST(wrapping_has_the_length_in_front_or_the_end_behind)
{
	static const ward_framing lines = WARD_LINES, four = WARD_PREFIX(4), eight = WARD_PREFIX(8),
				  until = WARD_UNTIL("\r\n"), raw = WARD_RAW,
				  counted = WARD_COUNTED(5);
	struct wardi_wrapping wrapping;

	ward_assert(wardi_wrap(&lines, 9, &wrapping));
	ward_assert(wrapping.head_size == 0 && wrapping.tail_size == 1);
	ward_assert(wrapping.tail[0] == '\n');
	ward_assert(wardi_wrap(&until, 0, &wrapping));
	ward_assert(wrapping.head_size == 0 && wrapping.tail == until.delimiter);
	ward_assert_eq(wrapping.tail_size, 2);
	ward_assert(wardi_wrap(&four, 0x01020304, &wrapping));
	ward_assert(wrapping.head_size == 4 && memcmp(wrapping.head, "\1\2\3\4", 4) == 0);
	ward_assert(wrapping.tail == NULL && wrapping.tail_size == 0);
	ward_assert(wardi_wrap(&eight, 0x01020304, &wrapping));
	ward_assert(wrapping.head_size == 8 && memcmp(wrapping.head, "\0\0\0\0\1\2\3\4", 8) == 0);
	ward_assert(wardi_wrap(&raw, 3, &wrapping) && wrapping.head_size + wrapping.tail_size == 0);
	ward_assert(wardi_wrap(&counted, 9, &wrapping));
	ward_assert(wrapping.head_size + wrapping.tail_size == 0);
}

WARD_TEST(wrapping_of_a_size_that_does_not_fit_is_refused)
{
	static const ward_framing one = WARD_PREFIX(1), two = WARD_PREFIX(2), four = WARD_PREFIX(4),
				  eight = WARD_PREFIX(8), fixed = WARD_FIXED(5),
				  found = {.kind = WARD_FRAMING_FOUND, .find = no_find};
	struct wardi_wrapping wrapping;

	ward_assert(wardi_wrap(&one, 0, &wrapping) && wardi_wrap(&one, 255, &wrapping));
	ward_assert(!wardi_wrap(&one, 256, &wrapping));
	ward_assert(wardi_wrap(&two, 65535, &wrapping));
	ward_assert(!wardi_wrap(&two, 65536, &wrapping));
	ward_assert(wardi_wrap(&four, UINT32_MAX, &wrapping));
#if SIZE_MAX > UINT32_MAX
	ward_assert(!wardi_wrap(&four, (size_t)UINT32_MAX + 1, &wrapping));
#endif
	ward_assert(wardi_wrap(&eight, SIZE_MAX, &wrapping));
	ward_assert(wardi_wrap(&fixed, 5, &wrapping));
	ward_assert(!wardi_wrap(&fixed, 4, &wrapping) && !wardi_wrap(&fixed, 6, &wrapping));
	ward_assert(!wardi_wrap(&found, 1, &wrapping));
}

enum { FRAMES = 8, SIZES = 300 };

/* Appends a frame, of letters that are in no delimiter, to the bytes and to what is wanted. */
static size_t append(const ward_framing *framing, unsigned char *bytes, size_t count, size_t size,
		     struct wardi_random *random, struct record *wanted)
{
	struct wardi_wrapping wrapping;

	if (!wardi_wrap(framing, size, &wrapping))
		return count;
	memcpy(bytes + count, wrapping.head, wrapping.head_size);
	count += wrapping.head_size;
	for (size_t i = 0; i < size; i++)
		bytes[count + i] = (unsigned char)('a' + wardi_random_below(random, 20));
	record_frame(wanted, bytes + count, size);
	count += size;
	if (wrapping.tail_size > 0)
		memcpy(bytes + count, wrapping.tail, wrapping.tail_size);
	return count + wrapping.tail_size;
}

WARD_TEST(frames_that_were_wrapped_are_cut_again)
{
	static const ward_framing framings[] = {
		WARD_RAW,       WARD_LINES,
		WARD_PREFIX(1), WARD_PREFIX(2),
		WARD_PREFIX(4), WARD_PREFIX(8),
		DELIMITED(1),   DELIMITED(2),
		DELIMITED(64),  WARD_UNTIL("\r\n\r\n"),
		WARD_FIXED(1),  WARD_FIXED(255),
	};
	static struct record wanted, got;
	static unsigned char bytes[FRAMES * (SIZES + 100)];
	struct wardi_random random;

	wardi_random_init(&random, 1);
	for (size_t i = 0; i < sizeof framings / sizeof framings[0]; i++) {
		for (size_t size = 0; size < SIZES; size++) {
			struct cutting unused;
			size_t count = 0;

			cutting_begin(&unused, &framings[i], SIZES, bytes, &wanted);
			for (int frame = 0; frame < FRAMES; frame++)
				count = append(&framings[i], bytes, count,
					       frame < 2 ? size : (size_t)frame, &random, &wanted);
			record_text(&wanted, "end");
			cut_at_random(&framings[i], SIZES, bytes, count, &random, 1 + size, &got);
			ward_assert_str(got.text, wanted.text);
		}
	}
}

WARD_TEST_MAIN
