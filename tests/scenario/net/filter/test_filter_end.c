/* SPDX-License-Identifier: MIT
 *
 * test_filter_end.c - how a connection with a filter ends.
 */
#include "xor_peer.h"

static const struct xor_options server;
static const ward_stream_options lines = {
	.framing = WARD_LINES, .filter = &xor_filter, .filter_options = &server};
static const ward_stream_options half = {.framing = WARD_LINES,
					 .half_close = true,
					 .filter = &xor_filter,
					 .filter_options = &server};

WARD_TEST(the_end_of_the_filter_is_answered_by_its_end, "S137", "S161")
{
	scene_start(&lines);
	xor_shake();
	xor_write("a\nb", true, SIZE_MAX);
	xor_run(SIZE_MAX);
	ward_assert_str(xor_answers(), "1.1: a\n1.2: b\n(E)(end)");
	ward_assert(!scene_lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	xor_finish();
}

WARD_TEST(an_end_of_the_connection_alone_is_cut_off, "S139", "S161")
{
	scene_start(&lines);
	xor_shake();
	xor_write("a\n", false, SIZE_MAX);
	shutdown(scene.peer, SHUT_WR);
	xor_run(SIZE_MAX);
	ward_assert_str(xor_answers(), "1.1: a\n(end)");
	ward_assert(!scene_lives());
	ward_assert_part(xor_failure(), "ward_peer_cut_off");
	ward_assert_part(xor_failure(), "read: the connection ended without an end of xor");
	xor_finish();
}

WARD_TEST(a_last_line_without_an_end_is_not_handed_out_when_cut_off, "S161")
{
	scene_start(&lines);
	xor_shake();
	xor_write("a\ntransfer 10", false, SIZE_MAX); /* of 1000 */
	shutdown(scene.peer, SHUT_WR);
	xor_run(SIZE_MAX);
	ward_assert_str(xor_answers(), "1.1: a\n(end)");
	ward_assert_part(xor_failure(), "ward_peer_cut_off");
	xor_finish();
}

WARD_TEST(an_end_within_the_handshake_is_cut_off, "S161")
{
	scene_start(&lines);
	scene_send("H\6ses");
	scene_hang_up();
	scene_run();
	ward_assert(!scene_lives());
	ward_assert_part(xor_failure(), "ward_peer_cut_off");
	ward_assert_part(xor_failure(), "the connection ended within the handshake of xor");
	xor_finish();
}

WARD_TEST(with_half_close_the_end_of_the_filter_is_news, "S137", "S161")
{
	scene_start(&half);
	xor_shake();
	xor_write("a\n", true, SIZE_MAX);
	xor_run(SIZE_MAX);
	ward_assert_str(xor_answers(), "1.1: a\n");
	ward_assert_eq(scene.news, WARD_STREAM_ENDED);
	scene_tell(&ward_type_scene_hello);
	xor_run(SIZE_MAX);
	ward_assert_str(xor_answers(), "hello\n");
	ward_assert(scene_lives());
	xor_finish();
}

WARD_TEST(finish_tells_the_peer_through_the_filter, "S137", "S161")
{
	scene_start(&half);
	xor_shake();
	xor_say("a\nfinish\n");
	ward_assert_str(xor_answers(), "1.1: a\n(E)(end)");
	xor_write("b\n", true, SIZE_MAX); /* is read */
	scene_run();
	ward_assert(!scene_lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	xor_finish();
}

WARD_TEST(what_the_filter_would_say_after_its_end_is_dropped, "S161")
{
	struct wardi_buffer wire = {0};

	scene_start(&half);
	xor_shake();
	xor_say("finish\n");
	xor_put(xor_bytes(&wire), 'H', "sesame", 6);
	xor_send(&wire, SIZE_MAX);
	xor_write("b\n", true, SIZE_MAX);
	scene_run();
	ward_assert(!scene_lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	xor_finish();
}

WARD_TEST(with_half_close_a_cut_is_no_news_of_an_end, "S137", "S161")
{
	scene_start(&half);
	xor_shake();
	shutdown(scene.peer, SHUT_WR);
	xor_run(SIZE_MAX);
	ward_assert_eq(scene.news, 0);
	ward_assert_part(xor_failure(), "ward_peer_cut_off");
	xor_finish();
}

WARD_TEST(close_before_the_handshake_does_not_wait_for_it, "S137", "S161")
{
	scene_start(&lines);
	scene_tell(&ward_type_scene_close);
	ward_assert_str(scene_answers(), "(end)");
	scene_hang_up();
	scene_run();
	ward_assert(!scene_lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	xor_finish();
}

WARD_TEST(what_was_written_before_close_waits_for_the_handshake, "S137", "S161")
{
	scene_start(&lines);
	scene_tell(&ward_type_scene_hello);
	scene_tell(&ward_type_scene_close);
	xor_begin(&xor_client, SIZE_MAX);
	xor_run(SIZE_MAX);
	ward_assert_str(xor_answers(), "hello\n(E)(end)");
	scene_hang_up();
	scene_run();
	ward_assert(!scene_lives());
	xor_finish();
}

WARD_TEST(an_orderly_end_does_not_wait_for_a_handshake, "S141", "S161")
{
	scene_start(&lines);
	scene_tell(&ward_type_scene_hello);
	scene_tell(&wardi_type_stream_closing);
	scene_run();
	ward_assert(!scene_lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	xor_finish();
}

WARD_TEST(close_does_not_ask_for_an_end_of_the_filter, "S137", "S161")
{
	scene_start(&lines);
	xor_shake();
	xor_say("a\nclose\n");
	ward_assert_str(xor_answers(), "1.1: a\n(E)(end)");
	ward_assert(scene_lives());
	scene_hang_up();
	scene_run();
	ward_assert(!scene_lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	xor_finish();
}

WARD_TEST(an_actor_that_stops_tells_the_peer_through_the_filter, "S137", "S161")
{
	scene_start(&lines);
	xor_shake();
	xor_say("a\nstop\n");
	ward_assert_str(xor_answers(), "1.1: a\n(E)(end)");
	xor_finish();
}

WARD_TEST(an_actor_that_failed_does_not_tell_an_end, "S135", "S137", "S161")
{
	scene_start_deciding(&lines, WARD_STOP);
	xor_shake();
	xor_say("a\nfail\nb\n");
	ward_assert_str(xor_answers(), "1.1: a\n(end)");
	ward_assert(!scene_lives());
	xor_finish();
}

WARD_TEST(abort_does_not_tell_an_end, "S137", "S161")
{
	scene_start(&lines);
	xor_shake();
	xor_say("abort\n");
	ward_assert_str(xor_answers(), "(end)");
	ward_assert(scene_lives());
	xor_finish();
}

WARD_TEST_MAIN
