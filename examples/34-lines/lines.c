/* SPDX-License-Identifier: MIT
 *
 * lines.c - a server that answers each line with its number.
 *
 *	cc examples/34-lines/lines.c $(pkg-config --cflags --libs ward-net) -o lines
 *
 * `./lines tcp:127.0.0.1:7000` listens there, `nc localhost 7000` talks to it. At "fail" the
 * session fails. Its next incarnation goes on with the next line of the same client.
 */
#include <string.h>

#include <ward/net.h>

static const ward_stream_options lines = {
	.framing = WARD_LINES, .frame_max = 4096, .idle_ms = WARD_MINUTE};

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
static const ward_strategy again = {.rules = {{&ward_net_failure, WARD_STOP}}};

int main(int argc, char **argv)
{
	struct ward_listener at = {.address = argc > 1 ? argv[1] : "tcp:127.0.0.1:0",
				   .connections_max = 10000,
				   .child = {.behavior = &session}};

	return ward_run(WARD_PROPS(&ward_listen, .args = {WARD_COPY(ward_listener, &at)},
				   .child_strategy = &again),
			&(ward_options){.user_strategy = &ward_escalating_strategy});
}
