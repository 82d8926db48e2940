/* SPDX-License-Identifier: MIT
 *
 * datagram_scene.h - an actor with a socket for datagrams, in a simulation.
 *
 * The meter notes each datagram and answers "N: text" with its incarnation. "fail" fails, "stop"
 * stops, "leave" leaves the loop; "close" closes the socket. Its peers are sockets of the test.
 */
#ifndef DATAGRAM_SCENE_H
#define DATAGRAM_SCENE_H

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ward/net.h>
#include <ward/testkit.h>

#include "net/datagrams/datagrams.h"

WARD_SIGNAL(scene_write); /* the meter writes `scene.writes` times to `scene.to` */
WARD_SIGNAL(scene_other); /* the meter does not know it */

static struct scene {
	ward_kit *kit;
	const char *address;
	ward_datagram_options options;
	ward_strategy strategy;
	ward_ref meter;
	char own[WARD_ADDRESS_TEXT];
	char got[4096]; /* each as "|text" */
	ward_net_address from;
	ward_datagram_counts counts;
	uint64_t received;
	int writes, messages, forgets;
	size_t written; /* the size of each */
	const ward_net_address *to;
	bool quiet; /* no answers */
	bool unhandled;
} scene;

struct meter {
	ward_datagrams *socket;
	int count;
};

static inline ward_result meter_init(ward_self *self, void *state, const void *args)
{
	struct meter *me = state;

	(void)args;
	me->socket = ward_datagrams_open(self, scene.address, &scene.options);
	ward_datagrams_address(me->socket, scene.own);
	return WARD_DONE;
}

static inline void meter_note(struct meter *me, const ward_frame *text)
{
	size_t used = strlen(scene.got);

	me->count++;
	scene.received++;
	if (used < sizeof scene.got - 1)
		snprintf(scene.got + used, sizeof scene.got - used, "|%.*s", WARD_TEXT(*text));
}

static inline void meter_answer(ward_self *self, struct meter *me, const ward_frame *text,
				const ward_net_address *from)
{
	char answer[64];
	int size = snprintf(answer, sizeof answer, "%u.%d: %.20s", ward_incarnation(self),
			    me->count, text->text);

	if (!scene.quiet)
		ward_datagrams_write(self, me->socket, from, answer, (size_t)size);
}

static inline ward_result meter_write(ward_self *self, struct meter *me)
{
	static char bytes[1 << 17];

	for (int i = 0; i < scene.writes; i++)
		ward_datagrams_write(self, me->socket, scene.to, bytes, scene.written);
	scene.counts = ward_datagrams_counts(me->socket);
	return WARD_DONE;
}

static inline ward_result meter_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct meter *me = state;
	ward_frame text;
	ward_result result;

	scene.messages++;
	if (ward_match(msg, scene_write))
		return meter_write(self, me);
	while (ward_datagrams_next(self, me->socket, msg, &text, &scene.from)) {
		meter_note(me, &text);
		meter_answer(self, me, &text, &scene.from);
		if (strcmp(text.text, "fail") == 0)
			return ward_failed(self, &ward_exception, "told to");
		if (strcmp(text.text, "stop") == 0)
			return ward_stop_self(self);
		if (strcmp(text.text, "leave") == 0)
			break;
		if (strcmp(text.text, "close") == 0) {
			ward_datagrams_close(self, me->socket);
			me->socket = NULL;
			return WARD_DONE;
		}
	}
	if (scene.forgets > 0 && scene.forgets-- > 0)
		return WARD_DONE;
	result = ward_datagrams_result(self, me->socket, msg);
	scene.unhandled |= result == WARD_UNHANDLED;
	if (me->socket != NULL)
		scene.counts = ward_datagrams_counts(me->socket);
	return result;
}

static const ward_behavior scene_meter = {.name = "meter",
					  .state_size = sizeof(struct meter),
					  .init = meter_init,
					  .receive = meter_receive};

/* An answer to a failing datagram: what is decided about it. */
static inline void scene_start(const char *address, const ward_datagram_options *options,
			       ward_directive decided)
{
	scene = (struct scene){.address = address, .options = *options};
	scene.strategy.otherwise = decided;
	scene.kit = ward_kit_start(&(ward_kit_options){
		.may_leave_mail = true, .system = {.user_strategy = &scene.strategy}});
	scene.meter = ward_kit_spawn(scene.kit, &scene_meter);
	ward_kit_run(scene.kit);
}

/* Also what the socket has put off to the next tick. */
static inline void scene_run(void)
{
	ward_kit_run(scene.kit);
	ward_kit_advance(scene.kit, 1);
}

static inline bool scene_lives(void)
{
	ward_actor_info info;

	return ward_kit_info(scene.kit, scene.meter, &info);
}

static inline size_t scene_failures(void)
{
	return ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*");
}

/* The meter writes. */
static inline void scene_writes(const ward_net_address *to, int times, size_t size)
{
	scene.to = to;
	scene.writes = times;
	scene.written = size;
	ward_system_send(ward_kit_system(scene.kit), scene.meter, &ward_type_scene_write, NULL, 0);
	scene_run();
}

/* ---- peers ------------------------------------------------------------------------------- */

/* The address of the meter, as this machine reaches it. */
static inline ward_net_address scene_address(const char *host)
{
	char text[WARD_ADDRESS_TEXT];
	ward_net_address address;

	snprintf(text, sizeof text, "udp:%s%s", host, strrchr(scene.own, ':'));
	ward_assert_ok(ward_net_address_read(text, &address));
	return address;
}

/* A peer at a port of its own that sends to the meter by this host. */
static inline int scene_peer(const char *host)
{
	ward_net_address at = scene_address(host);
	const struct sockaddr *to = (const void *)at.bytes;
	int fd = socket(to->sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	ward_assert(fd >= 0);
	ward_assert_eq(connect(fd, to, at.size), 0);
	return fd;
}

static inline void scene_send(int peer, const char *text)
{
	ward_assert_eq(send(peer, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* What has come to the peer: each as "|text". */
static inline const char *scene_answers(int peer)
{
	static char text[4096];
	size_t used = 0;
	ssize_t got;

	for (;;) {
		text[used] = '|';
		got = recv(peer, text + used + 1, sizeof text - used - 2, 0);
		if (got < 0)
			break;
		used += (size_t)got + 1;
	}
	text[used] = '\0';
	return text;
}

#endif
