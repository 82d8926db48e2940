/* SPDX-License-Identifier: MIT
 *
 * test_filter_pipe.c - pipes between two streams that both have a filter.
 */
#include "../pipe_scene.h"
#include "xor_filter.h"

static const struct xor_options server, client = {.word = "sesame"};
static const ward_stream_options filtered = {
	.half_close = true, .filter = &xor_filter, .filter_options = &server};

/* One of the test's ends. */
struct end {
	int *fd;
	struct xor_state *state;
	struct wardi_buffer plain;
	bool hung_up;
};

static ward_stream_bytes *as_bytes(struct wardi_buffer *buffer)
{
	return (ward_stream_bytes *)buffer;
}

static void send_all(const struct end *end, struct wardi_buffer *wire)
{
	while (wardi_buffer_count(wire) > 0) {
		ssize_t sent = send(*end->fd, wardi_buffer_bytes(wire), wardi_buffer_count(wire),
				    MSG_NOSIGNAL);

		if (sent < 0 && errno != EAGAIN)
			break;
		if (sent > 0)
			wardi_buffer_drop(wire, (size_t)sent);
		run();
	}
	wardi_buffer_free(wire);
}

static void pass(struct end *end, const void *bytes, size_t size)
{
	char text[WARD_FILTERED_TEXT];
	struct wardi_buffer wire = {0};

	xor_came(end->state, bytes, size, as_bytes(&end->plain), as_bytes(&wire), text);
	send_all(end, &wire);
}

static void hear(struct end *end)
{
	unsigned char bytes[2000];
	ssize_t got = 0;

	run();
	while (*end->fd >= 0 && (got = recv(*end->fd, bytes, sizeof bytes, 0)) > 0) {
		pass(end, bytes, (size_t)got);
		run();
	}
	end->hung_up = got == 0;
}

static struct end shake(int *fd)
{
	char text[WARD_FILTERED_TEXT];
	struct end end = {.fd = fd, .state = xor_open(&client, text)};

	pass(&end, NULL, 0);
	hear(&end);
	return end;
}

static void tell_end(struct end *end, const void *bytes, size_t size, bool last)
{
	char text[WARD_FILTERED_TEXT];
	struct wardi_buffer wire = {0};

	xor_goes(end->state, bytes, size, last, as_bytes(&wire), text);
	send_all(end, &wire);
}

static const char *plain(struct end *end)
{
	static char text[1000];

	hear(end);
	snprintf(text, sizeof text, "%.*s%s%s", (int)wardi_buffer_count(&end->plain),
		 end->plain.block != NULL ? (char *)wardi_buffer_bytes(&end->plain) : "",
		 end->state->ended ? "(E)" : "", end->hung_up ? "(end)" : "");
	wardi_buffer_free(&end->plain);
	return text;
}

static void leave(struct end *end)
{
	wardi_buffer_free(&end->plain);
	xor_close(end->state);
}

WARD_TEST(a_pipe_passes_on_plain_bytes_and_ends_through_filters, "S151", "S152", "S160", "S161")
{
	struct end left, right;

	begin(&filtered);
	left = shake(&scene.client);
	tell_end(&left, "early ", 6, false);
	join_server();
	tell_end(&left, "waits", 5, false);
	right = shake(&scene.server);
	ward_assert_str(plain(&right), "early waits");
	tell_end(&right, "answer", 6, true);
	ward_assert_str(plain(&left), "answer(E)(end)");
	tell(&ward_type_write_server);
	tell_end(&left, " more", 5, true);
	ward_assert_str(plain(&right), "own more(E)(end)");
	ward_assert(!lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	leave(&left), leave(&right);
	finish();
}

enum { BIG = 1 << 20 };

WARD_TEST(a_pipe_takes_no_more_than_the_filter_behind_it_has_room_for, "S151", "S162")
{
	static unsigned char bytes[BIG];
	struct wardi_buffer wire = {0};
	char text[WARD_FILTERED_TEXT];
	struct end left, right;
	size_t all = 0;

	for (size_t i = 0; i < BIG; i++)
		bytes[i] = pattern(i);
	begin(&filtered);
	left = shake(&scene.client);
	join_server();
	right = shake(&scene.server);
	xor_goes(left.state, bytes, BIG, true, as_bytes(&wire), text);
	for (int idle = 0; idle < 3; idle++) {
		ssize_t sent;

		while ((sent = send(scene.client, wardi_buffer_bytes(&wire), 3000, MSG_NOSIGNAL)) >
		       0) {
			wardi_buffer_drop(&wire, (size_t)sent);
			all += (size_t)sent;
			idle = 0;
		}
		run();
	}
	ward_assert(lives() && scene.to_server != NULL);
	ward_assert(all < 400 * 1000);
	ward_assert(ward_stream_unsent(scene.to_server) < 200 * 1000);
	ward_assert(!scene.to_server->full);
	for (int i = 0; i < 10000 && !right.state->ended; i++) {
		ssize_t sent = send(scene.client, wardi_buffer_bytes(&wire),
				    wardi_buffer_count(&wire), MSG_NOSIGNAL);

		if (sent > 0)
			wardi_buffer_drop(&wire, (size_t)sent);
		hear(&right);
	}
	ward_assert_eq(wardi_buffer_count(&right.plain), BIG);
	ward_assert(memcmp(wardi_buffer_bytes(&right.plain), bytes, BIG) == 0);
	ward_assert(lives());
	wardi_buffer_free(&wire);
	leave(&left), leave(&right);
	finish();
}

WARD_TEST(a_pipe_does_not_pass_on_the_end_of_a_connection_that_was_cut_off, "S152", "S161")
{
	struct end left, right;

	begin(&filtered);
	left = shake(&scene.client);
	join_server();
	right = shake(&scene.server);
	tell_end(&left, "half", 4, false);
	hang_up(&scene.client);
	run();
	ward_assert(!lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 1);
	(void)plain(&right);
	ward_assert(!right.state->ended);
	leave(&left), leave(&right);
	finish();
}

WARD_TEST(a_pipe_does_not_pass_on_the_end_of_a_peer_that_was_refused, "S152", "S161")
{
	struct wardi_buffer wire = {0};
	struct end left, right;

	begin(&filtered);
	left = shake(&scene.client);
	join_server();
	right = shake(&scene.server);
	tell_end(&left, "half", 4, false);
	ward_assert_str(plain(&right), "half");
	xor_put(as_bytes(&wire), 'H', "please", 6);
	send_all(&left, &wire);
	ward_assert_str(plain(&right), "");
	shutdown(scene.client, SHUT_WR);
	run();
	ward_assert(!lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 1);
	ward_assert_part(ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0)->text,
			 "word is not");
	(void)plain(&right);
	ward_assert(!right.state->ended);
	leave(&left), leave(&right);
	finish();
}

WARD_TEST_MAIN
