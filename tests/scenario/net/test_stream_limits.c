/* SPDX-License-Identifier: MIT
 *
 * test_stream_limits.c - limits of time: never early, and late by a quarter at most.
 *
 * Virtual time: each case walks in steps of a millisecond, and notes when the session ended.
 */
#include "stream_scene.h"

enum { LIMIT_MS = 1000, STEP_MS = 5 };

/* Returns the milliseconds until the session has ended, at most `most_ms`. */
static int64_t until_end(int64_t most_ms)
{
	int64_t ms = 0;

	for (; ms < most_ms && scene_lives(); ms += STEP_MS)
		ward_kit_advance(scene.kit, STEP_MS);
	return ms;
}

static void check_limit(int64_t took_ms)
{
	ward_assert(took_ms >= LIMIT_MS);
	ward_assert(took_ms <= LIMIT_MS + LIMIT_MS / 4 + STEP_MS);
}

static void check_failure(const char *text)
{
	const ward_event *event = ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0);
	char line[640];

	ward_assert(event != NULL);
	ward_event_format(event, line, sizeof line);
	ward_assert(strstr(line, text) != NULL);
}

/* With --shortages one moment: each would be a run for each of its allocations. */
static int64_t last_moment(void)
{
	return ward_test_shortage() ? 97 : LIMIT_MS;
}

WARD_TEST(a_silent_peer_is_ended_after_idle_ms, "S138")
{
	scene_start(&(ward_stream_options){.framing = WARD_LINES, .idle_ms = LIMIT_MS});
	check_limit(until_end(3 * LIMIT_MS));
	check_failure("nothing came for 1.000 s");
	scene_finish();
}

WARD_TEST(a_byte_at_any_moment_begins_idle_ms_anew, "S138")
{
	for (int64_t at = STEP_MS; at < last_moment(); at += 97) {
		scene_start(&(ward_stream_options){.framing = WARD_LINES, .idle_ms = LIMIT_MS});
		ward_kit_advance(scene.kit, at);
		scene_say("x");
		check_limit(until_end(3 * LIMIT_MS));
		scene_finish();
	}
}

WARD_TEST(answers_alone_keep_a_stream_alive, "S138")
{
	scene_start(&(ward_stream_options){.framing = WARD_LINES, .idle_ms = LIMIT_MS});
	for (int i = 0; i < 20; i++) {
		ward_kit_advance(scene.kit, LIMIT_MS * 3 / 4);
		scene_tell(&ward_type_scene_hello);
		ward_assert_str(scene_answers(), "hello\n");
	}
	ward_assert(scene_lives());
	check_limit(until_end(3 * LIMIT_MS));
	scene_finish();
}

WARD_TEST(a_first_frame_has_first_ms_and_then_no_limit, "S138")
{
	scene_start(&(ward_stream_options){.framing = WARD_LINES, .first_ms = LIMIT_MS});
	scene_say("not a whole line");
	check_limit(until_end(3 * LIMIT_MS));
	check_failure("no first frame for 1.000 s");
	scene_finish();

	scene_start(&(ward_stream_options){.framing = WARD_LINES, .first_ms = LIMIT_MS});
	scene_say("x\nbegun");
	ward_assert_eq(until_end(10 * LIMIT_MS), 10 * LIMIT_MS);
	scene_finish();
}

WARD_TEST(a_frame_that_comes_byte_by_byte_has_frame_ms_from_its_first_byte, "S138")
{
	for (int64_t at = 0; at < last_moment(); at += 97) {
		int64_t took = 0;

		scene_start(&(ward_stream_options){.framing = WARD_LINES, .frame_ms = LIMIT_MS});
		if (at > 0)
			ward_kit_advance(scene.kit, at);
		scene_say("whole\n");
		for (; scene_lives() && took < 3 * LIMIT_MS; took += STEP_MS) {
			scene_send("x");
			ward_kit_advance(scene.kit, STEP_MS);
		}
		check_limit(took);
		check_failure("a frame has not ended for 1.000 s");
		scene_finish();
	}
}

WARD_TEST(frames_that_end_in_time_never_meet_frame_ms, "S138")
{
	scene_start(&(ward_stream_options){.framing = WARD_LINES, .frame_ms = LIMIT_MS});
	scene_say("x");
	for (int i = 0; i < 30; i++) {
		ward_kit_advance(scene.kit, LIMIT_MS - STEP_MS);
		scene_say("\nx");
	}
	ward_assert(scene_lives());
	scene_finish();
}

WARD_TEST(a_peer_that_takes_nothing_is_slow_after_write_ms, "S138")
{
	for (int64_t at = 0; at < last_moment(); at += 97) {
		scene_start(&(ward_stream_options){.framing = WARD_LINES, .write_ms = LIMIT_MS});
		if (at > 0)
			ward_kit_advance(scene.kit, at);
		scene_say("big\n");
		check_limit(until_end(3 * LIMIT_MS));
		check_failure("it has read nothing for 1.000 s");
		scene_finish();
	}
}

WARD_TEST(a_peer_that_takes_a_little_now_and_then_is_not_slow, "S138")
{
	scene_start(&(ward_stream_options){.framing = WARD_LINES, .write_ms = LIMIT_MS});
	scene_say("big\n");
	for (int i = 0; i < 8; i++) {
		ward_kit_advance(scene.kit, LIMIT_MS - STEP_MS);
		ward_assert(scene_swallow(SCENE_BIG) > 0);
		scene_run();
	}
	ward_assert(scene_lives());
	scene_finish();
}

WARD_TEST(an_idle_stream_without_limits_sets_no_timer, "S138")
{
	scene_start(&(ward_stream_options){.framing = WARD_LINES});
	scene_say("x\n");
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	scene_finish();
}

WARD_TEST_MAIN
