/* SPDX-License-Identifier: MIT
 *
 * auto_receive.h - user messages that the runtime looks at first: pills, ticks, notices, readiness.
 */
#ifndef WARDI_AUTO_RECEIVE_H
#define WARDI_AUTO_RECEIVE_H

#include "cell/self.h"

/* What the runtime does about a special message; auto_receive.c has a row for each. */
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

/* True: self has a message in hand for receive. False: nothing is left to do, or the cell is
 * stopping; *ret_gone then tells whether it is gone. */
bool wardi_special_arrived(struct ward_self *self, struct ward_msg *msg, bool *ret_gone);

/* For one that is not delivered. True: it was the runtime's own, about something that ended with
 * the receiver; what hangs on it is freed. False: it is a dead letter like any other. */
bool wardi_special_dropped(struct ward_system *system, struct ward_self *self,
			   struct ward_msg *msg);

/* What a node of the timers belongs to. */
enum wardi_timer_kind { WARDI_TIMER_TICK, WARDI_TIMER_IDLE, WARDI_TIMER_SHUTDOWN, WARDI_TIMER_ASK };

/* timer.c: the message of a tick, loose; NULL: the timer is gone, or it has sent its message on. */
struct ward_msg *wardi_tick_due(struct ward_self *self, const struct wardi_tick *tick,
				struct wardi_cause *ret_cause);
void wardi_timers_cancel_all(struct ward_self *self, struct wardi_cell *cell);
void wardi_timer_fire(struct wardi_worker *worker, struct wardi_timer_node *node, int64_t now_ns);

/* fd.c */
bool wardi_fd_due(struct ward_self *self, struct ward_msg *msg);
void wardi_fds_unwatch_all(struct ward_self *self, struct wardi_cell *cell);
void wardi_fd_ready(struct wardi_worker *worker, uint64_t key, uint32_t events);

#endif
