/* SPDX-License-Identifier: MIT
 *
 * secret_lines.c - the server of 34-lines, with TLS: only `files` and `lines` differ.
 *
 *	cc examples/38-tls/secret_lines.c $(pkg-config --cflags --libs ward-tls) -o secret_lines
 *
 * `./secret_lines tcp:127.0.0.1:7000` listens there, with the certificate in server.pem, which the
 * first client makes it load. To make one, and to talk to the server:
 *
 *	openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost \
 *		-addext subjectAltName=DNS:localhost -keyout server.key -out server.pem
 *	openssl s_client -connect localhost:7000 -CAfile server.pem
 */
#include <string.h>

#include <ward/tls.h>

static ward_tls_files files = {.certificate = "server.pem", .key = "server.key"};
static const ward_stream_options lines = {.framing = WARD_LINES,
					  .frame_max = 4096,
					  .idle_ms = WARD_MINUTE,
					  .filter = &ward_tls_server,
					  .filter_options =
						  &(const ward_tls_options){.files = &files}};

struct session {
	ward_stream *peer;
	int count;
};

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	((struct session *)state)->peer = ward_stream_start(self, args, &lines);
	return WARD_DONE;
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_frame line;

	while (ward_stream_next(self, me->peer, msg, &line)) {
		if (strcmp(line.text, "fail") == 0)
			return ward_failed(self, &ward_exception, "line %d says so", me->count);
		ward_stream_printf(self, me->peer, "%d: %s\n", ++me->count, line.text);
	}
	return ward_stream_result(self, me->peer, msg);
}

static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(struct session),
				      .args = &ward_type_ward_connection,
				      .init = session_init,
				      .receive = session_receive};
static const ward_strategy again = {.otherwise = WARD_RESTART,
				    .rules = {{&ward_net_failure, WARD_STOP}}};

int main(int argc, char **argv)
{
	struct ward_listener at = {.address = argc > 1 ? argv[1] : "tcp:127.0.0.1:0",
				   .connections_max = 10000,
				   .child = {.behavior = &session}};

	return ward_run(WARD_PROPS(&ward_listen, .args = {WARD_COPY(ward_listener, &at)},
				   .child_strategy = &again),
			&(ward_options){.user_strategy = &ward_escalating_strategy});
}
