/* SPDX-License-Identifier: MIT
 *
 * test_sim_wire.c - a stream in the network of a simulation is one over a socket.
 */
#include "sim_scene.h"

WARD_TEST(connect_reaches_the_listener_of_the_name_and_bytes_pass_both_ways, "S155", "S158")
{
	start(&fine, false);
	say(CLIENT, "question");
	ward_assert_str(got(SESSION), "question");
	say(SESSION, "answer");
	ward_assert_str(got(CLIENT), "answer");
	ward_assert_str(scene.sides[CLIENT].peer, "sim:server");
	ward_assert_str(scene.sides[SESSION].peer, "sim:server#1");
	ward_assert_eq(counts().connects, 1);
	ward_assert_eq(counts().accepts, 1);
	ward_assert_eq(counts().wires, 1);
	ward_assert_eq(counts().bytes, 14);
	finish();
}

WARD_TEST(what_is_written_before_the_connect_has_arrived_waits, "S158")
{
	start(&(struct ward_net_sim_options){.delay = 1000}, false);
	say(CLIENT, "early");
	ward_assert_eq(scene.sessions, 0);
	ward_assert_eq(scene.sides[CLIENT].unsent, 5);
	wait();
	ward_assert_str(got(SESSION), "early");
	finish();
}

WARD_TEST(writer_waits_while_the_window_is_full_and_goes_on_when_it_is_read, "S156", "S155")
{
	start(&(struct ward_net_sim_options){.window = 100}, false);
	tell(SESSION, PAUSE);
	tell(CLIENT, SAY_LONG);
	ward_assert_eq(scene.sides[CLIENT].unsent, LONG - 100);
	tell(SESSION, AGAIN);
	wait();
	check_long(SESSION);
	ward_assert_eq(scene.sides[CLIENT].unsent, 0);
	finish();
}

WARD_TEST(end_comes_behind_the_bytes_and_the_other_direction_goes_on, "S156")
{
	start(&(struct ward_net_sim_options){.delay = 1000}, true);
	say(CLIENT, "last");
	tell(CLIENT, FINISH);
	wait();
	ward_assert_str(got(SESSION), "last");
	ward_assert_eq(scene.sides[SESSION].news, WARD_STREAM_ENDED);
	say(SESSION, "answer");
	wait();
	ward_assert_str(got(CLIENT), "answer");
	tell(SESSION, FINISH);
	wait();
	ward_assert(!lives(CLIENT) && !lives(SESSION));
	ward_assert_str(scene.sides[CLIENT].class_name, "");
	ward_assert_str(scene.sides[SESSION].class_name, "");
	ward_assert_eq(counts().wires, 0);
	ward_assert_eq(counts().half_closes, 0);
	finish();
}

WARD_TEST(reset_comes_behind_what_was_sent_before, "S156")
{
	start(&(struct ward_net_sim_options){.delay = 1000}, false);
	wait();
	say(SESSION, "answer");
	tell(SESSION, FAIL);
	wait();
	ward_assert_str(got(CLIENT), "answer");
	ward_assert_str(scene.sides[CLIENT].class_name, "ward_peer_lost");
	ward_assert_eq(scene.sides[CLIENT].error, ECONNRESET);
	ward_assert_eq(counts().resets, 0); /* it was not the network */
	ward_assert_eq(counts().wires, 0);
	finish();
}

WARD_TEST(close_with_unread_bytes_is_a_reset, "S156")
{
	start(&fine, false);
	tell(SESSION, PAUSE);
	say(CLIENT, "unread");
	tell(SESSION, STOP);
	ward_assert_str(scene.sides[CLIENT].class_name, "ward_peer_lost");
	ward_assert_eq(scene.sides[CLIENT].error, ECONNRESET);
	finish();
}

WARD_TEST(bytes_for_an_end_that_has_closed_come_back_as_a_reset, "S156")
{
	start(&fine, true);
	tell(SESSION, STOP);
	ward_assert_eq(scene.sides[CLIENT].news, WARD_STREAM_ENDED);
	ward_assert(lives(CLIENT));
	say(CLIENT, "late");
	ward_assert_str(scene.sides[CLIENT].class_name, "ward_peer_lost");
	ward_assert_eq(counts().wires, 0);
	finish();
}

WARD_TEST(paused_stream_sees_a_reset, "S156")
{
	start(&fine, false);
	tell(CLIENT, PAUSE);
	tell(SESSION, ABORT);
	ward_assert_str(scene.sides[CLIENT].class_name, "ward_peer_lost");
	ward_assert(lives(SESSION));
	finish();
}

WARD_TEST(connection_that_nobody_starts_is_closed, "S156")
{
	struct ward_connection connection;

	start(&fine, false);
	ward_assert_ok(ward_net_sim_connect(ward_kit_system(scene.kit), "sim:server", &connection));
	ward_assert_eq(counts().wires, 2);
	ward_system_send(ward_kit_system(scene.kit), ward_nobody(),
			 WARD_COPY(ward_connection, &connection));
	wait();
	ward_assert_eq(counts().wires, 1);
	finish();
}

WARD_TEST_MAIN
