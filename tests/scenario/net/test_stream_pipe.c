/* SPDX-License-Identifier: MIT
 *
 * test_stream_pipe.c - bytes through a pipe in both directions, and slow readers.
 */
#include "pipe_scene.h"

/* ---- bytes ------------------------------------------------------------------------------- */

WARD_TEST(bytes_go_in_both_directions, "S151")
{
	start();
	say(scene.client, "question");
	ward_assert_str(heard(scene.server), "question");
	say(scene.server, "answer");
	ward_assert_str(heard(scene.client), "answer");
	say(scene.client, "x");
	ward_assert_str(heard(scene.server), "x");
	finish();
}

WARD_TEST(bytes_that_were_read_before_go_first, "S151")
{
	begin(&(ward_stream_options){.framing = WARD_LINES, .half_close = true});
	scene.reads_line = true;
	say(scene.client, "head\nfirst\nsecond");
	join_server();
	say(scene.client, " third");
	ward_assert_str(scene.line, "head");
	ward_assert_str(heard(scene.server), "first\nsecond third");
	finish();
}

/* The line came in two pieces, so its block is a small one, which would be free memory. */
WARD_TEST(a_line_that_is_passed_on_behind_its_pipe_is_still_there, "S151")
{
	begin(&(ward_stream_options){.framing = WARD_LINES, .half_close = true});
	scene.reads_line = scene.passes_line = true;
	join_server();
	say(scene.client, "a head of some le");
	say(scene.client, "ngth\nrest");
	ward_assert_str(scene.line, "a head of some length");
	ward_assert_str(heard(scene.server), "a head of some length\nrest");
	finish();
}

WARD_TEST(bytes_that_nobody_asked_for_before_go_first, "S151", "S174")
{
	begin(&(ward_stream_options){.framing = WARD_RAW, .half_close = true});
	scene.goes_on = true;
	tell(&ward_type_again_client);
	say(scene.client, "first");
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_NOTE, "*"), 1);
	join_server();
	say(scene.client, " second");
	ward_assert_str(heard(scene.server), "first second");
	finish();
}

WARD_TEST(megabytes_at_once_in_both_directions_are_the_same_bytes, "S151")
{
	size_t up = 0, down = 0, came_up = 0, came_down = 0;
	size_t wanted = ward_test_shortage() ? 10000 : big();

	start();
	for (int i = 0; came_up < wanted || came_down < wanted; i++) {
		ward_assert(i < 3000);
		send_some(scene.client, &up);
		send_some(scene.server, &down);
		ward_kit_run(scene.kit);
		check_some(scene.server, &came_up);
		check_some(scene.client, &came_down);
		ward_kit_run(scene.kit);
	}
	finish();
}

WARD_TEST(what_the_program_writes_comes_in_front_of_what_waits, "S151")
{
	char bytes[3000];
	ssize_t got;

	start();
	say(scene.client, "one ");
	tell(&ward_type_write_server);
	say(scene.client, " two");
	got = recv(scene.server, bytes, sizeof bytes, 0);
	ward_assert_eq(got, 11);
	ward_assert(memcmp(bytes, "one own two", 11) == 0);
	finish();
}

/* ---- slow readers ------------------------------------------------------------------------ */

WARD_TEST(a_reader_that_is_slow_is_not_read_for, "S151")
{
	size_t sent, came = 0;

	start();
	sent = fill_client();
	ward_assert(sent < 200 * 1000);
	ward_assert(lives());
	say(scene.server, "meanwhile");
	ward_assert_str(heard(scene.client), "meanwhile");
	for (int i = 0; came < sent; i++) {
		ward_assert(i < 10000);
		check_some(scene.server, &came);
		run();
	}
	ward_assert(send_some(scene.client, &sent));
	run();
	while (check_some(scene.server, &came))
		run();
	ward_assert_eq(came, sent);
	finish();
}

WARD_TEST(a_write_of_the_program_that_empties_the_pipe_lets_it_go_on, "S151")
{
	size_t sent = 0, came;

	start();
	while (!some_wait()) {
		ward_assert(send_some(scene.client, &sent));
		run();
	}
	came = swallow(scene.server); /* now all that waits fits */
	tell(&ward_type_write_server);
	ward_assert(!some_wait());
	came += swallow(scene.server);
	ward_assert_eq(came, sent + 3);
	say(scene.client, "more");
	ward_assert_str(heard(scene.server), "more");
	finish();
}

WARD_TEST(a_pause_holds_what_was_read_already, "S151")
{
	size_t sent = 0, came = 0;

	start();
	while (!some_wait()) {
		ward_assert(send_some(scene.client, &sent));
		run();
	}
	tell(&ward_type_pause_client);
	for (int i = 0; i < 10; i++) {
		came += swallow(scene.server);
		run();
	}
	ward_assert(came < sent);
	tell(&ward_type_again_client);
	ward_assert_eq(came + swallow(scene.server), sent);
	finish();
}

WARD_TEST(a_begun_frame_goes_through_when_the_pipe_begins, "S151")
{
	begin(&(ward_stream_options){.framing = WARD_LINES, .half_close = true, .frame_ms = 1000});
	scene.reads_line = true;
	tell(&ward_type_again_client);
	say(scene.client, "begun");
	scene.reads_line = false;
	join_server();
	ward_assert_str(heard(scene.server), "begun");
	finish();
}

WARD_TEST(a_frame_behind_a_pipe_is_cut_from_its_begin, "S151", "S153")
{
	begin(&(ward_stream_options){.framing = WARD_PREFIX(1), .half_close = true});
	scene.reads_line = true;
	tell(&ward_type_again_client);
	say(scene.client, "Pa"); /* a frame of 80 bytes, which goes through the pipe */
	scene.reads_line = false;
	join_server();
	ward_assert_str(heard(scene.server), "Pa");
	tell(&ward_type_give_server);
	say(scene.client, "\4line");
	ward_assert_str(scene.line, "line");
	finish();
}

WARD_TEST(what_waits_for_a_stream_that_is_given_away_is_handed_out, "S151", "S153")
{
	char line[1001];

	begin(&(ward_stream_options){.framing = WARD_LINES, .half_close = true});
	join_server();
	memset(line, 'x', sizeof line);
	line[999] = '\n';
	line[1000] = '\0';
	while (!some_wait())
		say(scene.client, line);
	ward_assert_str(scene.line, "");
	tell(&ward_type_give_server);
	ward_assert(scene.line[0] == 'x');
	finish();
}

WARD_TEST(a_reader_that_takes_nothing_is_slow_after_write_ms, "S138", "S151")
{
	begin(&(ward_stream_options){.half_close = true, .write_ms = 1000});
	join_server();
	fill_client();
	ward_kit_advance(scene.kit, 900);
	ward_assert(lives());
	ward_kit_advance(scene.kit, 400);
	ward_assert(!lives());
	finish();
}

WARD_TEST(frames_and_their_limits_do_not_apply_to_a_pipe, "S151")
{
	begin(&(ward_stream_options){.framing = WARD_LINES,
				     .half_close = true,
				     .frame_max = 4,
				     .first_ms = 1000,
				     .frame_ms = 1000});
	join_server();
	say(scene.client, "no end of a line");
	say(scene.server, "none here");
	ward_kit_advance(scene.kit, 10000);
	ward_assert(lives());
	ward_assert_str(heard(scene.server), "no end of a line");
	ward_assert_str(heard(scene.client), "none here");
	finish();
}

WARD_TEST(a_pause_holds_the_pipe, "S151")
{
	start();
	tell(&ward_type_pause_client);
	say(scene.client, "later");
	ward_assert_str(heard(scene.server), "");
	say(scene.server, "now");
	ward_assert_str(heard(scene.client), "now");
	tell(&ward_type_again_client);
	ward_assert_str(heard(scene.server), "later");
	finish();
}

WARD_TEST_MAIN
