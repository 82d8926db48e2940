/* SPDX-License-Identifier: MIT
 *
 * tls.c - an echo server by lines with TLS, whose connections are idle: what one of them takes.
 */
#include <stdio.h>
#include <ward/tls.h>

#include "../echo/echo.h"
#include "bench.h"

static ward_tls_files files;
static const ward_tls_options secret = {.files = &files};
static const ward_stream_options by_line = {.framing = WARD_LINES,
					    .frame_max = 4096,
					    .idle_ms = WARD_MINUTE,
					    .filter = &ward_tls_server,
					    .filter_options = &secret};

struct session {
	ward_stream *peer;
};

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	((struct session *)state)->peer = ward_stream_start(self, args, &by_line);
	return WARD_DONE;
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_frame line;

	while (ward_stream_next(self, me->peer, msg, &line))
		ward_stream_write_frame(self, me->peer, line.text, line.size);
	return ward_stream_result(self, me->peer, msg);
}

static const ward_behavior session = {
	.name = "session",
	.state_size = sizeof(struct session),
	.args = &ward_type_ward_connection,
	.init = session_init,
	.receive = session_receive,
};

static int run_tls(const struct bench_load *load)
{
	struct echo_run run = {.name = load->bench->name,
			       .connections = (int)load->n,
			       .workers = load->workers,
			       .tls = true};
	char certificate[512], key[512], address[32];
	struct ward_listener at = {.address = address, .child = {.behavior = &session}};
	ward_system *system;
	ward_ref listener;

	echo_beside("../tls/bench.pem", certificate, sizeof(certificate));
	echo_beside("../tls/bench.key", key, sizeof(key));
	files = (ward_tls_files){.certificate = certificate, .key = key};
	bench_must(ward_system_create(&(ward_options){.name = "bench",
						      .workers = load->workers,
						      .log_kinds = WARD_EVENT_NONE},
				      &system));
	snprintf(address, sizeof(address), "fd:%d", echo_listen(&run.port));
	bench_must(ward_system_spawn(
		system, WARD_PROPS(&ward_listen, .args = {WARD_COPY(ward_listener, &at)}),
		&listener));
	echo_client(&run);
	bench_must(ward_system_destroy(system, 10 * WARD_SECOND));
	ward_tls_unload(&files);
	return 0;
}

const struct bench tls_benches[] = {
	{"mem_tls", NULL, run_tls, 1000, 0, "bytes of a connection with TLS, of N that are idle"},
	{0},
};
