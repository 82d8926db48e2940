/* SPDX-License-Identifier: MIT
 *
 * test_adopted_end.c - a descriptor of an adopted stream is not watched any longer when it is
 * closed.
 *
 * Otherwise another thread may open a file, which gets the number, and the end of the watch would
 * be the end of its watch.
 *
 * Method: close() of this program looks whether an epoll has the descriptor, and waits for an event
 * of it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ward/net.h>
#include <ward/testkit.h>

enum { BIG = 100 * 1000 };

WARD_SIGNAL(bye); /* the session finishes; at a line, with 100,000 bytes in front */

static bool looks;
static int closed, watched;

static bool waits_for(const char *epoll, int fd)
{
	char path[300], line[200];
	bool found = false;
	unsigned events;
	FILE *info;
	int at;

	snprintf(path, sizeof path, "/proc/self/fdinfo/%s", epoll);
	info = fopen(path, "re");
	while (info != NULL && fgets(line, sizeof line, info) != NULL)
		if (sscanf(line, "tfd: %d events: %x", &at, &events) == 2 && at == fd)
			found |= (events & ~(unsigned)EPOLLONESHOT) != 0;
	if (info != NULL)
		fclose(info);
	return found;
}

static bool is_watched(int fd)
{
	DIR *all = opendir("/proc/self/fdinfo");
	const struct dirent *entry;
	bool found = false;

	while (all != NULL && (entry = readdir(all)) != NULL)
		found |= waits_for(entry->d_name, fd);
	if (all != NULL)
		closedir(all);
	return found;
}

int close(int fd)
{
	if (looks) {
		looks = false;
		closed++;
		watched += is_watched(fd);
		looks = true;
	}
	return (int)syscall(SYS_close, fd);
}

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	static const ward_stream_options lines = {.framing = WARD_LINES, .half_close = true};

	*(ward_stream **)state = ward_stream_start(self, args, &lines);
	return WARD_DONE;
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	ward_stream *stream = *(ward_stream **)state;
	static const char big[BIG];
	ward_frame line;

	if (ward_match(msg, bye))
		return ward_stream_finish(self, stream), WARD_DONE;
	while (ward_stream_next(self, stream, msg, &line)) {
		ward_stream_write(self, stream, big, sizeof big);
		ward_stream_finish(self, stream);
	}
	return ward_stream_result(self, stream, msg);
}

static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(ward_stream *),
				      .args = &ward_type_ward_connection,
				      .init = session_init,
				      .receive = session_receive};

WARD_TEST(a_stream_that_is_written_only_closes_what_is_not_watched, "S169")
{
	ward_kit *kit = ward_kit_start(NULL);
	struct ward_connection connection;
	ward_ref who;
	int ends[2];

	closed = watched = 0;
	ward_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	ward_assert_ok(ward_connection_adopt(-1, ends[1], &connection));
	who = ward_kit_spawn(kit, &session, .args_given = true,
			     .args = {WARD_COPY(ward_connection, &connection)});
	ward_kit_run(kit);
	looks = true;
	ward_system_tell(ward_kit_system(kit), who, bye);
	ward_kit_run(kit);
	looks = false;
	ward_assert(closed > 0);
	ward_assert_eq(watched, 0);
	close(ends[0]);
	ward_kit_finish(kit);
}

/* The readiness of the descriptor that is closed with the last byte is the stream's. */
WARD_TEST(the_last_readiness_of_a_finished_descriptor_is_handled, "S169")
{
	ward_kit *kit = ward_kit_start(NULL);
	struct ward_connection connection;
	int to[2], from[2];
	static char bytes[BIG];

	signal(SIGPIPE, SIG_IGN); /* where memory is short nobody may read */
	ward_assert_eq(pipe2(to, O_CLOEXEC), 0);
	ward_assert_eq(pipe2(from, O_CLOEXEC), 0);
	ward_assert_eq(fcntl(from[0], F_SETFL, O_NONBLOCK), 0);
	ward_assert_ok(ward_connection_adopt(to[0], from[1], &connection));
	ward_kit_spawn(kit, &session, .args_given = true,
		       .args = {WARD_COPY(ward_connection, &connection)});
	ward_kit_run(kit);
	ward_assert_eq(write(to[1], "x\n", 2), 2);
	ward_kit_run(kit);
	while (read(from[0], bytes, sizeof bytes) > 0)
		ward_kit_run(kit);
	ward_assert_eq(read(from[0], bytes, sizeof bytes), 0);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_UNHANDLED, "*"), 0);
	close(from[0]);
	close(to[1]);
	ward_kit_run(kit);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
