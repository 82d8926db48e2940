/* SPDX-License-Identifier: MIT
 *
 * test_foreign_fds.c - which descriptors a kit does not take for the program's.
 *
 * Method: a child that is called like a symbolizer holds the other end of a pipe. It counts only
 * where there is a sanitizer; with one of clang's there is a real one, too.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "caught.h"
#include "testkit/check/foreign_fds.h"

extern void __sanitizer_print_stack_trace(void) __attribute__((weak));

struct child {
	pid_t pid;
	int end; /* ours */
};

/* Says one byte when it has its name. */
static struct child start_child(const char *name)
{
	int ends[2], said[2];
	struct child child;
	char byte;

	ward_assert_eq(pipe(ends), 0);
	ward_assert_eq(pipe(said), 0);
	child.pid = fork();
	ward_assert(child.pid >= 0);
	if (child.pid == 0) {
		close(ends[1]);
		prctl(PR_SET_NAME, name);
		if (write(said[1], "x", 1) != 1 || read(ends[0], &byte, 1) != 0)
			_exit(1);
		_exit(0);
	}
	close(ends[0]);
	close(said[1]);
	ward_assert_eq(read(said[0], &byte, 1), 1);
	close(said[0]);
	child.end = ends[1];
	return child;
}

static void end_child(struct child child)
{
	int status;

	close(child.end);
	ward_assert_eq(waitpid(child.pid, &status, 0), child.pid);
	ward_assert_eq(status, 0);
}

WARD_TEST(pipe_to_a_symbolizer_is_known_by_its_other_end)
{
	struct child symbolizer = start_child("llvm-symbolizer"),
		     other = start_child("llvm-nothing");
	int ends[2];

	ward_assert_eq(pipe(ends), 0);
	ward_assert(wardi_fd_is_symbolizers(symbolizer.end));
	ward_assert(!wardi_fd_is_symbolizers(ends[0]));
	ward_assert(!wardi_fd_is_symbolizers(STDERR_FILENO));
	ward_assert(!wardi_fd_is_symbolizers(-1));
	ward_assert(!wardi_fd_is_symbolizers(other.end));
	end_child(other);
	end_child(symbolizer);
	close(ends[0]);
	close(ends[1]);
}

WARD_TEST(socket_is_known_by_what_it_is_connected_to)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char folder[] = "/tmp/ward-test-XXXXXX";
	int server = socket(AF_UNIX, SOCK_DGRAM, 0), client = socket(AF_UNIX, SOCK_DGRAM, 0);

	ward_assert(mkdtemp(folder) != NULL);
	snprintf(at.sun_path, sizeof at.sun_path, "%s/log", folder);
	ward_assert_eq(bind(server, (struct sockaddr *)&at, sizeof at), 0);
	ward_assert(!wardi_fd_is_connected_to(client, at.sun_path));
	ward_assert_eq(connect(client, (struct sockaddr *)&at, sizeof at), 0);
	ward_assert(wardi_fd_is_connected_to(client, at.sun_path));
	ward_assert(!wardi_fd_is_connected_to(client, "/dev/log"));
	ward_assert(!wardi_fd_is_connected_to(server, at.sun_path));
	ward_assert(!wardi_fd_is_connected_to(STDERR_FILENO, at.sun_path));
	close(client);
	close(server);
	unlink(at.sun_path);
	rmdir(folder);
}

WARD_TEST(pipe_to_a_symbolizer_is_left_open_unless_there_is_a_sanitizer)
{
	ward_kit *kit = ward_kit_start(NULL);
	struct child symbolizer = start_child("llvm-symbolizer");

	if (&__sanitizer_print_stack_trace != NULL)
		ward_kit_finish(kit);
	else
		CAUGHT(ward_kit_finish(kit), "1 descriptors are left open: ");
	end_child(symbolizer);
}

/* With clang's it opens two pipes, which stay; with none there is nothing to see. */
WARD_TEST(stack_that_a_sanitizer_prints_leaves_nothing_open)
{
	ward_kit *kit = ward_kit_start(NULL);

	if (&__sanitizer_print_stack_trace != NULL)
		__sanitizer_print_stack_trace();
	ward_kit_finish(kit);
}

WARD_TEST(descriptor_of_the_program_is_left_open_beside_those_of_a_sanitizer)
{
	ward_kit *kit = ward_kit_start(NULL);
	int ends[2];

	if (&__sanitizer_print_stack_trace != NULL)
		__sanitizer_print_stack_trace();
	ward_assert_eq(pipe(ends), 0);
	CAUGHT(ward_kit_finish(kit), "2 descriptors are left open: ");
	close(ends[0]);
	close(ends[1]);
}

WARD_TEST_MAIN
