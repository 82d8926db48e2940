/* SPDX-License-Identifier: MIT
 *
 * lines.c - a module of the command ward that serves connections: it answers each line with its
 * number.
 */
#include <ward/config.h>
#include <ward/net.h>

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

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_DONE;
}

static const ward_behavior idle = {.name = "idle", .receive = ignore};

static const ward_config_behavior behaviors[] = {
	{.name = "session", .behavior = &session}, {.name = "idle", .behavior = &idle}, {0}};

WARD_API const ward_config_module ward_module = {
	.version = WARD_CONFIG_VERSION, .name = "lines", .behaviors = behaviors};
