/* SPDX-License-Identifier: MIT
 *
 * test_fd_events.c - a watch for a hang-up alone, and one of a descriptor that its actor keeps.
 *
 * Method: pipes, and connections on the loopback device, where a reset is there at once.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/script.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

struct scene {
	ward_kit *kit;
	struct script a;
	int ends[2]; /* of a pipe */
};

static ward_result note_ready(ward_self *self, const ward_msg *msg)
{
	const struct ward_fd_ready *ready = ward_match(msg, ward_fd_ready);
	if (ready == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:ready%s%s%s in %u", script_of(self)->name,
		     ready->events & WARD_FD_READ ? " read" : "",
		     ready->events & WARD_FD_WRITE ? " write" : "",
		     ready->events & WARD_FD_HANGUP ? " hangup" : "", ward_incarnation(self));
	return WARD_DONE;
}

static void start(struct scene *scene)
{
	scene->a.name = "a";
	scene->a.receive = note_ready;
	ward_assert_eq(pipe2(scene->ends, O_CLOEXEC | O_NONBLOCK), 0);
	scene->kit = script_start(NULL);
	script_spawn(scene->kit, &scene->a);
	journal_clear();
}

static void finish(struct scene *scene)
{
	script_finish(scene->kit);
	close(scene->ends[0]);
	close(scene->ends[1]);
}

static void write_byte(struct scene *scene)
{
	ward_assert_eq(write(scene->ends[1], "x", 1), 1);
}

static void do_and_run(struct scene *scene, script_call *call)
{
	script_do(scene->kit, scene->a.ref, call, scene);
	ward_kit_run(scene->kit);
}

/* ---- a hang-up alone --------------------------------------------------------------------- */

static int hanging; /* the end that is watched */

static ward_result watch_hangup(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_fd_watch(self, hanging, WARD_FD_HANGUP));
	return WARD_DONE;
}

/* Connected on the loopback device. */
static void make_tcp_pair(int ends[2])
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ward_assert_eq(bind(listener, (struct sockaddr *)&address, size), 0);
	ward_assert_eq(listen(listener, 1), 0);
	ward_assert_eq(getsockname(listener, (struct sockaddr *)&address, &size), 0);
	ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ward_assert_eq(connect(ends[0], (struct sockaddr *)&address, size), 0);
	ends[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	ward_assert(ends[1] >= 0);
	close(listener);
}

static void reset(int fd)
{
	struct linger linger = {1, 0};

	ward_assert_eq(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger), 0);
	close(fd);
}

WARD_TEST(reset_is_told_to_one_who_waits_for_nothing_else_whatever_was_read, "S129")
{
	/* Nothing was read; the peer's end waits to be read; it was read. */
	for (int way = 0; way < 3; way++) {
		struct scene scene = {0};
		char byte;
		int ends[2];

		start(&scene);
		make_tcp_pair(ends);
		hanging = ends[0];
		ward_assert_eq(write(ends[1], "x", 1), 1);
		do_and_run(&scene, watch_hangup);
		if (way > 0)
			shutdown(ends[1], SHUT_WR);
		if (way > 1) {
			ward_assert_eq(read(ends[0], &byte, 1), 1);
			ward_assert_eq(read(ends[0], &byte, 1), 0);
		}
		ward_kit_run(scene.kit);
		assert_journal("");
		ward_assert_eq(ward_kit_stats(scene.kit).fds, 1);
		reset(ends[1]);
		ward_kit_run(scene.kit);
		assert_journal("a:ready hangup in 1");
		close(ends[0]);
		finish(&scene);
	}
}

WARD_TEST(end_of_both_directions_is_a_hangup, "S129")
{
	struct scene scene = {0};
	int ends[2];

	start(&scene);
	make_tcp_pair(ends);
	hanging = ends[0];
	do_and_run(&scene, watch_hangup);
	close(ends[1]);
	ward_kit_run(scene.kit);
	assert_journal("");
	shutdown(ends[0], SHUT_WR);
	ward_kit_run(scene.kit);
	assert_journal("a:ready hangup in 1");
	close(ends[0]);
	finish(&scene);
}

WARD_TEST(closed_peer_of_a_pipe_is_a_hangup_at_both_ends, "S129")
{
	for (int end = 0; end < 2; end++) {
		struct scene scene = {0};

		start(&scene);
		hanging = scene.ends[end];
		write_byte(&scene);
		do_and_run(&scene, watch_hangup);
		assert_journal("");
		close(scene.ends[1 - end]);
		scene.ends[1 - end] = -1;
		ward_kit_run(scene.kit);
		assert_journal("a:ready hangup in 1");
		finish(&scene);
	}
}

WARD_TEST(closed_peer_of_a_unix_socket_is_a_hangup_though_bytes_are_left, "S129")
{
	struct scene scene = {0};
	int ends[2];

	start(&scene);
	ward_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	hanging = ends[0];
	ward_assert_eq(write(ends[1], "x", 1), 1);
	do_and_run(&scene, watch_hangup);
	shutdown(ends[1], SHUT_WR);
	ward_kit_run(scene.kit);
	assert_journal("");
	close(ends[1]);
	ward_kit_run(scene.kit);
	assert_journal("a:ready hangup in 1");
	close(ends[0]);
	finish(&scene);
}

/* ---- kept descriptors -------------------------------------------------------------------- */

static ward_result watch_kept(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_fd_watch(self, ((struct scene *)arg)->ends[0],
					 WARD_FD_READ | WARD_FD_KEPT));
	return WARD_DONE;
}

/* A hook sees that nothing is watched any more. */
static ward_result note_watched(ward_self *self, void *arg)
{
	ward_stats stats;

	(void)arg;
	ward_system_stats(ward_self_system(self), &stats);
	journal_note("a:watched %d", (int)stats.fds);
	return WARD_DONE;
}

static ward_result note_watched_before(ward_self *self, const ward_failure *why,
				       const ward_msg *msg)
{
	(void)why, (void)msg;
	return note_watched(self, NULL);
}

WARD_TEST(kept_descriptor_is_unwatched_before_the_hooks_of_the_end, "S130")
{
	for (int stops = 0; stops < 2; stops++) {
		struct scene scene = {0};

		scene.a.post_stop = note_watched;
		scene.a.pre_restart = note_watched_before;
		start(&scene);
		do_and_run(&scene, watch_kept);
		write_byte(&scene);
		ward_kit_run(scene.kit);
		assert_journal("a:ready read in 1");
		do_and_run(&scene, watch_kept);
		assert_journal("a:ready read in 1;a:ready read in 1");
		char byte;
		ward_assert_eq(read(scene.ends[0], &byte, 1), 1);
		do_and_run(&scene, watch_kept);
		ward_assert_eq(ward_kit_stats(scene.kit).fds, 1);
		if (stops)
			ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
		else
			script_break(scene.kit, scene.a.ref, &bad_luck);
		ward_kit_run(scene.kit);
		ward_assert_part(journal_text(), "a:watched 0");
		finish(&scene);
	}
}

WARD_TEST_MAIN
