/* SPDX-License-Identifier: MIT
 *
 * test_stream_resume.c - the next message after a failure that was resumed is nobody else's.
 *
 * Such a callback ends without ward_stream_result(), and its message is freed. So the next message
 * may have the same address.
 */
#include "stream_scene.h"

static const ward_stream_options lines = {.framing = WARD_LINES, .frame_max = 1000};

WARD_TEST(after_a_resumed_failure_a_message_is_not_taken_for_one_of_the_stream, "S134")
{
	scene_start_deciding(&lines, WARD_RESUME);
	for (int i = 0; i < 10; i++) {
		scene_say(i % 2 != 0 ? "jump\n" : "fail\n");
		scene.unhandled = false;
		scene_tell(&ward_type_scene_other);
		ward_assert(scene.unhandled);
	}
	scene_say("a\n");
	ward_assert_str(scene_answers(), "1.1: a\n");
	scene_finish();
}

WARD_TEST(frames_that_a_resumed_failure_left_come_with_any_message, "S134")
{
	scene_start_deciding(&lines, WARD_RESUME);
	scene_say("fail\na\n");
	scene.unhandled = false;
	scene_tell(&ward_type_scene_other);
	ward_assert(scene.unhandled);
	scene_say("b\n");
	ward_assert_str(scene_answers(), "1.1: a\n1.2: b\n");
	scene_finish();
}

WARD_TEST(a_session_that_was_resumed_ends_with_its_listener, "S134", "S141")
{
	scene_start_deciding(&lines, WARD_RESUME);
	scene_say("fail\n");
	scene_tell(&wardi_type_stream_closing);
	ward_assert_eq(scene.news & WARD_STREAM_CLOSING, WARD_STREAM_CLOSING);
	ward_assert_str(scene_answers(), "(end)");
	scene_hang_up();
	scene_run();
	ward_assert(!scene_lives());
	scene_finish();
}

/* The next readiness has the address, the type and the descriptor of that at the failure. */
WARD_TEST(the_readiness_after_a_resumed_failure_is_a_new_one, "S134")
{
	scene_start_deciding(&lines, WARD_RESUME);
	for (int i = 0; i < 10; i++) {
		scene_say(i % 2 != 0 ? "jump\n" : "fail\n");
		scene_say("a\n");
		ward_assert_part(scene_answers(), ": a\n");
	}
	scene_finish();
}

WARD_TEST(a_limit_of_time_holds_after_a_resumed_failure, "S134", "S138")
{
	scene_start_deciding(&(ward_stream_options){.framing = WARD_LINES, .idle_ms = 1000},
			     WARD_RESUME);
	scene_say("fail\n");
	for (int i = 0; i < 8; i++)
		ward_kit_advance(scene.kit, 250);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 2);
	scene_finish();
}

WARD_TEST_MAIN
