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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ward/net.h>
#include <ward/testkit.h>

WARD_SIGNAL(bye); /* the session finishes */

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
	static const ward_stream_options lines = {.framing = WARD_LINES};

	*(ward_stream **)state = ward_stream_start(self, args, &lines);
	return WARD_DONE;
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	ward_stream *stream = *(ward_stream **)state;

	if (ward_match(msg, bye))
		return ward_stream_finish(self, stream), WARD_DONE;
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

WARD_TEST_MAIN
