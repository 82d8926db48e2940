/* SPDX-License-Identifier: MIT
 *
 * line_client.c - the client of the trials: connects, writes "hello", prints each line.
 *
 *	line_client ADDRESS [NAME=NUMBER ...]
 *
 * Names are those of ward_stream_options and ward_connector, `workers`, `count` (of clients), and
 * `connector` (1: below a connector, not by ward_stream_open()). Prints "at ADDRESS", then "opened
 * ADDRESS", "retry" and "line TEXT", and one line for each event.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/net.h>

#include "net/trial_top.h"

static ward_stream_options options = {.framing = WARD_LINES};
static struct ward_connector connector;
static const char *address;
static long workers = 1, count = 1, below_connector;

struct client {
	ward_stream *peer;
};

static ward_result client_init(ward_self *self, void *state, const void *args)
{
	struct client *me = state;

	me->peer = args != NULL ? ward_stream_start(self, args, &options)
				: ward_stream_open(self, address, &options);
	ward_stream_printf(self, me->peer, "hello\n");
	return WARD_DONE;
}

static ward_result client_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct client *me = state;
	char peer[WARD_ADDRESS_TEXT];
	ward_result result;
	ward_frame line;

	while (ward_stream_next(self, me->peer, msg, &line))
		printf("line %s\n", line.text);
	result = ward_stream_result(self, me->peer, msg);
	if (ward_stream_news(me->peer) & WARD_STREAM_OPENED)
		printf("opened %s\n", ward_stream_peer(me->peer, peer));
	if (ward_stream_news(me->peer) & WARD_STREAM_RETRY)
		printf("retry\n");
	return result;
}

static const ward_behavior opener = {.name = "opener",
				     .state_size = sizeof(struct client),
				     .init = client_init,
				     .receive = client_receive};
static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(struct client),
				      .args = &ward_type_ward_connection,
				      .init = client_init,
				      .receive = client_receive};

/* ---- the top ----------------------------------------------------------------------------- */

static ward_result top_start(ward_self *self, void *state)
{
	(void)state;
	printf("at %s\n", address);
	for (long i = 0; i < count; i++) {
		if (below_connector != 0)
			ward_spawn(self, &ward_connect,
				   .args = {WARD_COPY(ward_connector, &connector)});
		else
			ward_spawn(self, &opener);
	}
	return WARD_DONE;
}

static const ward_behavior top = {
	.name = "top", .pre_start = top_start, .child_strategy = &ward_stopping_strategy};

static bool set(const char *name, long value)
{
#define NAMED(field, to) (strcmp(name, field) == 0 && ((to) = value, true))
	return NAMED("first_ms", options.first_ms) || NAMED("connect_ms", options.connect_ms) ||
	       NAMED("connect_tries", *(uint32_t *)&options.connect_tries) ||
	       NAMED("min_backoff_ms", options.min_backoff_ms) ||
	       NAMED("max_backoff_ms", options.max_backoff_ms) || NAMED("workers", workers) ||
	       NAMED("count", count) || NAMED("connector", below_connector);
#undef NAMED
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	address = argv[1];
	for (int i = 2; i < argc; i++) {
		char *is = strchr(argv[i], '=');

		if (is != NULL)
			*is = '\0';
		if (is == NULL || !set(argv[i], atol(is + 1))) {
			fprintf(stderr, "line_client: what is %s?\n", argv[i]);
			return 2;
		}
	}
	connector = (struct ward_connector){.address = address,
					    .child = {.behavior = &session},
					    .connect_ms = options.connect_ms,
					    .min_backoff_ms = options.min_backoff_ms,
					    .max_backoff_ms = options.max_backoff_ms};
	return ward_run(WARD_PROPS(&top),
			&(ward_options){.workers = (uint32_t)workers,
					.log = print_event,
					.user_strategy = &ward_escalating_strategy});
}
