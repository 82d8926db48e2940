/* SPDX-License-Identifier: MIT
 *
 * auto_received.h - messages that the runtime looks at before receive does: their types, their
 * kinds, and what some carry.
 */
#ifndef WARDI_AUTO_RECEIVED_H
#define WARDI_AUTO_RECEIVED_H

#include "mail/message.h"

struct ward_system;

struct ward_self;

/* What the runtime does about such a message; wardi_auto_received has a row for each. */
enum wardi_auto_kind {
	WARDI_AUTO_FORGED, /* a type that nobody may send; or the message of a watch */
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
	WARDI_AUTO_KINDS
};

/* The flags of a type whose messages are auto-received. */
#define WARDI_AUTO_TYPE(kind) (WARDI_TYPE_AUTO | (uint32_t)(kind) << WARDI_TYPE_KIND_SHIFT)

static inline enum wardi_auto_kind wardi_auto_kind(const ward_type *type)
{
	uint32_t kind = type->flags >> WARDI_TYPE_KIND_SHIFT;

	/* A program may have set flags that are not its own. */
	return kind < WARDI_AUTO_KINDS ? (enum wardi_auto_kind)kind : WARDI_AUTO_FORGED;
}

/* What a tick or a notice carries in place of a body. */
struct wardi_token {
	uint64_t id;
	void *record;
};

/* Of a tick: by the key the timer is found, by the number it is known; without a key it is found by
 * the number, too. */
struct wardi_tick {
	uint64_t key, id;
};

extern const ward_type wardi_type_tick;
extern const ward_type wardi_type_notice;
extern const ward_type wardi_type_forgotten;
extern const ward_type wardi_type_exit;
extern const ward_type wardi_type_inside; /* a struct ward_inside */

/* What tells the asker that a question has ended without an answer. */
struct wardi_ask_over {
	uint64_t number;
	ward_err why;
	ward_reason reason; /* of the dead letter that it became; WARD_REASON_NONE: of none */
};

extern const ward_type wardi_type_answer; /* a struct wardi_token: the ref's uid, the message */
extern const ward_type wardi_type_ask_over;

/* A row for each kind, in turn/auto_receive.c. */
struct wardi_auto_received {
	/* By the holder. True: self has a message in hand for receive. False: nothing is left to
	 * do, or the cell is stopping; *ret_gone then tells whether it is gone. */
	bool (*arrived)(struct ward_self *self, struct ward_msg *msg, bool *ret_gone);
	/* It is not delivered: frees what hangs on it. NULL: it is a dead letter like any other. */
	void (*dropped)(struct ward_system *system, struct ward_self *self, struct ward_msg *msg);
};
extern const struct wardi_auto_received wardi_auto_received[WARDI_AUTO_KINDS];

#endif
