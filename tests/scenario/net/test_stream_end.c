/* SPDX-License-Identifier: MIT
 *
 * test_stream_end.c - how a connection ends, from either side.
 */
#include "stream_scene.h"

static const ward_stream_options lines = {.framing = WARD_LINES};
static const ward_stream_options half = {.framing = WARD_LINES, .half_close = true};

WARD_TEST(the_end_of_the_peer_is_answered_and_stops_the_actor, "S137")
{
	scene_start(&lines);
	scene_send("a\nb");
	shutdown(scene.peer, SHUT_WR);
	scene_run();
	ward_assert_str(scene_answers(), "1.1: a\n1.2: b\n(end)");
	ward_assert(!scene_lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	scene_finish();
}

WARD_TEST(an_answer_that_waits_goes_out_before_the_actor_stops, "S135", "S137")
{
	size_t got = 0;

	scene_start(&lines);
	scene_send("big\n");
	shutdown(scene.peer, SHUT_WR);
	scene_run();
	ward_assert(scene_lives());
	for (int i = 0; i < 1000 && scene_lives(); i++) {
		got += scene_swallow(SCENE_BIG);
		scene_run();
	}
	got += scene_swallow(SCENE_BIG);
	ward_assert_eq(got, SCENE_BIG);
	ward_assert(!scene_lives());
	scene_finish();
}

WARD_TEST(with_half_close_the_end_of_the_peer_is_news_once, "S137")
{
	scene_start(&half);
	scene_send("a\nb");
	shutdown(scene.peer, SHUT_WR);
	scene_run();
	ward_assert_str(scene_answers(), "1.1: a\n1.2: b\n");
	ward_assert(scene_lives());
	ward_assert_eq(scene.news, WARD_STREAM_ENDED);
	scene_tell(&ward_type_scene_other);
	ward_assert(scene.unhandled);
	ward_assert_eq(scene.stale, 0); /* only in its own callback */
	scene_tell(&ward_type_scene_hello);
	ward_assert_str(scene_answers(), "hello\n");
	scene_finish();
}

WARD_TEST(a_paused_stream_has_its_frames_when_both_directions_have_ended, "S137")
{
	static const ward_stream_options one = {.framing = WARD_LINES, .frames_per_turn = 1};

	scene_start_deciding(&one, WARD_STOP);
	scene_send("finish\na\npause\nfail\n");
	shutdown(scene.peer, SHUT_WR);
	scene_run();
	ward_assert(scene_lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	scene_tell(&ward_type_scene_again);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 1);
	ward_assert(!scene_lives());
	scene_finish();
}

WARD_TEST(finish_tells_the_peer_and_goes_on_reading, "S137")
{
	scene_start(&half);
	scene_say("a\nfinish\n");
	ward_assert_str(scene_answers(), "1.1: a\n(end)");
	scene_say("b\n"); /* read, and what is written is dropped */
	ward_assert(scene_lives());
	shutdown(scene.peer, SHUT_WR);
	scene_run();
	ward_assert(!scene_lives());
	scene_finish();
}

WARD_TEST(close_throws_away_what_comes_and_stops_when_the_peer_ends, "S137")
{
	scene_start(&lines);
	scene_say("a\nclose\nb\n");
	ward_assert_str(scene_answers(), "1.1: a\n(end)");
	scene_say("c\n");
	ward_assert(scene_lives());
	scene_hang_up();
	scene_run();
	ward_assert(!scene_lives());
	scene_finish();
}

WARD_TEST(close_waits_for_the_peer_no_longer_than_write_ms, "S137")
{
	scene_start(&(ward_stream_options){.framing = WARD_LINES, .write_ms = 1000});
	scene_say("close\n");
	ward_kit_advance(scene.kit, 950);
	ward_assert(scene_lives());
	ward_kit_advance(scene.kit, 400);
	ward_assert(!scene_lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	scene_finish();
}

WARD_TEST(abort_closes_at_once_and_the_actor_goes_on, "S137")
{
	scene_start(&lines);
	scene_say("a\nabort\nb\n");
	ward_assert(strstr(scene_answers(), "(") != NULL);
	ward_assert(scene_lives());
	scene_tell(&ward_type_scene_hello);
	ward_assert(scene_lives());
	scene_finish();
}

WARD_TEST(an_actor_that_failed_and_is_stopped_sends_what_it_wrote_before, "S135", "S137")
{
	scene_start_deciding(&lines, WARD_STOP);
	scene_say("a\nfail\nb\n");
	ward_assert_part(scene_answers(), "1.1: a\n(");
	ward_assert(!scene_lives());
	scene_finish();
}

WARD_TEST(an_actor_that_stops_sends_what_the_system_takes, "S137")
{
	scene_start(&lines);
	scene_say("a\nstop\n");
	ward_assert_str(scene_answers(), "1.1: a\n(end)");
	ward_assert(!scene_lives());
	scene_finish();
}

WARD_TEST(an_actor_that_is_stopped_from_outside_closes, "S137")
{
	scene_start(&lines);
	scene_say("a\n");
	ward_system_stop(ward_kit_system(scene.kit), scene.session);
	scene_run();
	ward_assert_str(scene_answers(), "1.1: a\n(end)");
	scene_finish();
}

WARD_TEST(a_frame_that_is_cut_off_fails, "S139")
{
	const ward_event *event;
	char text[640];

	scene_start(&(ward_stream_options){.framing = WARD_PREFIX(1)});
	ward_assert_eq(send(scene.peer, "\5abc", 4, MSG_NOSIGNAL), 4);
	scene_hang_up();
	scene_run();
	ward_assert(!scene_lives());
	event = ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0);
	ward_assert(event != NULL);
	ward_event_format(event, text, sizeof text);
	ward_assert(strstr(text, "ward_peer_cut_off") != NULL);
	ward_assert(strstr(text, "read: the connection ended within a frame") != NULL);
	scene_finish();
}

/* The line came in two pieces, so its block is a small one, which would be free memory. */
static char last_line[100];

static bool ends_first(ward_self *self, ward_stream *stream, const char *text)
{
	if (strncmp(text, "close", 5) == 0)
		ward_stream_close(self, stream);
	else
		ward_stream_abort(self, stream);
	snprintf(last_line, sizeof last_line, "%s", text);
	return true;
}

WARD_TEST(the_line_at_hand_stays_after_close_and_abort, "S137")
{
	static const char *const texts[] = {"close with some text", "abort with some text"};

	for (int i = 0; i < 2; i++) {
		scene_start(&lines);
		scene.on_line = ends_first;
		scene_say(i == 0 ? "close with" : "abort with");
		scene_say(" some text\nno further one\n");
		ward_assert_str(last_line, texts[i]);
		scene_finish();
	}
}

WARD_TEST_MAIN
