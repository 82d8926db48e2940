/* SPDX-License-Identifier: MIT
 *
 * listener_scene.h - a listener in a simulation, with clients over an abstract socket.
 *
 * A session answers each line with the greeting of its props in front; "fail" fails. A test may
 * handle lines, and messages of other types, in another way.
 */
#ifndef LISTENER_SCENE_H
#define LISTENER_SCENE_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <ward/net.h>
#include <ward/testkit.h>

static const ward_stream_options lines = {.framing = WARD_LINES};
static const ward_stream_options *session_options = &lines; /* NULL: the listener's */

struct greeting {
	char text[16];
};
WARD_MESSAGE(greeting);

static struct scene {
	ward_kit *kit;
	ward_ref listener;
	char address[64];
	const ward_phase *phases; /* NULL: the default ones */
	bool forgets; /* the session does not start its stream in init, but at a greeting */
	/* True: the line needs no answer. NULL: all do. */
	bool (*on_line)(ward_self *self, ward_stream *stream, const char *text);
} scene;

/* ---- a session --------------------------------------------------------------------------- */

struct session {
	ward_stream *peer;
	const struct greeting *greeting;
};

static inline ward_result session_init(ward_self *self, void *state, const void *args)
{
	struct session *me = state;

	me->greeting = ((const struct ward_connection *)args)->with;
	if (!scene.forgets)
		me->peer = ward_stream_start(self, args, session_options);
	return WARD_DONE;
}

static inline ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_frame line;

	if (ward_match(msg, greeting)) {
		me->peer = ward_stream_start(self, ward_args(self), session_options);
		return WARD_DONE;
	}
	while (ward_stream_next(self, me->peer, msg, &line)) {
		if (scene.on_line != NULL && scene.on_line(self, me->peer, line.text))
			return WARD_DONE;
		if (strcmp(line.text, "fail") == 0)
			return ward_failed(self, &ward_exception, "told to");
		ward_stream_printf(self, me->peer, "%s %s\n", me->greeting->text, line.text);
	}
	return ward_stream_result(self, me->peer, msg);
}

static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(struct session),
				      .args = &ward_type_ward_connection,
				      .init = session_init,
				      .receive = session_receive};

/* ---- the scene --------------------------------------------------------------------------- */

static inline void start(const struct ward_listener *like)
{
	static const struct greeting hello = {"hello"};
	struct ward_listener at = *like;

	snprintf(scene.address, sizeof scene.address, "unix:@ward-test-listener-%d", getpid());
	if (at.address == NULL)
		at.address = scene.address;
	at.child.behavior = &session;
	at.child.args = (ward_body){WARD_COPY(greeting, &hello)};
	scene.kit = ward_kit_start(
		&(ward_kit_options){.may_leave_mail = true, .system = {.phases = scene.phases}});
	scene.listener =
		ward_kit_spawn(scene.kit, &ward_listen, .args = {WARD_COPY(ward_listener, &at)});
	ward_kit_run(scene.kit);
}

static inline void run(void)
{
	ward_kit_run(scene.kit);
	ward_kit_advance(scene.kit, 1);
}

/* -1: the queue of the listener is full, or nobody listens. */
static inline int client(void)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	size_t size = strlen(scene.address) - strlen("unix:@");

	memcpy(to.sun_path + 1, scene.address + strlen("unix:@"), size);
	if (connect(fd, (struct sockaddr *)&to,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + size)) == 0)
		return fd;
	close(fd);
	return -1;
}

static inline const char *say(int fd, const char *text)
{
	static char answer[256];
	ssize_t got;

	(void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
	run();
	got = recv(fd, answer, sizeof answer - 1, 0);
	answer[got > 0 ? got : 0] = '\0';
	return got == 0 ? "(end)" : answer;
}

static inline struct ward_listener_state look(void)
{
	struct ward_listener_state now = {0};

	ward_assert_ok(ward_system_ask(ward_kit_system(scene.kit), scene.listener, WARD_SECOND,
				       &now, ward_listener_look));
	return now;
}

static inline size_t events(ward_event_kind kind, const char *part)
{
	size_t found = 0, count = ward_kit_count(scene.kit, kind, "*");
	char text[640];

	for (size_t i = 0; i < count; i++) {
		ward_event_format(ward_kit_event(scene.kit, kind, "*", i), text, sizeof text);
		found += strstr(text, part) != NULL;
	}
	return found;
}

static inline size_t notes(const char *part)
{
	return events(WARD_EVENT_NOTE, part);
}

static inline bool lives(void)
{
	ward_actor_info info;

	return ward_kit_info(scene.kit, scene.listener, &info);
}

#endif
