/* SPDX-License-Identifier: MIT
 *
 * test_output.c - what waits to be sent: its order and counts, and each part released once.
 *
 * Method: the output is taken off in pieces of every size, as an operating system would.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ward/testkit.h>

#include "net/stream/output.h"

static int released;

static void count_release(void *arg) WARD_NOEXCEPT
{
	released += *(int *)arg;
}

static void write_text(struct wardi_output *output, const char *text)
{
	unsigned char *at = wardi_output_room(output, strlen(text));

	ward_assert(at != NULL);
	memcpy(at, text, strlen(text));
	wardi_output_wrote(output, strlen(text));
}

static void give_text(struct wardi_output *output, const char *text)
{
	static int one = 1;
	struct wardi_part part = {.bytes = (const unsigned char *)text,
				  .size = strlen(text),
				  .release = count_release,
				  .arg = &one,
				  .fd = -1};

	ward_assert(wardi_output_add(output, &part));
}

static int make_file(const char *text)
{
	int fd = memfd_create("part", MFD_CLOEXEC);

	ward_assert(fd >= 0);
	ward_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	return fd;
}

/* Part of a file with that text: from the second byte on. */
static int file_text(struct wardi_output *output, const char *text)
{
	int fd = make_file(text);
	struct wardi_part part = {.size = strlen(text) - 1, .offset = 1, .fd = fd};

	ward_assert(wardi_output_add(output, &part));
	return fd;
}

/* Takes `most` bytes off, as bytes; files are read. Returns how many there were. */
static size_t take(struct wardi_output *output, size_t most, char *ret_text)
{
	struct wardi_next next;
	size_t used = 0;

	if (!wardi_output_next(output, &next))
		return 0;
	for (int i = 0; i < next.count && used < most; i++) {
		size_t here = next.bytes[i].iov_len;

		if (here > most - used)
			here = most - used;
		memcpy(ret_text + used, next.bytes[i].iov_base, here);
		used += here;
	}
	if (used == 0) {
		ward_assert(next.file != NULL);
		ward_assert_eq(wardi_part_read(next.file), 0);
		return take(output, most, ret_text);
	}
	wardi_output_sent(output, used);
	return used;
}

static const char *take_all(struct wardi_output *output, size_t at_once)
{
	static char text[400];
	size_t used = 0, got;

	while ((got = take(output, at_once, text + used)) > 0) {
		used += got;
		wardi_output_settle(output);
	}
	text[used] = '\0';
	return text;
}

static void fill_mixed(struct wardi_output *output)
{
	write_text(output, "one ");
	give_text(output, "two ");
	write_text(output, "three ");
	write_text(output, "four ");
	file_text(output, "-five ");
	give_text(output, "six ");
	file_text(output, "-seven ");
	file_text(output, "-eight ");
	write_text(output, "nine");
}

WARD_TEST(all_parts_come_in_order_whatever_is_taken_at_once)
{
	for (size_t at_once = 1; at_once <= 50; at_once++) {
		struct wardi_output output = {0};

		released = 0;
		fill_mixed(&output);
		ward_assert_str(take_all(&output, at_once),
				"one two three four five six seven eight nine");
		ward_assert_eq(released, 2);
		ward_assert_eq(wardi_output_waiting(&output), 0);
		wardi_output_free(&output);
		ward_assert_eq(released, 2);
	}
}

WARD_TEST(more_parts_than_one_call_takes_come_in_order)
{
	struct wardi_output output = {0};
	char wanted[200] = "";

	released = 0;
	for (int i = 0; i < 20; i++) {
		write_text(&output, "a");
		give_text(&output, "b");
		strcat(wanted, "ab");
	}
	ward_assert_str(take_all(&output, 1000), wanted);
	ward_assert_eq(released, 20);
	wardi_output_free(&output);
}

WARD_TEST(bytes_and_files_are_counted_apart)
{
	struct wardi_output output = {0};
	char text[100];

	write_text(&output, "12345");
	ward_assert_eq(wardi_output_bytes(&output), 5);
	give_text(&output, "123");
	ward_assert_eq(wardi_output_bytes(&output), 8);
	ward_assert(!wardi_output_has_file(&output));
	file_text(&output, "-1234567");
	write_text(&output, "1");
	ward_assert_eq(wardi_output_bytes(&output), 9);
	ward_assert(wardi_output_has_file(&output));
	ward_assert_eq(wardi_output_waiting(&output), 16);
	ward_assert_eq(take(&output, 6, text), 6);
	ward_assert_eq(wardi_output_bytes(&output), 3);
	ward_assert_eq(take(&output, 2, text), 2);
	ward_assert_eq(take(&output, 3, text), 3); /* of the file, which was read */
	ward_assert_eq(wardi_output_bytes(&output), 1);
	ward_assert_eq(wardi_output_waiting(&output), 5);
	wardi_output_free(&output);
}

WARD_TEST(a_head_comes_with_the_file_behind_it)
{
	struct wardi_output output = {0};
	struct wardi_next next;
	int fd;

	released = 0;
	write_text(&output, "head");
	give_text(&output, "given");
	fd = file_text(&output, "-file");
	write_text(&output, "tail");
	ward_assert(wardi_output_next(&output, &next));
	ward_assert_eq(next.count, 2);
	ward_assert(next.file != NULL);
	ward_assert_eq(next.file->fd, fd);
	ward_assert_eq(next.file->offset, 1);
	wardi_output_sent(&output, 4 + 5 + 2); /* as sendfile() does */
	ward_assert_eq(released, 1);
	ward_assert(wardi_output_next(&output, &next));
	ward_assert_eq(next.count, 0);
	ward_assert_eq(next.file->offset, 3);
	ward_assert_eq(next.file->size, 2);
	wardi_output_free(&output);
}

WARD_TEST(what_is_dropped_is_released_and_closed)
{
	struct wardi_output output = {0};
	int fd;

	released = 0;
	give_text(&output, "given");
	fd = file_text(&output, "-file");
	wardi_output_free(&output);
	ward_assert_eq(released, 1);
	ward_assert_eq(fcntl(fd, F_GETFD), -1);
}

WARD_TEST(a_file_that_is_shorter_is_an_error_when_its_bytes_are_out)
{
	struct wardi_output output = {0};
	struct wardi_part part = {.size = 10, .fd = make_file("1234")};
	struct wardi_next next;
	char text[100];

	ward_assert(wardi_output_add(&output, &part));
	ward_assert_eq(take(&output, 100, text), 4);
	ward_assert(wardi_output_next(&output, &next));
	ward_assert_eq(wardi_part_read(next.file), ENODATA);
	wardi_output_free(&output);
}

WARD_TEST_MAIN
