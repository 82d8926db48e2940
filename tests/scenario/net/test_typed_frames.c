/* SPDX-License-Identifier: MIT
 *
 * test_typed_frames.c - two actors tell each other bodies over a pair of sockets, in a simulation.
 *
 * The teller sends what the test says; the listener notes each body, and answers a number with its
 * double.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ward/net.h>
#include <ward/testkit.h>

struct number {
	int64_t is;
};
WARD_MESSAGE_FLAT(number);
struct word {
	char text[5]; /* no multiple of anything */
};
WARD_MESSAGE_FLAT(word);
WARD_SIGNAL(ping);
struct stranger {
	int is;
};
WARD_MESSAGE_FLAT(stranger);
struct page {
	char bytes[5000];
};
WARD_MESSAGE_FLAT(page);
struct pointing {
	const char *at;
};
WARD_MESSAGE(pointing);

static const ward_type *const types[] = {&ward_type_number, &ward_type_word, &ward_type_ping,
					 &ward_type_page, NULL};
static const ward_stream_options typed = {.framing = WARD_PREFIX(2), .types = types};

static struct scene {
	ward_kit *kit;
	ward_strategy strategy;
	ward_ref session;
	const ward_stream_options *options;
	int peer;
	char got[1024];
	bool asks_stranger, tells_stranger, tells_page, tells_short;
} scene;

struct session {
	ward_stream *stream;
};

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	((struct session *)state)->stream = ward_stream_start(self, args, scene.options);
	return WARD_DONE;
}

static void note(const char *text)
{
	size_t used = strlen(scene.got);

	snprintf(scene.got + used, sizeof scene.got - used, "|%s", text);
}

static void check_aligned(const void *body)
{
	ward_assert_eq((uintptr_t)body % 16, 0);
}

static void answer(ward_self *self, struct session *me, const ward_frame *frame)
{
	const struct number *number = ward_frame_match(self, me->stream, frame, number);
	const struct word *word = ward_frame_match(self, me->stream, frame, word);
	char text[32];

	if (number != NULL) {
		check_aligned(number);
		/* The same once more, although it was moved. */
		ward_assert(ward_frame_match(self, me->stream, frame, number) == number);
		ward_assert(ward_frame_match(self, me->stream, frame, word) == NULL);
		snprintf(text, sizeof text, "%lld", (long long)number->is);
		note(text);
		ward_stream_tell(self, me->stream, number, .is = 2 * number->is);
	} else if (word != NULL) {
		check_aligned(word);
		snprintf(text, sizeof text, "%.5s", word->text);
		note(text);
		ward_stream_tell(self, me->stream, word, .text = "thank");
	} else if (ward_frame_match(self, me->stream, frame, ping)) {
		note("ping");
		ward_stream_tell(self, me->stream, ping);
	}
	if (scene.asks_stranger)
		ward_assert(ward_frame_match(self, me->stream, frame, stranger) == NULL);
	if (scene.tells_stranger)
		ward_stream_tell(self, me->stream, stranger, .is = 1);
	if (scene.tells_page)
		ward_stream_tell(self, me->stream, page, .bytes = "a page");
	if (scene.tells_short)
		ward_stream_send(self, me->stream, &ward_type_number, "1234", 4);
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_frame frame;

	while (ward_stream_next(self, me->stream, msg, &frame))
		answer(self, me, &frame);
	return ward_stream_result(self, me->stream, msg);
}

static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(struct session),
				      .args = &ward_type_ward_connection,
				      .init = session_init,
				      .receive = session_receive};

static void start(const ward_stream_options *options)
{
	struct ward_connection connection;
	int ends[2];

	ward_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
	ward_assert_ok(ward_connection_adopt(ends[0], ends[0], &connection));
	scene = (struct scene){
		.options = options, .peer = ends[1], .strategy = {.otherwise = WARD_STOP}};
	scene.kit = ward_kit_start(&(ward_kit_options){
		.may_leave_mail = true, .system = {.user_strategy = &scene.strategy}});
	scene.session = ward_kit_spawn(scene.kit, &session, .args_given = true,
				       .args = {WARD_COPY(ward_connection, &connection)});
	ward_kit_run(scene.kit);
}

static void send_bytes(const char *bytes, size_t size)
{
	ward_assert_eq(send(scene.peer, bytes, size, MSG_NOSIGNAL), (ssize_t)size);
	ward_kit_run(scene.kit);
	ward_kit_advance(scene.kit, 1);
}

/* A frame: its length, the index, the body. */
static void tell(unsigned char index, const void *body, size_t size)
{
	char frame[64] = {(char)((size + 1) >> 8), (char)(size + 1), (char)index};

	memcpy(frame + 3, body, size);
	send_bytes(frame, size + 3);
}

static void finish(void)
{
	close(scene.peer);
	ward_kit_finish(scene.kit);
}

static void check_failure(const char *name, const char *part)
{
	const ward_event *event = ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0);
	char text[640];

	ward_assert(event != NULL);
	ward_event_format(event, text, sizeof text);
	ward_assert_part(text, name);
	ward_assert_part(text, part);
}

WARD_TEST(bodies_pass_in_both_directions, "S170")
{
	int64_t number = 21;
	char got[64];
	ssize_t size;

	start(&typed);
	tell(0, &number, sizeof number);
	tell(1, "hello", 5);
	tell(2, "", 0);
	ward_assert_str(scene.got, "|21|hello|ping");
	size = recv(scene.peer, got, sizeof got, 0);
	number = 42;
	ward_assert_eq(size, 2 + 9 + 2 + 6 + 2 + 1);
	ward_assert_eq(memcmp(got, "\0\11\0", 3), 0);
	ward_assert_eq(memcmp(got + 3, &number, 8), 0);
	ward_assert_eq(memcmp(got + 11, "\0\6\1thank\0\1\2", 11), 0);
	finish();
}

WARD_TEST(bodies_of_one_read_are_aligned_each, "S170")
{
	char bytes[400];
	size_t size = 0;
	char wanted[400] = "";

	start(&typed);
	for (int64_t i = 0; i < 10; i++) {
		memcpy(bytes + size, "\0\6\1abcde\0\11\0", 11);
		memcpy(bytes + size + 11, &i, sizeof i);
		size += 11 + sizeof i;
		snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "|abcde|%d",
			 (int)i);
	}
	send_bytes(bytes, size);
	ward_assert_str(scene.got, wanted);
	finish();
}

WARD_TEST(a_large_body_passes, "S170")
{
	char got[8192];

	start(&typed);
	scene.tells_page = true;
	tell(2, "", 0);
	ward_assert_eq(recv(scene.peer, got, sizeof got, 0), 3 + 2 + 1 + 5000);
	ward_assert_eq(memcmp(got + 3, "\x13\x89\3a page", 10), 0);
	finish();
}

WARD_TEST(a_type_that_is_not_in_the_options_is_misuse, "S170")
{
	start(&typed);
	scene.asks_stranger = true;
	tell(2, "", 0);
	check_failure("ward_misuse", "the options of the stream do not have the type stranger");
	finish();
	start(&typed);
	scene.tells_stranger = true;
	tell(2, "", 0);
	check_failure("ward_misuse", "stranger: the options of the stream do not have this type");
	finish();
	start(&typed);
	scene.tells_short = true;
	tell(2, "", 0);
	check_failure("ward_misuse", "number: a body has not this size");
	finish();
}

WARD_TEST(a_frame_that_is_no_body_is_a_bad_frame, "S139", "S170")
{
	start(&typed);
	tell(4, "", 0);
	check_failure("ward_bad_frame", "frame: type 4 of 4");
	finish();
	start(&typed);
	tell(0, "1234567", 7);
	check_failure("ward_bad_frame", "frame: 7 bytes for a body of type number");
	finish();
	start(&typed);
	send_bytes("\0\0", 2);
	check_failure("ward_bad_frame", "a frame without the index of a type");
	finish();
}

WARD_TEST(types_need_a_framing_that_carries_any_byte, "S170")
{
	static const ward_stream_options by_line = {.framing = WARD_LINES, .types = types};

	start(&by_line);
	send_bytes("\2\n", 2);
	ward_assert_str(scene.got, "|ping");
	check_failure("ward_misuse", "the framing of the stream must be WARD_PREFIX");
	finish();
}

WARD_TEST(a_type_that_is_not_flat_is_refused_at_the_start, "S170")
{
	static const ward_type *const wrong[] = {&ward_type_pointing, NULL};
	static const ward_stream_options options = {.framing = WARD_PREFIX(2), .types = wrong};

	start(&options);
	check_failure("ward_misuse", "types: a type that is not flat");
	finish();
}

WARD_TEST_MAIN
