/* SPDX-License-Identifier: MIT
 *
 * session.c - a connection: its lines go to the room, what is said there goes to its peer.
 *
 * While the peer does not read, the mailbox is closed, so the room that fills it is held. A session
 * that fails goes on with the next line; where it sits it tells its next incarnation by a message.
 */
#include <stdio.h>
#include <string.h>

#include "chat.h"

static const ward_stream_options lines = {
	.framing = WARD_LINES, .frame_max = LINE_SIZE - 4, .write_closes_mailbox = true};

struct seat {
	ward_ref room;
	char name[NAME_SIZE];
};
WARD_MESSAGE_FLAT(seat);

struct session {
	ward_stream *peer;
	ward_ref hall;
	struct seat seat;
};

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	const struct ward_connection *connection = args;
	const struct chat_args *chat = connection->with;
	struct session *me = state;

	me->hall = chat->hall;
	me->peer = ward_stream_start(self, connection, &lines);
	if (ward_incarnation(self) > 1) /* until the seat comes */
		ward_stream_pause(self, me->peer);
	return WARD_DONE;
}

static ward_result session_pre_restart(ward_self *self, void *state, const ward_failure *why,
				       const ward_msg *msg)
{
	struct session *me = state;

	(void)why, (void)msg;
	ward_send(self, ward_self_ref(self), WARD_COPY(seat, &me->seat));
	return ward_default_pre_restart(self);
}

static ward_result take_line(ward_self *self, struct session *me, const char *line)
{
	struct join join = {""};
	struct say say;

	if (strcmp(line, "/fail") == 0)
		return ward_failed(self, &ward_exception, "%s says so", me->seat.name);
	if (sscanf(line, "/join %31[a-z] %31s", join.room, me->seat.name) == 2) {
		ward_send(self, me->hall, WARD_COPY(join, &join));
		ward_stream_pause(self, me->peer); /* until the room has answered */
		return WARD_DONE;
	}
	if (ward_ref_is_nobody(me->seat.room)) {
		ward_stream_printf(self, me->peer, "where? say: /join ROOM NAME\n");
		return WARD_DONE;
	}
	snprintf(say.text, sizeof say.text, "%s: %s", me->seat.name, line);
	ward_send(self, me->seat.room, WARD_COPY(say, &say));
	return WARD_DONE;
}

static ward_result sit_down(ward_self *self, struct session *me, ward_ref room)
{
	me->seat.room = room;
	ward_stream_again(self, me->peer);
	return WARD_DONE;
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct say *say = ward_match(msg, say);
	const struct seat *seat = ward_match(msg, seat);
	struct session *me = state;
	ward_frame line;

	if (say) {
		ward_stream_printf(self, me->peer, "%s\n", say->text);
		return WARD_DONE;
	}
	if (seat) {
		me->seat = *seat;
		return sit_down(self, me, seat->room);
	}
	if (ward_match(msg, joined)) {
		ward_stream_printf(self, me->peer, "joined\n");
		return sit_down(self, me, ward_msg_sender(msg));
	}
	while (ward_stream_next(self, me->peer, msg, &line))
		if (take_line(self, me, line.text) != WARD_DONE)
			return WARD_FAILED;
	return ward_stream_result(self, me->peer, msg);
}

const ward_behavior session = {.name = "session",
			       .state_size = sizeof(struct session),
			       .args = &ward_type_ward_connection,
			       .init = session_init,
			       .pre_restart = session_pre_restart,
			       .receive = session_receive};
