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

/* What the runtime does about a special message; wardi_auto_received has a row for each. */
enum wardi_special_kind {
	WARDI_SPECIAL_FORGED, /* a type that nobody may send; or the message of a watch */
	WARDI_SPECIAL_PILL,
	WARDI_SPECIAL_KILL,
	WARDI_SPECIAL_TICK,
	WARDI_SPECIAL_NOTICE,
	WARDI_SPECIAL_FD_READY,
	WARDI_SPECIAL_IDENTIFY,
	WARDI_SPECIAL_TASK,
	WARDI_SPECIAL_ANSWER,
	WARDI_SPECIAL_ASK_OVER,
	WARDI_SPECIAL_EXCEEDED,
	WARDI_SPECIAL_RECEIVE_TIMEOUT,
	WARDI_SPECIAL_FORGOTTEN,
	WARDI_SPECIAL_EXIT,
	WARDI_SPECIALS
};

/* The flags of a type whose messages are special. */
#define WARDI_SPECIAL_TYPE(kind) (WARDI_TYPE_AUTO | (uint32_t)(kind) << WARDI_TYPE_KIND_SHIFT)

static inline enum wardi_special_kind wardi_special_kind(const ward_type *type)
{
	uint32_t kind = type->flags >> WARDI_TYPE_KIND_SHIFT;

	/* A program may have set flags that are not its own. */
	return kind < WARDI_SPECIALS ? (enum wardi_special_kind)kind : WARDI_SPECIAL_FORGED;
}

/* What a tick or a notice carries in place of a body. */
struct wardi_token {
	uint64_t id;
	void *record;
};

/* Of a tick: by the key the timer is found, by the number it is known. One that sends to another
 * actor has its number for a key, among its like. */
struct wardi_tick {
	uint64_t key, id;
	uint64_t sends; /* 1: it does */
};

extern const ward_type wardi_type_tick;
extern const ward_type wardi_type_notice;
extern const ward_type wardi_type_forgotten;
extern const ward_type wardi_type_exit;

/* What tells the asker that a question has ended without an answer. */
struct wardi_ask_over {
	uint64_t number;
	ward_err why;
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
extern const struct wardi_auto_received wardi_auto_received[WARDI_SPECIALS];

#endif
