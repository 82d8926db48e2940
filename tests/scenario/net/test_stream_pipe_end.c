/* SPDX-License-Identifier: MIT
 *
 * test_stream_pipe_end.c - how the ends of streams pass through a pipe, and how a pipe ends.
 */
#include "pipe_scene.h"

/* ---- ends -------------------------------------------------------------------------------- */

static void check_ends(int *first, int *second)
{
	say(*first, "last");
	shutdown(*first, SHUT_WR);
	run();
	ward_assert_str(heard(*second), "last(end)");
	ward_assert(lives());
	say(*second, "answer");
	ward_assert_str(heard(*first), "answer");
	shutdown(*second, SHUT_WR);
	run();
	ward_assert_str(heard(*first), "(end)");
	ward_assert(!lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
}

WARD_TEST(the_client_ends_first_then_the_server, "S152")
{
	start();
	check_ends(&scene.client, &scene.server);
	finish();
}

WARD_TEST(the_server_ends_first_then_the_client, "S152")
{
	start();
	check_ends(&scene.server, &scene.client);
	finish();
}

WARD_TEST(an_end_that_was_read_before_is_passed_on, "S152")
{
	begin(&raw);
	say(scene.client, "all");
	shutdown(scene.client, SHUT_WR);
	join_server();
	ward_assert_str(heard(scene.server), "all(end)");
	finish();
}

WARD_TEST(an_end_waits_for_the_bytes_in_front_of_it, "S152")
{
	size_t sent, came = 0;

	start();
	sent = fill_client();
	shutdown(scene.client, SHUT_WR);
	shutdown(scene.server, SHUT_WR);
	run();
	ward_assert_str(heard(scene.client), "(end)");
	ward_assert(lives());
	for (int i = 0; came < sent; i++) {
		ward_assert(i < 10000);
		check_some(scene.server, &came);
		run();
	}
	ward_assert_str(heard(scene.server), "(end)");
	ward_assert(!lives());
	finish();
}

WARD_TEST(the_actor_stops_when_what_it_wrote_itself_is_out_too, "S152")
{
	size_t came = 0;

	start();
	tell(&ward_type_write_much);
	shutdown(scene.server, SHUT_WR);
	run();
	shutdown(scene.client, SHUT_WR);
	run();
	ward_assert_str(heard(scene.client), "(end)");
	ward_assert(lives());
	for (int i = 0; i < 1000 && came < MUCH; i++) {
		came += swallow(scene.server);
		run();
	}
	ward_assert_eq(came, MUCH);
	ward_assert_str(heard(scene.server), "(end)");
	ward_assert(!lives());
	finish();
}

WARD_TEST(a_lost_stream_fails_the_actor_and_both_end, "S152")
{
	start();
	say(scene.client, "unread");
	hang_up(&scene.server); /* with a byte unread: a reset */
	run();
	ward_assert(!lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 1);
	finish();
}

WARD_TEST(what_comes_for_a_finished_stream_is_thrown_away, "S152")
{
	start();
	tell(&ward_type_finish_server);
	ward_assert_str(heard(scene.server), "(end)");
	for (size_t sent = 0; sent < big();) {
		ward_assert(send_some(scene.client, &sent));
		run();
	}
	say(scene.server, "answer");
	ward_assert_str(heard(scene.client), "answer");
	shutdown(scene.client, SHUT_WR);
	shutdown(scene.server, SHUT_WR);
	run();
	ward_assert(!lives());
	finish();
}

WARD_TEST(an_aborted_stream_ends_the_other_ones_writing, "S152")
{
	start();
	tell(&ward_type_abort_server);
	ward_assert_str(heard(scene.client), "(end)");
	ward_assert(lives());
	say(scene.client, "thrown away");
	shutdown(scene.client, SHUT_WR);
	run();
	ward_assert(!lives());
	finish();
}

WARD_TEST(a_listener_that_ends_ends_the_clients_direction, "S141", "S152")
{
	start();
	say(scene.client, "question");
	tell(&wardi_type_stream_closing);
	ward_assert_str(heard(scene.server), "question(end)");
	say(scene.server, "answer");
	shutdown(scene.server, SHUT_WR);
	run();
	ward_assert_str(heard(scene.client), "answer(end)");
	ward_assert(!lives());
	finish();
}

WARD_TEST(a_listener_that_ends_passes_on_what_waits, "S141", "S152")
{
	size_t sent, came = 0;

	start();
	sent = fill_client();
	tell(&wardi_type_stream_closing);
	for (int i = 0; came < sent; i++) {
		ward_assert(i < 10000);
		check_some(scene.server, &came);
		run();
	}
	run();
	ward_assert_str(heard(scene.server), "(end)");
	finish();
}

/* ---- refusals, restarts ------------------------------------------------------------------ */

WARD_TEST(a_pipe_needs_half_close, "S152")
{
	begin(&(ward_stream_options){.framing = WARD_RAW});
	join_server();
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 1);
	finish();
}

WARD_TEST(a_second_pipe_and_one_to_a_finished_stream_are_refused, "S151")
{
	begin(&raw);
	tell(&ward_type_pipe_again); /* one stream alone */
	ward_assert_eq(scene.refused, WARD_EINVAL);
	join_server();
	tell(&ward_type_pipe_again);
	ward_assert_eq(scene.refused, WARD_EEXIST);
	finish();
}

WARD_TEST(a_restart_ends_the_pipe_and_the_client_stays, "S134", "S152")
{
	start();
	tell(&ward_type_restart_it);
	ward_assert(lives());
	ward_assert_str(heard(scene.server), "(end)"); /* it was the incarnation's */
	say(scene.client, "for the next one");
	hang_up(&scene.server);
	join_server();
	ward_assert_str(heard(scene.server), "for the next one");
	finish();
}

WARD_TEST_MAIN
