/* SPDX-License-Identifier: MIT
 *
 * test_stream_pause.c - a paused stream hands out nothing, not even the end of its peer; one that
 * nobody reads is paused.
 */
#include "stream_scene.h"

static const ward_stream_options lines = {.framing = WARD_LINES};

/* ---- by the program: it pauses at each line, and its answer, "hello", comes later --------- */

static int taken; /* lines */
static bool finishes;

static bool pause_at_line(ward_self *self, ward_stream *stream, const char *text)
{
	(void)text;
	taken++;
	ward_stream_pause(self, stream);
	if (finishes)
		ward_stream_finish(self, stream);
	return true;
}

/* The peer sends the text, which is no whole line, and ends. */
static void ask_and_end(const ward_stream_options *options, const char *text)
{
	scene_start(options);
	scene.on_line = pause_at_line;
	taken = 0;
	scene_send(text);
	shutdown(scene.peer, SHUT_WR);
	scene_run();
	ward_assert_eq(taken, 1);
}

WARD_TEST(an_end_that_was_read_waits_for_the_answer, "S136", "S137")
{
	ask_and_end(&lines, "GET k");
	ward_assert(scene_lives());
	ward_assert_str(scene_answers(), "");
	scene_tell(&ward_type_scene_hello);
	ward_assert_str(scene_answers(), "hello\n");
	ward_assert(scene_lives());
	scene_tell(&ward_type_scene_again);
	ward_assert_str(scene_answers(), "(end)");
	ward_assert(!scene_lives());
	scene_finish();
}

WARD_TEST(the_next_incarnation_is_not_paused, "S134", "S136")
{
	scene_start(&lines);
	scene_say("pause\n");
	scene_tell(&ward_type_scene_fail);
	scene_say("x\n");
	ward_assert_str(scene_answers(), "1.1: pause\n2.1: x\n");
	scene_finish();
}

WARD_TEST(a_last_line_without_an_end_waits, "S136", "S137")
{
	ask_and_end(&lines, "GET a\nGET b");
	scene_tell(&ward_type_scene_again);
	ward_assert_eq(taken, 2);
	scene_tell(&ward_type_scene_hello);
	ward_assert_str(scene_answers(), "hello\n");
	scene_tell(&ward_type_scene_again);
	ward_assert_eq(taken, 2);
	ward_assert_str(scene_answers(), "(end)");
	scene_finish();
}

WARD_TEST(news_of_an_end_waits, "S136", "S137")
{
	ask_and_end(&(ward_stream_options){.framing = WARD_LINES, .half_close = true}, "GET k");
	ward_assert_eq(scene.news & WARD_STREAM_ENDED, 0);
	scene_tell(&ward_type_scene_again);
	ward_assert_eq(scene.news & WARD_STREAM_ENDED, WARD_STREAM_ENDED);
	ward_assert(scene_lives());
	scene_finish();
}

WARD_TEST(an_end_of_both_directions_waits, "S136", "S137")
{
	finishes = true;
	ask_and_end(&lines, "GET k");
	ward_assert_str(scene_answers(), "(end)");
	ward_assert(scene_lives());
	scene_tell(&ward_type_scene_again);
	ward_assert(!scene_lives());
	finishes = false;
	scene_finish();
}

WARD_TEST(a_close_does_not_wait_for_an_end_that_was_read, "S136", "S137")
{
	ask_and_end(&lines, "GET k");
	scene_tell(&ward_type_scene_close);
	ward_assert_str(scene_answers(), "(end)");
	ward_assert(!scene_lives());
	scene_finish();
}

/* ---- a receive without ward_stream_next() ------------------------------------------------ */

static void begin_blind(void)
{
	scene_start(&lines);
	scene.blind = true;
	scene_say("a\n");
}

static size_t notes(void)
{
	return ward_kit_count(scene.kit, WARD_EVENT_NOTE, "*");
}

WARD_TEST(bytes_that_nobody_asks_for_are_noted_once_and_wait, "S174")
{
	begin_blind();
	ward_assert_eq(scene.turns, 1);
	ward_assert_eq(notes(), 1);
	scene_say("b\n");
	ward_kit_advance(scene.kit, 1000);
	ward_assert_eq(scene.turns, 1);
	scene.blind = false;
	scene_tell(&ward_type_scene_again);
	scene_run();
	ward_assert_str(scene_answers(), "1.1: a\n1.2: b\n");
	scene.blind = true;
	scene_say("c\n");
	ward_assert_eq(notes(), 1);
	scene_finish();
}

WARD_TEST(an_end_behind_bytes_that_nobody_asks_for_waits, "S174")
{
	begin_blind();
	shutdown(scene.peer, SHUT_WR);
	scene_run();
	ward_assert(scene_lives());
	scene.blind = false;
	scene_tell(&ward_type_scene_again);
	scene_run();
	ward_assert_str(scene_answers(), "1.1: a\n(end)");
	scene_finish();
}

WARD_TEST(a_restart_asks_again, "S174")
{
	begin_blind();
	scene.blind = false;
	scene_tell(&ward_type_scene_fail);
	scene_run();
	ward_assert_str(scene_answers(), "2.1: a\n");
	scene_finish();
}

WARD_TEST(a_pause_of_the_program_is_not_noted, "S174")
{
	scene_start(&lines);
	scene_say("pause\na\n");
	scene.blind = true;
	scene_say("b\n");
	ward_assert_eq(notes(), 0);
	scene_finish();
}

WARD_TEST_MAIN
