/* SPDX-License-Identifier: MIT
 *
 * auto_received.h - messages that the runtime handles before receive sees them: their types, kinds,
 * and bodies.
 */
#ifndef WARDI_AUTO_RECEIVED_H
#define WARDI_AUTO_RECEIVED_H

#include "mail/message.h"

struct ward_system;

struct ward_self;

/* How the runtime handles such a message; wardi_auto_received has a row for each kind. */
enum wardi_auto_kind {
	/* a type that programs must not send; or the message of a watch, or of a timer */
	WARDI_AUTO_FORGED,
	WARDI_AUTO_PILL,
	WARDI_AUTO_KILL,
	WARDI_AUTO_TICK,
	WARDI_AUTO_NOTICE,
	WARDI_AUTO_FD_READY,
	WARDI_AUTO_IDENTIFY,
	WARDI_AUTO_TASK,
	WARDI_AUTO_ANSWER,
	WARDI_AUTO_ASK_OVER,
	WARDI_AUTO_EXCEEDED,
	WARDI_AUTO_RECEIVE_TIMEOUT,
	WARDI_AUTO_FORGOTTEN,
	WARDI_AUTO_EXIT,
	WARDI_AUTO_INSIDE,
	WARDI_AUTO_FEW,
	WARDI_AUTO_SIGNAL,
	WARDI_AUTO_DETOUR,
	WARDI_AUTO_KINDS
};

/* The flags of a type whose messages are auto-received. */
#define WARDI_AUTO_TYPE(kind) (WARDI_TYPE_AUTO | (uint32_t)(kind) << WARDI_TYPE_KIND_SHIFT)

static inline enum wardi_auto_kind wardi_auto_kind(const ward_type *type)
{
	uint32_t kind = type->flags >> WARDI_TYPE_KIND_SHIFT;

	/* A program may have set reserved flags. */
	return kind < WARDI_AUTO_KINDS ? (enum wardi_auto_kind)kind : WARDI_AUTO_FORGED;
}

/* Whether a closed mailbox lets the message pass (S128): what is auto-received, except a pill, a
 * kill and a detour, which mean what came before them, too. A message of a timer is due now. */
static inline bool wardi_msg_passes(const struct ward_msg *msg)
{
	enum wardi_auto_kind kind;

	if (!wardi_msg_is_auto_received(msg))
		return false;
	kind = wardi_auto_kind(wardi_msg_type(msg));
	return kind != WARDI_AUTO_PILL && kind != WARDI_AUTO_KILL && kind != WARDI_AUTO_DETOUR;
}

/* The content of a tick or a notice, in place of a body. */
struct wardi_token {
	uint64_t id;
	void *record;
};

/* The content of a tick: the key finds the timer, the number identifies it; without a key the
 * number does both. */
struct wardi_tick {
	uint64_t key, id;
};

extern const ward_type wardi_type_tick;

/* A message that a timer sends to its owner: auto-received, though its type is not, with the key of
 * the timer in place of the sender. No place of a system is like this. */
#define WARDI_PLACE_TIMED UINT32_MAX

static inline void wardi_msg_mark_timed(struct ward_msg *msg, uint64_t key)
{
	msg->type |= WARDI_MSG_AUTO_RECEIVED;
	msg->sender_uid = key;
	wardi_msg_set_sender_place(msg, WARDI_PLACE_TIMED);
}

static inline bool wardi_msg_is_timed(const struct ward_msg *msg)
{
	return wardi_msg_is_auto_received(msg) && wardi_msg_sender_place(msg) == WARDI_PLACE_TIMED;
}

static inline uint64_t wardi_msg_timed_key(const struct ward_msg *msg)
{
	return msg->sender_uid;
}

static inline void wardi_msg_unmark_timed(struct ward_msg *msg, uint64_t sender_uid,
					  uint32_t sender_place)
{
	msg->type &= ~(uintptr_t)WARDI_MSG_AUTO_RECEIVED;
	msg->sender_uid = sender_uid;
	wardi_msg_set_sender_place(msg, sender_place);
}

extern const ward_type wardi_type_notice;
extern const ward_type wardi_type_forgotten;
extern const ward_type wardi_type_exit;
extern const ward_type wardi_type_inside; /* a struct ward_inside */
extern const ward_type wardi_type_detour; /* a struct wardi_token: an outgoing message */

/* Notifies the asker that a question has ended without an answer. */
struct wardi_ask_over {
	uint64_t number;
	ward_err why;
	ward_reason reason; /* of the dead letter, or WARD_REASON_NONE */
	ward_ref last;      /* the receiver of the dead letter; nobody: unknown */
};

extern const ward_type wardi_type_answer; /* a struct wardi_token: the ref's uid, the message */
extern const ward_type wardi_type_ask_over;

/* A row for each kind, in turn/auto_receive.c. */
struct wardi_auto_received {
	/* Holder. True: self has a message in hand for receive. False: nothing is left to do, or
	 * the cell is stopping; *ret_gone: it is gone. */
	bool (*arrived)(struct ward_self *self, struct ward_msg *msg, bool *ret_gone);
	/* Frees what belongs to a message that is not delivered. NULL: it is a dead letter like any
	 * other. */
	void (*dropped)(struct ward_system *system, struct ward_self *self, struct ward_msg *msg);
};
extern const struct wardi_auto_received wardi_auto_received[WARDI_AUTO_KINDS];

#endif
