/* SPDX-License-Identifier: MIT
 *
 * test_stream_give.c - a stream moves to another actor, with all that it has; nobody else touches
 * it then.
 */
#include <dirent.h>

#include "give_scene.h"

static int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	ward_assert(dir != NULL);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

/* ---- what moves -------------------------------------------------------------------------- */

WARD_TEST(a_begun_frame_is_finished_by_the_receiver, "S153")
{
	begin(&lines);
	scene_say("a\ngive\nhal");
	scene_say("f\nb\n");
	ward_assert_str(scene_answers(), "1.1: a\nheir 1: half\nheir 2: b\n");
	scene_finish();
}

WARD_TEST(frames_that_were_read_too_far_are_the_receivers, "S153")
{
	begin(&lines);
	scene_say("a\ngive\nb\nc\n");
	ward_assert_str(scene_answers(), "1.1: a\nheir 1: b\nheir 2: c\n");
	scene_finish();
}

WARD_TEST(what_waits_to_be_sent_goes_out_in_front, "S153")
{
	size_t got = 0;

	begin(&(ward_stream_options){.framing = WARD_LINES, .write_high = 2 * SCENE_BIG});
	scene_say("big\ngive\nb\n");
	for (int i = 0; i < 1000 && got < SCENE_BIG; i++) {
		got += scene_swallow(SCENE_BIG - got);
		scene_run();
	}
	ward_assert_eq(got, SCENE_BIG);
	scene_run();
	ward_assert_str(scene_answers(), "heir 1: b\n");
	scene_finish();
}

WARD_TEST(the_framing_is_the_receivers, "S153")
{
	begin(&lines);
	heir.options = (ward_stream_options){.framing = WARD_PREFIX(1)};
	scene_say("give\n\3abc\2x");
	scene_say("y");
	ward_assert_str(scene_answers(), "heir 1: abc\nheir 2: xy\n");
	scene_finish();
}

WARD_TEST(a_frame_that_has_begun_is_cut_by_the_receivers_framing, "S153")
{
	begin(&(ward_stream_options){.framing = WARD_PREFIX(1)});
	scene_say("Pa"); /* a frame of 80 bytes */
	scene_tell(&ward_type_scene_give);
	scene_say("b\n");
	ward_assert_str(scene_answers(), "heir 1: Pab\n");
	scene_finish();
}

WARD_TEST(an_end_that_was_read_is_news_for_the_receiver, "S153")
{
	begin(&(ward_stream_options){.framing = WARD_LINES, .half_close = true});
	heir.options.half_close = true;
	scene_say("a\n");
	shutdown(scene.peer, SHUT_WR);
	scene_run();
	ward_assert_eq(scene.news & WARD_STREAM_ENDED, WARD_STREAM_ENDED);
	scene_tell(&ward_type_scene_give);
	ward_assert_eq(heir.received, 1);
	ward_assert_eq(heir.news & WARD_STREAM_ENDED, WARD_STREAM_ENDED);
	scene_finish();
}

WARD_TEST(a_paused_stream_is_read_by_the_receiver, "S153")
{
	begin(&lines);
	scene_say("pause\nb\n");
	scene_tell(&ward_type_scene_give);
	ward_assert_str(scene_answers(), "1.1: pause\nheir 1: b\n");
	scene_finish();
}

WARD_TEST(a_mailbox_that_a_slow_peer_closed_is_opened, "S128", "S153")
{
	ward_actor_info info = {0};

	begin(&(ward_stream_options){
		.framing = WARD_LINES, .write_high = 20000, .write_closes_mailbox = true});
	scene_say("big and give\n");
	ward_assert(ward_kit_info(scene.kit, scene.session, &info));
	ward_assert(!info.closed);
	ward_assert_eq(heir.received, 1);
	scene_finish();
}

/* ---- the old holder ---------------------------------------------------------------------- */

WARD_TEST(a_stop_of_the_old_holder_does_not_touch_the_stream, "S154")
{
	begin(&lines);
	scene_say("give\n");
	ward_system_stop(ward_kit_system(scene.kit), scene.session);
	scene_run();
	ward_assert(!scene_lives());
	scene_say("b\n");
	ward_assert_str(scene_answers(), "heir 1: b\n");
	scene_finish();
}

WARD_TEST(a_restart_of_the_old_holder_finds_no_stream, "S154")
{
	begin(&lines);
	scene_say("give\n");
	scene_tell(&ward_type_scene_fail);
	ward_assert(scene_lives());
	ward_assert_eq(scene.refused, WARD_ENOENT);
	scene_say("b\n");
	ward_assert_str(scene_answers(), "heir 1: b\n");
	scene_finish();
}

WARD_TEST(limits_of_the_old_holder_do_not_apply, "S154")
{
	begin(&(ward_stream_options){.framing = WARD_LINES,
				     .idle_ms = 1000,
				     .first_ms = 1000,
				     .frame_ms = 1000,
				     .write_ms = 1000});
	scene_say("begun");
	ward_kit_advance(scene.kit, 900);
	scene_tell(&ward_type_scene_give);
	ward_kit_advance(scene.kit, 100000);
	scene_say("\n");
	ward_assert_str(scene_answers(), "heir 1: begun\n");
	ward_assert(!scene.unhandled); /* no tick */
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	scene_finish();
}

WARD_TEST(limits_of_the_receiver_start_again, "S138", "S154")
{
	begin(&(ward_stream_options){.framing = WARD_LINES, .idle_ms = 1000});
	heir.options.idle_ms = 1000;
	ward_kit_advance(scene.kit, 900);
	scene_tell(&ward_type_scene_give);
	ward_kit_advance(scene.kit, 990);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_kit_advance(scene.kit, 300);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 1);
	scene_finish();
}

WARD_TEST(a_first_frame_has_its_time_again, "S138", "S154")
{
	begin(&(ward_stream_options){.framing = WARD_LINES, .first_ms = 1000});
	heir.options.first_ms = 1000;
	ward_kit_advance(scene.kit, 900);
	scene_tell(&ward_type_scene_give);
	ward_kit_advance(scene.kit, 990);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_kit_advance(scene.kit, 300);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 1);
	scene_finish();
}

WARD_TEST(a_turn_that_was_put_off_is_the_receivers, "S154")
{
	const char *answers;

	begin(&lines);
	for (int i = 0; i < 100; i++)
		scene_send("x\n");
	ward_kit_run(scene.kit); /* the clock stands still: the rest is put off */
	scene_tell(&ward_type_scene_give);
	answers = scene_answers();
	ward_assert(strstr(answers, "1.64: x\nheir 1: x\n") != NULL);
	ward_assert(strstr(answers, "heir 36: x\n") != NULL);
	ward_assert(!scene.unhandled);
	scene_finish();
}

/* ---- nobody takes it --------------------------------------------------------------------- */

WARD_TEST(a_dead_letter_closes_the_connection, "S153")
{
	int before = count_fds();

	begin(&lines);
	heir.ref = ward_nobody();
	scene_say("give\n");
	ward_assert_str(scene_answers(), "(end)");
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	scene_finish();
	ward_assert_eq(count_fds(), before);
}

WARD_TEST(a_receiver_that_does_not_start_it_closes_the_connection, "S153")
{
	int before = count_fds();

	begin(&lines);
	heir.ignores = true;
	scene_say("give\n");
	ward_assert_eq(heir.received, 1);
	ward_assert_str(scene_answers(), "(end)");
	scene_finish();
	ward_assert_eq(count_fds(), before);
}

WARD_TEST(options_that_are_refused_close_the_connection, "S153")
{
	int before = count_fds();

	begin(&lines);
	heir.options.idle_ms = -1;
	scene_say("give\n");
	ward_assert_str(scene_answers(), "(end)");
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 1);
	scene_finish();
	ward_assert_eq(count_fds(), before);
}

/* ---- the new holder ---------------------------------------------------------------------- */

WARD_TEST(the_receiver_stops_at_the_end_of_the_peer, "S137", "S153")
{
	int before = count_fds();
	ward_actor_info info;

	begin(&lines);
	scene_say("give\n");
	scene_send("last");
	shutdown(scene.peer, SHUT_WR);
	scene_run();
	ward_assert_str(scene_answers(), "heir 1: last\n(end)");
	ward_assert(!ward_kit_info(scene.kit, heir.ref, &info));
	scene_finish();
	ward_assert_eq(count_fds(), before);
}

WARD_TEST(a_restart_of_the_receiver_closes_the_connection, "S153")
{
	int before = count_fds();

	begin(&lines);
	scene_say("give\na\nfail\nb\n");
	ward_assert_str(scene_answers(), "heir 1: a\n(end)");
	scene_finish();
	ward_assert_eq(count_fds(), before);
}

WARD_TEST(a_receiver_that_gives_it_to_itself_goes_on_after_a_restart, "S153")
{
	begin(&lines);
	heir.keeps = true;
	scene_say("give\na\nfail\nb\n");
	ward_assert_str(scene_answers(), "heir 1: a\nheir 1: b\n");
	ward_assert_eq(heir.received, 2);
	scene_finish();
}

WARD_TEST(no_stream_and_one_that_has_failed_are_not_sent, "S153")
{
	int before = count_fds();

	begin(&lines);
	ward_stream_give(NULL, NULL, heir.ref);
	scene_tell(&ward_type_scene_abort);
	ward_assert_str(scene_answers(), "(end)");
	scene_tell(&ward_type_scene_give);
	ward_assert_eq(heir.received, 0);
	scene_finish();
	ward_assert_eq(count_fds(), before);
}

/* ---- with a filter ----------------------------------------------------------------------- */

static const struct xor_options server;
static const ward_stream_options filtered = {
	.framing = WARD_LINES, .filter = &xor_filter, .filter_options = &server};

/* The receiver's options name the filter, or none: both keep it. */
static void move_filter(const ward_stream_options *options)
{
	begin(&filtered);
	heir.options = *options;
	xor_shake();
	xor_say("a\ngive\nb\nhal");
	xor_say("f\n");
	ward_assert_str(xor_answers(), "1.1: a\nheir 1: b\nheir 2: half\n");
	xor_write("", true, SIZE_MAX);
	xor_run(SIZE_MAX);
	ward_assert_str(xor_answers(), "(E)(end)");
	xor_finish();
}

WARD_TEST(a_filter_moves_with_its_stream, "S153", "S160")
{
	move_filter(&lines);
	move_filter(&filtered);
}

WARD_TEST(a_stream_can_be_given_away_in_its_handshake, "S153", "S160")
{
	begin(&filtered);
	xor_begin(&xor_client, SIZE_MAX);
	scene_tell(&ward_type_scene_hello);
	scene_tell(&ward_type_scene_give);
	xor_run(SIZE_MAX);
	xor_say("a\n");
	ward_assert_str(xor_answers(), "hello\nheir 1: a\n");
	xor_finish();
}

WARD_TEST(no_other_filter_replaces_that_of_a_stream, "S153", "S160")
{
	static const ward_stream_filter other = {.name = "other",
						 .open = xor_open,
						 .came = xor_came,
						 .goes = xor_goes,
						 .close = xor_close};
	const ward_stream_options *before[] = {&lines, &filtered};

	for (int i = 0; i < 2; i++) {
		begin(before[i]);
		heir.options = filtered;
		heir.options.filter = &other;
		scene_tell(&ward_type_scene_give);
		ward_assert_part(xor_failure(),
				 i == 0 ? "its first start, none: it cannot be other"
					: "its first start, xor: it cannot be other");
		scene_finish();
	}
}

WARD_TEST_MAIN
