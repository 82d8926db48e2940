/* SPDX-License-Identifier: MIT
 *
 * test_lines.c - splitting: each byte of a file belongs to exactly one line.
 *
 * Goal: lines come out right wherever buffers end, and a line of any length in the same memory.
 * Method: files in memory, with lines around the sizes of the buffer.
 */
#include "../lines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <ward/testkit.h>

#include "../digest.h"

static int file_of(const void *bytes, size_t count)
{
	int fd = memfd_create("lines", MFD_CLOEXEC);
	ward_assert(fd >= 0);
	ward_assert_eq(write(fd, bytes, count), count);
	return fd;
}

static void check_text(const struct input_line *line, const char *text)
{
	ward_assert_eq(line->length, strlen(text));
	ward_assert(memcmp(line->text, text, line->length) == 0);
	ward_assert_eq(line->digest, digest_bytes(DIGEST_START, text, line->length));
}

WARD_TEST(lines_come_with_offset_and_span)
{
	static const char text[] = "one\n\nthree";
	int fd = file_of(text, sizeof(text) - 1);
	struct lines lines;
	struct input_line line;

	ward_assert(lines_init(&lines, 100));
	lines_turn(&lines, fd, 0, sizeof(text) - 1, true);
	ward_assert_eq(lines_next(&lines, &line), LINES_OK);
	check_text(&line, "one");
	ward_assert_eq(line.offset, 0);
	ward_assert_eq(line.span, 4);
	ward_assert(line.ended);
	ward_assert_eq(lines_next(&lines, &line), LINES_OK);
	check_text(&line, "");
	ward_assert_eq(line.offset, 4);
	ward_assert_eq(line.span, 1);
	ward_assert_eq(lines_next(&lines, &line), LINES_OK);
	check_text(&line, "three");
	ward_assert_eq(line.offset, 5);
	ward_assert_eq(line.span, 5);
	ward_assert(!line.ended);
	ward_assert_eq(lines_next(&lines, &line), LINES_END);
	lines_finish(&lines);
	close(fd);
}

WARD_TEST(lines_without_end_wait_until_the_input_is_complete)
{
	int fd = file_of("one\ntw", 6);
	struct lines lines;
	struct input_line line;

	ward_assert(lines_init(&lines, 100));
	lines_turn(&lines, fd, 0, 6, false);
	ward_assert_eq(lines_next(&lines, &line), LINES_OK);
	ward_assert_eq(lines_next(&lines, &line), LINES_END);
	ward_assert_eq(write(fd, "o\n", 2), 2);
	lines_turn(&lines, fd, 4, 8, false);
	ward_assert_eq(lines_next(&lines, &line), LINES_OK);
	check_text(&line, "two");
	ward_assert(line.ended);
	ward_assert_eq(lines_next(&lines, &line), LINES_END);
	lines_finish(&lines);
	close(fd);
}

WARD_TEST(lines_know_nul_bytes_and_stop_at_the_limit)
{
	int fd = file_of("a\0b\nxyz\n", 8);
	struct lines lines;
	struct input_line line;

	ward_assert(lines_init(&lines, 100));
	lines_turn(&lines, fd, 0, 6, true);
	ward_assert_eq(lines_next(&lines, &line), LINES_OK);
	ward_assert(line.has_nul);
	ward_assert_eq(line.length, 3);
	ward_assert_eq(lines_next(&lines, &line), LINES_OK);
	ward_assert(!line.has_nul);
	check_text(&line, "xy");
	ward_assert(!line.ended);
	ward_assert_eq(lines_next(&lines, &line), LINES_END);
	lines_finish(&lines);
	close(fd);
}

WARD_TEST(lines_of_a_file_that_was_cut_are_reported_short)
{
	int fd = file_of("one\ntwo", 7);
	struct lines lines;
	struct input_line line;

	ward_assert(lines_init(&lines, 100));
	lines_turn(&lines, fd, 0, 1000, true);
	ward_assert_eq(lines_next(&lines, &line), LINES_OK);
	ward_assert_eq(lines_next(&lines, &line), LINES_OK);
	check_text(&line, "two");
	ward_assert_eq(lines_next(&lines, &line), LINES_SHORT);
	lines_finish(&lines);
	close(fd);
}

/* Lengths of which many end where a buffer does. */
WARD_TEST(lines_of_all_lengths_tile_the_file)
{
	enum { MAX = 300, COUNT = 3000 };
	char *text = malloc(COUNT * (LINES_CHUNK / 2));
	size_t size = 0;
	size_t *lengths = calloc(COUNT, sizeof(*lengths));
	for (size_t i = 0; i < COUNT; i++) {
		lengths[i] = i % 50 == 0 ? LINES_CHUNK / 4 + i % 7 : i * 31 % (MAX + 3);
		memset(text + size, 'a' + (int)(i % 26), lengths[i]);
		text[size + lengths[i]] = '\n';
		size += lengths[i] + 1;
	}
	int fd = file_of(text, size);
	struct lines lines;
	struct input_line line;
	int64_t at = 0;

	ward_assert(lines_init(&lines, MAX));
	lines_turn(&lines, fd, 0, (int64_t)size, true);
	for (size_t i = 0; i < COUNT; i++) {
		ward_assert_eq(lines_next(&lines, &line), LINES_OK);
		ward_assert_eq(line.offset, at);
		ward_assert_eq(line.span, lengths[i] + 1);
		ward_assert_eq(line.cut, lengths[i] > MAX);
		ward_assert_eq(line.length, lengths[i] > MAX ? MAX : lengths[i]);
		ward_assert(memcmp(line.text, text + at, line.length) == 0);
		ward_assert_eq(line.digest, digest_bytes(DIGEST_START, text + at, lengths[i]));
		at += line.span;
	}
	ward_assert_eq(lines_next(&lines, &line), LINES_END);
	lines_finish(&lines);
	close(fd);
	free(lengths);
	free(text);
}

WARD_TEST(lines_of_100_mb_need_no_more_memory_than_short_ones)
{
	enum { LONG = 100 * 1000 * 1000 };
	int fd = memfd_create("lines", MFD_CLOEXEC);
	struct lines lines;
	struct input_line line;
	struct rusage before, after;

	ward_assert_eq(ftruncate(fd, LONG), 0); /* a hundred million NUL bytes */
	ward_assert_eq(pwrite(fd, "head", 4, 0), 4);
	ward_assert_eq(pwrite(fd, "\nnext\n", 6, LONG), 6);
	ward_assert(lines_init(&lines, LINE_MAX_DEFAULT));
	lines_turn(&lines, fd, 0, LONG + 6, true);
	getrusage(RUSAGE_SELF, &before);
	ward_assert_eq(lines_next(&lines, &line), LINES_OK);
	getrusage(RUSAGE_SELF, &after);
	ward_assert(line.cut);
	ward_assert(line.has_nul);
	ward_assert(line.ended);
	ward_assert_eq(line.span, LONG + 1);
	ward_assert_eq(line.length, LINE_HEAD);
	ward_assert(memcmp(line.text, "head", 5) == 0);
	ward_assert(after.ru_maxrss - before.ru_maxrss < 4 * 1024); /* KiB */
	ward_assert_eq(lines_next(&lines, &line), LINES_OK);
	check_text(&line, "next");
	ward_assert_eq(line.offset, LONG + 1);
	ward_assert_eq(lines_next(&lines, &line), LINES_END);
	lines_finish(&lines);
	close(fd);
}

WARD_TEST(lines_too_long_and_without_end_wait_too)
{
	char text[5000];
	memset(text, 'x', sizeof(text));
	int fd = file_of(text, sizeof(text));
	struct lines lines;
	struct input_line line;

	ward_assert(lines_init(&lines, 10));
	lines_turn(&lines, fd, 0, sizeof(text), false);
	ward_assert_eq(lines_next(&lines, &line), LINES_END);
	lines_turn(&lines, fd, 0, sizeof(text), true);
	ward_assert_eq(lines_next(&lines, &line), LINES_OK);
	ward_assert(line.cut && !line.ended);
	ward_assert_eq(line.span, sizeof(text));
	ward_assert_eq(line.length, 10);
	ward_assert_eq(lines_next(&lines, &line), LINES_END);
	lines_finish(&lines);
	close(fd);
}

WARD_TEST_MAIN
