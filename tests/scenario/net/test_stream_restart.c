/* SPDX-License-Identifier: MIT
 *
 * test_stream_restart.c - a stream behaves over a restart as a mailbox does.
 */
#include <malloc.h>

#include "stream_scene.h"

static const ward_stream_options lines = {.framing = WARD_LINES, .frame_max = 1000};

WARD_TEST(a_failing_line_is_lost_and_the_next_incarnation_goes_on, "S134")
{
	scene_start(&lines);
	scene_say("a\nb\nfail\nc\nd\n");
	ward_assert_str(scene_answers(), "1.1: a\n1.2: b\n2.1: c\n2.2: d\n");
	scene_say("e\n");
	ward_assert_str(scene_answers(), "2.3: e\n");
	scene_finish();
}

WARD_TEST(a_failing_line_alone_leaves_no_memory, "S134")
{
	scene_start(&lines);
	scene_say("fail\n");
	scene_say("jump\n");
	scene_say("a\n");
	ward_assert_str(scene_answers(), "3.1: a\n");
	scene_finish();
}

WARD_TEST(a_jump_out_of_the_loop_loses_no_more_than_a_return, "S134")
{
	scene_start(&lines);
	scene_say("a\njump\nb\njump\njump\nc\n");
	ward_assert_str(scene_answers(), "1.1: a\n2.1: b\n4.1: c\n");
	scene_finish();
}

WARD_TEST(a_begun_line_is_finished_by_the_next_incarnation, "S134")
{
	scene_start(&lines);
	scene_say("fail\nhal");
	scene_say("f\n");
	ward_assert_str(scene_answers(), "2.1: half\n");
	scene_finish();
}

WARD_TEST(what_was_written_before_a_failure_goes_out_in_front, "S134", "S135")
{
	size_t got = 0;

	scene_start(&lines);
	scene_say("big\nfail\nx\n");
	for (int i = 0; i < 100 && got < SCENE_BIG; i++) {
		got += scene_swallow(SCENE_BIG - got);
		scene_run();
	}
	ward_assert_eq(got, SCENE_BIG);
	scene_run();
	ward_assert_str(scene_answers(), "2.1: x\n");
	scene_finish();
}

WARD_TEST(the_end_of_the_peer_is_not_forgotten, "S134")
{
	scene_start(&lines);
	scene_send("fail\nlast");
	shutdown(scene.peer, SHUT_WR);
	scene_run();
	ward_assert_str(scene_answers(), "2.1: last\n(end)");
	ward_assert(!scene_lives());
	scene_finish();
}

WARD_TEST(with_half_close_the_end_of_the_peer_is_news_for_the_next_incarnation, "S134", "S137")
{
	scene_start(&(ward_stream_options){.framing = WARD_LINES, .half_close = true});
	shutdown(scene.peer, SHUT_WR);
	scene_run();
	ward_assert_eq(scene.news, WARD_STREAM_ENDED);
	scene.news = 0;
	scene_tell(&ward_type_scene_fail);
	ward_assert_eq(scene.news, WARD_STREAM_ENDED);
	ward_assert(scene_lives());
	scene_finish();
}

WARD_TEST(each_restart_loses_one_frame, "S134")
{
	scene_start(&lines);
	for (int i = 0; i < 100; i++)
		scene_send("fail\nx\n");
	scene_run();
	const char *answers = scene_answers();
	int count = 0;
	for (const char *at = answers; (at = strchr(at, '\n')) != NULL; at++)
		count++;
	ward_assert_eq(count, 100);
	scene_finish();
}

/* A block that a read took is 64 KiB. */
WARD_TEST(restarts_leave_no_memory_behind, "S134")
{
	size_t before;

	scene_start(&lines);
	scene_say("fail\n");
	before = mallinfo2().uordblks;
	for (int i = 0; i < 100; i++)
		scene_say("fail\n");
	ward_assert(mallinfo2().uordblks < before + 1024 * 1024);
	scene_finish();
}

WARD_TEST_MAIN
