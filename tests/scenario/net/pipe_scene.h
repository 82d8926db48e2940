/* SPDX-License-Identifier: MIT
 *
 * pipe_scene.h - a proxy of two streams, in a simulation.
 *
 * The client's stream comes as the arguments of the proxy, the server's in a message. The other
 * ends are the test's. The client is paused until then. The proxy reads one line of it, if it is
 * told to, before it pipes.
 */
#ifndef PIPE_SCENE_H
#define PIPE_SCENE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ward/net.h>
#include <ward/testkit.h>

#include "net/stream/stream.h"

enum { BUFFER = 4096, MUCH = 60000 };

WARD_SIGNAL(write_server); /* the proxy writes "own" to the server */
WARD_SIGNAL(write_much);   /* the same, 60,000 bytes */
WARD_SIGNAL(give_server);  /* ... to nobody, and reads lines of the client */
WARD_SIGNAL(finish_server);
WARD_SIGNAL(abort_server);
WARD_SIGNAL(pause_client);
WARD_SIGNAL(again_client);
WARD_SIGNAL(pipe_again); /* another pipe of the same two */
WARD_SIGNAL(restart_it);

static struct {
	ward_kit *kit;
	ward_stream_options options;
	bool goes_on; /* the client is not paused when the server comes */
	ward_strategy strategy;
	ward_ref proxy;
	int client, server;     /* the test's ends; -1: closed */
	ward_stream *to_server; /* of the proxy; NULL: none yet */
	bool reads_line;        /* before it pipes */
	bool passes_line;       /* ... and writes it to the server, behind its pipes */
	char line[100];
	ward_err refused;
} scene;

struct proxy {
	ward_stream *client, *server;
	bool piped;
};

static inline void pipe_both(ward_self *self, struct proxy *me)
{
	ward_stream_pipe(self, me->client, me->server);
	ward_stream_pipe(self, me->server, me->client);
	me->piped = true;
}

static inline ward_result proxy_init(ward_self *self, void *state, const void *args)
{
	struct proxy *me = state;

	scene.to_server = NULL;
	me->client = ward_stream_start(self, args, &scene.options);
	ward_stream_pause(self, me->client);
	return WARD_DONE;
}

static inline void write_lot(ward_self *self, struct proxy *me)
{
	static char bytes[MUCH];

	ward_stream_write(self, me->server, bytes, sizeof bytes);
}

static inline void give_away(ward_self *self, struct proxy *me)
{
	ward_stream_give(self, me->server, ward_nobody());
	me->server = NULL;
}

static inline bool obey(ward_self *self, struct proxy *me, const ward_msg *msg)
{
	if (ward_match(msg, write_server))
		ward_stream_printf(self, me->server, "own");
	else if (ward_match(msg, write_much))
		write_lot(self, me);
	else if (ward_match(msg, give_server))
		give_away(self, me);
	else if (ward_match(msg, finish_server))
		ward_stream_finish(self, me->server);
	else if (ward_match(msg, abort_server))
		ward_stream_abort(self, me->server);
	else if (ward_match(msg, pause_client))
		ward_stream_pause(self, me->client);
	else if (ward_match(msg, again_client))
		ward_stream_again(self, me->client);
	else if (ward_match(msg, pipe_again))
		scene.refused = ward_try_stream_pipe(self, me->client, me->server);
	else if (ward_match(msg, restart_it))
		return !ward_failed(self, &ward_exception, "told to");
	else
		return false;
	return true;
}

static inline ward_result proxy_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct proxy *me = state;
	ward_result result;
	ward_frame line;

	if (ward_match(msg, ward_connection)) {
		me->server =
			ward_stream_start(self, ward_match(msg, ward_connection), &scene.options);
		scene.to_server = me->server;
		if (!scene.reads_line)
			pipe_both(self, me);
		if (!scene.goes_on)
			ward_stream_again(self, me->client);
		return WARD_DONE;
	}
	if (obey(self, me, msg))
		return WARD_DONE;
	if (me->piped && me->server == NULL && ward_stream_next(self, me->client, msg, &line))
		snprintf(scene.line, sizeof scene.line, "%.*s", WARD_TEXT(line));
	if (scene.reads_line && !me->piped && ward_stream_next(self, me->client, msg, &line)) {
		pipe_both(self, me);
		if (scene.passes_line)
			ward_stream_write_frame(self, me->server, line.text, line.size);
		snprintf(scene.line, sizeof scene.line, "%.*s", WARD_TEXT(line));
	}
	result = ward_stream_result(self, me->client, msg);
	return result != WARD_UNHANDLED ? result : ward_stream_result(self, me->server, msg);
}

static const ward_behavior proxy = {.name = "proxy",
				    .state_size = sizeof(struct proxy),
				    .args = &ward_type_ward_connection,
				    .init = proxy_init,
				    .receive = proxy_receive};

static inline struct ward_connection make(int *ret_peer)
{
	int ends[2], size = BUFFER;
	struct wardi_peer nobody = {.family = AF_UNIX};
	struct ward_connection connection = {NULL, NULL};

	ward_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
	setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
	setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
	connection.stream = wardi_stream_make(ends[0], &nobody);
	ward_assert(connection.stream != NULL);
	*ret_peer = ends[1];
	return connection;
}

static inline void run(void)
{
	ward_kit_run(scene.kit);
	ward_kit_advance(scene.kit, 1);
}

static inline void begin(const ward_stream_options *options)
{
	struct ward_connection connection;

	memset(&scene, 0, sizeof scene);
	scene.options = *options;
	scene.strategy.otherwise = WARD_RESTART;
	scene.strategy.rules[0] = (ward_rule){&ward_net_failure, WARD_STOP};
	scene.kit = ward_kit_start(&(ward_kit_options){
		.may_leave_mail = true, .system = {.user_strategy = &scene.strategy}});
	connection = make(&scene.client);
	scene.server = -1;
	scene.proxy = ward_kit_spawn(scene.kit, &proxy, .args_given = true,
				     .args = {WARD_COPY(ward_connection, &connection)});
	run();
}

static inline void join_server(void)
{
	struct ward_connection connection = make(&scene.server);

	ward_system_send(ward_kit_system(scene.kit), scene.proxy,
			 WARD_COPY(ward_connection, &connection));
	run();
}

static const ward_stream_options raw = {.half_close = true};

static inline void start(void)
{
	begin(&raw);
	join_server();
}

static inline void hang_up(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static inline void finish(void)
{
	hang_up(&scene.client);
	hang_up(&scene.server);
	ward_kit_finish(scene.kit);
}

static inline bool lives(void)
{
	ward_actor_info info;

	return ward_kit_info(scene.kit, scene.proxy, &info);
}

static inline void tell(const ward_type *type)
{
	ward_system_send(ward_kit_system(scene.kit), scene.proxy, type, NULL, 0);
	run();
}

static inline void say(int fd, const char *text)
{
	ward_assert_eq(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
	run();
}

/* What has come; "(end)" or "(cut)" behind it. */
static inline const char *heard(int fd)
{
	static char text[1000];
	size_t used = 0;
	ssize_t got;

	while ((got = recv(fd, text + used, sizeof text - 6 - used, 0)) > 0)
		used += (size_t)got;
	text[used] = '\0';
	if (got == 0)
		strcpy(text + used, "(end)");
	else if (errno == ECONNRESET)
		strcpy(text + used, "(cut)");
	return text;
}

/* Byte `at` of a direction. */
static inline unsigned char pattern(size_t at)
{
	return (unsigned char)(at * 31 + at / 251);
}

/* The bytes of a direction; each allocation of the case fails once under --shortages. */
static inline size_t big(void)
{
	return ward_test_shortage() ? 150 * 1000 : 1 << 20;
}

/* Sends what goes of big() bytes, at most 3000 at once. */
static inline bool send_some(int fd, size_t *at)
{
	unsigned char bytes[3000];
	size_t size = big() - *at < sizeof bytes ? big() - *at : sizeof bytes;
	ssize_t sent;

	for (size_t i = 0; i < size; i++)
		bytes[i] = pattern(*at + i);
	sent = size > 0 ? send(fd, bytes, size, MSG_NOSIGNAL) : -1;
	if (sent > 0)
		*at += (size_t)sent;
	return sent > 0;
}

/* Checks what has come, at most 2000 bytes. */
static inline bool check_some(int fd, size_t *at)
{
	unsigned char bytes[2000];
	ssize_t got = recv(fd, bytes, sizeof bytes, 0);

	for (ssize_t i = 0; i < got; i++)
		ward_assert_eq(bytes[i], pattern(*at + (size_t)i));
	if (got > 0)
		*at += (size_t)got;
	return got > 0;
}

/* Sends until nothing goes any more. Returns how many bytes went. */
static inline size_t fill_client(void)
{
	size_t sent = 0;

	for (int idle = 0; idle < 3; idle++) {
		while (send_some(scene.client, &sent))
			idle = 0;
		run();
	}
	return sent;
}

/* Whether bytes wait for the server. */
static inline bool some_wait(void)
{
	ward_assert(lives());
	ward_assert(scene.to_server != NULL);
	return ward_stream_unsent(scene.to_server) > 0;
}

/* Reads all that is there, and forgets it. */
static inline size_t swallow(int fd)
{
	unsigned char bytes[1000];
	size_t all = 0;
	ssize_t got;

	while ((got = recv(fd, bytes, sizeof bytes, 0)) > 0)
		all += (size_t)got;
	return all;
}

#endif
