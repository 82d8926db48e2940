/* SPDX-License-Identifier: MIT
 *
 * test_filter_refusal.c - a peer that the filter refuses is told why before its connection ends.
 */
#include "xor_peer.h"

enum { LAST_MS = 2000 };

static const struct xor_options server, wrong = {.word = "please"};
static const ward_stream_options lines = {
	.framing = WARD_LINES, .filter = &xor_filter, .filter_options = &server};

static void check_failure(void)
{
	ward_assert(!scene_lives());
	ward_assert_part(xor_failure(), "ward_not_trusted");
	ward_assert_part(xor_failure(), ": xor: the word is not please");
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 1);
}

static void be_refused(const ward_stream_options *options)
{
	scene_start(options);
	xor_begin(&wrong, SIZE_MAX);
	scene_run();
	ward_assert(scene_lives());
}

/* The peer has got the refusal, then the end. */
static void read_refusal(void)
{
	xor_run(SIZE_MAX);
	ward_assert_eq(xor_peer.said, WARD_FILTERED_REFUSED);
	ward_assert_str(xor_answers(), "(end)");
}

WARD_TEST(a_peer_that_the_filter_refuses_is_not_trusted_and_told_so, "S139", "S160", "S161")
{
	be_refused(&lines);
	read_refusal();
	scene_hang_up();
	scene_run();
	check_failure();
	xor_finish();
}

/* What is to be said to it cannot be sent any longer. */
WARD_TEST(a_peer_that_is_gone_when_it_is_refused_was_refused, "S161")
{
	scene_start(&lines);
	xor_begin(&wrong, SIZE_MAX);
	scene_hang_up();
	scene_run();
	check_failure();
	xor_finish();
}

static char last_line[100];

/* So much that it is sent at once. */
static bool is_refused_to_send(ward_self *self, ward_stream *stream, const char *text)
{
	static char urgent[30 * 1000];

	memset(urgent, '!', sizeof urgent);
	ward_stream_write(self, stream, urgent, sizeof urgent);
	snprintf(last_line, sizeof last_line, "%s", text);
	return true;
}

/* The line came in two pieces, so its block is a small one, which would be free memory. */
WARD_TEST(the_line_at_hand_stays_when_its_answer_is_refused, "S160")
{
	const struct xor_options strict = {.says = WARD_FILTERED_REFUSED, .tells = true};

	scene_start(&(ward_stream_options){.framing = WARD_LINES,
					   .filter = &xor_filter,
					   .filter_options = &strict,
					   .write_high = 20000});
	scene.on_line = is_refused_to_send;
	xor_shake();
	xor_say("a line of some le");
	xor_say("ngth\n");
	ward_assert_str(last_line, "a line of some length");
	ward_assert_eq(xor_peer.said, WARD_FILTERED_REFUSED);
	scene_hang_up();
	scene_run();
	ward_assert(!scene_lives());
	xor_finish();
}

WARD_TEST(what_a_refused_peer_still_sends_is_read_and_does_not_reset_it, "S161")
{
	be_refused(&lines);
	for (int i = 0; i < 100; i++)
		scene_say("H\3abc: more than one read takes, if it were not read");
	read_refusal();
	ward_assert(scene_lives());
	scene_hang_up();
	scene_run();
	check_failure();
	xor_finish();
}

WARD_TEST(a_refused_peer_that_does_not_end_has_two_seconds, "S161")
{
	be_refused(&lines);
	ward_kit_advance(scene.kit, LAST_MS - 10);
	ward_assert(scene_lives());
	for (int i = 0; i < LAST_MS / 4 + 10 && scene_lives(); i++)
		scene_say("x"); /* which gains it nothing */
	check_failure();
	read_refusal();
	xor_finish();
}

WARD_TEST(other_limits_go_on_for_a_refused_peer, "S161", "S162")
{
	ward_stream_options hasty = lines;

	hasty.first_ms = 400;
	be_refused(&hasty);
	ward_kit_advance(scene.kit, 600);
	check_failure();
	xor_finish();
}

WARD_TEST(a_refused_peer_that_resets_was_refused, "S161")
{
	be_refused(&lines);
	scene_hang_up(); /* with the refusal unread */
	scene_run();
	check_failure();
	xor_finish();
}

WARD_TEST(an_orderly_end_does_not_wait_for_a_refused_peer, "S141", "S161")
{
	be_refused(&lines);
	scene_tell(&wardi_type_stream_closing);
	check_failure();
	read_refusal();
	xor_finish();
}

WARD_TEST(a_restart_does_not_save_a_refused_peer, "S161")
{
	be_refused(&lines);
	scene_tell(&ward_type_scene_fail);
	ward_assert(scene_lives());
	scene_tell(&ward_type_scene_hello); /* nobody gets it */
	read_refusal();
	scene_hang_up();
	scene_run();
	ward_assert(!scene_lives());
	ward_assert_part(xor_failure(), "told to");
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 2);
	ward_assert_part(ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 1)->text,
			 "word is not");
	xor_finish();
}

WARD_TEST(what_was_answered_before_a_refusal_goes_out_in_front_of_it, "S160", "S161")
{
	struct wardi_buffer wire = {0};

	scene_start(&lines);
	xor_shake();
	xor_write("a\n", false, SIZE_MAX);
	scene_run();
	xor_put(xor_bytes(&wire), 'H', "please", 6);
	xor_send(&wire, SIZE_MAX);
	xor_run(SIZE_MAX);
	ward_assert_eq(xor_peer.said, WARD_FILTERED_REFUSED);
	ward_assert_str(xor_answers(), "1.1: a\n(end)");
	scene_hang_up();
	scene_run();
	check_failure();
	xor_finish();
}

WARD_TEST_MAIN
