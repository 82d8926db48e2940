/* SPDX-License-Identifier: MIT
 *
 * lines.c - an echo server by lines, on the streams of ward-net: an actor for each connection.
 *
 * A connection on which nothing comes for a minute is ended, one that does not read after 30 s, and
 * a line has at most 4096 bytes; its peers have the same limits.
 */
#include "lines.h"

#include <stdio.h>

#include "bench.h"

static const ward_stream_options by_line = {
	.framing = WARD_LINES, .frame_max = 4096, .idle_ms = WARD_MINUTE};

struct session {
	ward_stream *peer;
};

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	((struct session *)state)->peer = ward_stream_start(self, args, NULL);
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

void lines_echo(struct echo_run *run, const ward_stream_options *options)
{
	char address[32];
	struct ward_listener at = {
		.address = address, .child = {.behavior = &session}, .stream = options};
	ward_system *system;
	ward_ref listener;

	bench_must(ward_system_create(&(ward_options){.name = "bench",
						      .workers = run->workers,
						      .log_kinds = WARD_EVENT_NONE},
				      &system));
	snprintf(address, sizeof(address), "fd:%d", echo_listen(&run->port));
	bench_must(ward_system_spawn(
		system, WARD_PROPS(&ward_listen, .args = {WARD_COPY(ward_listener, &at)}),
		&listener));
	echo_client(run);
	bench_must(ward_system_destroy(system, 10 * WARD_SECOND));
}

/* In a row of time the variant is the number of connections, and N the milliseconds; without a
 * variant N is the number of connections, which do nothing. */
static int run_lines(const struct bench_load *load)
{
	struct echo_run run = {.name = load->bench->name, .workers = load->workers};

	run.connections = (int)(load->bench->variant != 0 ? load->bench->variant : load->n);
	run.ms = load->bench->variant != 0 ? load->n : 0;
	lines_echo(&run, &by_line);
	return 0;
}

/* With 9000 connections a message takes 50 ms or more. */
enum { SPAN_MS = 500, SPAN_1000_MS = 1500, SPAN_9000_MS = 2000 };

const struct bench lines_benches[] = {
	{"lines_1", NULL, run_lines, SPAN_MS, 1, "an echo of lines with 1 connection, for N ms"},
	{"lines_100", NULL, run_lines, SPAN_MS, 100, "with 100 connections"},
	{"lines_1000", NULL, run_lines, SPAN_1000_MS, 1000, "with 1000 connections"},
	{"lines_9000", NULL, run_lines, SPAN_9000_MS, 9000, "with 9000 connections"},
	{"mem_lines", NULL, run_lines, 9000, 0, "bytes of a connection, of N that are idle"},
	{0},
};
