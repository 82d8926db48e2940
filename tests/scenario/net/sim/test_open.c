/* SPDX-License-Identifier: MIT
 *
 * test_open.c - streams that are opened, and connectors, in the network of a simulation: what
 * it does to a connect is what a machine does to one.
 */
#include "sim_scene.h"

WARD_SIGNAL(order_restart);
WARD_SIGNAL(order_open);

static struct opened {
	const char *address;
	int64_t begin_ms;
	char log[400];                /* "retry 100" is at 100 ms */
	char peer[WARD_ADDRESS_TEXT]; /* while it connects */
	char text[256];               /* of the last failure */
	char class_name[32];          /* of it */
	int error;
	ward_directive decided;
	ward_ref ref;
} opened;

/* ---- who opens --------------------------------------------------------------------------- */

static void note(ward_self *self, const char *what)
{
	size_t used = strlen(opened.log);

	snprintf(opened.log + used, sizeof opened.log - used, "%s%s %lld", used > 0 ? ", " : "",
		 what, (long long)(ward_now_ns(self) / WARD_NS_PER_MS - opened.begin_ms));
}

static ward_result opener_init(ward_self *self, void *state, const void *args)
{
	struct end *me = state;

	(void)args;
	me->side = &scene.sides[CLIENT];
	me->side->ref = ward_self_ref(self);
	me->stream = ward_stream_open(self, opened.address, &scene.options);
	(void)ward_stream_peer(me->stream, opened.peer);
	return WARD_DONE;
}

static ward_result opener_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct end *me = state;
	ward_result result;

	if (ward_match(msg, order_open)) {
		me->stream = ward_stream_open(self, opened.address, &scene.options);
		return WARD_DONE;
	}
	if (ward_match(msg, order_restart))
		return ward_failed(self, &ward_exception, "restart");
	result = end_receive(self, state, msg);
	if (ward_match(msg, order))
		return result; /* there is no news in it */
	if (ward_stream_news(me->stream) & WARD_STREAM_RETRY)
		note(self, "retry");
	if (ward_stream_news(me->stream) & WARD_STREAM_OPENED) {
		note(self, "opened");
		(void)ward_stream_peer(me->stream, me->side->peer);
	}
	return result;
}

static const ward_behavior opener = {.name = "opener",
				     .state_size = sizeof(struct end),
				     .init = opener_init,
				     .receive = opener_receive};

static ward_directive note_failure(ward_self *self, ward_ref child, const ward_failure *failure)
{
	const struct ward_net_error *body = ward_failure_body(failure, ward_net_error);

	(void)self, (void)child;
	opened.error = body != NULL ? body->error : 0;
	snprintf(opened.class_name, sizeof opened.class_name, "%s",
		 ward_failure_class_of(failure)->name);
	snprintf(opened.text, sizeof opened.text, "%s", ward_failure_text(failure));
	return opened.decided;
}

static const ward_strategy noting = {.decide = note_failure, .quiet = true};

/* ---- the scene: it begins at 0 ms, and each pause is exact -------------------------------- */

static void begin(const struct ward_net_sim_options *faults, const ward_stream_options *options)
{
	scene = (struct scene){.options = *options};
	opened = (struct opened){.address = "sim:server", .decided = WARD_STOP};
	scene.kit = ward_kit_start(
		&(ward_kit_options){.may_leave_mail = true, .system = {.user_strategy = &noting}});
	if (faults != NULL)
		scene.network = start_network(faults);
	run();
	opened.begin_ms = ward_kit_now_ms(scene.kit);
}

static void spawn_opener(void)
{
	opened.ref = ward_kit_spawn(scene.kit, &opener);
	run();
	ward_kit_advance(scene.kit, 1); /* the first try */
}

static void listen_there(void)
{
	scene.listener = listen_at("sim:server");
	run();
}

static int noted(const char *what)
{
	int count = 0;

	for (const char *at = opened.log; (at = strstr(at, what)) != NULL; at++)
		count++;
	return count;
}

static void check_failure(const char *class_name, int error, const char *text)
{
	ward_assert_str(opened.class_name, class_name);
	ward_assert_eq(opened.error, error);
	ward_assert_str(opened.text, text);
	ward_assert(!ward_kit_is_alive(scene.kit, opened.ref));
}

/* ---- connects ---------------------------------------------------------------------------- */

WARD_TEST(opened_stream_is_connected_to_the_listener_of_the_name, "S142", "S158")
{
	begin(&fine, &(ward_stream_options){.framing = WARD_RAW});
	listen_there();
	opened.ref = ward_kit_spawn(scene.kit, &opener);
	run();
	say(CLIENT, "early");
	wait();
	ward_assert_str(opened.log, "opened 0");
	ward_assert_str(opened.peer, "sim:server");
	ward_assert_str(scene.sides[CLIENT].peer, "sim:server");
	ward_assert_str(scene.sides[SESSION].peer, "sim:server#1");
	ward_assert_str(got(SESSION), "early");
	say(SESSION, "answer");
	ward_assert_str(got(CLIENT), "answer");
	finish();
}

WARD_TEST(refusal_is_followed_by_a_pause_and_another_try, "S143", "S158")
{
	begin(&fine, &(ward_stream_options){.connect_tries = 9, .min_backoff_ms = 1000});
	spawn_opener();
	say(CLIENT, "early");
	ward_assert_str(opened.log, "retry 0");
	ward_kit_advance(scene.kit, 999);
	ward_assert_eq(noted("retry"), 1);
	ward_kit_advance(scene.kit, 600);
	ward_assert_eq(noted("retry"), 2);
	listen_there();
	ward_assert_eq(scene.sessions, 0);
	wait();
	ward_assert_eq(noted("retry"), 2);
	ward_assert_eq(noted("opened"), 1);
	ward_assert_eq(counts().connects, 3);
	ward_assert_eq(counts().refusals, 0); /* the network itself refused none */
	ward_assert_str(got(SESSION), "early");
	finish();
}

WARD_TEST(refusals_of_the_network_end_with_the_last_try, "S143", "S157")
{
	begin(&(struct ward_net_sim_options){.refuse = 1000},
	      &(ward_stream_options){.connect_tries = 3});
	listen_there();
	spawn_opener();
	wait();
	ward_assert_eq(noted("retry"), 2);
	check_failure("ward_not_connected", ECONNREFUSED,
		      "sim:server: connect: Connection refused: nobody listens there; 3 tries");
	ward_assert_eq(counts().refusals, 3);
	ward_assert_eq(counts().connects, 3);
	ward_assert_eq(counts().wires, 0);
	finish();
}

WARD_TEST(stalled_connect_ends_with_the_time_of_its_try, "S143", "S157")
{
	begin(&(struct ward_net_sim_options){.stall = 1000, .stall_ms = WARD_HOUR},
	      &(ward_stream_options){.connect_tries = 2, .connect_ms = 1000});
	listen_there();
	spawn_opener();
	ward_kit_advance(scene.kit, 998); /* to 999 */
	ward_assert_eq(counts().wires, 1);
	ward_assert_str(opened.log, "");
	ward_kit_advance(scene.kit, 1);
	ward_assert_str(opened.log, "retry 1000");
	ward_assert_eq(counts().wires, 0);
	wait();
	check_failure(
		"ward_not_connected", ETIMEDOUT,
		"sim:server: connect: Connection timed out: no answer within 1.000 s; 2 tries");
	ward_assert_eq(counts().stalls, 2);
	ward_assert_eq(counts().wires, 0);
	ward_kit_advance(scene.kit, 2 * WARD_HOUR); /* neither arrives */
	ward_assert_eq(scene.sessions, 0);
	finish();
}

WARD_TEST(delayed_connect_is_waited_for, "S142", "S157")
{
	begin(&(struct ward_net_sim_options){.delay = 1000, .delay_ms = 5000},
	      &(ward_stream_options){.framing = WARD_RAW});
	listen_there();
	spawn_opener();
	ward_assert_str(opened.log, "");
	wait();
	ward_assert_eq(noted("opened"), 1);
	ward_assert(strcmp(opened.log, "opened 0") != 0);
	ward_assert_eq(noted("retry"), 0);
	ward_assert(counts().delays > 0);
	finish();
}

WARD_TEST(connect_without_descriptors_is_tried_again, "S143", "S157")
{
	begin(&(struct ward_net_sim_options){.descriptors = 1000},
	      &(ward_stream_options){.connect_tries = 9});
	listen_there();
	spawn_opener();
	ward_assert_str(opened.log, "retry 0");
	ward_assert_eq(counts().connects, 0);
	ward_assert_eq(counts().descriptors, 1);
	ward_assert_eq(notes("wire 1: not begun: no descriptor"), 1);
	ward_net_sim_faults_end(ward_kit_system(scene.kit));
	wait();
	ward_assert_eq(noted("opened"), 1);
	ward_assert_eq(scene.sessions, 1);
	finish();
}

WARD_TEST(last_try_without_descriptors_names_the_call, "S143")
{
	begin(&(struct ward_net_sim_options){.descriptors = 1000}, &(ward_stream_options){0});
	spawn_opener();
	check_failure("ward_not_connected", EMFILE, "sim:server: socket: Too many open files");
	finish();
}

WARD_TEST(without_a_network_a_try_is_refused, "S158")
{
	begin(NULL, &(ward_stream_options){.connect_tries = 9});
	spawn_opener();
	ward_assert_str(opened.log, "retry 0");
	scene.network = start_network(&fine);
	run();
	listen_there();
	wait();
	ward_assert_eq(noted("opened"), 1);
	ward_kit_stop(scene.kit, opened.ref);
	ward_kit_stop(scene.kit, scene.network);
	run();
	scene.options.connect_tries = 1;
	spawn_opener();
	check_failure("ward_not_connected", ENETDOWN,
		      "sim:server: connect: Network is down: the system has no ward_net_sim, which "
		      "is the network of a simulation");
	finish();
}

WARD_TEST(end_of_the_network_ends_a_connect_and_the_next_try_finds_another, "S158", "S159")
{
	begin(&(struct ward_net_sim_options){.delay = 1000, .delay_ms = 5000},
	      &(ward_stream_options){.connect_tries = 9});
	spawn_opener();
	ward_kit_stop(scene.kit, scene.network);
	run();
	ward_assert_eq(noted("retry"), 1);
	scene.network = start_network(&fine);
	run();
	listen_there();
	wait();
	ward_assert_eq(noted("opened"), 1);
	finish();
}

/* ---- its end while it connects ----------------------------------------------------------- */

static void check_nothing_is_left(void)
{
	ward_assert_eq(counts().wires, 0);
	wait();
	ward_assert_eq(scene.sessions, 0);
	ward_assert_str(opened.log, "");
	finish();
}

static void begin_late(void)
{
	begin(&(struct ward_net_sim_options){.delay = 1000, .delay_ms = 5000},
	      &(ward_stream_options){.connect_tries = 9});
	listen_there();
	spawn_opener();
	ward_assert_eq(counts().wires, 1);
}

WARD_TEST(stop_of_the_actor_ends_a_connect, "S144")
{
	begin_late();
	ward_kit_stop(scene.kit, opened.ref);
	run();
	check_nothing_is_left();
}

WARD_TEST(abort_ends_a_connect, "S144")
{
	begin_late();
	tell(CLIENT, ABORT);
	check_nothing_is_left();
}

WARD_TEST(aborted_connect_does_not_touch_the_next_one_of_its_actor, "S142", "S144")
{
	begin_late();
	tell(CLIENT, ABORT);
	ward_kit_tell(scene.kit, opened.ref, order_open);
	wait();
	ward_assert_eq(noted("opened"), 1);
	ward_assert_eq(scene.sessions, 1);
	finish();
}

WARD_TEST(close_of_a_stream_to_which_nothing_was_written_ends_a_connect, "S142")
{
	begin_late();
	tell(CLIENT, CLOSE);
	check_nothing_is_left();
}

WARD_TEST(restart_ends_a_connect_and_begins_another, "S144")
{
	begin_late();
	opened.decided = WARD_RESTART;
	ward_kit_tell(scene.kit, opened.ref, order_restart);
	run();
	ward_assert_eq(counts().wires, 0);
	ward_kit_advance(scene.kit, 1);
	ward_assert_eq(counts().connects, 2);
	ward_assert_eq(counts().wires, 1);
	wait();
	ward_assert_eq(noted("opened"), 1);
	ward_assert_eq(scene.sessions, 1);
	finish();
}

/* ---- faults of one that is open ---------------------------------------------------------- */

static void begin_open(const struct ward_net_sim_options *faults,
		       const ward_stream_options *options)
{
	begin(faults, options);
	listen_there();
	spawn_opener();
	wait();
	ward_assert_eq(noted("opened"), 1);
}

WARD_TEST(reset_within_a_frame_fails_the_opened_stream, "S157")
{
	begin_open(&(struct ward_net_sim_options){.reset = 1000},
		   &(ward_stream_options){.framing = WARD_LINES});
	say(SESSION, "a line\n");
	check_failure("ward_peer_lost", ECONNRESET, "sim:server: read: Connection reset by peer");
	ward_assert_eq(counts().resets, 1);
	ward_assert_str(got(CLIENT), "");
	ward_assert_eq(counts().wires, 0);
	finish();
}

WARD_TEST(end_within_a_frame_is_cut_off, "S157")
{
	begin_open(&(struct ward_net_sim_options){.half_close = 1000},
		   &(ward_stream_options){.framing = WARD_PREFIX(1)});
	say(SESSION, "\x09"
		     "half");
	check_failure("ward_peer_cut_off", 0,
		      "sim:server: read: the connection ended within a frame");
	ward_assert_eq(counts().half_closes, 1);
	finish();
}

WARD_TEST(half_close_is_news_of_the_opened_stream_and_it_writes_on, "S156", "S157")
{
	begin_open(&(struct ward_net_sim_options){.half_close = 1000},
		   &(ward_stream_options){.half_close = true});
	say(SESSION, "last");
	ward_assert_str(got(CLIENT), "last");
	ward_assert(scene.sides[CLIENT].news & WARD_STREAM_ENDED);
	ward_assert_eq(counts().half_closes, 1);
	ward_net_sim_faults_end(ward_kit_system(scene.kit));
	say(CLIENT, "answer");
	ward_assert_str(got(SESSION), "answer");
	tell(CLIENT, FINISH);
	wait();
	ward_assert(!ward_kit_is_alive(scene.kit, opened.ref));
	ward_assert_str(opened.class_name, "");
	say(SESSION, "more"); /* that the network has ended this direction shows now */
	ward_assert_str(scene.sides[SESSION].class_name, "ward_peer_lost");
	finish();
}

WARD_TEST(stall_meets_the_limit_of_time, "S157")
{
	begin(&(struct ward_net_sim_options){.stall = 1000, .stall_ms = WARD_HOUR},
	      &(ward_stream_options){.first_ms = 4000, .connect_ms = 2 * WARD_HOUR});
	listen_there();
	spawn_opener();
	ward_kit_advance(scene.kit, 4999);
	check_failure("ward_peer_idle", 0, "sim:server: read: no first frame for 4.000 s");
	ward_assert_eq(counts().stalls, 1);
	finish();
}

/* ---- connectors -------------------------------------------------------------------------- */

static void spawn_connector(uint32_t tries_max)
{
	struct ward_connector to = {.address = opened.address,
				    .child = {.behavior = &end_behavior},
				    .min_backoff_ms = 1000,
				    .max_backoff_ms = 1000,
				    .tries_max = tries_max};

	opened.ref =
		ward_kit_spawn(scene.kit, &ward_connect, .args = {WARD_COPY(ward_connector, &to)});
	run();
	ward_kit_advance(scene.kit, 1);
}

WARD_TEST(connector_tries_until_somebody_listens_and_connects_again_after_an_end, "S145", "S146",
	  "S158")
{
	begin(&fine, &(ward_stream_options){.framing = WARD_RAW});
	spawn_connector(0);
	ward_kit_advance(scene.kit, 3000);
	ward_assert_eq(counts().connects, 4); /* at 0, 1000, 2000 and 3000 */
	listen_there();
	ward_kit_advance(scene.kit, 1000);
	ward_assert_eq(scene.sessions, 1);
	say(CLIENT, "one");
	ward_assert_str(got(SESSION), "one");
	tell(SESSION, ABORT);
	ward_kit_advance(scene.kit, 1000);
	ward_assert_eq(scene.sessions, 2);
	say(CLIENT, "two");
	ward_assert_str(got(SESSION), "two");
	ward_assert_eq(counts().connects, 6);
	ward_kit_stop(scene.kit, opened.ref);
	wait();
	ward_assert(!lives(CLIENT));
	ward_assert_eq(counts().connects, 6);
	finish();
}

WARD_TEST(connector_gives_up_after_the_last_refusal, "S146", "S157")
{
	begin(&(struct ward_net_sim_options){.refuse = 1000}, &(ward_stream_options){0});
	listen_there();
	spawn_connector(3);
	wait();
	check_failure("ward_not_connected", ECONNREFUSED,
		      "sim:server: connect: Connection refused: nobody listens there; 3 tries");
	ward_assert_eq(counts().refusals, 3);
	ward_assert_eq(counts().wires, 0);
	finish();
}

WARD_TEST_MAIN
