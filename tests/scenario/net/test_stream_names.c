/* SPDX-License-Identifier: MIT
 *
 * test_stream_names.c - a stream is opened to a name, and its addresses are tried in turn.
 */
#include "open_scene.h"

static const ward_stream_options by_line = {.framing = WARD_LINES};

static struct scene {
	ward_kit *kit;
	ward_ref client;
	char address[80], peer[WARD_ADDRESS_TEXT];
	ward_stream_options options;
	int64_t opened_ms; /* -1: it is not */
	int retries;
} scene;

struct client {
	ward_stream *stream;
};

static ward_result client_init(ward_self *self, void *state, const void *args)
{
	(void)args;
	((struct client *)state)->stream = ward_stream_open(self, scene.address, &scene.options);
	return WARD_DONE;
}

static ward_result client_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct client *me = state;
	ward_result result = ward_stream_result(self, me->stream, msg);

	if (ward_stream_news(me->stream) & WARD_STREAM_OPENED) {
		scene.opened_ms = ward_now_ns(self) / WARD_NS_PER_MS;
		ward_stream_peer(me->stream, scene.peer);
	}
	scene.retries += (ward_stream_news(me->stream) & WARD_STREAM_RETRY) != 0;
	return result;
}

static const ward_behavior client = {.name = "client",
				     .state_size = sizeof(struct client),
				     .init = client_init,
				     .receive = client_receive};

/* The name has these addresses, and the port of the socket. */
static void begin(const char *list, int fd, uint32_t tries)
{
	scene = (struct scene){.options = by_line, .opened_ms = -1};
	scene.options.connect_tries = tries;
	snprintf(scene.address, sizeof scene.address, "tcp:example.org:%u", port_of(fd));
	names.list = list;
	scene.kit = start_kit(0, WARD_STOP);
	scene.client = ward_kit_spawn(scene.kit, &client);
	ward_kit_run(scene.kit);
	ward_kit_advance(scene.kit, 1);
}

static void check_peer(const char *ip, int fd)
{
	char text[WARD_ADDRESS_TEXT];

	snprintf(text, sizeof text, "tcp:%s:%u", ip, port_of(fd));
	ward_assert_str(scene.peer, text);
}

static void check_failed(const char *call, const char *what)
{
	char text[300];

	snprintf(text, sizeof text, "%s: %s: %s", scene.address, call, what);
	ward_assert_str(failure.class_name, "ward_not_connected");
	ward_assert_str(failure.text, text);
}

WARD_TEST(an_address_that_is_refused_is_followed_by_the_next_at_once, "S142")
{
	int refusing = take_port("127.0.0.1", 0);
	int listener = listen_at_port("127.0.0.2", port_of(refusing)), peer;

	begin("127.0.0.1 127.0.0.2", refusing, 1);
	ward_assert_eq(scene.opened_ms, 0);
	check_peer("127.0.0.2", refusing);
	peer = accept_it(listener);
	close(peer), close(listener), close(refusing);
	ward_kit_finish(scene.kit);
}

WARD_TEST(an_address_that_does_not_answer_has_a_head_start, "S142")
{
	struct mute mute = mute_at("127.0.0.1", 0);
	int listener = listen_at_port("127.0.0.2", port_of(mute.listener));

	begin("127.0.0.1 127.0.0.2", mute.listener, 1);
	ward_kit_advance(scene.kit, 248);
	ward_assert_eq(scene.opened_ms, -1);
	ward_kit_advance(scene.kit, 2);
	ward_assert_eq(scene.opened_ms, 250);
	check_peer("127.0.0.2", mute.listener);
	close(listener);
	end_mute(mute);
	ward_kit_finish(scene.kit);
}

WARD_TEST(refused_behind_one_that_does_not_answer_it_goes_on_with_the_third, "S142")
{
	struct mute mute = mute_at("127.0.0.1", 0);
	int refusing = take_port("127.0.0.2", port_of(mute.listener));
	int listener = listen_at_port("127.0.0.3", port_of(mute.listener));

	begin("127.0.0.1 127.0.0.2 127.0.0.3", mute.listener, 1);
	ward_kit_advance(scene.kit, 251);
	ward_assert_eq(scene.opened_ms, 250);
	check_peer("127.0.0.3", mute.listener);
	close(refusing), close(listener);
	end_mute(mute);
	ward_kit_finish(scene.kit);
}

WARD_TEST(the_last_refusal_is_told_with_its_address, "S143")
{
	int a = take_port("127.0.0.1", 0), b = take_port("127.0.0.2", port_of(a));
	char text[200];

	begin("127.0.0.1 127.0.0.2", a, 2);
	ward_kit_advance(scene.kit, WARD_SECOND);
	ward_assert_eq(scene.retries, 1);
	snprintf(text, sizeof text,
		 "tcp:127.0.0.2:%u: Connection refused: nobody listens there; 2 tries", port_of(a));
	check_failed("connect", text);
	close(a), close(b);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_name_is_looked_up_for_each_try, "S143")
{
	int port = take_port("127.0.0.1", 0);
	int listener = listen_at_port("127.0.0.2", port_of(port));

	begin("127.0.0.1", port, 3);
	ward_assert_eq(names.asked, 1);
	names.list = "127.0.0.2";
	ward_kit_advance(scene.kit, WARD_SECOND);
	ward_assert_eq(names.asked, 2);
	check_peer("127.0.0.2", port);
	close(port), close(listener);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_name_that_is_not_found_fails_with_the_words_of_the_resolver, "S143")
{
	int port = take_port("127.0.0.1", 0);

	begin("127.0.0.1", port, 3);
	names.code = EAI_NONAME;
	ward_kit_advance(scene.kit, WARD_SECOND);
	ward_assert_eq(scene.retries, 2);
	check_failed("getaddrinfo", "\"example.org\": Name or service not known: check the name, "
				    "or use an IP address; 3 tries");
	close(port);
	ward_kit_finish(scene.kit);
}

WARD_TEST(the_looking_child_is_gone_when_it_has_answered, "S142")
{
	int listener = listen_at_port("127.0.0.1", 0);
	uint64_t before;

	begin("127.0.0.1", listener, 1);
	ward_assert_eq(scene.opened_ms, 0);
	before = ward_kit_stats(scene.kit).actors;
	ward_kit_stop(scene.kit, scene.client);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_stats(scene.kit).actors, before - 1);
	ward_assert_eq(
		ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER | WARD_EVENT_UNHANDLED, "*"), 0);
	close(listener);
	ward_kit_finish(scene.kit);
}

WARD_TEST_MAIN
