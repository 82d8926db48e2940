/* SPDX-License-Identifier: MIT
 *
 * test_network.c - the network of a simulation: each fault by itself, names, its end.
 */
#include "sim_scene.h"

/* ---- faults ------------------------------------------------------------------------------ */

WARD_TEST(cut_and_late_bytes_come_whole_and_in_order, "S155", "S157")
{
	start(&(struct ward_net_sim_options){.cut = 700, .delay = 500, .window = 3000}, false);
	wait();
	tell(CLIENT, SAY_LONG);
	tell(SESSION, SAY_LONG);
	ward_assert(scene.sides[SESSION].count < LONG);
	wait();
	check_long(SESSION);
	check_long(CLIENT);
	ward_assert(counts().cuts > 0);
	ward_assert(counts().delays > 0);
	finish();
}

WARD_TEST(narrow_connection_has_a_window_of_64_bytes_at_most, "S157")
{
	start(&(struct ward_net_sim_options){.narrow = 1000}, false);
	tell(SESSION, PAUSE);
	tell(CLIENT, SAY_LONG);
	ward_assert(scene.sides[CLIENT].unsent >= LONG - 64);
	ward_assert_eq(counts().narrows, 1);
	finish();
}

WARD_TEST(stall_holds_up_what_is_behind_it, "S157")
{
	start(&(struct ward_net_sim_options){.stall = 1000, .stall_ms = 1}, false);
	ward_kit_advance(scene.kit, 1);
	say(CLIENT, "a");
	say(CLIENT, "b");
	ward_assert_str(got(SESSION), "");
	ward_kit_advance(scene.kit, 1);
	ward_assert_str(got(SESSION), "ab");
	ward_assert_eq(counts().stalls, 3); /* the connect, too */
	ward_assert_eq(notes("stalled"), 3);
	finish();
}

WARD_TEST(reset_of_the_network_is_seen_by_both_ends, "S157")
{
	start(&(struct ward_net_sim_options){.reset = 1000}, false);
	say(CLIENT, "question");
	ward_assert(scene.sides[SESSION].count < strlen("question"));
	for (int role = 0; role < ROLES; role++) {
		ward_assert_str(scene.sides[role].class_name, "ward_peer_lost");
		ward_assert_eq(scene.sides[role].error, ECONNRESET);
	}
	ward_assert_eq(counts().resets, 1);
	ward_assert_eq(notes("reset"), 1);
	ward_assert_eq(counts().wires, 0);
	finish();
}

WARD_TEST(half_close_of_the_network_is_an_end_and_a_reset_for_who_writes_on, "S157")
{
	start(&(struct ward_net_sim_options){.half_close = 1000}, true);
	say(CLIENT, "question");
	ward_assert_str(got(SESSION), "question");
	ward_assert_eq(scene.sides[SESSION].news, WARD_STREAM_ENDED);
	ward_assert_eq(counts().half_closes, 1);
	ward_assert_eq(notes("half-closed"), 1);
	ward_assert_eq(counts().resets, 0);
	ward_assert(lives(CLIENT) && lives(SESSION));
	say(CLIENT, "more");
	ward_assert_str(scene.sides[CLIENT].class_name, "ward_peer_lost");
	ward_assert_str(scene.sides[SESSION].class_name, "ward_peer_lost");
	ward_assert_eq(counts().resets, 1);
	finish();
}

WARD_TEST(refused_connect_fails_the_stream, "S157", "S158")
{
	start(&(struct ward_net_sim_options){.refuse = 1000}, false);
	ward_assert_str(scene.sides[CLIENT].class_name, "ward_peer_lost");
	ward_assert_eq(scene.sides[CLIENT].error, ECONNREFUSED);
	ward_assert_eq(counts().refusals, 1);
	ward_assert_eq(notes("refused"), 1);
	ward_assert_eq(counts().wires, 0);
	finish();
}

WARD_TEST(accept_without_descriptors_makes_the_listener_wait, "S157", "S158")
{
	start(&(struct ward_net_sim_options){.descriptors = 1000}, false);
	say(CLIENT, "question");
	wait();
	ward_assert_eq(scene.sessions, 0);
	ward_assert(counts().descriptors > 1);
	ward_net_sim_faults_end(ward_kit_system(scene.kit));
	wait();
	ward_assert_eq(scene.sessions, 1);
	ward_assert_str(got(SESSION), "question");
	finish();
}

/* ---- names, and the end ------------------------------------------------------------------ */

WARD_TEST(connect_where_nobody_listens_is_refused, "S158")
{
	start_kit(false);
	scene.network = start_network(&fine);
	run();
	spawn_client();
	run();
	ward_assert_eq(scene.sides[CLIENT].error, ECONNREFUSED);
	ward_assert_eq(counts().refusals, 0);
	finish();
}

WARD_TEST(end_of_a_listener_resets_those_that_wait_and_frees_the_name, "S158")
{
	start_kit(false);
	scene.network = start_network(&(struct ward_net_sim_options){.descriptors = 1000});
	run();
	scene.listener = listen_at("sim:server");
	run();
	spawn_client();
	run();
	ward_kit_stop(scene.kit, scene.listener);
	run();
	ward_assert_eq(scene.sides[CLIENT].error, ECONNRESET);
	scene.listener = listen_at("sim:server");
	run();
	ward_net_sim_faults_end(ward_kit_system(scene.kit));
	spawn_client();
	run();
	ward_assert_eq(scene.sessions, 1);
	finish();
}

WARD_TEST(name_has_one_listener, "S158")
{
	ward_ref second;

	start(&fine, false);
	second = listen_at("sim:server");
	run();
	ward_assert(!ward_kit_is_alive(scene.kit, second));
	ward_assert(ward_kit_is_alive(scene.kit, scene.listener));
	finish();
}

WARD_TEST(without_a_network_nobody_listens_or_connects, "S158", "S159")
{
	struct ward_connection connection = {NULL, NULL};
	struct ward_net_sim_counts none;

	start_kit(false);
	scene.listener = listen_at("sim:server");
	run();
	ward_assert(!ward_kit_is_alive(scene.kit, scene.listener));
	ward_assert_err(ward_net_sim_connect(ward_kit_system(scene.kit), "sim:server", &connection),
			WARD_ENOENT);
	ward_assert(!ward_net_sim_look(ward_kit_system(scene.kit), &none));
	ward_net_sim_faults_end(ward_kit_system(scene.kit));
	finish();
}

WARD_TEST(connect_refuses_other_addresses, "S158")
{
	struct ward_connection connection = {NULL, NULL};

	start(&fine, false);
	ward_assert_err(
		ward_net_sim_connect(ward_kit_system(scene.kit), "tcp:127.0.0.1:7000", &connection),
		WARD_EINVAL);
	ward_assert_err(ward_net_sim_connect(ward_kit_system(scene.kit), NULL, &connection),
			WARD_EINVAL);
	ward_assert_eq(counts().connects, 1);
	finish();
}

WARD_TEST(end_of_the_network_resets_its_connections, "S159")
{
	start(&fine, false);
	say(CLIENT, "question");
	ward_kit_stop(scene.kit, scene.network);
	run();
	for (int role = 0; role < ROLES; role++)
		ward_assert_eq(scene.sides[role].error, ECONNRESET);
	scene.network = start_network(&fine);
	run();
	ward_assert_eq(counts().connects, 0);
	spawn_client();
	run();
	ward_assert_eq(scene.sides[CLIENT].error, ECONNREFUSED);
	finish();
}

/* The class of the failure of an actor that ends in its start. */
static void check_refused(const struct ward_net_sim_options *options)
{
	ward_ref second = ward_kit_spawn(scene.kit, &ward_net_sim,
					 .args = {WARD_COPY(ward_net_sim_options, options)});

	run();
	ward_assert(!ward_kit_is_alive(scene.kit, second));
}

WARD_TEST(network_is_refused_twice_or_with_wrong_chances, "S159")
{
	start_kit(false);
	check_refused(&(struct ward_net_sim_options){.cut = 1001});
	check_refused(&(struct ward_net_sim_options){.delay_ms = -1});
	check_refused(&(struct ward_net_sim_options){.reserved = {0, 1}});
	scene.network = start_network(&fine);
	run();
	ward_assert(ward_kit_is_alive(scene.kit, scene.network));
	check_refused(&fine);
	finish();
}

WARD_TEST(network_is_refused_on_threads, "S159")
{
	scene = (struct scene){0};
	scene.kit = ward_kit_start(
		&(ward_kit_options){.real_threads = true, .system = {.user_strategy = &watching}});
	scene.network = start_network(&fine);
	ward_kit_run_until_state(scene.kit, scene.network, WARD_STATE_GONE);
	finish();
}

WARD_TEST_MAIN
