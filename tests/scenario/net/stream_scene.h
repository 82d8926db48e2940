/* SPDX-License-Identifier: MIT
 *
 * stream_scene.h - an actor with a stream over a pair of sockets, in a simulation.
 *
 * The session answers each line with its number and incarnation: "1.1: text". The other end of the
 * pair is the test's. "fail" fails by a return and "jump" by a jump; "stop", "finish", "close",
 * "abort", "pause" are what they say; "big" is answered with 100,000 bytes.
 */
#ifndef STREAM_SCENE_H
#define STREAM_SCENE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ward/net.h>
#include <ward/testkit.h>

#include "net/stream/stream.h"

enum { SCENE_BIG = 100 * 1000 };

WARD_SIGNAL(scene_again); /* the session goes on reading */
WARD_SIGNAL(scene_other); /* nobody knows it */
WARD_SIGNAL(scene_hello); /* the session writes "hello" */
WARD_SIGNAL(scene_abort); /* the session aborts */
WARD_SIGNAL(scene_give);  /* the session gives its stream away */
WARD_SIGNAL(scene_fail);  /* the session fails */
WARD_SIGNAL(scene_close); /* the session closes */
WARD_SIGNAL(scene_frame); /* the session sets the framing */

static struct scene {
	ward_kit *kit;
	ward_stream_options options;
	ward_strategy strategy;
	ward_ref session;
	ward_stream *stream;  /* of the session; gone when that has ended */
	int peer;             /* -1: closed */
	ward_framing framing; /* set at the line "framing", and by scene_frame */
	uint32_t news;        /* of all callbacks */
	uint32_t early;       /* those that were there before ward_stream_result() */
	char pieces[256];     /* frames of another framing than lines, one letter before each */
	bool unhandled;
	bool blind; /* does not call ward_stream_next() */
	int turns;
	uint32_t stale; /* news in callbacks of other messages */
	/* True: the line needs no answer. NULL: all do. */
	bool (*on_line)(ward_self *self, ward_stream *stream, const char *text);
	void (*on_give)(ward_self *self, ward_stream *stream);
	bool gone;        /* the stream was given away */
	ward_err refused; /* of a start then */
} scene;

struct session {
	ward_stream *stream;
	int count;
};

static inline ward_result scene_line(ward_self *self, struct session *me, const ward_frame *line)
{
	if (scene.on_line != NULL && scene.on_line(self, me->stream, line->text))
		return WARD_DONE;
	if (strcmp(line->text, "fail") == 0)
		return ward_failed(self, &ward_exception, "told to");
	if (strcmp(line->text, "jump") == 0)
		ward_fail(self, &ward_exception, "told to");
	if (strcmp(line->text, "stop") == 0)
		return ward_stop_self(self);
	if (strcmp(line->text, "finish") == 0)
		ward_stream_finish(self, me->stream);
	if (strcmp(line->text, "close") == 0)
		ward_stream_close(self, me->stream);
	if (strcmp(line->text, "abort") == 0)
		ward_stream_abort(self, me->stream);
	if (strcmp(line->text, "pause") == 0)
		ward_stream_pause(self, me->stream);
	if (strcmp(line->text, "framing") == 0)
		ward_stream_framing(self, me->stream, &scene.framing);
	if (strcmp(line->text, "big") == 0) {
		char *big = ward_scratch(self, SCENE_BIG);

		memset(big, 'x', SCENE_BIG);
		ward_stream_write(self, me->stream, big, SCENE_BIG);
		return WARD_DONE;
	}
	ward_stream_printf(self, me->stream, "%u.%d: %s\n", ward_incarnation(self), ++me->count,
			   line->text);
	return WARD_DONE;
}

static inline ward_result session_init(ward_self *self, void *state, const void *args)
{
	struct session *me = state;

	if (scene.gone)
		scene.refused = ward_try_stream_start(self, args, &scene.options, &me->stream);
	else
		me->stream = ward_stream_start(self, args, &scene.options);
	return WARD_DONE;
}

static inline ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_frame frame;
	ward_result result;

	scene.turns++;
	if (ward_match(msg, scene_again)) {
		ward_stream_again(self, me->stream);
		return WARD_DONE;
	}
	if (ward_match(msg, scene_give)) {
		scene.gone = true;
		scene.on_give(self, me->stream);
		me->stream = NULL;
		return WARD_DONE;
	}
	if (ward_match(msg, scene_fail))
		return ward_failed(self, &ward_exception, "told to");
	if (ward_match(msg, scene_abort)) {
		ward_stream_abort(self, me->stream);
		return WARD_DONE;
	}
	if (ward_match(msg, scene_hello)) {
		ward_stream_printf(self, me->stream, "hello\n");
		return WARD_DONE;
	}
	if (ward_match(msg, scene_close)) {
		ward_stream_close(self, me->stream);
		return WARD_DONE;
	}
	if (ward_match(msg, scene_frame)) {
		ward_stream_framing(self, me->stream, &scene.framing);
		return WARD_DONE;
	}
	while (!scene.blind && ward_stream_next(self, me->stream, msg, &frame)) {
		if (me->stream->rare->framing != NULL) {
			size_t used = strlen(scene.pieces);

			snprintf(scene.pieces + used, sizeof scene.pieces - used, "|%.*s",
				 WARD_TEXT(frame));
			continue;
		}
		result = scene_line(self, me, &frame);
		if (result == WARD_FAILED)
			return result;
		if (scene.gone) {
			me->stream = NULL;
			return WARD_DONE;
		}
	}
	scene.early |= ward_stream_news(me->stream);
	result = ward_stream_result(self, me->stream, msg);
	scene.news |= ward_stream_news(me->stream);
	scene.unhandled |= result == WARD_UNHANDLED;
	if (result == WARD_UNHANDLED)
		scene.stale |= ward_stream_news(me->stream);
	return result;
}

static const ward_behavior scene_session = {.name = "session",
					    .state_size = sizeof(struct session),
					    .args = &ward_type_ward_connection,
					    .init = session_init,
					    .receive = session_receive};

/* A small buffer in the kernel, so that a peer that does not read is soon slow. */
static inline void scene_open(void)
{
	int ends[2], small = 4096;
	struct wardi_peer nobody = {.family = AF_UNIX};
	struct ward_connection connection = {NULL, NULL};

	ward_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
	setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
	connection.stream = wardi_stream_make(ends[0], &nobody);
	ward_assert(connection.stream != NULL);
	scene.stream = connection.stream;
	scene.peer = ends[1];
	scene.session = ward_kit_spawn(scene.kit, &scene_session, .args_given = true,
				       .args = {WARD_COPY(ward_connection, &connection)});
}

/* A failing line: what is decided about it. */
static inline void scene_start_deciding(const ward_stream_options *options, ward_directive decided)
{
	scene = (struct scene){.options = *options, .peer = -1};
	scene.strategy.otherwise = decided;
	if (decided != WARD_RESUME)
		scene.strategy.rules[0] = (ward_rule){&ward_net_failure, WARD_STOP};
	scene.kit = ward_kit_start(&(ward_kit_options){
		.may_leave_mail = true, .system = {.user_strategy = &scene.strategy}});
	scene_open();
	ward_kit_run(scene.kit);
}

static inline void scene_start(const ward_stream_options *options)
{
	scene_start_deciding(options, WARD_RESTART);
}

/* Also what the stream has put off to the next tick. */
static inline void scene_run(void)
{
	ward_kit_run(scene.kit);
	ward_kit_advance(scene.kit, 1);
}

static inline void scene_hang_up(void)
{
	close(scene.peer);
	scene.peer = -1;
}

static inline void scene_finish(void)
{
	if (scene.peer >= 0)
		scene_hang_up();
	ward_kit_finish(scene.kit);
}

static inline void scene_send(const char *text)
{
	ward_assert_eq(send(scene.peer, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

static inline void scene_say(const char *text)
{
	scene_send(text);
	scene_run();
}

/* What the session has sent and nobody has read: a text. "(end)" behind it: the stream ended. */
static inline const char *scene_answers(void)
{
	static char text[4096];
	size_t used = 0;
	ssize_t got;

	while ((got = recv(scene.peer, text + used, sizeof text - 6 - used, 0)) > 0)
		used += (size_t)got;
	text[used] = '\0';
	if (got == 0)
		snprintf(text + used, 6, "(end)");
	else if (errno == ECONNRESET)
		snprintf(text + used, 6, "(cut)");
	return text;
}

/* Reads and forgets that many bytes at most; returns how many there were. */
static inline size_t scene_swallow(size_t most)
{
	static char bytes[1 << 16];
	size_t all = 0;
	ssize_t got;

	while (all < most &&
	       (got = recv(scene.peer, bytes, most - all < sizeof bytes ? most - all : sizeof bytes,
			   0)) > 0)
		all += (size_t)got;
	return all;
}

static inline bool scene_lives(void)
{
	ward_actor_info info;

	return ward_kit_info(scene.kit, scene.session, &info);
}

static inline void scene_tell(const ward_type *type)
{
	ward_system_send(ward_kit_system(scene.kit), scene.session, type, NULL, 0);
	scene_run();
}

#endif
