/* SPDX-License-Identifier: MIT
 *
 * test_filter.c - a stream with a filter: frames, handshakes, limits.
 */
#include "xor_peer.h"

static const struct xor_options server;
static const ward_stream_options lines = {
	.framing = WARD_LINES, .filter = &xor_filter, .filter_options = &server};

WARD_TEST(lines_are_answered_through_a_filter, "S160")
{
	scene_start(&lines);
	xor_shake();
	xor_say("a\nb\n");
	ward_assert_str(xor_answers(), "1.1: a\n1.2: b\n");
	xor_finish();
}

WARD_TEST(the_wire_may_be_cut_anywhere, "S160")
{
	for (size_t piece = 1; piece <= 7; piece++) {
		scene_start(&lines);
		xor_begin(&xor_client, piece);
		xor_run(piece);
		xor_write("a\nbc\n", false, piece);
		xor_run(piece);
		ward_assert_str(xor_answers(), "1.1: a\n1.2: bc\n");
		xor_finish();
	}
}

WARD_TEST(handshake_data_and_end_in_one_piece_are_all_seen, "S160")
{
	struct wardi_buffer wire = {0};

	scene_start(&lines);
	xor_begin(&xor_client, SIZE_MAX);
	xor_put(xor_bytes(&wire), 'K', "", 0);
	xor_put(xor_bytes(&wire), 'D', "a\nb", 3);
	xor_put(xor_bytes(&wire), 'E', "", 0);
	xor_send(&wire, SIZE_MAX);
	xor_run(SIZE_MAX);
	ward_assert_str(xor_answers(), "1.1: a\n1.2: b\n(E)(end)");
	ward_assert(!scene_lives());
	xor_finish();
}

WARD_TEST(what_is_written_before_the_handshake_waits_for_it, "S160")
{
	scene_start(&lines);
	scene_tell(&ward_type_scene_hello);
	ward_assert_str(scene_answers(), "");
	scene_tell(&ward_type_scene_hello);
	xor_shake();
	ward_assert_str(xor_answers(), "hello\nhello\n");
	xor_finish();
}

WARD_TEST(more_than_write_high_does_not_keep_a_handshake_from_its_end, "S160", "S162")
{
	scene_start(&(ward_stream_options){.framing = WARD_LINES,
					   .write_high = 8,
					   .filter = &xor_filter,
					   .filter_options = &server});
	for (int i = 0; i < 3; i++)
		scene_tell(&ward_type_scene_hello);
	xor_shake();
	ward_assert_str(xor_answers(), "hello\nhello\nhello\n");
	xor_say("a\n");
	ward_assert_str(xor_answers(), "1.1: a\n");
	xor_finish();
}

WARD_TEST(what_a_callback_writes_goes_through_the_filter_once, "S160")
{
	int count = 0;
	struct xor_options counted = {.goes = &count};

	scene_start(&(ward_stream_options){
		.framing = WARD_LINES, .filter = &xor_filter, .filter_options = &counted});
	xor_shake();
	xor_say("a\nb\nc\nd\n");
	ward_assert_str(xor_answers(), "1.1: a\n1.2: b\n1.3: c\n1.4: d\n");
	ward_assert_eq(count, 1);
	xor_finish();
}

WARD_TEST(frames_and_filter_outlive_an_incarnation, "S134", "S160")
{
	scene_start(&lines);
	xor_shake();
	xor_say("a\nfail\nb\njump\nc\nhal");
	ward_assert_str(xor_answers(), "1.1: a\n2.1: b\n3.1: c\n");
	xor_say("f\n");
	ward_assert_str(xor_answers(), "3.2: half\n");
	xor_finish();
}

WARD_TEST(a_slow_peer_is_not_read_through_a_filter_either, "S136", "S162")
{
	char bytes[4096];
	ssize_t got;

	scene_start(&lines);
	xor_shake();
	xor_write("big\nbig\nx\n", false, SIZE_MAX);
	scene_run();
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	for (int i = 0; i < 1000 && wardi_buffer_count(&xor_peer.plain) < 2 * SCENE_BIG + 7; i++) {
		while ((got = recv(scene.peer, bytes, sizeof bytes, 0)) > 0)
			xor_pass(bytes, (size_t)got, SIZE_MAX);
		scene_run();
	}
	ward_assert_eq(wardi_buffer_count(&xor_peer.plain), 2 * SCENE_BIG + 7);
	ward_assert_eq(scene.news, WARD_STREAM_DRAINED);
	wardi_buffer_drop(&xor_peer.plain, (size_t)2 * SCENE_BIG);
	ward_assert_str(xor_answers(), "1.1: x\n");
	xor_finish();
}

WARD_TEST(a_handshake_that_does_not_end_is_idle, "S138", "S162")
{
	scene_start(&(ward_stream_options){.framing = WARD_LINES,
					   .first_ms = 1000,
					   .filter = &xor_filter,
					   .filter_options = &server});
	scene_send("H\6ses");
	ward_kit_advance(scene.kit, 900);
	ward_assert(scene_lives());
	ward_kit_advance(scene.kit, 400);
	ward_assert(!scene_lives());
	ward_assert_part(xor_failure(), "ward_peer_idle");
	xor_finish();
}

WARD_TEST(bytes_do_not_wait_longer_than_write_ms_for_a_handshake, "S138", "S162")
{
	scene_start(&(ward_stream_options){.framing = WARD_LINES,
					   .write_ms = 1000,
					   .filter = &xor_filter,
					   .filter_options = &server});
	scene_tell(&ward_type_scene_hello);
	ward_kit_advance(scene.kit, 900);
	ward_assert(scene_lives());
	ward_kit_advance(scene.kit, 400);
	ward_assert(!scene_lives());
	ward_assert_part(xor_failure(), "ward_peer_idle");
	ward_assert_part(xor_failure(), "the handshake has not ended for 1.000 s");
	xor_finish();
}

WARD_TEST(bytes_that_cannot_be_are_a_bad_frame, "S139", "S160")
{
	scene_start(&lines);
	xor_shake();
	scene_say("?");
	scene_say("\1x");
	ward_assert(!scene_lives());
	ward_assert_part(xor_failure(), "ward_bad_frame");
	ward_assert_part(xor_failure(), ": xor: a record of 3f");
	xor_finish();
}

WARD_TEST(a_filter_without_memory_fails_the_actor, "S160")
{
	const struct xor_options forgetful = {.forgets = true};

	scene_start_deciding(&(ward_stream_options){.framing = WARD_LINES,
						    .filter = &xor_filter,
						    .filter_options = &forgetful},
			     WARD_STOP);
	xor_shake();
	xor_say("a\n");
	ward_assert_str(xor_answers(), "(end)");
	ward_assert_part(xor_failure(), "ward_out_of_memory");
	xor_finish();
}

WARD_TEST(what_a_filter_refuses_to_send_fails_in_its_words, "S139", "S160")
{
	static const ward_filtered said[] = {WARD_FILTERED_REFUSED, WARD_FILTERED_WRONG};
	static const char *const classes[] = {"ward_not_trusted: ", "ward_bad_frame: "};

	for (int i = 0; i < 2; i++) {
		const struct xor_options strict = {.says = said[i]};

		scene_start(&(ward_stream_options){
			.framing = WARD_LINES, .filter = &xor_filter, .filter_options = &strict});
		xor_shake();
		xor_say("a\nb!\n");
		ward_assert(!scene_lives());
		ward_assert_part(xor_failure(), classes[i]);
		ward_assert_part(xor_failure(), ": xor: nothing is that urgent");
		xor_finish();
	}
}

WARD_TEST(options_that_the_filter_refuses_are_refused_with_its_text, "S160")
{
	const struct xor_options none = {.refuses = true};

	scene_start_deciding(&(ward_stream_options){.framing = WARD_LINES,
						    .filter = &xor_filter,
						    .filter_options = &none},
			     WARD_STOP);
	ward_assert_part(xor_failure(), "a stream: xor: no words today");
	xor_finish();
}

WARD_TEST_MAIN
