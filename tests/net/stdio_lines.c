/* SPDX-License-Identifier: MIT
 *
 * stdio_lines.c - answers each line of its standard input with its number, on standard output.
 */
#include <stdio.h>

#include <ward/net.h>
#include <ward/net/adopt.h>

static const ward_stream_options lines = {.framing = WARD_LINES};

struct session {
	ward_stream *stream;
	int count;
};

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	((struct session *)state)->stream = ward_stream_start(self, args, &lines);
	return WARD_DONE;
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_frame line;

	while (ward_stream_next(self, me->stream, msg, &line))
		ward_stream_printf(self, me->stream, "%d: %s\n", ++me->count, line.text);
	return ward_stream_result(self, me->stream, msg);
}

static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(struct session),
				      .args = &ward_type_ward_connection,
				      .init = session_init,
				      .receive = session_receive};
static const ward_strategy stops = {.otherwise = WARD_STOP};

int main(void)
{
	struct ward_connection terminal;

	if (ward_connection_adopt(0, 1, &terminal) != WARD_OK) {
		fprintf(stderr, "stdio_lines: %s\n", ward_err_detail());
		return 2;
	}
	return ward_run(WARD_PROPS(&session, .args = {WARD_COPY(ward_connection, &terminal)},
				   .args_given = true),
			&(ward_options){.user_strategy = &stops});
}
