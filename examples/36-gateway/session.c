/* SPDX-License-Identifier: MIT
 *
 * session.c - a connection: its lines go to the writer, "ok KEY" comes back for each.
 *
 * While the mailbox of the writer is full the session is held: it reads no more, so its peer has to
 * wait. When its peer has ended, it stays until the last line is stored.
 */
#include <string.h>

#include "gateway.h"

static const ward_stream_options lines = {
	.framing = WARD_LINES, .frame_max = LINE_SIZE, .half_close = true};

static const ward_failure_class bad_line = {.name = "bad_line", .parent = &ward_exception};

struct session {
	ward_stream *peer;
	ward_ref writer;
	uint64_t waiting; /* lines that are not stored yet */
	bool ended;       /* the peer sends no more */
};

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	const struct ward_connection *connection = args;
	const struct session_args *given = connection->with;
	struct session *me = state;

	me->writer = given->writer;
	me->peer = ward_stream_start(self, connection, &lines);
	return WARD_DONE;
}

static ward_result pass_on(ward_self *self, struct session *me, const ward_frame *frame)
{
	size_t key_size = strcspn(frame->text, " ");
	struct line *line;

	if (key_size == 0 || key_size >= KEY_SIZE || key_size >= frame->size)
		return ward_failed(self, &bad_line, "not KEY TEXT: %.40s", frame->text);
	line = ward_make(self, line, frame->size);
	if (!line)
		return ward_failed_err(self, WARD_ENOMEM);
	line->key_size = (uint32_t)key_size;
	memcpy(line->text, frame->text, frame->size);
	ward_give(self, me->writer, line, &line);
	me->waiting++;
	return WARD_DONE;
}

static void finish_if_done(ward_self *self, struct session *me)
{
	if (me->ended && me->waiting == 0)
		ward_stream_finish(self, me->peer);
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct stored *stored = ward_match(msg, stored);
	struct session *me = state;
	ward_frame frame;

	if (stored) {
		ward_stream_printf(self, me->peer, "ok %s\n", stored->key);
		me->waiting--;
		finish_if_done(self, me);
		return WARD_DONE;
	}
	while (ward_stream_next(self, me->peer, msg, &frame))
		if (pass_on(self, me, &frame) != WARD_DONE)
			return WARD_FAILED;
	if (ward_stream_news(me->peer) & WARD_STREAM_ENDED) {
		me->ended = true;
		finish_if_done(self, me);
	}
	return ward_stream_result(self, me->peer, msg);
}

const ward_behavior session = {.name = "session",
			       .state_size = sizeof(struct session),
			       .args = &ward_type_ward_connection,
			       .init = session_init,
			       .receive = session_receive};
