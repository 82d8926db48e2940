/* SPDX-License-Identifier: MIT
 *
 * test_filter_parts.c - given bytes and files through a filter: in order, with little memory.
 */
#include <sys/mman.h>

#include "xor_peer.h"

enum { BIG = 1000 * 1000, SMALL_HIGH = 2000, AHEAD_MAX = 256 * 1024 };

static const struct xor_options server;
static const ward_stream_options lines = {
	.framing = WARD_LINES, .filter = &xor_filter, .filter_options = &server};
static const ward_stream_options narrow = {.framing = WARD_LINES,
					   .write_high = SMALL_HIGH,
					   .write_max = SMALL_HIGH,
					   .filter = &xor_filter,
					   .filter_options = &server};

static int released;
static char pattern[BIG];

static void count_release(void *arg) WARD_NOEXCEPT
{
	(void)arg;
	released++;
}

static int make_file(void)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	ward_assert(fd >= 0);
	ward_assert_eq(pwrite(fd, pattern, BIG, 0), BIG);
	return fd;
}

static void give(ward_self *self, ward_stream *stream, size_t from, size_t size)
{
	ward_stream_write_given(self, stream, pattern + from, size, count_release, NULL);
}

/* The pattern in pieces: copied, given, of files. */
static void write_mixed(ward_self *self, ward_stream *stream)
{
	int fd = make_file();

	ward_stream_write(self, stream, pattern, 10);
	give(self, stream, 10, 90000);
	ward_stream_write(self, stream, pattern + 90010, 990);
	ward_stream_write_file(self, stream, dup(fd), 91000, 100000);
	ward_stream_write_file(self, stream, fd, 191000, 50000);
	ward_stream_write(self, stream, pattern + 241000, 1000);
	give(self, stream, 242000, 1);
	give(self, stream, 242001, BIG - 242001);
}

static bool answer(ward_self *self, ward_stream *stream, const char *text)
{
	if (strcmp(text, "mixed") == 0)
		write_mixed(self, stream);
	else if (strcmp(text, "given") == 0)
		give(self, stream, 0, BIG / 2);
	else if (strcmp(text, "file") == 0)
		ward_stream_write_file(self, stream, make_file(), 0, BIG);
	else if (strcmp(text, "short") == 0)
		ward_stream_write_file(self, stream, make_file(), 1000, BIG);
	else
		return false;
	return true;
}

static void begin(const ward_stream_options *options)
{
	released = 0;
	for (size_t i = 0; i < BIG; i++)
		pattern[i] = (char)(i * 31 + i / 251);
	scene_start(options);
	scene.on_line = answer;
}

static void check_memory(void)
{
	ward_assert(scene_lives() && scene.stream->rare->filtering != NULL);
	ward_assert(wardi_buffer_count(&scene.stream->rare->filtering->wire) < AHEAD_MAX / 2);
	ward_assert(scene.stream->rare->filtering->wire.block == NULL ||
		    scene.stream->rare->filtering->wire.block->cap <= AHEAD_MAX);
}

/* Reads until that many plain bytes have come. */
static void read_all(size_t size)
{
	char bytes[16384];
	ssize_t got;

	for (int i = 0; i < 10000 && wardi_buffer_count(&xor_peer.plain) < size; i++) {
		while ((got = recv(scene.peer, bytes, sizeof bytes, 0)) > 0)
			xor_pass(bytes, (size_t)got, SIZE_MAX);
		if (scene_lives())
			check_memory();
		scene_run();
	}
	ward_assert_eq(wardi_buffer_count(&xor_peer.plain), size);
}

static void check_pattern(size_t size)
{
	ward_assert(memcmp(wardi_buffer_bytes(&xor_peer.plain), pattern, size) == 0);
	wardi_buffer_drop(&xor_peer.plain, size);
}

static void send_lines(const char *text)
{
	xor_write(text, false, SIZE_MAX);
	scene_run();
}

WARD_TEST(copied_and_given_bytes_and_files_keep_their_order_through_a_filter, "S149", "S150",
	  "S160")
{
	begin(&lines);
	xor_shake();
	send_lines("mixed\nx\n");
	read_all(BIG + 7);
	check_pattern(BIG);
	ward_assert_str(xor_answers(), "1.1: x\n");
	ward_assert_eq(released, 3);
	xor_finish();
	ward_assert_eq(released, 3);
}

WARD_TEST(parts_wait_for_the_handshake_and_are_released_with_an_abort, "S149", "S160")
{
	begin(&lines);
	xor_shake();
	send_lines("given\n");
	ward_assert_eq(released, 0); /* the peer reads nothing: little of it is sealed */
	check_memory();
	ward_assert(ward_stream_unsent(scene.stream) > BIG / 4);
	scene_tell(&ward_type_scene_abort);
	ward_assert_eq(released, 1);
	xor_finish();
	ward_assert_eq(released, 1);
}

WARD_TEST(a_file_that_the_filter_has_taken_counts_in_no_limit, "S150", "S162")
{
	begin(&narrow);
	xor_shake();
	send_lines("file\n");
	ward_assert(scene.stream->full);
	scene_tell(&ward_type_scene_hello);
	send_lines("x\n");
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert(scene_lives());
	read_all(BIG + 6 + 7);
	check_pattern(BIG);
	ward_assert_str(xor_answers(), "hello\n1.1: x\n");
	xor_finish();
}

WARD_TEST(no_frame_is_handed_out_before_the_last_byte_of_a_file_is_on_its_way, "S150", "S162")
{
	begin(&lines);
	xor_shake();
	send_lines("file\nhello\n");
	for (int i = 0; i < 10000 && wardi_output_has_file(&scene.stream->out); i++) {
		char bytes[4000];
		ssize_t got = recv(scene.peer, bytes, sizeof bytes, 0);

		ward_assert(got > 0);
		xor_pass(bytes, (size_t)got, SIZE_MAX);
		scene_run();
	}
	ward_assert(wardi_stream_wire(scene.stream) > 0);
	ward_assert(scene.stream->full);
	read_all(BIG + 11);
	check_pattern(BIG);
	ward_assert_str(xor_answers(), "1.1: hello\n");
	xor_finish();
}

WARD_TEST(a_file_that_is_shorter_fails_a_stream_with_a_filter, "S150", "S161")
{
	begin(&lines);
	xor_shake();
	send_lines("short\n");
	for (int i = 0; i < 1000 && scene_lives(); i++)
		(void)scene_swallow(100000), scene_run();
	ward_assert(!scene_lives());
	ward_assert_part(xor_failure(), "it is shorter than what was to be sent");
	ward_assert(!xor_peer.state->ended);
	xor_finish();
}

WARD_TEST_MAIN
