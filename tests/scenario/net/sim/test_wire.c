/* SPDX-License-Identifier: MIT
 *
 * test_wire.c - a stream in the network of a simulation is one over a socket.
 */
#include "net/sim/wire.h"
#include "net/stream/life.h"
#include "net/stream/stream.h"
#include "net/stream/wired.h"
#include "sim_scene.h"

/* An actor that waits for the answer to a connect, as one that opens a stream does. */
static struct opener {
	ward_stream *stream;
	uint32_t told;
	int error;
} opener;

static ward_result open_init(ward_self *self, void *state, const void *args)
{
	struct wardi_net_refusal refusal;
	struct wardi_end *end;

	(void)state, (void)args;
	opener = (struct opener){0};
	end = wardi_end_connect(ward_self_system(self), "server", false, &refusal);
	ward_assert(end != NULL);
	opener.stream = wardi_wired_make(end);
	ward_assert(opener.stream != NULL);
	ward_assert_ok(opener.stream->transport->want(self, opener.stream, WARDI_WRITABLE));
	return WARD_DONE;
}

static ward_result open_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	opener.told = opener.stream->transport->told(opener.stream, msg);
	opener.error = opener.stream->transport->error(opener.stream);
	return opener.told == 0 ? WARD_UNHANDLED : ward_stop_self(self);
}

static const ward_behavior opening = {.name = "opener", .init = open_init, .receive = open_receive};

static void check_open(int error)
{
	(void)ward_kit_spawn(scene.kit, &opening);
	run();
	ward_assert_eq(opener.told, 0);
	wait();
	ward_assert_eq(opener.told & WARDI_WRITABLE, WARDI_WRITABLE);
	ward_assert_eq(opener.error, error);
	wardi_stream_free(opener.stream);
}

WARD_TEST(connect_is_writable_when_it_is_answered_and_its_error_tells, "S158")
{
	start_kit(false);
	scene.network = start_network(&(struct ward_net_sim_options){.delay = 1000});
	run();
	check_open(ECONNREFUSED);
	scene.listener = listen_at("sim:server");
	run();
	check_open(0);
	ward_assert_eq(scene.sessions, 1);
	wait();
	ward_assert_eq(counts().wires, 0);
	finish();
}

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

WARD_TEST(reset_of_the_network_is_seen_by_both_ends, "S156")
{
	start(&(struct ward_net_sim_options){.reset = 1000}, false);
	say(CLIENT, "question");
	wait();
	ward_assert_eq(counts().resets, 1);
	for (int side = 0; side < ROLES; side++) {
		ward_assert_str(scene.sides[side].class_name, "ward_peer_lost");
		ward_assert_eq(scene.sides[side].error, ECONNRESET);
	}
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
