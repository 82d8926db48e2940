/* SPDX-License-Identifier: MIT
 *
 * test_tls_opened.c - a client that opens its stream, and a listener, both with TLS, over sockets.
 */
#include <fcntl.h>

#include <ward/net.h>

#include "tls_pair.h"

enum { FILE_SIZE = 300 * 1000 };

static ward_tls_files of_server, of_client;
static ward_tls_options server_secret = {.files = &of_server};
static ward_tls_options client_secret = {.files = &of_client};
static const ward_stream_options server_lines = {
	.framing = WARD_LINES, .filter = &ward_tls_server, .filter_options = &server_secret};
static const ward_stream_options client_lines = {.framing = WARD_LINES,
						 .frame_max = FILE_SIZE,
						 .filter = &ward_tls_client,
						 .filter_options = &client_secret};

static char address[128];
static char file_path[128];

static struct {
	uint32_t news;
	char first[100];
	size_t second;
	bool verified;
} seen;

struct session {
	ward_stream *peer;
};

/* ---- the server: each line comes back, then a file --------------------------------------- */

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	struct session *me = state;

	me->peer = ward_stream_start(self, args, &server_lines);
	return WARD_DONE;
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_frame line;

	while (ward_stream_next(self, me->peer, msg, &line)) {
		ward_stream_printf(self, me->peer, "you said %.*s\n", WARD_TEXT(line));
		ward_stream_write_file(self, me->peer, open(file_path, O_RDONLY | O_CLOEXEC), 0,
				       FILE_SIZE);
		ward_stream_write_given(self, me->peer, "\n", 1, NULL, NULL);
	}
	return ward_stream_result(self, me->peer, msg);
}

static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(struct session),
				      .args = &ward_type_ward_connection,
				      .init = session_init,
				      .receive = session_receive};

/* ---- the client -------------------------------------------------------------------------- */

static ward_result client_init(ward_self *self, void *state, const void *args)
{
	struct session *me = state;

	(void)args;
	me->peer = ward_stream_open(self, address, &client_lines);
	ward_stream_printf(self, me->peer, "early\n");
	return WARD_DONE;
}

static void see(ward_self *self, struct session *me, const ward_frame *line)
{
	struct ward_tls_info info;

	if (seen.first[0] == '\0') {
		snprintf(seen.first, sizeof seen.first, "%.*s", WARD_TEXT(*line));
		seen.verified = ward_tls_look(me->peer, &info) && info.verified;
		return;
	}
	seen.second = line->size;
	ward_stream_close(self, me->peer);
}

static ward_result client_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_result result;
	ward_frame line;

	while (ward_stream_next(self, me->peer, msg, &line))
		see(self, me, &line);
	seen.news |= ward_stream_news(me->peer);
	result = ward_stream_result(self, me->peer, msg);
	seen.news |= ward_stream_news(me->peer);
	return result;
}

static const ward_behavior client = {.name = "client",
				     .state_size = sizeof(struct session),
				     .init = client_init,
				     .receive = client_receive};

/* ---- both -------------------------------------------------------------------------------- */

static void make_file(void)
{
	static char bytes[FILE_SIZE];
	int fd;

	memset(bytes, 'f', sizeof bytes);
	snprintf(file_path, sizeof file_path, "%s/file", pair_folder);
	fd = open(file_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ward_assert(fd >= 0);
	ward_assert_eq(write(fd, bytes, sizeof bytes), FILE_SIZE);
	close(fd);
}

static void run_both(ward_kit *kit, ward_ref who)
{
	ward_actor_info info;

	for (int i = 0; i < 2000 && ward_kit_info(kit, who, &info); i++) {
		ward_kit_run(kit);
		ward_kit_advance(kit, 1);
	}
	ward_assert(!ward_kit_info(kit, who, &info));
}

/* Runs a listener and a client that asks for the server of this name. */
static ward_kit *meet(const char *name)
{
	static ward_strategy strategy = {.otherwise = WARD_STOP};
	struct ward_listener listener = {.child = {.behavior = &session}};
	ward_kit *kit;
	ward_ref who;

	memset(&seen, 0, sizeof seen);
	of_server = pair_files("server", NULL);
	of_client = pair_files(NULL, "authority.pem");
	client_secret.name = name;
	snprintf(address, sizeof address, "unix:%s/socket", pair_folder);
	make_file();
	listener.address = address;
	kit = ward_kit_start(&(ward_kit_options){.may_leave_mail = true,
						 .system = {.user_strategy = &strategy}});
	ward_kit_spawn(kit, &ward_listen, .args = {WARD_COPY(ward_listener, &listener)});
	ward_kit_run(kit);
	who = ward_kit_spawn(kit, &client);
	run_both(kit, who);
	return kit;
}

static void part(ward_kit *kit)
{
	ward_kit_finish(kit);
	pair_files_end(&of_server);
	pair_files_end(&of_client);
}

WARD_TEST(a_client_that_opens_its_stream_and_a_listener_talk_with_tls, "S142", "S150", "S160",
	  "S163")
{
	ward_kit *kit = meet("localhost");

	ward_assert_str(seen.first, "you said early");
	ward_assert_eq(seen.second, FILE_SIZE);
	ward_assert(seen.verified);
	ward_assert_eq(seen.news & WARD_STREAM_OPENED, WARD_STREAM_OPENED);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*"), 0);
	part(kit);
}

WARD_TEST(a_server_that_is_not_trusted_never_was_open, "S142", "S163")
{
	ward_kit *kit = meet("another.example");
	const ward_event *event;
	char text[640];

	event = ward_kit_event(kit, WARD_EVENT_FAILURE, "*client*", 0);
	ward_assert(event != NULL);
	ward_event_format(event, text, sizeof text);
	ward_assert_part(text, "ward_not_trusted");
	ward_assert_eq(seen.news, 0);
	ward_assert_str(seen.first, "");
	part(kit);
}

WARD_TEST_MAIN
