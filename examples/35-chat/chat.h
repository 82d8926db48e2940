/* SPDX-License-Identifier: MIT
 *
 * chat.h - the messages of the chat.
 */
#ifndef CHAT_H
#define CHAT_H

#include <ward/net.h>

enum { NAME_SIZE = 32, LINE_SIZE = 400, MEMBERS_MAX = 1000, WAITING_MAX = 64 };

/* Full mailboxes hold their senders: so no line is lost, and nobody's memory grows. */
#define CHAT_MAILBOX                                                                               \
	{                                                                                          \
		.messages_max = WAITING_MAX, .overflow = WARD_OVERFLOW_HOLD_SENDER                 \
	}

/* The arguments of a session. */
struct chat_args {
	ward_ref hall;
};
WARD_MESSAGE_FLAT(chat_args);

/* From a session to the hall, which passes it on to the room; that answers with `joined`. */
struct join {
	char room[NAME_SIZE];
};
WARD_MESSAGE_FLAT(join);
WARD_SIGNAL(joined);

/* From a session to its room, and from there to all other members. */
struct say {
	char text[NAME_SIZE + LINE_SIZE];
};
WARD_MESSAGE_FLAT(say);

extern const ward_behavior hall, session;

#endif
