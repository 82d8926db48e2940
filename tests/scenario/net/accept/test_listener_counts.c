/* SPDX-License-Identifier: MIT
 *
 * test_listener_counts.c - what a listener counts: open connections, and those that nobody reads.
 */
#include "listener_scene.h"

/* ---- streams that were given away -------------------------------------------------------- */

static ward_ref heir;

struct heir {
	ward_stream *peer;
};

static ward_result heir_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct heir *me = state;
	ward_frame line;

	if (ward_match(msg, ward_connection)) {
		me->peer = ward_stream_start(self, ward_match(msg, ward_connection), &lines);
		return WARD_DONE;
	}
	while (ward_stream_next(self, me->peer, msg, &line)) {
		ward_stream_printf(self, me->peer, "heir %s\n", line.text);
	}
	return ward_stream_result(self, me->peer, msg);
}

static const ward_behavior heir_behavior = {
	.name = "heir", .state_size = sizeof(struct heir), .receive = heir_receive};

/* The session goes on after "give"; it stops after "pass". */
static bool give_at_line(ward_self *self, ward_stream *stream, const char *text)
{
	bool passes = strcmp(text, "pass") == 0;

	if (!passes && strcmp(text, "give") != 0)
		return false;
	ward_stream_give(self, stream, heir);
	if (passes)
		(void)ward_stop_self(self);
	return true;
}

/* One connection at most; the first client says how its stream gets to the heir. */
static int start_and_give(const char *how)
{
	int first;

	start(&(struct ward_listener){.connections_max = 1});
	scene.on_line = give_at_line;
	heir = ward_kit_spawn(scene.kit, &heir_behavior);
	first = client();
	(void)say(first, how);
	ward_assert_str(say(first, "x\n"), "heir x\n");
	return first;
}

static void check_counted(const char *how)
{
	int first = start_and_give(how), second = client();

	ward_assert_str(say(second, "y\n"), "");
	ward_assert_eq(look().connections, 1);
	ward_assert(look().paused);
	close(first);
	run();
	ward_kit_advance(scene.kit, 100);
	ward_assert_str(say(second, ""), "hello y\n");
	ward_assert_eq(look().connections, 1);
	close(second);
	run();
	ward_assert_eq(look().connections, 0);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_connection_counts_that_a_session_gave_away_which_stopped, "S172")
{
	check_counted("pass\n");
}

WARD_TEST(a_session_without_its_connection_does_not_count, "S172")
{
	check_counted("give\n");
}

/* The session goes on. */
static bool abort_at_line(ward_self *self, ward_stream *stream, const char *text)
{
	if (strcmp(text, "abort") != 0)
		return false;
	ward_stream_abort(self, stream);
	return true;
}

WARD_TEST(an_aborted_connection_makes_room_at_once, "S172")
{
	int first, second;

	start(&(struct ward_listener){.connections_max = 1});
	scene.on_line = abort_at_line;
	first = client(), second = client();
	ward_assert_str(say(second, "y\n"), "");
	(void)say(first, "abort\n");
	ward_assert_str(say(second, ""), "hello y\n");
	ward_assert_eq(look().connections, 1);
	close(first), close(second);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_connection_outlives_its_listener, "S172")
{
	int first = start_and_give("pass\n");

	ward_system_stop(ward_kit_system(scene.kit), scene.listener);
	run();
	ward_assert(!lives());
	ward_assert_str(say(first, "x\n"), "heir x\n");
	close(first);
	run();
	ward_kit_finish(scene.kit);
}

/* ---- streams that nobody started --------------------------------------------------------- */

WARD_TEST(sessions_that_do_not_start_their_streams_are_noted_once, "S173")
{
	int a, b;

	start(&(struct ward_listener){0});
	scene.forgets = true;
	a = client();
	ward_assert_str(say(a, "x\n"), "");
	ward_kit_advance(scene.kit, 4990);
	b = client();
	run();
	ward_assert_eq(notes("ward_stream_start()"), 0);
	ward_kit_advance(scene.kit, 10);
	ward_assert_eq(notes("nobody reads 2 connections"), 1);
	ward_kit_advance(scene.kit, 100 * WARD_SECOND);
	ward_assert_eq(notes("ward_stream_start()"), 1);
	close(a), close(b);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_session_that_starts_its_stream_in_time_is_not_noted, "S173")
{
	static const struct greeting now;
	int a, b;

	start(&(struct ward_listener){0});
	scene.forgets = true;
	a = client();
	run();
	ward_kit_advance(scene.kit, 4000);
	ward_system_select_send(ward_kit_system(scene.kit), "/user/*/*", WARD_COPY(greeting, &now));
	ward_assert_str(say(a, "x\n"), "hello x\n");
	b = client(); /* newer than the look, and not started */
	run();
	ward_kit_advance(scene.kit, 3000);
	ward_assert_eq(notes("ward_stream_start()"), 0);
	ward_kit_advance(scene.kit, 5000);
	ward_assert_eq(notes("nobody reads 1 connection"), 1);
	close(a), close(b);
	ward_kit_finish(scene.kit);
}

WARD_TEST_MAIN
