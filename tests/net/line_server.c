/* SPDX-License-Identifier: MIT
 *
 * line_server.c - the server of the trials: answers each line with its number.
 *
 *	line_server ADDRESS [NAME=NUMBER ...]
 *
 * Names are those of ward_stream_options and ward_listener, `workers`, and `restart` (1: failing
 * lines restart the session). Prints its address, then one line for each event. "fail" fails by a
 * return, "jump" by a jump, "abort" after an abort, "big N" is answered with N bytes, "bye" closes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/net.h>

#include "net/trial_top.h"

static ward_stream_options options = {.framing = WARD_LINES, .frame_max = 4096};
static struct ward_listener listener;
static long restart, workers = 1;

struct session {
	ward_stream *peer;
	int count;
};

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	((struct session *)state)->peer = ward_stream_start(self, args, &options);
	return WARD_DONE;
}

static void answer_big(ward_self *self, struct session *me, size_t size)
{
	char *bytes = malloc(size + 1);

	memset(bytes, 'x', size);
	bytes[size] = '\n';
	ward_stream_write(self, me->peer, bytes, size + 1);
	free(bytes);
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_frame line;

	while (ward_stream_next(self, me->peer, msg, &line)) {
		if (strcmp(line.text, "fail") == 0)
			return ward_failed(self, &ward_exception, "line %d says so", me->count);
		if (strcmp(line.text, "abort") == 0) {
			ward_stream_abort(self, me->peer);
			return ward_failed(self, &ward_exception, "line %d says so", me->count);
		}
		if (strcmp(line.text, "jump") == 0)
			ward_fail(self, &ward_exception, "line %d says so", me->count);
		if (strncmp(line.text, "big ", 4) == 0)
			answer_big(self, me, (size_t)atol(line.text + 4));
		else
			ward_stream_printf(self, me->peer, "%d: %s\n", ++me->count, line.text);
		if (strcmp(line.text, "bye") == 0)
			ward_stream_close(self, me->peer);
	}
	return ward_stream_result(self, me->peer, msg);
}

static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(struct session),
				      .args = &ward_type_ward_connection,
				      .init = session_init,
				      .receive = session_receive};
static const ward_strategy again = {.rules = {{&ward_net_failure, WARD_STOP}}};

/* ---- the top ----------------------------------------------------------------------------- */

static ward_result top_start(ward_self *self, void *state)
{
	ward_ref at = ward_spawn(self, &ward_listen, .name = "listener",
				 .args = {WARD_COPY(ward_listener, &listener)},
				 .child_strategy = restart != 0 ? &again : NULL);

	(void)state;
	ward_tell(self, at, ward_listener_look);
	return WARD_DONE;
}

static const ward_behavior top = {.name = "top",
				  .pre_start = top_start,
				  .receive = print_address,
				  .child_strategy = &ward_escalating_strategy};

static bool set(const char *name, long value)
{
#define NAMED(field, to) (strcmp(name, field) == 0 && ((to) = value, true))
	return NAMED("frame_max", *(long *)&options.frame_max) ||
	       NAMED("idle_ms", options.idle_ms) || NAMED("first_ms", options.first_ms) ||
	       NAMED("frame_ms", options.frame_ms) || NAMED("write_ms", options.write_ms) ||
	       NAMED("write_high", *(long *)&options.write_high) ||
	       NAMED("write_max", *(long *)&options.write_max) ||
	       NAMED("drain_ms", listener.drain_ms) || NAMED("restart", restart) ||
	       NAMED("workers", workers) || NAMED("half_close", *(bool *)&options.half_close) ||
	       NAMED("unix_replace", *(bool *)&listener.unix_replace) ||
	       NAMED("connections_max", *(uint32_t *)&listener.connections_max);
#undef NAMED
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	listener = (struct ward_listener){.address = argv[1], .child = {.behavior = &session}};
	for (int i = 2; i < argc; i++) {
		char *is = strchr(argv[i], '=');

		if (is != NULL)
			*is = '\0';
		if (is == NULL || !set(argv[i], atol(is + 1))) {
			fprintf(stderr, "line_server: what is %s?\n", argv[i]);
			return 2;
		}
	}
	return ward_run(WARD_PROPS(&top),
			&(ward_options){.workers = (uint32_t)workers,
					.log = print_event,
					.user_strategy = &ward_escalating_strategy});
}
