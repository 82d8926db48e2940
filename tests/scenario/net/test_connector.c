/* SPDX-License-Identifier: MIT
 *
 * test_connector.c - a connector: one child for each connection, pauses, messages that wait.
 *
 * The session writes each text that it is told, as a line, with the greeting of its arguments. The
 * line "fail" fails it, "up" makes it tell its parent.
 */
#include "open_scene.h"

struct text {
	char text[16];
};
WARD_MESSAGE(text);
struct greeting {
	char text[16];
};
WARD_MESSAGE(greeting);
WARD_SIGNAL(order_restart);
WARD_SIGNAL(tidings);

static const ward_stream_options by_line = {.framing = WARD_LINES};
static const ward_stream_options *session_options = &by_line;

static struct scene {
	ward_kit *kit;
	ward_ref connector;
	char address[80];
	int starts;     /* of sessions */
	int bad_starts; /* so many sessions fail in their start */
	int tidings;    /* that the parent of the connector got */
} scene;

/* ---- a session --------------------------------------------------------------------------- */

struct session {
	ward_stream *peer;
	const struct greeting *greeting;
};

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	struct session *me = state;

	scene.starts++;
	if (scene.bad_starts > 0) {
		scene.bad_starts--;
		return ward_failed(self, &ward_exception, "told to");
	}
	me->greeting = ((const struct ward_connection *)args)->with;
	me->peer = ward_stream_start(self, args, session_options);
	return WARD_DONE;
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct text *told = ward_match(msg, text);
	struct session *me = state;
	ward_frame line;

	if (told != NULL) {
		ward_stream_printf(self, me->peer, "%s%s\n",
				   me->greeting != NULL ? me->greeting->text : "", told->text);
		return WARD_DONE;
	}
	while (ward_stream_next(self, me->peer, msg, &line)) {
		if (strcmp(line.text, "fail") == 0)
			return ward_failed(self, &ward_exception, "told to");
		if (strcmp(line.text, "up") == 0)
			ward_tell(self, ward_parent(self), tidings);
	}
	return ward_stream_result(self, me->peer, msg);
}

static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(struct session),
				      .args = &ward_type_ward_connection,
				      .init = session_init,
				      .receive = session_receive};

/* ---- the parent of the connector --------------------------------------------------------- */

struct top {
	struct ward_connector to;
};
WARD_MESSAGE(top);

static ward_result top_init(ward_self *self, void *state, const void *args)
{
	const struct top *top = args;

	(void)state;
	scene.connector = ward_spawn(self, &ward_connect, .name = "link",
				     .args = {WARD_COPY(ward_connector, &top->to)});
	return WARD_DONE;
}

static ward_result top_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state;
	if (!ward_match(msg, tidings))
		return WARD_UNHANDLED;
	scene.tidings++;
	return WARD_DONE;
}

static const ward_behavior top = {.name = "top",
				  .args = &ward_type_top,
				  .init = top_init,
				  .receive = top_receive,
				  .child_strategy = &noting};

/* ---- the scene --------------------------------------------------------------------------- */

static void run(void)
{
	ward_kit_run(scene.kit);
	ward_kit_advance(scene.kit, 1);
}

static void begin_deciding(int port, const struct ward_connector *like, ward_directive decided)
{
	struct top args = {*like};

	scene = (struct scene){.bad_starts = scene.bad_starts};
	snprintf(scene.address, sizeof scene.address, "tcp:127.0.0.1:%u", port_of(port));
	args.to.address = scene.address;
	args.to.child.behavior = &session;
	scene.kit = start_kit(0, decided);
	(void)ward_kit_spawn(scene.kit, &top, .args = {WARD_COPY(top, &args)});
	run();
}

static void begin(int port, const struct ward_connector *like)
{
	begin_deciding(port, like, WARD_STOP);
}

static void tell(const char *words)
{
	struct text body = {""};

	snprintf(body.text, sizeof body.text, "%s", words);
	ward_system_send(ward_kit_system(scene.kit), scene.connector, WARD_COPY(text, &body));
	run();
}

static void order(const ward_type *type)
{
	ward_system_send(ward_kit_system(scene.kit), scene.connector, type, NULL, 0);
	run();
}

static bool lives(void)
{
	ward_actor_info info;

	return ward_kit_info(scene.kit, scene.connector, &info);
}

static size_t dead_letters(void)
{
	return ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER, "*");
}

static uint32_t restarts(void)
{
	struct ward_restart_count now = {0};

	ward_assert_ok(ward_system_ask(ward_kit_system(scene.kit), scene.connector, WARD_SECOND,
				       &now, ward_get_restart_count));
	return now.count;
}

static ward_ref child(void)
{
	struct ward_current_child now = {0};

	ward_assert_ok(ward_system_ask(ward_kit_system(scene.kit), scene.connector, WARD_SECOND,
				       &now, ward_get_current_child));
	return now.child;
}

static size_t notes(const char *part)
{
	size_t found = 0, count = ward_kit_count(scene.kit, WARD_EVENT_NOTE, "*");

	for (size_t i = 0; i < count; i++)
		found += strstr(ward_kit_event(scene.kit, WARD_EVENT_NOTE, "*", i)->text, part) !=
			 NULL;
	return found;
}

/* Time passes until a connection comes; returns the milliseconds. */
static int wait_for_connection(int listener, int *ret_fd)
{
	for (int ms = 0; ms < 2000; ms++) {
		*ret_fd = accept_one(listener);
		if (*ret_fd >= 0)
			return ms;
		ward_kit_advance(scene.kit, 1);
	}
	ward_assert(!"a connection");
	return -1;
}

/* ---- messages ---------------------------------------------------------------------------- */

WARD_TEST(messages_go_to_the_child_of_the_connection_and_its_own_to_the_parent, "S145")
{
	static const struct greeting hello = {"hello "};
	int listener = listen_at_port("127.0.0.1", 0), peer;

	begin(listener, &(struct ward_connector){.child.args = {WARD_COPY(greeting, &hello)}});
	peer = accept_it(listener);
	tell("a");
	tell("b");
	ward_assert_str(heard(peer), "hello a\nhello b\n");
	ward_assert(!ward_ref_is_nobody(child()));
	ward_assert_eq(send(peer, "up\n", 3, MSG_NOSIGNAL), 3);
	run();
	ward_assert_eq(scene.tidings, 1);
	close(peer), close(listener);
	ward_kit_finish(scene.kit);
}

WARD_TEST(messages_wait_for_a_connection_and_those_beyond_are_dead_letters, "S147")
{
	int port = take_port("127.0.0.1", 0), peer;

	begin(port, &(struct ward_connector){.stash_max = 3});
	for (int i = 0; i < 5; i++)
		tell((const char *[]){"a", "b", "c", "d", "e"}[i]);
	ward_assert_eq(dead_letters(), 2);
	ward_assert_eq(ward_kit_event(scene.kit, WARD_EVENT_DEAD_LETTER, "*", 0)->reason,
		       WARD_REASON_DOWN);
	ward_assert_str(ward_kit_event(scene.kit, WARD_EVENT_DEAD_LETTER, "*", 0)->text,
			"the child is down, or has not started yet, and the stash has no room");
	ward_assert(ward_ref_is_nobody(child()));
	ward_assert_eq(listen(port, 4), 0);
	ward_kit_advance(scene.kit, WARD_SECOND);
	tell("f");
	peer = accept_it(port);
	ward_assert_str(heard(peer), "a\nb\nc\nf\n");
	close(peer), close(port);
	ward_kit_finish(scene.kit);
}

WARD_TEST(messages_wait_between_two_connections_too, "S147")
{
	int listener = listen_at_port("127.0.0.1", 0), peer;

	begin(listener, &(struct ward_connector){.stash_max = 3});
	close(accept_it(listener));
	run();
	tell("a");
	ward_assert(ward_ref_is_nobody(child()));
	(void)wait_for_connection(listener, &peer);
	run();
	ward_assert_str(heard(peer), "a\n");
	ward_assert_eq(dead_letters(), 0);
	close(peer), close(listener);
	ward_kit_finish(scene.kit);
}

WARD_TEST(without_a_stash_messages_are_dead_letters_while_there_is_no_connection, "S147")
{
	int port = take_port("127.0.0.1", 0);

	begin(port, &(struct ward_connector){0});
	tell("a");
	ward_assert_eq(dead_letters(), 1);
	close(port);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_child_that_fails_in_its_start_loses_no_message, "S147")
{
	int port = take_port("127.0.0.1", 0), peer;

	scene.bad_starts = 3;
	begin(port, &(struct ward_connector){.stash_max = 3});
	tell("a");
	tell("b");
	ward_assert_eq(listen(port, 8), 0);
	ward_kit_advance(scene.kit, 10 * WARD_SECOND);
	ward_assert_eq(scene.starts, 4);
	for (int i = 0; i < 3; i++) {
		peer = accept_it(port);
		ward_assert_str(heard(peer), "(cut)"); /* it failed before its stream began */
		close(peer);
	}
	peer = accept_it(port);
	ward_assert_str(heard(peer), "a\nb\n");
	ward_assert_eq(dead_letters(), 0);
	close(peer), close(port);
	ward_kit_finish(scene.kit);
}

/* ---- pauses ------------------------------------------------------------------------------ */

WARD_TEST(pauses_double_and_begin_anew_after_a_connection_that_has_lasted, "S146")
{
	static const int wanted[] = {100, 200, 400, 500, 500};
	int listener = listen_at_port("127.0.0.1", 0), peer;

	begin(listener, &(struct ward_connector){.max_backoff_ms = 500});
	peer = accept_it(listener);
	for (int i = 0; i < 5; i++) { /* each ends at once */
		close(peer);
		ward_assert_eq(wait_for_connection(listener, &peer), wanted[i]);
		ward_assert_eq(restarts(), (uint32_t)i + 1);
	}
	ward_kit_advance(scene.kit, 99);
	ward_assert_eq(restarts(), 5);
	ward_kit_advance(scene.kit, 2);
	ward_assert_eq(restarts(), 0);
	close(peer);
	ward_assert_eq(wait_for_connection(listener, &peer), 100);
	ward_assert_eq(scene.starts, 7);
	close(peer), close(listener);
	ward_kit_finish(scene.kit);
}

WARD_TEST(auto_reset_ms_says_what_has_lasted, "S146")
{
	int listener = listen_at_port("127.0.0.1", 0), peer;

	begin(listener, &(struct ward_connector){.auto_reset_ms = 5000});
	peer = accept_it(listener);
	close(peer);
	ward_assert_eq(wait_for_connection(listener, &peer), 100);
	ward_kit_advance(scene.kit, 4998);
	close(peer);
	ward_assert_eq(wait_for_connection(listener, &peer), 200);
	ward_kit_advance(scene.kit, 5001);
	close(peer);
	ward_assert_eq(wait_for_connection(listener, &peer), 100);
	close(peer), close(listener);
	ward_kit_finish(scene.kit);
}

WARD_TEST(refusals_are_told_once_and_the_connection_that_follows_too, "S146")
{
	int port = take_port("127.0.0.1", 0);

	begin(port, &(struct ward_connector){0});
	ward_kit_advance(scene.kit, 100);
	ward_kit_advance(scene.kit, 200);
	ward_assert_eq(restarts(), 3);
	ward_assert_eq(notes("connect: Connection refused: nobody listens there; tries again"), 1);
	ward_assert_eq(notes("is connected"), 0);
	ward_assert_eq(listen(port, 4), 0);
	ward_kit_advance(scene.kit, 400);
	ward_assert_eq(notes("is connected"), 1);
	close(port);
	ward_kit_finish(scene.kit);
}

WARD_TEST(the_end_of_a_connection_is_noted_with_how_and_when_the_next_try_is, "S146")
{
	int listener = listen_at_port("127.0.0.1", 0), peer;

	begin(listener, &(struct ward_connector){0});
	close(accept_it(listener));
	run();
	ward_assert_eq(
		notes("the connection has ended (session: normal); connects again in 0.100 s"), 1);
	(void)wait_for_connection(listener, &peer);
	ward_assert_eq(send(peer, "fail\n", 5, MSG_NOSIGNAL), 5);
	run();
	ward_assert_eq(
		notes("the connection has ended (session: failed); connects again in 0.200 s"), 1);
	close(peer), close(listener);
	ward_kit_finish(scene.kit);
}

WARD_TEST(children_may_start_with_the_options_of_the_connector, "S145")
{
	static const ward_stream_options prefixed = {.framing = WARD_PREFIX(1)};
	int listener = listen_at_port("127.0.0.1", 0), peer;

	session_options = NULL;
	begin(listener, &(struct ward_connector){.stream = &prefixed});
	peer = accept_it(listener);
	ward_assert_eq(send(peer, "\5", 1, MSG_NOSIGNAL), 1); /* a line, but no frame */
	close(peer);
	run();
	ward_assert_eq(notes("(session: failed)"), 1);
	session_options = &by_line;
	close(listener);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_start_that_is_asked_for_ends_the_pause, "S146")
{
	int port = take_port("127.0.0.1", 0), peer;

	begin(port, &(struct ward_connector){.min_backoff_ms = WARD_MINUTE});
	ward_assert_eq(listen(port, 4), 0);
	run();
	ward_assert_eq(accept_one(port), -1);
	order(&ward_type_ward_backoff_start);
	peer = accept_it(port);
	order(&ward_type_ward_backoff_start);
	ward_assert_eq(scene.starts, 1);
	close(peer), close(port);
	ward_kit_finish(scene.kit);
}

WARD_TEST(after_tries_max_it_fails_with_not_connected, "S146")
{
	int port = take_port("127.0.0.1", 0);
	char text[200];

	begin(port, &(struct ward_connector){.tries_max = 3});
	ward_kit_advance(scene.kit, 298);
	ward_assert_eq(failure.count, 0);
	ward_kit_advance(scene.kit, 2);
	snprintf(text, sizeof text,
		 "%s: connect: Connection refused: nobody listens there; 3 tries", scene.address);
	ward_assert_str(failure.class_name, "ward_not_connected");
	ward_assert_str(failure.text, text);
	ward_assert_eq(failure.body.error, ECONNREFUSED);
	ward_assert(!lives());
	close(port);
	ward_kit_finish(scene.kit);
}

WARD_TEST(connections_that_do_not_last_count_as_tries, "S146")
{
	int listener = listen_at_port("127.0.0.1", 0), peer;

	begin(listener, &(struct ward_connector){.tries_max = 2});
	peer = accept_it(listener);
	ward_kit_advance(scene.kit, 101); /* this one does not */
	close(peer);
	ward_assert_eq(wait_for_connection(listener, &peer), 100);
	close(peer);
	ward_assert_eq(wait_for_connection(listener, &peer), 200);
	close(peer);
	run();
	ward_assert(!lives());
	ward_assert_part(failure.text, "connect: the connection has not lasted; 2 tries");
	close(listener);
	ward_kit_finish(scene.kit);
}

/* ---- ends -------------------------------------------------------------------------------- */

WARD_TEST(a_child_that_fails_is_stopped_with_a_reset_and_followed_by_another, "S145")
{
	int listener = listen_at_port("127.0.0.1", 0), first, second;

	begin(listener, &(struct ward_connector){0});
	first = accept_it(listener);
	tell("a");
	ward_assert_eq(send(first, "fail\n", 5, MSG_NOSIGNAL), 5);
	run();
	ward_assert_str(heard(first), "a\n(cut)");
	ward_assert_eq(wait_for_connection(listener, &second), 99);
	tell("b");
	ward_assert_str(heard(second), "b\n");
	ward_assert_eq(failure.count, 0);
	close(first), close(second), close(listener);
	ward_kit_finish(scene.kit);
}

WARD_TEST(its_end_ends_the_connection_or_the_connecting, "S148")
{
	int listener = listen_at_port("127.0.0.1", 0), peer;
	struct mute mute = mute_at("127.0.0.1", 0);

	begin(listener, &(struct ward_connector){0});
	peer = accept_it(listener);
	ward_kit_stop(scene.kit, scene.connector);
	run();
	ward_assert_str(heard(peer), "(end)");
	ward_assert(!lives());
	close(peer);
	ward_kit_finish(scene.kit);

	begin(mute.listener, &(struct ward_connector){0});
	ward_kit_stop(scene.kit, scene.connector);
	run();
	ward_assert(!lives());
	ward_kit_finish(scene.kit);
	close(listener);
	end_mute(mute);
}

static ward_result fail_it(ward_self *self, void *state, void *arg)
{
	(void)state, (void)arg;
	return ward_failed(self, &ward_exception, "told to");
}

WARD_TEST(restarted_while_it_connects_it_begins_anew_and_messages_wait_on, "S148", "S147")
{
	int port = take_port("127.0.0.1", 0), peer;

	begin_deciding(port, &(struct ward_connector){.stash_max = 9}, WARD_RESTART);
	tell("a");
	ward_kit_advance(scene.kit, 300);
	ward_kit_inside(scene.kit, scene.connector, fail_it, NULL);
	tell("b");
	ward_assert_eq(failure.count, 1);
	ward_assert_eq(restarts(), 1);
	ward_assert_eq(listen(port, 4), 0);
	ward_kit_advance(scene.kit, 101);
	peer = accept_it(port);
	ward_assert_str(heard(peer), "a\nb\n");
	ward_assert_eq(dead_letters(), 0);
	close(peer), close(port);
	ward_kit_finish(scene.kit);
}

WARD_TEST(restarted_with_a_connection_it_makes_another_one_at_once, "S148")
{
	int listener = listen_at_port("127.0.0.1", 0), first, second;

	begin_deciding(listener, &(struct ward_connector){0}, WARD_RESTART);
	first = accept_it(listener);
	ward_kit_inside(scene.kit, scene.connector, fail_it, NULL);
	run();
	second = accept_it(listener);
	ward_assert_str(heard(first), "(end)");
	tell("a");
	ward_assert_str(heard(second), "a\n");
	close(first), close(second), close(listener);
	ward_kit_finish(scene.kit);
}

/* ---- arguments --------------------------------------------------------------------------- */

static void check_refused(struct ward_connector like, const char *part)
{
	ward_system *system = ward_kit_system(scene.kit);
	ward_ref none;

	if (like.child.behavior == NULL)
		like.child.behavior = &session;
	if (like.address == NULL)
		like.address = "tcp:127.0.0.1:7000";
	ward_assert_err(ward_system_spawn(system,
					  WARD_PROPS(&ward_connect,
						     .args = {WARD_COPY(ward_connector, &like)}),
					  &none),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), part);
}

WARD_TEST(arguments_that_cannot_be_are_refused_at_the_spawn, "S145")
{
	scene.kit = start_kit(0, WARD_STOP);
	check_refused((struct ward_connector){.address = "tcp:*:7000"}, "it is to listen at");
	check_refused((struct ward_connector){.address = "nowhere"}, "nowhere");
	check_refused((struct ward_connector){.child.behavior = &top}, "does not take connections");
	check_refused((struct ward_connector){.min_backoff_ms = 2, .max_backoff_ms = 1},
		      "less than min_backoff_ms");
	check_refused((struct ward_connector){.random_factor = 2}, "random_factor is 2");
	check_refused((struct ward_connector){.auto_reset_ms = -1}, "auto_reset_ms is -1");
	check_refused((struct ward_connector){.connect_ms = -1}, "none may be negative");
	check_refused((struct ward_connector){.reserved = {1}}, "reserved");
	check_refused((struct ward_connector){.stream = &(ward_stream_options){.write_max = 7}},
		      "a stream: .write_max is 7: it must be at least 65536, .write_high");
	check_refused((struct ward_connector){.stream = &(ward_stream_options){.reserved = {1}}},
		      "a stream: a reserved word is not zero");
	ward_kit_finish(scene.kit);
}

WARD_TEST_MAIN
