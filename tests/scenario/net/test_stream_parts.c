/* SPDX-License-Identifier: MIT
 *
 * test_stream_parts.c - given bytes and files: sent in order, counted, released and closed once.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "stream_scene.h"

enum { BIG = 300 * 1000 };

static const ward_stream_options lines = {.framing = WARD_LINES};
static const ward_stream_options small = {
	.framing = WARD_LINES, .write_high = 20000, .write_low = 5000};

static int released;
static char pattern[BIG];

static void count_release(void *arg) WARD_NOEXCEPT
{
	(void)arg;
	released++;
}

static int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	ward_assert(dir != NULL);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

/* A file with the pattern. */
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
		give(self, stream, 0, BIG);
	else if (strcmp(text, "file") == 0)
		ward_stream_write_file(self, stream, make_file(), 0, BIG);
	else if (strcmp(text, "short") == 0)
		ward_stream_write_file(self, stream, make_file(), 1000, BIG);
	else if (strcmp(text, "closed file") == 0)
		ward_stream_write_file(self, stream, open("/dev/null", O_WRONLY | O_CLOEXEC), 0, 5);
	else if (strcmp(text, "no file") == 0)
		ward_stream_write_file(self, stream, -1, 0, 5);
	else if (strcmp(text, "nothing") == 0)
		give(self, stream, 0, 0);
	else
		return false;
	return true;
}

static void begin_deciding(const ward_stream_options *options, ward_directive decided)
{
	for (int i = 0; i < BIG; i++)
		pattern[i] = (char)('a' + i % 23);
	released = 0;
	scene_start_deciding(options, decided);
	scene.on_line = answer;
}

static void begin(const ward_stream_options *options)
{
	begin_deciding(options, WARD_RESTART);
}

/* Reads the pattern, `most` bytes at a time, and whatever is behind it up to a newline. */
static void check_pattern(size_t most, const char *behind)
{
	static char bytes[BIG + 100];
	size_t got = 0, wanted = BIG + strlen(behind);
	ssize_t more;

	for (int turns = 0; got < wanted; turns++) {
		ward_assert(turns < 10000);
		while (got < wanted &&
		       (more = recv(scene.peer, bytes + got,
				    most < wanted - got ? most : wanted - got, 0)) > 0)
			got += (size_t)more;
		scene_run();
	}
	ward_assert(memcmp(bytes, pattern, BIG) == 0);
	ward_assert(memcmp(bytes + BIG, behind, strlen(behind)) == 0);
}

/* ---- order ------------------------------------------------------------------------------- */

WARD_TEST(bytes_given_bytes_and_files_go_out_in_the_order_of_the_calls, "S135", "S149", "S150")
{
	int before = count_fds();

	begin(&lines);
	scene_say("mixed\nlast\n");
	check_pattern(7000, "1.1: last\n");
	ward_assert_eq(released, 3);
	scene_finish();
	ward_assert_eq(count_fds(), before);
	ward_assert_eq(released, 3);
}

WARD_TEST(a_transport_that_takes_no_files_sends_the_same, "S135", "S150")
{
	struct wardi_transport without;
	int before = count_fds();
	ward_stream *stream;

	begin(&lines);
	stream = scene.stream;
	without = *stream->transport;
	without.send_file = NULL;
	stream->transport = &without;
	scene_say("mixed\nlast\n");
	ward_assert(wardi_output_has_file(&stream->out));
	check_pattern(7000, "1.1: last\n");
	ward_assert_eq(released, 3);
	scene_finish();
	ward_assert_eq(count_fds(), before);
}

WARD_TEST(given_bytes_outlive_a_restart, "S134", "S149")
{
	begin(&lines);
	scene_say("given\nfail\nlast\n");
	ward_assert_eq(released, 0);
	check_pattern(BIG, "2.1: last\n");
	ward_assert_eq(released, 1);
	scene_finish();
}

WARD_TEST(files_outlive_a_restart, "S134", "S150")
{
	begin(&lines);
	scene_say("file\nfail\nlast\n");
	check_pattern(BIG, "2.1: last\n");
	scene_finish();
}

/* ---- turns ------------------------------------------------------------------------------- */

enum { HUGE = 20 << 20, TURN = 1 << 20, OF_CALL = 1 << 16 };

static const struct wardi_transport *socket_transport;
static uint64_t taken, at_last_want, most;

/* A peer that takes all. */
static ssize_t take_file(ward_stream *stream, const struct iovec *head, int count, int file_fd,
			 int64_t offset, uint64_t size)
{
	ssize_t here = size < OF_CALL ? (ssize_t)size : OF_CALL;

	(void)stream, (void)head, (void)file_fd, (void)offset;
	ward_assert_eq(count, 0);
	taken += (uint64_t)here;
	return here;
}

static ward_err note_want(ward_self *self, ward_stream *stream, uint32_t events)
{
	if (taken - at_last_want > most)
		most = taken - at_last_want;
	at_last_want = taken;
	return socket_transport->want(self, stream, events);
}

static bool send_huge(ward_self *self, ward_stream *stream, const char *text)
{
	(void)text;
	ward_stream_write_file(self, stream, make_file(), 0, HUGE);
	return true;
}

WARD_TEST(a_peer_that_takes_all_of_a_file_leaves_others_their_turns, "S150")
{
	struct wardi_transport eager;

	begin(&lines);
	socket_transport = scene.stream->transport;
	eager = *socket_transport;
	eager.send_file = take_file;
	eager.want = note_want;
	scene.stream->transport = &eager;
	scene.on_line = send_huge;
	scene_say("huge\n");
	ward_assert_eq(taken, HUGE);
	ward_assert(most >= TURN);
	ward_assert(most <= 2 * TURN);
	scene_finish();
}

/* ---- limits ------------------------------------------------------------------------------ */

WARD_TEST(given_bytes_count_in_the_limits_of_what_waits, "S136", "S149")
{
	begin(&(ward_stream_options){
		.framing = WARD_LINES, .write_high = 20000, .write_max = 100000});
	scene_say("given\n");
	ward_assert(!scene_lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 1);
	ward_assert_eq(released, 1);
	scene_finish();
}

WARD_TEST(a_file_counts_in_none_but_no_frame_is_handed_out_while_it_waits, "S136", "S150")
{
	begin(&(ward_stream_options){
		.framing = WARD_LINES, .write_high = 20000, .write_max = 20000});
	scene_say("file\nfile\n");
	ward_assert(scene_lives());
	ward_assert(ward_stream_full(scene.stream));
	ward_assert(ward_stream_unsent(scene.stream) > 20000);
	ward_assert(ward_stream_unsent(scene.stream) < BIG);
	check_pattern(BIG, "");
	ward_assert_eq(scene.news & WARD_STREAM_DRAINED, WARD_STREAM_DRAINED);
	check_pattern(BIG, "");
	ward_assert(!ward_stream_full(scene.stream));
	scene_finish();
}

WARD_TEST(a_peer_that_takes_nothing_of_a_file_is_slow_after_write_ms, "S138", "S150")
{
	int before = count_fds();

	begin(&(ward_stream_options){.framing = WARD_LINES, .write_ms = 1000});
	scene_say("file\n");
	ward_kit_advance(scene.kit, 900);
	ward_assert(scene_lives());
	ward_kit_advance(scene.kit, 400);
	ward_assert(!scene_lives());
	scene_finish();
	ward_assert_eq(count_fds(), before);
}

/* ---- released once ----------------------------------------------------------------------- */

WARD_TEST(what_a_peer_does_not_read_is_released_with_the_connection, "S149", "S150")
{
	int before = count_fds();

	begin(&small);
	scene_say("mixed\n");
	ward_assert_eq(released, 0);
	scene_hang_up();
	scene_run();
	ward_assert(!scene_lives());
	ward_assert_eq(released, 3);
	scene_finish();
	ward_assert_eq(released, 3);
	ward_assert_eq(count_fds(), before);
}

WARD_TEST(a_peer_that_closes_within_a_file_raises_no_signal, "S150")
{
	int before = count_fds();

	begin(&lines);
	scene_say("file\n");
	scene_hang_up();
	scene_run(); /* SIGPIPE would end the process */
	ward_assert(!scene_lives());
	scene_finish();
	ward_assert_eq(count_fds(), before);
}

WARD_TEST(a_failure_that_ends_the_stream_releases_at_once, "S149")
{
	begin_deciding(&(ward_stream_options){.framing = WARD_LINES,
					      .write_high = 20000,
					      .write_max = 100000},
		       WARD_RESUME);
	scene_say("given\n");
	ward_assert(scene_lives());
	ward_assert_eq(released, 1);
	scene_finish();
	ward_assert_eq(released, 1);
}

WARD_TEST(an_abort_releases_what_waits, "S149", "S150")
{
	static const char *const firsts[] = {"given\n", "file\n"};

	for (int i = 0; i < 2; i++) {
		int before = count_fds();

		begin(&(ward_stream_options){.framing = WARD_LINES, .write_high = BIG});
		scene_say(firsts[i]);
		ward_assert_eq(released, 0);
		scene_tell(&ward_type_scene_abort);
		ward_assert_eq(released, i == 0);
		scene_finish();
		ward_assert_eq(released, i == 0);
		ward_assert_eq(count_fds(), before);
	}
}

WARD_TEST(what_cannot_be_written_is_released_at_once, "S149", "S150")
{
	int before = count_fds();

	begin(&lines);
	scene_say("finish\ngiven\nfile\n");
	ward_assert_str(scene_answers(), "(end)");
	ward_assert_eq(released, 1);
	scene_finish();
	ward_assert_eq(released, 1);
	ward_assert_eq(count_fds(), before);
}

WARD_TEST(no_stream_and_no_bytes_release_at_once, "S149", "S150")
{
	int fd;

	begin(&lines);
	fd = make_file();
	ward_stream_write_given(NULL, NULL, "x", 1, count_release, NULL);
	ward_stream_write_given(NULL, NULL, "x", 1, NULL, NULL);
	ward_stream_write_file(NULL, NULL, fd, 0, 1);
	ward_assert_eq(released, 1);
	ward_assert_eq(fcntl(fd, F_GETFD), -1);
	scene_say("nothing\nlast\n");
	ward_assert_eq(released, 2);
	ward_assert_str(scene_answers(), "1.1: last\n");
	scene_finish();
	ward_assert_eq(released, 2);
}

WARD_TEST(a_stopped_actor_releases_what_does_not_go_at_once, "S137", "S149")
{
	begin(&lines);
	scene_say("given\nstop\n");
	for (int i = 0; i < 1000 && scene_lives(); i++) {
		ward_assert_eq(released, 0);
		scene_swallow(1000);
		scene_run();
	}
	ward_assert(!scene_lives());
	ward_assert_eq(released, 1);
	scene_finish();
	ward_assert_eq(released, 1);
}

/* ---- files that are not as said ---------------------------------------------------------- */

static void check_file_failure(const char *line, const char *wanted)
{
	int before = count_fds();
	const ward_event *event;
	char text[640];

	begin(&(ward_stream_options){.framing = WARD_LINES});
	scene_say(line);
	for (int i = 0; i < 100 && scene_lives(); i++) {
		scene_swallow(BIG);
		scene_run();
	}
	ward_assert(!scene_lives());
	event = ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0);
	ward_assert(event != NULL);
	ward_event_format(event, text, sizeof text);
	ward_assert(strstr(text, wanted) != NULL);
	scene_finish();
	ward_assert_eq(count_fds(), before);
}

WARD_TEST(a_file_that_is_shorter_fails_the_stream, "S150")
{
	check_file_failure("short\n", "file: it is shorter than what was to be sent");
}

WARD_TEST(a_file_that_cannot_be_read_fails_the_stream, "S150")
{
	check_file_failure("closed file\n", "file: Bad file descriptor");
}

WARD_TEST(a_descriptor_that_is_none_is_misuse, "S150")
{
	begin(&lines);
	scene_say("no file\n");
	scene_say("last\n");
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 1);
	ward_assert_str(scene_answers(), "2.1: last\n"); /* the stream goes on */
	scene_finish();
}

WARD_TEST_MAIN
