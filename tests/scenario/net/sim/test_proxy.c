/* SPDX-License-Identifier: MIT
 *
 * test_proxy.c - a proxy in the network of a simulation: a pipe from an accepted stream to an
 * opened one, and back; its end, and that of its listener.
 */
#include "sim_scene.h"

static const ward_stream_options raw = {.half_close = true, .connect_tries = 6};

/* ---- the proxy --------------------------------------------------------------------------- */

static struct proxied {
	ward_ref front, relay;
	char class_name[32]; /* of the failure of the relay; "": none */
	char news[40];       /* of the opened stream: a letter for each */
} proxied;

struct relay {
	ward_stream *client, *server;
};

static ward_result relay_init(ward_self *self, void *state, const void *args)
{
	struct relay *me = state;

	proxied.relay = ward_self_ref(self);
	me->client = ward_stream_start(self, args, &raw);
	me->server = ward_stream_open(self, "sim:server", &raw);
	ward_stream_pipe(self, me->client, me->server);
	ward_stream_pipe(self, me->server, me->client);
	return WARD_DONE;
}

static ward_result relay_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct relay *me = state;
	ward_result result = ward_stream_result(self, me->client, msg);
	uint32_t news;

	if (result != WARD_UNHANDLED)
		return result;
	result = ward_stream_result(self, me->server, msg);
	news = ward_stream_news(me->server);
	if (news & (WARD_STREAM_RETRY | WARD_STREAM_OPENED | WARD_STREAM_CLOSING))
		strcat(proxied.news, news & WARD_STREAM_RETRY    ? "r"
				     : news & WARD_STREAM_OPENED ? "o"
								 : "c");
	return result;
}

static const ward_behavior relay = {.name = "relay",
				    .state_size = sizeof(struct relay),
				    .args = &ward_type_ward_connection,
				    .init = relay_init,
				    .receive = relay_receive};

static ward_directive note_relay(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self, (void)child;
	snprintf(proxied.class_name, sizeof proxied.class_name, "%s",
		 ward_failure_class_of(failure)->name);
	return WARD_STOP;
}

static const ward_strategy noting = {.decide = note_relay, .quiet = true};

/* ---- the scene --------------------------------------------------------------------------- */

static void begin(const struct ward_net_sim_options *faults, bool half_close)
{
	struct ward_listener at = {
		.address = "sim:front", .child = {.behavior = &relay}, .drain_ms = 3000};

	proxied = (struct proxied){.class_name = ""};
	start_kit(half_close);
	scene.network = start_network(faults);
	run();
	proxied.front =
		ward_kit_spawn(scene.kit, &ward_listen, .args = {WARD_COPY(ward_listener, &at)},
			       .child_strategy = &noting);
	run();
}

static void listen_there(void)
{
	scene.listener = listen_at("sim:server");
	run();
}

static void connect_client(void)
{
	struct ward_connection connection;

	ward_assert_ok(ward_net_sim_connect(ward_kit_system(scene.kit), "sim:front", &connection));
	scene.sides[CLIENT].ref = ward_kit_spawn(scene.kit, &end_behavior, .args_given = true,
						 .args = {WARD_COPY(ward_connection, &connection)});
	run();
	ward_kit_advance(scene.kit, 1);
}

static void begin_connected(const struct ward_net_sim_options *faults, bool half_close)
{
	begin(faults, half_close);
	listen_there();
	connect_client();
}

static bool is_alive(ward_ref who)
{
	return ward_kit_is_alive(scene.kit, who);
}

static void drain(void)
{
	ward_kit_tell(scene.kit, proxied.front, ward_listener_drain);
	run();
	ward_kit_advance(scene.kit, 1);
}

static void check_all_ended(void)
{
	ward_assert(!is_alive(proxied.relay));
	ward_assert_str(proxied.class_name, "");
	ward_assert(!lives(CLIENT) && !lives(SESSION));
	ward_assert_str(scene.sides[CLIENT].class_name, "");
	ward_assert_str(scene.sides[SESSION].class_name, "");
	ward_assert_eq(counts().wires, 0);
}

/* ---- pipes ------------------------------------------------------------------------------- */

WARD_TEST(pipe_of_an_accepted_and_an_opened_stream_passes_bytes_both_ways, "S151", "S155")
{
	begin_connected(&(struct ward_net_sim_options){.cut = 700, .delay = 500, .window = 3000},
			false);
	tell(CLIENT, SAY_LONG);
	wait();
	check_long(SESSION);
	tell(SESSION, SAY_LONG);
	wait();
	check_long(CLIENT);
	ward_assert(counts().cuts > 0 && counts().delays > 0);
	ward_assert_str(proxied.news, "o");
	finish();
}

WARD_TEST(end_of_the_client_passes_and_the_answer_comes_back, "S152", "S156")
{
	begin_connected(&fine, true);
	say(CLIENT, "last");
	tell(CLIENT, FINISH);
	ward_assert_str(got(SESSION), "last");
	ward_assert_eq(scene.sides[SESSION].news, WARD_STREAM_ENDED);
	say(SESSION, "answer");
	ward_assert_str(got(CLIENT), "answer");
	tell(SESSION, FINISH);
	wait();
	check_all_ended();
	finish();
}

WARD_TEST(reset_of_the_server_is_one_for_the_client, "S152", "S157")
{
	begin_connected(&fine, false);
	say(CLIENT, "question");
	tell(SESSION, ABORT);
	ward_assert_str(proxied.class_name, "ward_peer_lost");
	ward_assert_str(scene.sides[CLIENT].class_name, "ward_peer_lost");
	ward_assert_eq(scene.sides[CLIENT].error, ECONNRESET);
	finish();
}

WARD_TEST(what_the_client_writes_waits_while_the_server_is_tried, "S143", "S151")
{
	begin(&fine, false);
	connect_client();
	say(CLIENT, "early");
	ward_assert_str(proxied.news, "r");
	listen_there();
	wait();
	ward_assert_str(proxied.news, "ro");
	ward_assert_str(got(SESSION), "early");
	finish();
}

WARD_TEST(server_that_refuses_all_tries_is_a_reset_for_the_client, "S143", "S152")
{
	begin(&(struct ward_net_sim_options){0}, false);
	connect_client();
	wait();
	ward_assert_str(proxied.news, "rrrrr");
	ward_assert_str(proxied.class_name, "ward_not_connected");
	ward_assert_str(scene.sides[CLIENT].class_name, "ward_peer_lost");
	ward_assert_eq(counts().wires, 0);
	finish();
}

/* ---- the end of the listener ------------------------------------------------------------- */

WARD_TEST(drained_proxy_ends_both_sides_at_once, "S141", "S152")
{
	begin_connected(&fine, false);
	say(CLIENT, "question");
	say(SESSION, "answer");
	drain();
	ward_assert(!is_alive(proxied.front));
	ward_assert_str(got(CLIENT), "answer");
	check_all_ended();
	finish();
}

WARD_TEST(drained_proxy_waits_for_the_answer_of_its_server, "S141", "S152")
{
	begin_connected(&fine, true);
	say(CLIENT, "question");
	drain();
	ward_assert_eq(scene.sides[SESSION].news, WARD_STREAM_ENDED);
	ward_kit_advance(scene.kit, 2000);
	ward_assert(is_alive(proxied.front));
	say(SESSION, "answer");
	ward_assert_str(got(CLIENT), "answer");
	tell(SESSION, FINISH);
	ward_kit_advance(scene.kit, 1);
	ward_assert(!is_alive(proxied.front));
	tell(CLIENT, FINISH);
	wait();
	check_all_ended();
	finish();
}

WARD_TEST(drained_proxy_is_stopped_in_time_if_its_server_never_ends, "S141")
{
	begin_connected(&fine, true);
	drain();
	ward_kit_advance(scene.kit, 2990);
	ward_assert(is_alive(proxied.front));
	ward_kit_advance(scene.kit, 20);
	ward_assert(!is_alive(proxied.front) && !is_alive(proxied.relay));
	finish();
}

WARD_TEST_MAIN
