/* SPDX-License-Identifier: MIT
 *
 * room.c - rooms: each knows its members, and tells them what one of them says. The hall has them.
 *
 * A room that fails is restarted. Its members are in its arguments, which outlive that.
 */
#include <stdlib.h>
#include <string.h>

#include "chat.h"

struct members {
	size_t count;
	ward_ref all[MEMBERS_MAX];
};

struct room_args {
	struct members *members;
};
static void drop_room_args(struct room_args *args)
{
	free(args->members);
}
WARD_MESSAGE_DROP(room_args, drop_room_args);

static size_t place_of(const struct members *members, ward_ref who)
{
	size_t i = 0;

	while (i < members->count && !ward_ref_equal(members->all[i], who))
		i++;
	return i;
}

static ward_result let_in(ward_self *self, struct members *members, const ward_msg *msg)
{
	ward_ref who = ward_msg_sender(msg);
	size_t place = place_of(members, who);

	if (place == MEMBERS_MAX) {
		ward_stop(self, who);
		return WARD_DONE;
	}
	if (place == members->count)
		members->all[members->count++] = who;
	ward_watch(self, who);
	return ward_reply(self, msg, joined);
}

static ward_result tell_others(ward_self *self, const struct members *members, const ward_msg *msg,
			       const struct say *say)
{
	if (strstr(say->text, ": /poison"))
		return ward_failed(self, &ward_exception, "%s", say->text);
	for (size_t i = 0; i < members->count; i++)
		if (!ward_ref_equal(members->all[i], ward_msg_sender(msg)))
			ward_send(self, members->all[i], WARD_COPY(say, say));
	return WARD_DONE;
}

static ward_result room_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct members *members = ((const struct room_args *)ward_args(self))->members;
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	const struct say *say = ward_match(msg, say);
	size_t place;

	(void)state;
	if (say)
		return tell_others(self, members, msg, say);
	if (ward_match(msg, join))
		return let_in(self, members, msg);
	if (!gone)
		return WARD_UNHANDLED;
	place = place_of(members, gone->who);
	if (place < members->count)
		members->all[place] = members->all[--members->count];
	return WARD_DONE;
}

static const ward_behavior room = {
	.name = "room", .args = &ward_type_room_args, .receive = room_receive};

static ward_result hall_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct join *join = ward_match(msg, join);
	struct members *members;
	ward_ref at;

	(void)state;
	if (!join)
		return WARD_UNHANDLED;
	at = ward_child(self, join->room);
	if (ward_ref_is_nobody(at)) {
		members = calloc(1, sizeof *members);
		if (!members)
			return ward_failed_err(self, WARD_ENOMEM);
		at = ward_spawn(self, &room, .name = join->room, .mailbox = CHAT_MAILBOX,
				.args = WARD_ARGS(room_args, members), .args_given = true);
	}
	return ward_forward(self, at);
}

const ward_behavior hall = {.name = "hall", .receive = hall_receive};
