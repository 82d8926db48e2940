/* SPDX-License-Identifier: MIT
 *
 * test_listener.c - a listener in a simulation, with clients over an abstract socket.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <ward/net.h>
#include <ward/testkit.h>

static const ward_stream_options lines = {.framing = WARD_LINES};

struct greeting {
	char text[16];
};
WARD_MESSAGE(greeting);

static struct scene {
	ward_kit *kit;
	ward_ref listener;
	char address[64];
} scene;

/* ---- a session --------------------------------------------------------------------------- */

struct session {
	ward_stream *peer;
	const struct greeting *greeting;
};

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	struct session *me = state;

	me->greeting = ((const struct ward_connection *)args)->with;
	me->peer = ward_stream_start(self, args, &lines);
	return WARD_DONE;
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_frame line;

	while (ward_stream_next(self, me->peer, msg, &line)) {
		if (strcmp(line.text, "fail") == 0)
			return ward_failed(self, &ward_exception, "told to");
		ward_stream_printf(self, me->peer, "%s %s\n", me->greeting->text, line.text);
	}
	return ward_stream_result(self, me->peer, msg);
}

static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(struct session),
				      .args = &ward_type_ward_connection,
				      .init = session_init,
				      .receive = session_receive};

/* ---- the scene --------------------------------------------------------------------------- */

static void start(const struct ward_listener *like)
{
	static const struct greeting hello = {"hello"};
	struct ward_listener at = *like;

	snprintf(scene.address, sizeof scene.address, "unix:@ward-test-listener-%d", getpid());
	if (at.address == NULL)
		at.address = scene.address;
	at.child.behavior = &session;
	at.child.args = (ward_body){WARD_COPY(greeting, &hello)};
	scene.kit = ward_kit_start(&(ward_kit_options){.may_leave_mail = true});
	scene.listener =
		ward_kit_spawn(scene.kit, &ward_listen, .args = {WARD_COPY(ward_listener, &at)});
	ward_kit_run(scene.kit);
}

static void run(void)
{
	ward_kit_run(scene.kit);
	ward_kit_advance(scene.kit, 1);
}

/* -1: the queue of the listener is full, or nobody listens. */
static int client(void)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	size_t size = strlen(scene.address) - strlen("unix:@");

	memcpy(to.sun_path + 1, scene.address + strlen("unix:@"), size);
	if (connect(fd, (struct sockaddr *)&to,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + size)) == 0)
		return fd;
	close(fd);
	return -1;
}

static const char *say(int fd, const char *text)
{
	static char answer[256];
	ssize_t got;

	(void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
	run();
	got = recv(fd, answer, sizeof answer - 1, 0);
	answer[got > 0 ? got : 0] = '\0';
	return got == 0 ? "(end)" : answer;
}

static struct ward_listener_state look(void)
{
	struct ward_listener_state now = {0};

	ward_assert_ok(ward_system_ask(ward_kit_system(scene.kit), scene.listener, WARD_SECOND,
				       &now, ward_listener_look));
	return now;
}

static size_t notes(const char *part)
{
	size_t found = 0, count = ward_kit_count(scene.kit, WARD_EVENT_NOTE, "*");
	char text[640];

	for (size_t i = 0; i < count; i++) {
		ward_event_format(ward_kit_event(scene.kit, WARD_EVENT_NOTE, "*", i), text,
				  sizeof text);
		found += strstr(text, part) != NULL;
	}
	return found;
}

static bool lives(void)
{
	ward_actor_info info;

	return ward_kit_info(scene.kit, scene.listener, &info);
}

/* ---- the cases --------------------------------------------------------------------------- */

WARD_TEST(each_connection_has_a_child_with_the_arguments_of_the_props, "S140")
{
	int a, b;

	start(&(struct ward_listener){0});
	a = client(), b = client();
	ward_assert_str(say(a, "x\n"), "hello x\n");
	ward_assert_str(say(b, "y\n"), "hello y\n");
	ward_assert_eq(look().connections, 2);
	ward_assert_str(look().address, scene.address);
	close(a), close(b);
	run();
	ward_assert_eq(look().connections, 0);
	ward_assert_eq(look().accepted, 2);
	ward_kit_finish(scene.kit);
}

WARD_TEST(at_connections_max_it_pauses_says_so_once_and_goes_on, "S140")
{
	int fds[4];

	start(&(struct ward_listener){.connections_max = 2});
	for (int i = 0; i < 4; i++)
		fds[i] = client();
	run();
	ward_assert_eq(look().connections, 2);
	ward_assert(look().paused);
	ward_assert_str(say(fds[2], "x\n"), "");
	close(fds[0]);
	ward_assert_str(say(fds[2], ""), "hello x\n");
	ward_assert_eq(look().connections, 2);
	close(fds[1]);
	ward_assert_str(say(fds[3], "y\n"), "hello y\n");
	ward_assert(notes("connections_max is reached") >= 1);
	close(fds[2]), close(fds[3]);
	run();
	ward_assert(!look().paused);
	ward_assert_eq(notes("accepts again"), look().pauses);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_session_that_fails_is_stopped_and_the_others_go_on, "S140", "S139")
{
	int a, b;

	start(&(struct ward_listener){0});
	a = client(), b = client();
	ward_assert_str(say(a, "x\n"), "hello x\n");
	for (int i = 0; i < 20; i++) {
		int c = client();

		(void)say(c, "fail\n");
		close(c);
	}
	ward_assert_str(say(b, "y\n"), "hello y\n");
	ward_assert_eq(look().failed, 20);
	ward_assert_eq(notes("told to"), 1);
	ward_kit_advance(scene.kit, 10 * WARD_SECOND);
	(void)say(a, "fail\n");
	ward_assert_eq(notes("19 others since the last one"), 1);
	close(a), close(b);
	run();
	ward_kit_finish(scene.kit);
}

WARD_TEST(drained_it_ends_idle_connections_at_once_and_then_itself, "S141")
{
	int a;

	start(&(struct ward_listener){0});
	a = client();
	ward_assert_str(say(a, "x\n"), "hello x\n");
	ward_system_send(ward_kit_system(scene.kit), scene.listener, &ward_type_ward_listener_drain,
			 NULL, 0);
	ward_assert_str(say(a, ""), "(end)");
	run();
	ward_assert(!lives());
	ward_assert_eq(client(), -1);
	close(a);
	ward_kit_finish(scene.kit);
}

/* Within a second. Returns the client that has sent the half. */
static int drain_beside_half_a_line(void)
{
	int half;

	start(&(struct ward_listener){.drain_ms = 1000});
	half = client();
	ward_assert_str(say(half, "hal"), "");
	ward_system_send(ward_kit_system(scene.kit), scene.listener, &ward_type_ward_listener_drain,
			 NULL, 0);
	run();
	return half;
}

WARD_TEST(drained_it_lets_a_begun_line_end_within_drain_ms, "S141")
{
	int a = drain_beside_half_a_line();

	ward_kit_advance(scene.kit, 500);
	ward_assert(lives());
	ward_assert_str(say(a, "f\n"), "hello half\n");
	run();
	ward_assert(!lives());
	close(a);
	ward_kit_finish(scene.kit);
}

WARD_TEST(drained_it_stops_those_that_take_longer_than_drain_ms, "S141")
{
	int a = drain_beside_half_a_line();

	ward_kit_advance(scene.kit, 900);
	ward_assert(lives());
	ward_kit_advance(scene.kit, 200);
	run();
	ward_assert(!lives());
	close(a);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_shutdown_ends_those_that_take_too_long_within_its_phase, "S141")
{
	int a;

	start(&(struct ward_listener){0});
	a = client();
	ward_assert_str(say(a, "half"), "");
	ward_system_shutdown(ward_kit_system(scene.kit), "done");
	ward_kit_run(scene.kit);
	ward_kit_advance(scene.kit, 3900);
	ward_assert(lives());
	ward_kit_advance(scene.kit, 200);
	run();
	ward_assert(!lives());
	ward_assert_eq(notes("is not done"), 0);
	close(a);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_shutdown_drains_it, "S141")
{
	int a;

	start(&(struct ward_listener){0});
	a = client();
	ward_assert_str(say(a, "x\n"), "hello x\n");
	ward_system_shutdown(ward_kit_system(scene.kit), "done");
	ward_assert_str(say(a, ""), "(end)");
	run();
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	close(a);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_shutdown_without_connections_is_answered_once, "S141")
{
	start(&(struct ward_listener){0});
	ward_system_shutdown(ward_kit_system(scene.kit), "done");
	run();
	ward_assert(!lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_kit_finish(scene.kit);
}

WARD_TEST(an_address_in_use_is_a_failure_of_the_first_start, "S139")
{
	const ward_event *event;
	char text[640];
	ward_ref other;
	struct ward_listener at = {.address = scene.address, .child = {.behavior = &session}};

	start(&(struct ward_listener){0});
	at.address = scene.address;
	other = ward_kit_spawn(scene.kit, &ward_listen, .args = {WARD_COPY(ward_listener, &at)});
	ward_kit_run(scene.kit);
	(void)other;
	event = ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0);
	ward_assert(event != NULL);
	ward_event_format(event, text, sizeof text);
	ward_assert_part(text, "Address already in use");
	ward_assert_part(text, scene.address);
	ward_kit_finish(scene.kit);
}

WARD_TEST(wrong_arguments_are_refused_with_what_would_be_right, "S140")
{
	static const ward_behavior other = {.name = "other"};
	const struct {
		struct ward_listener args;
		const char *part;
	} rows[] = {
		{{.child = {.behavior = &session}}, ".address is missing"},
		{{.address = "tcp:1"}, ".child has no behavior"},
		{{.address = "tcp:1", .child = {.behavior = &other}}, "does not take connections"},
		{{.address = "tcp:1", .child = {.behavior = &session, .name = "x"}},
		 "leave it out"},
		{{.address = "tcp:1", .child = {.behavior = &session}, .drain_ms = -1}, "negative"},
	};

	start(&(struct ward_listener){0});
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const ward_props *props =
			WARD_PROPS(&ward_listen, .args = {WARD_COPY(ward_listener, &rows[i].args)});

		ward_assert_err(ward_system_spawn(ward_kit_system(scene.kit), props, NULL),
				WARD_EINVAL);
		ward_assert_part(ward_err_detail(), rows[i].part);
	}
	ward_kit_finish(scene.kit);
}

WARD_TEST_MAIN
