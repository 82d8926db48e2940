/* SPDX-License-Identifier: MIT
 *
 * test_stream_open.c - an actor opens streams, to ports of this machine.
 */
#include "open_scene.h"

WARD_SIGNAL(order_fail);
WARD_SIGNAL(order_stop);
WARD_SIGNAL(order_close);
WARD_SIGNAL(order_finish);
WARD_SIGNAL(order_abort);
WARD_SIGNAL(order_look);

static const ward_stream_options by_line = {.framing = WARD_LINES};

static struct scene {
	ward_kit *kit;
	ward_ref client;
	char address[80], peer[WARD_ADDRESS_TEXT];
	ward_stream_options options;
	const char *greeting; /* written at once; NULL: nothing */
	int64_t begin_ms;
	char log[600]; /* "retry 100" is at 100 ms */
	ward_err refused;
} scene;

/* ---- the client -------------------------------------------------------------------------- */

struct client {
	ward_stream *stream;
};

static void note(ward_self *self, const char *what)
{
	size_t used = strlen(scene.log);

	snprintf(scene.log + used, sizeof scene.log - used, "%s%s %lld", used > 0 ? ", " : "", what,
		 (long long)(ward_now_ns(self) / WARD_NS_PER_MS - scene.begin_ms));
}

static ward_result client_init(ward_self *self, void *state, const void *args)
{
	struct client *me = state;

	(void)args;
	me->stream = ward_stream_open(self, scene.address, &scene.options);
	ward_stream_peer(me->stream, scene.peer);
	if (scene.greeting != NULL)
		ward_stream_printf(self, me->stream, "%s", scene.greeting);
	return WARD_DONE;
}

/* False: it is not an order. */
static bool obey(ward_self *self, struct client *me, const ward_msg *msg, ward_result *ret_result)
{
	*ret_result = WARD_DONE;
	if (ward_match(msg, order_fail))
		*ret_result = ward_failed(self, &ward_exception, "told to");
	else if (ward_match(msg, order_stop))
		*ret_result = ward_stop_self(self);
	else if (ward_match(msg, order_close))
		ward_stream_close(self, me->stream);
	else if (ward_match(msg, order_finish))
		ward_stream_finish(self, me->stream);
	else if (ward_match(msg, order_abort))
		ward_stream_abort(self, me->stream);
	else if (ward_match(msg, order_look))
		ward_stream_peer(me->stream, scene.peer);
	else
		return false;
	return true;
}

static ward_result client_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct client *me = state;
	ward_result result;
	ward_frame line;

	if (obey(self, me, msg, &result))
		return result;
	while (ward_stream_next(self, me->stream, msg, &line))
		note(self, line.text);
	result = ward_stream_result(self, me->stream, msg);
	if (ward_stream_news(me->stream) & WARD_STREAM_OPENED)
		note(self, "opened");
	if (ward_stream_news(me->stream) & WARD_STREAM_RETRY)
		note(self, "retry");
	return result;
}

static const ward_behavior client = {.name = "client",
				     .state_size = sizeof(struct client),
				     .init = client_init,
				     .receive = client_receive};

/* ---- the scene: it begins at 0 ms, and each step takes one -------------------------------- */

static void set(const char *greeting, const ward_stream_options *options)
{
	scene = (struct scene){.greeting = greeting, .options = *options};
	scene.options.framing = by_line.framing;
}

static void begin_seeded(uint64_t seed, ward_directive decided)
{
	scene.kit = start_kit(seed, decided);
	scene.begin_ms = ward_kit_now_ms(scene.kit);
	scene.client = ward_kit_spawn(scene.kit, &client);
}

static void to_port(const char *host, int fd)
{
	snprintf(scene.address, sizeof scene.address, "tcp:%s:%u", host, port_of(fd));
}

static void run(void)
{
	ward_kit_run(scene.kit);
	ward_kit_advance(scene.kit, 1);
}

static void begin_deciding(ward_directive decided)
{
	begin_seeded(0, decided);
	run();
}

static void begin(void)
{
	begin_deciding(WARD_STOP);
}

static void order(const ward_type *type)
{
	ward_system_send(ward_kit_system(scene.kit), scene.client, type, NULL, 0);
	run();
}

static bool lives(void)
{
	ward_actor_info info;

	return ward_kit_info(scene.kit, scene.client, &info);
}

/* The client is gone, with that failure. */
static void check_not_connected(const char *what, const char *call, int error)
{
	char text[256];

	snprintf(text, sizeof text, "%s: %s: %s", scene.address, call, what);
	ward_assert(!lives());
	ward_assert_eq(failure.count, 1);
	ward_assert_str(failure.class_name, "ward_not_connected");
	ward_assert_str(failure.text, text);
	ward_assert_str(failure.body.address, scene.address);
	ward_assert_str(failure.body.call, call);
	ward_assert_eq(failure.body.error, error);
}

/* ---- it connects ------------------------------------------------------------------------- */

WARD_TEST(what_is_written_at_once_goes_out_and_lines_come_back, "S142")
{
	int listener = listen_at_port("127.0.0.1", 0), peer;

	set("hello\nand more\n", &(ward_stream_options){0});
	to_port("127.0.0.1", listener);
	begin();
	ward_assert_str(scene.peer, scene.address);
	peer = accept_it(listener);
	ward_assert_str(heard(peer), "hello\nand more\n");
	ward_assert_eq(send(peer, "a\nb\n", 4, MSG_NOSIGNAL), 4);
	run();
	ward_assert_str(scene.log, "opened 0, a 1, b 1");
	order(&ward_type_order_look);
	ward_assert_str(scene.peer, scene.address);
	close(peer);
	run();
	ward_assert(!lives());
	ward_assert_eq(failure.count, 0);
	close(listener);
	ward_kit_finish(scene.kit);
}

WARD_TEST(the_peer_is_the_address_as_given_until_it_is_connected, "S142")
{
	int port = take_port("127.0.0.1", 0), peer;

	set(NULL, &(ward_stream_options){.connect_tries = 2});
	names.list = "127.0.0.1";
	to_port("example.org", port);
	begin();
	order(&ward_type_order_look);
	ward_assert_str(scene.peer, scene.address);
	ward_assert_eq(listen(port, 4), 0);
	ward_kit_advance(scene.kit, 200);
	peer = accept_it(port);
	order(&ward_type_order_look);
	ward_assert_part(scene.peer, "tcp:127.0.0.1:");
	close(peer), close(port);
	ward_kit_finish(scene.kit);
}

WARD_TEST(unix_sockets_are_opened_too_and_a_full_queue_is_refused, "S142", "S143")
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), filler;
	socklen_t size;

	set(NULL, &(ward_stream_options){.connect_tries = 2});
	snprintf(scene.address, sizeof scene.address, "unix:@ward-test-open-%d", getpid());
	size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   strlen(scene.address + strlen("unix:@")));
	memcpy(at.sun_path + 1, scene.address + strlen("unix:@"),
	       strlen(scene.address + strlen("unix:@")));
	ward_assert_eq(bind(listener, (struct sockaddr *)&at, size), 0);
	ward_assert_eq(listen(listener, 0), 0);
	filler = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	ward_assert_eq(connect(filler, (struct sockaddr *)&at, size), 0);
	begin();
	ward_assert_str(scene.log, "retry 0");
	close(accept_it(listener));
	ward_kit_advance(scene.kit, 200);
	ward_assert_part(scene.log, "retry 0, opened 1");
	close(filler), close(listener);
	ward_kit_finish(scene.kit);
}

/* ---- tries ------------------------------------------------------------------------------- */

WARD_TEST(one_refusal_fails_with_the_address_the_call_and_errno, "S143")
{
	int port = take_port("127.0.0.1", 0);

	set("lost\n", &(ward_stream_options){0});
	to_port("127.0.0.1", port);
	begin();
	check_not_connected("Connection refused: nobody listens there", "connect", ECONNREFUSED);
	ward_assert_eq(failure.body.unsent, 5);
	close(port);
	ward_kit_finish(scene.kit);
}

/* Reads "retry 0, retry 105, ..."; checks that each pause is `wanted`, and up to a fifth longer,
 * one at least. */
static void check_pauses(const int *wanted, int count)
{
	const char *at = scene.log;
	long before = 0, least = 0;

	for (int i = 0; i <= count; i++) {
		long now;

		ward_assert_eq(sscanf(at, "retry %ld", &now), 1);
		if (i > 0)
			ward_assert(now - before >= wanted[i - 1] &&
				    now - before <= wanted[i - 1] * 6 / 5);
		least += i > 0 ? wanted[i - 1] : 0;
		before = now;
		at = strstr(at, ", ");
		at = at != NULL ? at + 2 : "";
	}
	ward_assert_str(at, "");
	ward_assert(before > least);
}

WARD_TEST(pauses_double_up_to_the_longest_with_a_random_part_that_a_seed_repeats, "S143")
{
	static const int wanted[] = {100, 200, 400, 500, 500};
	int port = take_port("127.0.0.1", 0);
	char first[sizeof scene.log];

	for (int i = 0; i < 2; i++) {
		set(NULL, &(ward_stream_options){.connect_tries = 7, .max_backoff_ms = 500});
		to_port("127.0.0.1", port);
		begin_seeded(7, WARD_STOP);
		ward_kit_advance(scene.kit, 10 * WARD_SECOND);
		check_pauses(wanted, 5);
		check_not_connected("Connection refused: nobody listens there; 7 tries", "connect",
				    ECONNREFUSED);
		if (i == 0)
			memcpy(first, scene.log, sizeof first);
		ward_kit_finish(scene.kit);
	}
	ward_assert_str(scene.log, first);
	close(port);
}

WARD_TEST(a_later_try_connects_and_what_was_written_waits_for_it, "S143", "S142")
{
	int port = take_port("127.0.0.1", 0), peer;

	set("hello\n", &(ward_stream_options){.connect_tries = 5, .min_backoff_ms = 1000});
	to_port("127.0.0.1", port);
	begin();
	ward_assert_eq(listen(port, 4), 0);
	ward_kit_advance(scene.kit, 998);
	ward_assert_eq(accept_one(port), -1);
	ward_kit_advance(scene.kit, 202);
	peer = accept_it(port);
	ward_assert_str(heard(peer), "hello\n");
	ward_assert_part(scene.log, "retry 0, opened 1");
	close(peer), close(port);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_try_without_an_answer_ends_at_connect_ms, "S143")
{
	struct mute mute = mute_at("127.0.0.1", 0);

	set(NULL, &(ward_stream_options){0});
	to_port("127.0.0.1", mute.listener);
	begin();
	ward_kit_advance(scene.kit, 9998);
	ward_assert(lives());
	ward_kit_advance(scene.kit, 2);
	check_not_connected("Connection timed out: no answer within 10.000 s", "connect",
			    ETIMEDOUT);
	end_mute(mute);
	ward_kit_finish(scene.kit);
}

WARD_TEST(first_ms_counts_from_the_call, "S142")
{
	struct mute mute = mute_at("127.0.0.1", 0);

	set(NULL, &(ward_stream_options){.first_ms = 1000, .idle_ms = 100});
	to_port("127.0.0.1", mute.listener);
	begin();
	ward_kit_advance(scene.kit, 998);
	ward_assert(lives());
	ward_kit_advance(scene.kit, 252);
	ward_assert(!lives());
	ward_assert_str(failure.class_name, "ward_peer_idle");
	ward_assert_part(failure.text, scene.address);
	end_mute(mute);
	ward_kit_finish(scene.kit);
}

WARD_TEST(lost_while_it_connects_it_does_nothing_more, "S142")
{
	struct mute mute = mute_at("127.0.0.1", 0);

	set(NULL, &(ward_stream_options){.first_ms = 1000, .connect_tries = 9});
	to_port("127.0.0.1", mute.listener);
	begin_deciding(WARD_RESUME);
	ward_kit_advance(scene.kit, 1300);
	ward_assert_str(failure.class_name, "ward_peer_idle");
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	ward_assert_eq(ward_kit_stats(scene.kit).fds, 0);
	ward_kit_advance(scene.kit, WARD_MINUTE);
	ward_assert_eq(failure.count, 1);
	end_mute(mute);
	ward_kit_finish(scene.kit);
}

WARD_TEST(other_limits_begin_with_the_connection, "S142")
{
	int port = take_port("127.0.0.1", 0);

	set("x\n",
	    &(ward_stream_options){
		    .connect_tries = 2, .idle_ms = 400, .write_ms = 400, .min_backoff_ms = 1000});
	to_port("127.0.0.1", port);
	begin();
	ward_assert_eq(listen(port, 4), 0);
	ward_kit_advance(scene.kit, 1201);
	ward_assert_part(scene.log, "opened");
	ward_assert(lives());
	ward_kit_advance(scene.kit, 198);
	ward_assert(lives());
	ward_kit_advance(scene.kit, 502);
	ward_assert_str(failure.class_name, "ward_peer_idle");
	close(port);
	ward_kit_finish(scene.kit);
}

WARD_TEST(options_and_addresses_that_cannot_be_are_refused, "S142")
{
	static const char *const wrong[] = {"tcp:*:7000", "tcp:127.0.0.1:0", "fd:3",
					    "systemd:",   "127.0.0.1:7000",  ""};

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		set(NULL, &(ward_stream_options){0});
		snprintf(scene.address, sizeof scene.address, "%s", wrong[i]);
		begin();
		ward_assert(!lives());
		ward_assert_str(failure.class_name, "ward_initialization");
		ward_assert_part(failure.text, "address \"");
		ward_kit_finish(scene.kit);
	}
	set(NULL, &(ward_stream_options){.min_backoff_ms = 2, .max_backoff_ms = 1});
	snprintf(scene.address, sizeof scene.address, "tcp:127.0.0.1:1");
	begin();
	ward_assert_part(failure.text, "max_backoff_ms is 1, less than min_backoff_ms, 2");
	ward_kit_finish(scene.kit);
	set(NULL, &(ward_stream_options){.connect_ms = -1});
	snprintf(scene.address, sizeof scene.address, "tcp:127.0.0.1:1");
	begin();
	ward_assert_part(failure.text, "none may be negative");
	ward_kit_finish(scene.kit);
}

/* ---- it ends early ----------------------------------------------------------------------- */

WARD_TEST(closed_before_it_is_connected_it_sends_what_was_written_or_ends_at_once, "S142")
{
	int port = take_port("127.0.0.1", 0), peer;

	set(NULL, &(ward_stream_options){.connect_tries = 5});
	to_port("127.0.0.1", port);
	begin();
	order(&ward_type_order_close);
	ward_assert(!lives());
	ward_assert_eq(failure.count, 0);
	ward_kit_finish(scene.kit);

	scene.greeting = "bye\n";
	begin();
	order(&ward_type_order_close);
	ward_assert(lives());
	ward_assert_eq(listen(port, 4), 0);
	ward_kit_advance(scene.kit, WARD_SECOND);
	peer = accept_it(port);
	ward_assert_str(heard(peer), "bye\n(end)");
	close(peer), close(port);
	run();
	ward_assert(!lives());
	ward_assert_eq(failure.count, 0);
	ward_kit_finish(scene.kit);
}

WARD_TEST(finished_before_it_is_connected_it_sends_the_end_and_reads_on, "S142")
{
	static const char *const greetings[] = {NULL, "x\n"};
	int port = take_port("127.0.0.1", 0), peer;

	ward_assert_eq(listen(port, 4), 0);
	for (int i = 0; i < 2; i++) {
		set(greetings[i], &(ward_stream_options){0});
		to_port("127.0.0.1", port);
		begin_seeded(0, WARD_STOP);
		order(&ward_type_order_finish);
		run();
		peer = accept_it(port);
		ward_assert_str(heard(peer), i == 0 ? "(end)" : "x\n(end)");
		ward_assert_eq(send(peer, "a\n", 2, MSG_NOSIGNAL), 2);
		run();
		ward_assert_part(scene.log, "a ");
		close(peer);
		run();
		ward_assert(!lives());
		ward_kit_finish(scene.kit);
	}
	close(port);
}

WARD_TEST(aborted_while_it_connects_it_does_nothing_more, "S142")
{
	int port = take_port("127.0.0.1", 0);

	set("x\n", &(ward_stream_options){.connect_tries = 5});
	to_port("127.0.0.1", port);
	begin();
	ward_assert_eq(listen(port, 4), 0);
	order(&ward_type_order_abort);
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	ward_kit_advance(scene.kit, WARD_MINUTE);
	ward_assert_eq(accept_one(port), -1);
	ward_assert(lives());
	order(&ward_type_order_look);
	ward_assert_str(scene.peer, scene.address);
	close(port);
	ward_kit_finish(scene.kit);
}

/* ---- incarnations ------------------------------------------------------------------------ */

WARD_TEST(a_restart_resets_the_stream_and_opens_another, "S144")
{
	int listener = listen_at_port("127.0.0.1", 0), first, second;

	set("hello\n", &(ward_stream_options){0});
	to_port("127.0.0.1", listener);
	begin_deciding(WARD_RESTART);
	first = accept_it(listener);
	order(&ward_type_order_fail);
	second = accept_it(listener);
	ward_assert_str(heard(first), "hello\n(cut)");
	ward_assert_str(heard(second), "hello\n");
	ward_assert_str(scene.log, "opened 0, opened 1");
	close(first), close(second), close(listener);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_stop_sends_what_waits_and_then_the_end, "S144")
{
	int listener = listen_at_port("127.0.0.1", 0), peer;

	set("hello\n", &(ward_stream_options){0});
	to_port("127.0.0.1", listener);
	begin();
	peer = accept_it(listener);
	order(&ward_type_order_stop);
	ward_assert_str(heard(peer), "hello\n(end)");
	close(peer), close(listener);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_restart_or_stop_at_any_moment_of_connecting_leaves_nothing, "S144")
{
	static const ward_type *const orders[] = {&ward_type_order_fail, &ward_type_order_stop};
	int listener = listen_at_port("127.0.0.1", 0), peer;

	for (int i = 0; i < 40; i++) {
		set("hello\n", &(ward_stream_options){0});
		names.list = "127.0.0.1";
		to_port(i % 4 < 2 ? "127.0.0.1" : "example.org", listener);
		begin_seeded((uint64_t)i + 1, WARD_RESTART);
		for (int steps = i / 4; steps > 0; steps--)
			(void)ward_kit_step(scene.kit);
		order(orders[i % 2]);
		run();
		ward_assert_eq(lives(), i % 2 == 0);
		for (int count = 0; (peer = accept_one(listener)) >= 0; count++) {
			ward_assert(count < 2);
			close(peer);
		}
		ward_assert_eq(failure.count, i % 2 == 0);
		ward_kit_finish(scene.kit);
	}
	close(listener);
}

WARD_TEST(restarted_while_nobody_answers_it_closes_its_socket_and_begins_anew, "S144")
{
	struct mute mute = mute_at("127.0.0.1", 0);

	set(NULL, &(ward_stream_options){0});
	to_port("127.0.0.1", mute.listener);
	begin_deciding(WARD_RESTART);
	ward_kit_advance(scene.kit, 9000);
	order(&ward_type_order_fail);
	ward_kit_advance(scene.kit, 9000);
	ward_assert_eq(failure.count, 1);
	ward_kit_advance(scene.kit, 1000);
	ward_assert_eq(failure.count, 2);
	ward_assert_str(failure.class_name, "ward_not_connected");
	end_mute(mute);
	ward_kit_finish(scene.kit);
}

WARD_TEST(resumed_after_another_failure_it_goes_on_connecting, "S144")
{
	int port = take_port("127.0.0.1", 0);

	set(NULL, &(ward_stream_options){.connect_tries = 5});
	to_port("127.0.0.1", port);
	begin_deciding(WARD_RESUME);
	order(&ward_type_order_fail);
	ward_assert_eq(listen(port, 4), 0);
	ward_kit_advance(scene.kit, WARD_SECOND);
	ward_assert_part(scene.log, "retry 0, opened 1");
	close(port);
	ward_kit_finish(scene.kit);
}

WARD_TEST(what_cannot_connect_is_stopped_by_default, "S143")
{
	int port = take_port("127.0.0.1", 0);

	set(NULL, &(ward_stream_options){0});
	to_port("127.0.0.1", port);
	begin_deciding(WARD_UNDECIDED);
	ward_kit_advance(scene.kit, WARD_MINUTE);
	check_not_connected("Connection refused: nobody listens there", "connect", ECONNREFUSED);
	close(port);
	ward_kit_finish(scene.kit);
}

WARD_TEST_MAIN
