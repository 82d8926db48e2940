/* SPDX-License-Identifier: MIT
 *
 * test_adopted.c - streams over pipes, pseudoterminals, socket pairs and files, in a simulation.
 *
 * The session answers each line as "N: line", N its incarnation. "fail" fails, "big" is answered
 * with 300,000 bytes, "finish" ends what is written.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <ward/net.h>
#include <ward/net/adopt.h>
#include <ward/testkit.h>

#include "net/stream/stream.h"

enum { BIG = 300 * 1000 };

WARD_SIGNAL(hello); /* the session writes "hello" */
WARD_SIGNAL(bye);   /* the session finishes */

static const ward_stream_options lines = {.framing = WARD_LINES};

static struct scene {
	ward_kit *kit;
	ward_strategy strategy;
	ward_ref session;
	int lines;
} scene;

struct session {
	ward_stream *stream;
};

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	((struct session *)state)->stream = ward_stream_start(self, args, &lines);
	return WARD_DONE;
}

static void write_big(ward_self *self, ward_stream *stream)
{
	char *bytes = ward_scratch(self, BIG);

	memset(bytes, 'x', BIG);
	ward_stream_write(self, stream, bytes, BIG);
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_frame line;

	if (ward_match(msg, hello))
		return ward_stream_printf(self, me->stream, "hello\n"), WARD_DONE;
	if (ward_match(msg, bye))
		return ward_stream_finish(self, me->stream), WARD_DONE;
	while (ward_stream_next(self, me->stream, msg, &line)) {
		scene.lines++;
		if (strcmp(line.text, "fail") == 0)
			return ward_failed(self, &ward_exception, "told to");
		if (strcmp(line.text, "big") == 0)
			write_big(self, me->stream);
		else
			ward_stream_printf(self, me->stream, "%u: %s\n", ward_incarnation(self),
					   line.text);
		if (strcmp(line.text, "finish") == 0)
			ward_stream_finish(self, me->stream);
	}
	return ward_stream_result(self, me->stream, msg);
}

static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(struct session),
				      .args = &ward_type_ward_connection,
				      .init = session_init,
				      .receive = session_receive};

/* ---- the scene --------------------------------------------------------------------------- */

static void run(void)
{
	ward_kit_run(scene.kit);
	ward_kit_advance(scene.kit, 1);
}

static void start(int read_fd, int write_fd)
{
	struct ward_connection connection;

	ward_assert_ok(ward_connection_adopt(read_fd, write_fd, &connection));
	scene = (struct scene){
		.strategy = {.otherwise = WARD_RESTART, .rules = {{&ward_net_failure, WARD_STOP}}}};
	scene.kit = ward_kit_start(&(ward_kit_options){
		.may_leave_mail = true, .system = {.user_strategy = &scene.strategy}});
	scene.session = ward_kit_spawn(scene.kit, &session, .args_given = true,
				       .args = {WARD_COPY(ward_connection, &connection)});
	run();
}

static bool lives(void)
{
	ward_actor_info info;

	return ward_kit_info(scene.kit, scene.session, &info);
}

static void tell(const ward_type *type)
{
	ward_system_send(ward_kit_system(scene.kit), scene.session, type, NULL, 0);
	run();
}

/* The two ends of a pipe; that of the test does not wait. */
static void make_pipe(int *ret_read, int *ret_write, bool test_reads)
{
	int ends[2];

	ward_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	ward_assert_eq(fcntl(ends[test_reads ? 0 : 1], F_SETFL, O_NONBLOCK), 0);
	*ret_read = ends[0];
	*ret_write = ends[1];
}

static void say(int fd, const char *text)
{
	ward_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	run();
}

/* The kernel passes what is written to a terminal on by itself: until it is there. */
static void await(int fd)
{
	struct pollfd at = {.fd = fd, .events = POLLIN};

	ward_assert_eq(poll(&at, 1, 10000), 1);
}

static void say_across(int fd, const char *text, int to)
{
	ward_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	await(to);
	run();
}

/* What was written and nobody has read: a text, with "(end)" behind it if no more will come. */
static const char *answers(int fd)
{
	static char text[4096];
	size_t used = 0;
	ssize_t got;

	while ((got = read(fd, text + used, sizeof text - 6 - used)) > 0)
		used += (size_t)got;
	snprintf(text + used, 6, "%s", got == 0 ? "(end)" : "");
	return text;
}

static bool is_non_blocking(int fd)
{
	return fcntl(fd, F_GETFL) & O_NONBLOCK;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* ---- pipes ------------------------------------------------------------------------------- */

WARD_TEST(two_pipes_are_a_connection, "S169")
{
	int in, to, from, out;

	make_pipe(&in, &to, false);
	make_pipe(&from, &out, true);
	start(in, out);
	say(to, "a\nb\nlast");
	ward_assert_str(answers(from), "1: a\n1: b\n");
	close(to);
	run();
	ward_assert_str(answers(from), "1: last\n(end)");
	ward_assert(!lives());
	ward_assert(!is_open(in));
	ward_assert(!is_open(out));
	close(from);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_restart_goes_on_with_the_next_line, "S169")
{
	int in, to, from, out;

	make_pipe(&in, &to, false);
	make_pipe(&from, &out, true);
	start(in, out);
	say(to, "a\nfail\nb\n");
	run();
	ward_assert_str(answers(from), "1: a\n2: b\n");
	close(to);
	close(from);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_slow_reader_gets_all_and_the_shared_pipe_stays_blocking, "S169")
{
	static char bytes[BIG + 100];
	int in, to, from, out, shared;
	size_t got = 0;

	make_pipe(&in, &to, false);
	make_pipe(&from, &out, true);
	shared = dup(out);
	start(in, out);
	say(to, "big\nnext\n");
	ward_assert(!is_non_blocking(shared));
	ward_assert(lives());
	for (int i = 0; i < 1000 && got < BIG + 8; i++) {
		ssize_t more = read(from, bytes + got, sizeof bytes - got);

		got += more > 0 ? (size_t)more : 0;
		run();
	}
	ward_assert_eq(got, BIG + 8);
	ward_assert_eq(memcmp(bytes + BIG, "1: next\n", 8), 0);
	close(to);
	close(from);
	close(shared);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_reader_that_is_gone_is_peer_lost_without_a_signal, "S139", "S169")
{
	const ward_event *event;
	char text[640], wanted[80];
	int in, to, from, out;

	make_pipe(&in, &to, false);
	make_pipe(&from, &out, true);
	start(in, out);
	close(from);
	say(to, "a\n");
	ward_assert(!lives());
	event = ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0);
	ward_assert(event != NULL);
	ward_event_format(event, text, sizeof text);
	snprintf(wanted, sizeof wanted, "ward_peer_lost: fd:%d: write: Broken pipe", out);
	ward_assert_part(text, wanted);
	close(to);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_stream_that_is_only_read_writes_nothing, "S169")
{
	int in, to;

	make_pipe(&in, &to, false);
	start(in, -1);
	say(to, "a\nb\n");
	ward_assert_eq(scene.lines, 2);
	ward_assert(lives());
	close(to);
	run();
	ward_assert(!lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_stream_that_is_only_written_ends_with_its_reader, "S169")
{
	int from, out;

	make_pipe(&from, &out, true);
	start(-1, out);
	tell(&ward_type_hello);
	ward_assert_str(answers(from), "hello\n");
	ward_assert(lives());
	close(from);
	run();
	ward_assert(!lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_stream_that_is_only_written_ends_when_it_is_finished, "S169")
{
	int from, out;

	make_pipe(&from, &out, true);
	start(-1, out);
	tell(&ward_type_hello);
	tell(&ward_type_bye);
	ward_assert_str(answers(from), "hello\n(end)");
	ward_assert(!lives());
	close(from);
	ward_kit_finish(scene.kit);
}

WARD_TEST(finish_ends_the_pipe_and_it_is_read_on, "S169")
{
	int in, to, from, out;

	make_pipe(&in, &to, false);
	make_pipe(&from, &out, true);
	start(in, out);
	say(to, "a\nfinish\n");
	ward_assert_str(answers(from), "1: a\n1: finish\n(end)");
	ward_assert(lives());
	say(to, "b\n");
	ward_assert_eq(scene.lines, 3);
	close(to);
	run();
	ward_assert(!lives());
	close(from);
	ward_kit_finish(scene.kit);
}

/* ---- pseudoterminals --------------------------------------------------------------------- */

static void make_terminal(int *ret_master, int *ret_slave)
{
	struct termios quiet;

	*ret_master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	ward_assert(*ret_master >= 0);
	ward_assert_eq(grantpt(*ret_master), 0);
	ward_assert_eq(unlockpt(*ret_master), 0);
	*ret_slave = open(ptsname(*ret_master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	ward_assert(*ret_slave >= 0);
	ward_assert_eq(tcgetattr(*ret_slave, &quiet), 0);
	quiet.c_lflag &= ~(tcflag_t)ECHO;
	quiet.c_oflag &= ~(tcflag_t)OPOST;
	ward_assert_eq(tcsetattr(*ret_slave, TCSANOW, &quiet), 0);
}

WARD_TEST(a_terminal_is_served_and_stays_blocking_for_others, "S169")
{
	int master, slave, shared;

	make_terminal(&master, &slave);
	shared = dup(slave);
	ward_assert_eq(fcntl(master, F_SETFL, O_NONBLOCK), 0);
	start(slave, slave);
	say_across(master, "a\nb", shared);
	await(master);
	ward_assert_str(answers(master), "1: a\n");
	ward_assert(!is_non_blocking(shared));
	say_across(master, "\n", shared);
	await(master);
	ward_assert_str(answers(master), "1: b\n");
	say_across(master, "\4", shared); /* the end of file of a terminal */
	ward_assert(!lives());
	ward_assert(!is_open(slave));
	close(master);
	close(shared);
	ward_kit_finish(scene.kit);
}

WARD_TEST(the_master_of_a_terminal_is_served_and_its_flags_are_taken_back, "S169")
{
	int master, slave, shared;

	make_terminal(&master, &slave);
	shared = dup(master);
	ward_assert_eq(fcntl(slave, F_SETFL, O_RDWR | O_NONBLOCK), 0);
	start(master, master);
	ward_assert(is_non_blocking(shared));
	say_across(slave, "a\n", shared);
	await(slave);
	ward_assert_str(answers(slave), "1: a\n");
	close(slave);
	run();
	ward_assert(!lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert(!is_non_blocking(shared));
	close(shared);
	ward_kit_finish(scene.kit);
}

/* ---- sockets and files ------------------------------------------------------------------- */

WARD_TEST(a_socket_pair_ends_in_halves_and_stays_blocking, "S169")
{
	int ends[2], shared;

	ward_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	ward_assert_eq(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	shared = dup(ends[0]);
	start(ends[0], ends[0]);
	say(ends[1], "a\nfinish\n");
	ward_assert_str(answers(ends[1]), "1: a\n1: finish\n(end)");
	ward_assert(!is_non_blocking(shared));
	say(ends[1], "b\n");
	ward_assert_eq(scene.lines, 3);
	close(ends[1]);
	run();
	ward_assert(!lives());
	close(shared);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_socket_that_blocks_is_never_waited_for, "S169")
{
	int ends[2];

	ward_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	ward_assert_eq(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	start(ends[0], ends[0]);
	say(ends[1], "a\n");
	tell(&wardi_type_stream_closing); /* as a listener that ends: it is read once more */
	ward_assert_str(answers(ends[1]), "1: a\n(end)");
	ward_assert(!lives());
	close(ends[1]);
	ward_kit_finish(scene.kit);
}

static int file_of(const char *line, int times)
{
	char path[] = "/tmp/ward-adopted-XXXXXX";
	int fd = mkstemp(path);

	ward_assert(fd >= 0);
	ward_assert_eq(unlink(path), 0);
	for (int i = 0; i < times; i++)
		ward_assert_eq(write(fd, line, strlen(line)), (ssize_t)strlen(line));
	ward_assert_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

WARD_TEST(a_file_is_read_to_its_end, "S169")
{
	int file = file_of("a line of some bytes\n", 10000); /* several reads, many turns */

	start(file, -1);
	for (int i = 0; i < 1000 && lives(); i++)
		run();
	ward_assert(!lives());
	ward_assert_eq(scene.lines, 10000);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_file_is_written, "S169")
{
	int file = file_of("a\nb\n", 1), to = file_of("", 0), kept = dup(to);

	start(file, to);
	for (int i = 0; i < 10 && lives(); i++)
		run();
	ward_assert(!lives());
	ward_assert_eq(lseek(kept, 0, SEEK_SET), 0);
	ward_assert_str(answers(kept), "1: a\n1: b\n(end)");
	close(kept);
	ward_kit_finish(scene.kit);
}

WARD_TEST(dev_null_is_at_its_end, "S169")
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	start(null, null);
	run();
	ward_assert(!lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_standard_descriptor_is_replaced_and_not_closed, "S169")
{
	int saved = dup(STDIN_FILENO), in, to;
	struct stat is, null;

	make_pipe(&in, &to, false);
	ward_assert_eq(dup2(in, STDIN_FILENO), STDIN_FILENO);
	close(in);
	start(STDIN_FILENO, -1);
	say(to, "a\n");
	ward_assert_eq(scene.lines, 1);
	close(to);
	run();
	ward_assert(!lives());
	ward_assert_eq(fstat(STDIN_FILENO, &is), 0);
	ward_assert_eq(stat("/dev/null", &null), 0);
	ward_assert_eq(is.st_rdev, null.st_rdev);
	if (saved >= 0) {
		dup2(saved, STDIN_FILENO);
		close(saved);
	}
	ward_kit_finish(scene.kit);
}

/* ---- refusals ---------------------------------------------------------------------------- */

static void check_refused(int read_fd, int write_fd, const char *part)
{
	struct ward_connection connection = {NULL, NULL};

	ward_assert_err(ward_connection_adopt(read_fd, write_fd, &connection), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), part);
	ward_assert(connection.stream == NULL);
}

WARD_TEST(what_cannot_be_a_stream_is_refused_and_stays_open, "S169")
{
	int in, to, folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int datagrams = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int stream = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	make_pipe(&in, &to, false);
	check_refused(-1, -1, "no descriptor");
	check_refused(100000, -1, "descriptor 100000 is not open");
	check_refused(to, -1, "is not open for reading");
	check_refused(in, in, "is not open for both directions");
	check_refused(in, in + 100000, "is not open");
	check_refused(folder, -1, "is a directory");
	check_refused(datagrams, datagrams, "is a socket, but not of a stream");
	check_refused(stream, stream, "is a socket that is not connected");
	ward_assert(is_open(in) && is_open(to) && is_open(folder));
	ward_assert(is_open(datagrams) && is_open(stream));
	ward_assert(!is_non_blocking(in));
	close(in);
	close(to);
	close(folder);
	close(datagrams);
	close(stream);
}

WARD_TEST(a_connection_that_no_actor_got_is_closed_by_its_drop, "S169")
{
	struct ward_connection connection;
	int in, to;

	make_pipe(&in, &to, false);
	ward_assert_ok(ward_connection_adopt(in, -1, &connection));
	ward_type_ward_connection.drop(&connection);
	ward_assert(!is_open(in));
	close(to);
}

WARD_TEST_MAIN
