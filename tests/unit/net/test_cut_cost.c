/* SPDX-License-Identifier: MIT
 *
 * test_cut_cost.c - a cut reads no byte twice, and none that it need not.
 *
 * Method: the pages that must not be read cannot be. What was searched is given up page by page
 * while the bytes come one by one; what lies behind a frame was never readable.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ward/testkit.h>

#include "net/framing/cut.h"

enum { PAGES = 64 };

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static unsigned char *map(void)
{
	unsigned char *bytes = mmap(NULL, PAGES * page_size(), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ward_assert(bytes != MAP_FAILED);
	return bytes;
}

/* Skips the pages in front that need no second search. Returns their number. */
static size_t give_up(unsigned char *bytes, size_t scanned, size_t given)
{
	size_t pages = scanned / page_size();

	if (pages > given)
		ward_assert_eq(mprotect(bytes, pages * page_size(), PROT_NONE), 0);
	return pages > given ? pages : given;
}

/* A frame of all bytes but its end, which come one by one. */
static void feed(const ward_framing *framing, char letter, const char *end, size_t end_size)
{
	size_t count = PAGES * page_size(), given = 0;
	unsigned char *bytes = map();
	struct wardi_cutter cutter = {0};
	struct wardi_piece piece;

	memset(bytes, letter, count);
	memcpy(bytes + count - end_size, end, end_size);
	for (size_t there = 1; there < count; there++) {
		ward_assert_eq(wardi_cut(framing, &cutter, count, bytes, there, false, &piece),
			       WARDI_CUT_MORE);
		ward_assert(cutter.scanned + end_size > there);
		given = give_up(bytes, cutter.scanned, given);
	}
	ward_assert_eq(given, PAGES - 1);
	ward_assert_eq(wardi_cut(framing, &cutter, count, bytes, count, false, &piece),
		       WARDI_CUT_FRAME);
	ward_assert_eq(piece.size, count - end_size);
	ward_assert_eq(munmap(bytes, count), 0);
}

WARD_TEST(line_byte_by_byte_is_read_once)
{
	static const ward_framing lines = WARD_LINES;

	feed(&lines, 'a', "\n", 1);
	feed(&lines, 'a', "\r\n", 2);
}

WARD_TEST(delimited_frame_byte_by_byte_is_read_once)
{
	static const ward_framing one = WARD_UNTIL("b"), blank = WARD_UNTIL("\r\n\r\n");
	char end[64];
	const ward_framing longest = {
		.kind = WARD_FRAMING_UNTIL, .delimiter = end, .delimiter_size = sizeof end};

	feed(&one, 'a', "b", 1);
	feed(&blank, '\r', "\r\n\r\n", 4);
	/* each place but the last looks like one where it begins */
	memset(end, 'a', sizeof end);
	end[sizeof end - 1] = 'b';
	feed(&longest, 'a', end, sizeof end);
	end[0] = 'b';
	end[sizeof end - 1] = 'a';
	feed(&longest, 'a', end, sizeof end);
}

/* One page with the bytes at its end; those behind it cannot be read. */
static void cut_in_front(const ward_framing *framing, size_t frame_max, const char *text,
			 size_t size, enum wardi_cut wanted)
{
	unsigned char *bytes = map();
	struct wardi_cutter cutter = {0};
	struct wardi_piece piece;

	ward_assert_eq(mprotect(bytes + page_size(), (PAGES - 1) * page_size(), PROT_NONE), 0);
	memcpy(bytes + page_size() - size, text, size);
	ward_assert_eq(wardi_cut(framing, &cutter, frame_max, bytes + page_size() - size,
				 (PAGES - 1) * page_size() + size, false, &piece),
		       wanted);
	ward_assert_eq(munmap(bytes, PAGES * page_size()), 0);
}

WARD_TEST(cut_reads_nothing_behind_its_frame)
{
	static const ward_framing lines = WARD_LINES, one = WARD_UNTIL("b"),
				  two = WARD_UNTIL("\r\n"), prefix = WARD_PREFIX(4), raw = WARD_RAW;

	cut_in_front(&lines, 65536, "abc\r\n", 5, WARDI_CUT_FRAME);
	cut_in_front(&one, 65536, "aaab", 4, WARDI_CUT_FRAME);
	cut_in_front(&two, 5, "abc\r\n", 5, WARDI_CUT_FRAME);
	cut_in_front(&prefix, 65536, "\0\0\0\1a", 5, WARDI_CUT_FRAME);
	cut_in_front(&raw, 65536, "a", 1, WARDI_CUT_FRAME);
}

WARD_TEST(cut_that_is_wrong_reads_nothing_behind_the_largest_frame)
{
	static const ward_framing lines = WARD_LINES, until = WARD_UNTIL("xyz"),
				  prefix = WARD_PREFIX(4);

	cut_in_front(&lines, 8, "aaaaaaaaaa", 10, WARDI_CUT_WRONG);
	cut_in_front(&until, 8, "aaaaaaaaxyx", 11, WARDI_CUT_WRONG);
	cut_in_front(&prefix, 8, "\0\0\0\t", 4, WARDI_CUT_WRONG);
}

/* The text ends where what can be read ends. */
static void lower(const ward_framing *framing, const char *text, size_t size)
{
	unsigned char *bytes = map(), *at = bytes + page_size() - size;
	struct wardi_cutter cutter = {0};
	struct wardi_piece piece;

	ward_assert_eq(mprotect(bytes + page_size(), (PAGES - 1) * page_size(), PROT_NONE), 0);
	memcpy(at, text, size);
	ward_assert_eq(wardi_cut(framing, &cutter, 100, at, size - 1, false, &piece),
		       WARDI_CUT_MORE);
	ward_assert_eq(wardi_cut(framing, &cutter, 4, at, size, false, &piece), WARDI_CUT_WRONG);
	ward_assert_eq(munmap(bytes, PAGES * page_size()), 0);
}

WARD_TEST(cut_with_a_lower_frame_max_within_a_frame_reads_nothing_behind)
{
	static const ward_framing lines = WARD_LINES, one = WARD_UNTIL("x"),
				  three = WARD_UNTIL("xyz"), prefix = WARD_PREFIX(1);

	lower(&lines, "aaaaaaaaaaaaaaaa", 16);
	lower(&one, "aaaaaaaaaaaaaaaa", 16);
	lower(&three, "aaaaaaaaaaaaaaaa", 16);
	lower(&prefix, "\017aaaaaaaaaaaaaaa", 16);
}

WARD_TEST_MAIN
