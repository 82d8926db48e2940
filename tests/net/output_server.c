/* SPDX-License-Identifier: MIT
 *
 * output_server.c - the server of the trials of what a stream sends, and where streams go.
 *
 *	output_server ADDRESS
 *
 * Answers each line with its number. "file OFFSET SIZE PATH" is answered with that part of a file,
 * "given N" with N bytes that are not copied, "mixed PATH" with all kinds in turn. "move" gives the
 * connection to another actor, which counts from one. Two that say "meet" are piped into each
 * other; "nobody" gives it to none. Prints its address, then a line for each event.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/net.h>

#include "net/trial_top.h"

static const ward_stream_options of_lines = {.framing = WARD_LINES, .write_ms = WARD_MINUTE};
static const ward_stream_options of_pairs = {.half_close = true, .write_ms = WARD_MINUTE};
static struct ward_listener listener;
static ward_ref matcher, nursery;

/* ---- a session --------------------------------------------------------------------------- */

struct session {
	ward_stream *peer;
	int count;
};

static void release(void *arg) WARD_NOEXCEPT
{
	free(arg);
	printf("released\n");
}

static void give(ward_self *self, ward_stream *peer, size_t size)
{
	char *bytes = malloc(size + 1);

	memset(bytes, 'g', size);
	bytes[size] = '\n';
	ward_stream_write_given(self, peer, bytes, size + 1, release, bytes);
}

static void send_file(ward_self *self, ward_stream *peer, long long offset, long long size,
		      const char *path)
{
	ward_stream_printf(self, peer, "%lld bytes\n", size);
	ward_stream_write_file(self, peer, open(path, O_RDONLY | O_CLOEXEC), offset,
			       (uint64_t)size);
}

static void send_mixed(ward_self *self, ward_stream *peer, const char *path)
{
	for (int i = 0; i < 50; i++) {
		ward_stream_printf(self, peer, "%d\n", i);
		send_file(self, peer, i, i * 1000, path);
		give(self, peer, (size_t)i * 500);
	}
}

static ward_result move(ward_self *self, struct session *me, ward_ref to)
{
	ward_stream_give(self, me->peer, to);
	me->peer = NULL;
	return ward_stop_self(self);
}

static void answer(ward_self *self, struct session *me, const char *line)
{
	long long offset, size;
	int at = 0;

	if (sscanf(line, "file %lld %lld %n", &offset, &size, &at) == 2)
		send_file(self, me->peer, offset, size, line + at);
	else if (sscanf(line, "given %lld", &size) == 1)
		give(self, me->peer, (size_t)size);
	else if (strncmp(line, "mixed ", 6) == 0)
		send_mixed(self, me->peer, line + 6);
	else
		ward_stream_printf(self, me->peer, "%d: %s\n", ++me->count, line);
}

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	((struct session *)state)->peer = ward_stream_start(self, args, &of_lines);
	return WARD_DONE;
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_frame line;

	if (ward_match(msg, ward_connection)) {
		me->peer = ward_stream_start(self, ward_match(msg, ward_connection), &of_lines);
		return WARD_DONE;
	}
	while (ward_stream_next(self, me->peer, msg, &line)) {
		if (strcmp(line.text, "move") == 0)
			return move(self, me, nursery);
		if (strcmp(line.text, "nobody") == 0)
			return move(self, me, ward_nobody());
		if (strcmp(line.text, "meet") == 0)
			return move(self, me, matcher);
		answer(self, me, line.text);
	}
	return ward_stream_result(self, me->peer, msg);
}

static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(struct session),
				      .args = &ward_type_ward_connection,
				      .init = session_init,
				      .receive = session_receive};
static const ward_behavior heir = {
	.name = "heir", .state_size = sizeof(struct session), .receive = session_receive};

static ward_result nursery_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, ward_connection))
		return WARD_UNHANDLED;
	return ward_forward(self, ward_spawn(self, &heir));
}

static const ward_strategy stopping = {.otherwise = WARD_STOP};
static const ward_behavior nursery_behavior = {
	.name = "nursery", .receive = nursery_receive, .child_strategy = &stopping};

/* ---- pairs ------------------------------------------------------------------------------- */

struct pair {
	ward_stream *one, *two;
};

static ward_result pair_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_connection *given = ward_match(msg, ward_connection);
	struct pair *me = state;
	ward_result result;

	if (given != NULL && me->one == NULL) {
		me->one = ward_stream_start(self, given, &of_pairs);
		ward_stream_pause(self, me->one);
		return WARD_DONE;
	}
	if (given != NULL) {
		me->two = ward_stream_start(self, given, &of_pairs);
		ward_stream_pipe(self, me->one, me->two);
		ward_stream_pipe(self, me->two, me->one);
		ward_stream_again(self, me->one);
		ward_stream_printf(self, me->one, "met\n");
		ward_stream_printf(self, me->two, "met\n");
		return WARD_DONE;
	}
	result = ward_stream_result(self, me->one, msg);
	return result == WARD_UNHANDLED ? ward_stream_result(self, me->two, msg) : result;
}

static const ward_behavior pair = {
	.name = "pair", .state_size = sizeof(struct pair), .receive = pair_receive};

struct matcher {
	ward_ref waiting; /* a pair that has one stream */
};

static ward_result matcher_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct matcher *me = state;
	ward_ref to = me->waiting;

	if (!ward_match(msg, ward_connection))
		return WARD_UNHANDLED;
	me->waiting = ward_ref_is_nobody(to) ? ward_spawn(self, &pair) : ward_nobody();
	return ward_forward(self, ward_ref_is_nobody(to) ? me->waiting : to);
}

static const ward_behavior matcher_behavior = {.name = "matcher",
					       .state_size = sizeof(struct matcher),
					       .receive = matcher_receive,
					       .child_strategy = &stopping};

/* ---- the top ----------------------------------------------------------------------------- */

static ward_result top_start(ward_self *self, void *state)
{
	ward_ref at = ward_spawn(self, &ward_listen, .args = {WARD_COPY(ward_listener, &listener)});

	(void)state;
	matcher = ward_spawn(self, &matcher_behavior);
	nursery = ward_spawn(self, &nursery_behavior);
	ward_tell(self, at, ward_listener_look);
	return WARD_DONE;
}

static const ward_behavior top = {.name = "top",
				  .pre_start = top_start,
				  .receive = print_address,
				  .child_strategy = &ward_escalating_strategy};

int main(int argc, char **argv)
{
	(void)argc;
	setvbuf(stdout, NULL, _IOLBF, 0);
	listener = (struct ward_listener){.address = argv[1], .child = {.behavior = &session}};
	return ward_run(WARD_PROPS(&top), &(ward_options){.workers = 2, .log = print_event});
}
