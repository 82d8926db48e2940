/* SPDX-License-Identifier: MIT
 *
 * test_listener.c - a listener.
 */
#include "listener_scene.h"

/* ---- the cases --------------------------------------------------------------------------- */

WARD_TEST(each_connection_has_a_child_with_the_arguments_of_the_props, "S140")
{
	int a, b;

	start(&(struct ward_listener){0});
	a = client(), b = client();
	ward_assert_str(say(a, "x\n"), "hello x\n");
	ward_assert_str(say(b, "y\n"), "hello y\n");
	ward_assert_eq(look().connections, 2);
	ward_assert_str(look().address, scene.address);
	close(a), close(b);
	run();
	ward_assert_eq(look().connections, 0);
	ward_assert_eq(look().accepted, 2);
	ward_kit_finish(scene.kit);
}

WARD_TEST(at_connections_max_it_pauses_says_so_once_and_goes_on, "S140")
{
	int fds[4];

	start(&(struct ward_listener){.connections_max = 2});
	for (int i = 0; i < 4; i++)
		fds[i] = client();
	run();
	ward_assert_eq(look().connections, 2);
	ward_assert(look().paused);
	ward_assert_str(say(fds[2], "x\n"), "");
	close(fds[0]);
	ward_assert_str(say(fds[2], ""), "hello x\n");
	ward_assert_eq(look().connections, 2);
	close(fds[1]);
	ward_assert_str(say(fds[3], "y\n"), "hello y\n");
	ward_assert(notes("the limit is reached") >= 1);
	close(fds[2]), close(fds[3]);
	run();
	ward_assert(!look().paused);
	ward_assert_eq(notes("accepts again"), look().pauses);
	ward_kit_finish(scene.kit);
}

/* The nth allocation fails while it accepts, pauses, or goes on. Returns whether there was one. */
static bool goes_on_without(uint64_t nth)
{
	uint64_t before;
	bool struck;
	int fds[3];

	start(&(struct ward_listener){.connections_max = 1});
	fds[0] = client();
	ward_assert_str(say(fds[0], "x\n"), "hello x\n");
	before = ward_kit_allocations(scene.kit);
	ward_kit_fail_allocation(scene.kit, nth);
	fds[1] = client();
	run();
	close(fds[0]);
	run();
	struck = ward_kit_allocations(scene.kit) - before >= nth;
	ward_kit_fail_allocation(scene.kit, 0);
	close(fds[1]);
	ward_kit_advance(scene.kit, WARD_SECOND);
	fds[2] = client();
	ward_assert_str(say(fds[2], "z\n"), "hello z\n");
	ward_assert_eq(events(WARD_EVENT_FAILURE, "/listener$1 failed"), 0);
	close(fds[2]);
	run();
	ward_kit_finish(scene.kit);
	return struck;
}

WARD_TEST(a_shortage_pauses_it_and_ends_no_connection, "S140")
{
	for (uint64_t nth = 1; !ward_test_shortage() && goes_on_without(nth); nth++)
		;
}

WARD_TEST(all_its_addresses_are_shown_as_they_became, "S140")
{
	const char *shown;
	struct ward_listener_state now;
	char both[640];

	start(&(struct ward_listener){.address = "tcp:*:0 tcp:127.0.0.1:0  unix:@ward-test-two"});
	now = look();
	shown = now.addresses;
	/* On a machine without IPv6 the first is IPv4 alone. */
	ward_assert(strncmp(shown, "tcp:*:", 6) == 0 || strncmp(shown, "tcp:0.0.0.0:", 12) == 0);
	ward_assert(strncmp(shown, "tcp:*:0,", 8) != 0);
	ward_assert_part(shown, ", tcp:127.0.0.1:");
	ward_assert_part(shown, ", unix:@ward-test-two");
	ward_assert(strncmp(shown, now.address, strlen(now.address)) == 0);
	ward_assert(strchr(now.address, ',') == NULL);
	snprintf(both, sizeof both, "listens at %s", shown);
	ward_assert_eq(notes(both), 1);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_descriptor_is_shown_as_it_was_asked_for_and_with_its_address, "S140")
{
	struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "\0ward-test-came"};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char asked[32], wanted[64];

	ward_assert_eq(bind(fd, (struct sockaddr *)&at,
			    offsetof(struct sockaddr_un, sun_path) + sizeof "ward-test-came"),
		       0);
	ward_assert_eq(listen(fd, 5), 0);
	snprintf(asked, sizeof asked, "fd:%d", fd);
	snprintf(wanted, sizeof wanted, "fd:%d (unix:@ward-test-came)", fd);
	start(&(struct ward_listener){.address = asked});
	ward_assert_str(look().addresses, wanted);
	ward_assert_str(look().address, "unix:@ward-test-came");
	ward_kit_finish(scene.kit);
	close(fd);
}

WARD_TEST(children_may_start_with_the_options_of_the_listener, "S140")
{
	static const ward_stream_options ended = {.framing = WARD_UNTIL(";")};
	int a;

	session_options = NULL;
	start(&(struct ward_listener){.stream = &ended});
	a = client();
	ward_assert_str(say(a, "x;"), "hello x\n");
	close(a);
	ward_kit_finish(scene.kit);
	session_options = &lines;
}

WARD_TEST(a_session_that_fails_is_stopped_and_the_others_go_on, "S140", "S139")
{
	int a, b;

	start(&(struct ward_listener){0});
	a = client(), b = client();
	ward_assert_str(say(a, "x\n"), "hello x\n");
	for (int i = 0; i < 20; i++) {
		int c = client();

		(void)say(c, "fail\n");
		close(c);
	}
	ward_assert_str(say(b, "y\n"), "hello y\n");
	ward_assert_eq(look().failed, 20);
	ward_assert_eq(notes("told to"), 1);
	ward_kit_advance(scene.kit, 10 * WARD_SECOND);
	(void)say(a, "fail\n");
	ward_assert_eq(notes("19 others since the last one"), 1);
	ward_kit_advance(scene.kit, 10 * WARD_SECOND);
	(void)say(b, "fail\n");
	ward_assert_eq(notes("told to"), 3);
	ward_assert_eq(notes("since the last one"), 1);
	close(a), close(b);
	run();
	ward_kit_finish(scene.kit);
}

WARD_TEST(drained_it_ends_idle_connections_at_once_and_then_itself, "S141")
{
	int a;

	start(&(struct ward_listener){0});
	a = client();
	ward_assert_str(say(a, "x\n"), "hello x\n");
	ward_system_send(ward_kit_system(scene.kit), scene.listener, &ward_type_ward_listener_drain,
			 NULL, 0);
	ward_assert_str(say(a, ""), "(end)");
	run();
	ward_assert(!lives());
	ward_assert_eq(client(), -1);
	close(a);
	ward_kit_finish(scene.kit);
}

/* Within a second. Returns the client that has sent the half. */
static int drain_beside_half_a_line(void)
{
	int half;

	start(&(struct ward_listener){.drain_ms = 1000});
	half = client();
	ward_assert_str(say(half, "hal"), "");
	ward_system_send(ward_kit_system(scene.kit), scene.listener, &ward_type_ward_listener_drain,
			 NULL, 0);
	run();
	return half;
}

WARD_TEST(drained_it_lets_a_begun_line_end_within_drain_ms, "S141")
{
	int a = drain_beside_half_a_line();

	ward_kit_advance(scene.kit, 500);
	ward_assert(lives());
	ward_assert_str(say(a, "f\n"), "hello half\n");
	run();
	ward_assert(!lives());
	close(a);
	ward_kit_finish(scene.kit);
}

WARD_TEST(drained_it_stops_those_that_take_longer_than_drain_ms, "S141")
{
	int a = drain_beside_half_a_line();

	ward_kit_advance(scene.kit, 900);
	ward_assert(lives());
	ward_assert_eq(notes("are stopped"), 0);
	ward_kit_advance(scene.kit, 200);
	run();
	ward_assert(!lives());
	ward_assert_eq(notes("have not ended within 1000 ms, and are stopped: 1"), 1);
	close(a);
	ward_kit_finish(scene.kit);
}

/* A connection that does not end: a shutdown stops it so long after its begin. */
static void shut_down_beside_half_a_line(const ward_phase *phases, int64_t stops_ms)
{
	int a;

	scene.phases = phases;
	start(&(struct ward_listener){0});
	a = client();
	ward_assert_str(say(a, "half"), "");
	ward_system_shutdown(ward_kit_system(scene.kit), "done");
	ward_kit_run(scene.kit);
	ward_kit_advance(scene.kit, stops_ms - 100);
	ward_assert(lives());
	ward_kit_advance(scene.kit, 200);
	run();
	ward_assert(!lives());
	ward_assert_eq(notes("is not done"), 0);
	close(a);
	scene.phases = NULL;
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_shutdown_ends_those_that_take_too_long_within_its_phase, "S141")
{
	shut_down_beside_half_a_line(NULL, 4 * WARD_SECOND);
}

WARD_TEST(a_longer_phase_gives_more_time, "S141")
{
	static const ward_phase phases[] = {
		{.name = "service-requests-done", .timeout_ms = 30 * WARD_SECOND}, {0}};

	shut_down_beside_half_a_line(phases, 24 * WARD_SECOND);
}

WARD_TEST(drain_ms_as_long_as_its_phase_is_refused, "S141")
{
	char text[640];

	start(&(struct ward_listener){.drain_ms = 5000});
	ward_assert(!lives());
	ward_event_format(ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0), text, sizeof text);
	ward_assert_part(text, ".drain_ms is 5000");
	ward_assert_part(text, "is over after 5000 ms");
	ward_kit_finish(scene.kit);
	start(&(struct ward_listener){.drain_ms = 4999});
	ward_assert(lives());
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_shutdown_drains_it, "S141")
{
	int a;

	start(&(struct ward_listener){0});
	a = client();
	ward_assert_str(say(a, "x\n"), "hello x\n");
	ward_system_shutdown(ward_kit_system(scene.kit), "done");
	ward_assert_str(say(a, ""), "(end)");
	run();
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	close(a);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_shutdown_without_connections_is_answered_once, "S141")
{
	start(&(struct ward_listener){0});
	ward_system_shutdown(ward_kit_system(scene.kit), "done");
	run();
	ward_assert(!lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_kit_finish(scene.kit);
}

WARD_TEST(an_address_in_use_is_a_failure_of_the_first_start, "S139")
{
	const ward_event *event;
	char text[640];
	ward_ref other;
	struct ward_listener at = {.address = scene.address, .child = {.behavior = &session}};

	start(&(struct ward_listener){0});
	at.address = scene.address;
	other = ward_kit_spawn(scene.kit, &ward_listen, .args = {WARD_COPY(ward_listener, &at)});
	ward_kit_run(scene.kit);
	(void)other;
	event = ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0);
	ward_assert(event != NULL);
	ward_event_format(event, text, sizeof text);
	ward_assert_part(text, "Address already in use");
	ward_assert_part(text, scene.address);
	ward_kit_finish(scene.kit);
}

static void *refuse(const void *options, char ret_text[WARD_FILTERED_TEXT]) WARD_NOEXCEPT
{
	(void)options;
	snprintf(ret_text, WARD_FILTERED_TEXT, "not today");
	return NULL;
}

static ward_filtered came(void *at, const void *bytes, size_t size, ward_stream_bytes *plain,
			  ward_stream_bytes *wire, char ret_text[WARD_FILTERED_TEXT]) WARD_NOEXCEPT
{
	(void)at, (void)bytes, (void)size, (void)plain, (void)wire, (void)ret_text;
	return WARD_FILTERED_MORE;
}

static ward_filtered goes(void *at, const void *bytes, size_t size, bool end,
			  ward_stream_bytes *wire, char ret_text[WARD_FILTERED_TEXT]) WARD_NOEXCEPT
{
	(void)at, (void)bytes, (void)size, (void)end, (void)wire, (void)ret_text;
	return WARD_FILTERED_MORE;
}

static void close_nothing(void *at) WARD_NOEXCEPT
{
	(void)at;
}

static const ward_stream_filter refusing = {
	.name = "refusing", .open = refuse, .came = came, .goes = goes, .close = close_nothing};

WARD_TEST(wrong_arguments_are_refused_with_what_would_be_right, "S140")
{
	static const ward_stream_options of_prefix = {.framing = WARD_PREFIX(3)},
					 of_low = {.write_low = 200000}, of_idle = {.idle_ms = -5},
					 of_filter = {.filter = &refusing};
	static const ward_behavior other = {.name = "other"};
	const struct {
		struct ward_listener args;
		const char *part;
	} rows[] = {
		{{.child = {.behavior = &session}}, ".address is missing"},
		{{.address = "tcp:1"}, ".child has no behavior"},
		{{.address = "tcp:1", .child = {.behavior = &other}}, "does not take connections"},
		{{.address = "tcp:1", .child = {.behavior = &session, .name = "x"}},
		 "leave it out"},
		{{.address = "tcp:1", .child = {.behavior = &session}, .drain_ms = -1}, "negative"},
		{{.address = "tcp:1", .child = {.behavior = &session}, .reserved = {0, 0, 1}},
		 "a listener: a reserved word is not zero"},
		{{.address = "tcp:1", .child = {.behavior = &session}, .stream = &of_prefix},
		 "a stream: .framing: WARD_PREFIX(3): it must be 1, 2, 4 or 8 bytes"},
		{{.address = "tcp:1", .child = {.behavior = &session}, .stream = &of_low},
		 "a stream: .write_low is 200000: it must be at most 65536, .write_high"},
		{{.address = "tcp:1", .child = {.behavior = &session}, .stream = &of_idle},
		 "a stream: .idle_ms is -5: it must be at least 0"},
		{{.address = "tcp:1", .child = {.behavior = &session}, .stream = &of_filter},
		 "a stream: refusing: not today"},
	};

	start(&(struct ward_listener){0});
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const ward_props *props =
			WARD_PROPS(&ward_listen, .args = {WARD_COPY(ward_listener, &rows[i].args)});

		ward_assert_err(ward_system_spawn(ward_kit_system(scene.kit), props, NULL),
				WARD_EINVAL);
		ward_assert_part(ward_err_detail(), rows[i].part);
	}
	ward_kit_finish(scene.kit);
}

WARD_TEST_MAIN
