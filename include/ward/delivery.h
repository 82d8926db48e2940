/* SPDX-License-Identifier: MIT
 *
 * ward/delivery.h - messages that are sent again until their receiver has confirmed them.
 *
 *	struct shop { struct ward_delivery out; ... };		in the state of the actor
 *
 *	return ward_delivery_init(self, &me->out, &options);	in init
 *
 *	ward_deliver(self, &me->out, store, order, .id = ward_delivery_next(&me->out));
 *
 *	ward_result result = ward_delivery_receive(self, &me->out, msg);	first in receive
 *	if (result != WARD_UNHANDLED)
 *		return result;
 *
 *	ward_reply(self, msg, ward_delivered, .id = order->id);	the receiver confirms
 *
 * Delivery is at least once: a message is sent again every redeliver_ms until it is confirmed. So
 * the receiver may get it several times, also after messages that were sent later. The ids of one
 * sender increase, and the first sendings are in order. There are limits for the number of
 * unconfirmed messages and for the number sent in redeliver_ms; messages beyond the second limit
 * wait, and the oldest is sent first. There is no limit for the sendings of a message, even if its
 * receiver has ended: the actor gives it up with ward_delivery_confirm().
 *
 * A ward_delivery is a value in the state of one actor. When the actor stops, unconfirmed messages
 * are not sent again. To keep them over a restart, call ward_delivery_keep() in pre_restart; to
 * keep them beyond the end of the actor, use ward_delivery_take() and ward_delivery_restore().
 *
 * All functions may be called only inside a callback of self, unless stated otherwise.
 */
#ifndef WARD_DELIVERY_H
#define WARD_DELIVERY_H

#include <ward/codec.h>
#include <ward/failure.h>
#include <ward/message.h>

WARD_BEGIN

/** An unconfirmed message, as a callback sees it. */
typedef struct ward_undelivered {
	uint64_t id;
	ward_ref to;
	const ward_type *type;
	const void *body; /* borrowed for the call; NULL: all zero */
	size_t size;
	uint32_t attempts; /* how often it was sent */
} ward_undelivered;

/** Options of a ward_delivery. Constant; must outlive it. Zero is the default in every field. */
typedef struct ward_delivery_options {
	int64_t redeliver_ms; /* time between two sendings; default: 5 seconds */
	/** Sendings in redeliver_ms, first ones and repeated ones; default: 1000. */
	uint32_t burst_max;
	uint32_t unconfirmed_max; /* default: 10,000 */
	uint32_t warn_after;      /* number of sendings after which `warn` is called; default: 5 */
	/** Called once for each message that was sent warn_after times and is due again. It may
	 *  deliver, and may confirm the message, to give it up; the body stays valid until it
	 *  returns. NULL: none. */
	void (*warn)(ward_self *self, void *state, const ward_undelivered *what) WARD_NOEXCEPT;
	uintptr_t reserved[2]; /* zero */
} ward_delivery_options;

/** The messages that are sent until they are confirmed; its fields are private to the library. It
 *  must not move in memory. Before ward_delivery_init() it must be all zero, as a new state is. */
typedef struct ward_delivery {
	const ward_delivery_options *options;
	struct wardi_tags *ids;            /* all unconfirmed messages */
	struct wardi_tags *brought;        /* all that came in a ward_delivery_state */
	struct wardi_delivery *waiting[2]; /* not sent yet: the first and the last */
	struct wardi_delivery *sent[2];    /* sent, ordered by when they are due */
	struct wardi_delivery *gone;       /* confirmed by a `warn` that has not returned */
	struct wardi_delivery_span *own;   /* ids of the messages that it delivered itself */
	struct wardi_delivery_pack *packs; /* kept, and received before the start */
	uint64_t next_id, own_from;        /* and the ids from own_from on */
	uint64_t series;                   /* of those ids; unique in the process */
	int64_t armed_ns;                  /* when the timer is due; 0: no timer */
	int64_t window_ends_ns;            /* end of the time in which burst_max counts */
	uint32_t window_count, count;
	bool sending; /* `warn` is being called */
} ward_delivery;

/** Confirms a message: the reply of a receiver. It may come from any actor; an id that is not
 *  unconfirmed is ignored. */
struct ward_delivered {
	uint64_t id;
};
WARD_MESSAGE_FIELDS_FLAGS(ward_delivered, 1, WARD_TYPE_FLAT, WARD_FIELD(UINT, ward_delivered, id));

/**
 * Starts without messages, except those of ward_delivery_keep(): they wait for the start, and are
 * taken over by it. For init, or any later callback. It may be called again; the ids continue then,
 * so that a late confirmation never matches a new message.
 *
 * Cost       O(1); for messages that were kept as ward_delivery_restore().
 * Errors     notes a failure, and returns WARD_FAILED then, otherwise WARD_DONE: ward_misuse if the
 *            options are invalid, or if there are unconfirmed messages from before;
 *            ward_out_of_memory if kept messages cannot be taken over: they wait until the next
 *            message of the actor, if it is resumed.
 */
WARD_API ward_result ward_delivery_init(ward_self *self, ward_delivery *delivery,
					const ward_delivery_options *options);

/** Returns the id that the next message will have, to be stored in it. Ids begin at 1 and increase
 *  by 1. Those of a later incarnation begin one above a multiple of 2^40, above all earlier ids of
 *  the actor. Cost: O(1). */
WARD_API uint64_t ward_delivery_next(const ward_delivery *delivery);

/**
 * Sends a message until it is confirmed. The plain form of ward_deliver().
 *
 * It is sent at once, unless burst_max is reached, or other messages wait or are due: then after
 * those.
 *
 * Ownership  takes what the body owns, always. Each sending is a copy, so a type with a drop
 *            function needs a clone.
 * Order      the first sendings to one receiver are FIFO, also with all messages from self to this
 *            receiver while none waits.
 * Cost       O(1), a record of less than 200 bytes and a copy of the body; occasionally O(log
 *            timers of the system).
 * Errors     WARD_EFULL unconfirmed_max is reached; WARD_EINVAL no type, nobody, or before
 *            ward_delivery_init(); WARD_ESIZE; WARD_EUNIQUE the type has a drop function and no
 *            clone; the error of the clone; WARD_ENOMEM. The message has no id then, and is not
 *            sent. A sending that does not arrive later is a dead letter each time; if no copy
 *            could be made, one to nobody.
 */
WARD_API WARD_MUST_USE ward_err ward_try_deliver_send(ward_self *self, ward_delivery *delivery,
						      ward_ref to, const ward_type *type,
						      const void *body, size_t size);
/** Calls ward_try_deliver_send(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_deliver_send(ward_self *self, ward_delivery *delivery, ward_ref to,
				     const ward_type *type, const void *body, size_t size)
{
	(void)ward_noted_(self, ward_try_deliver_send(self, delivery, to, type, body, size));
}

/** Confirms a message, because it has arrived or is given up. Returns false if no message with this
 *  id is unconfirmed. Cost: O(1); for the last message as ward_timer_cancel(). */
WARD_API bool ward_delivery_confirm(ward_self *self, ward_delivery *delivery, uint64_t id);

/**
 * Sends messages that are due, and confirms those that a ward_delivered names.
 *
 * Returns WARD_UNHANDLED for other messages. Two ward_delivery have the same ids, so an actor with
 * several of them must confirm by messages of its own and ward_delivery_confirm().
 *
 * Cost       O(1). When its timer is due: O(messages that are due), at most burst_max sendings, the
 *            cost of `warn`, and O(log timers of the system). For a ward_delivered: as
 *            ward_delivery_confirm(). For messages of ward_delivery_keep(): as
 *            ward_delivery_restore().
 * Errors     returns WARD_FAILED with ward_out_of_memory if there is no memory for the next timer,
 *            or to take over kept messages; if the actor is resumed, its next message tries again.
 *            With ward_misuse if another message has an id of a kept one: all that were kept with
 *            it are dropped.
 */
WARD_API WARD_MUST_USE ward_result ward_delivery_receive(ward_self *self, ward_delivery *delivery,
							 const ward_msg *msg);

/** Returns the number of unconfirmed messages, including those that wait for the start. Cost:
 *  O(lives that kept messages and never started). */
WARD_API size_t ward_delivery_count(const ward_delivery *delivery);

/* ---- over a restart, and longer ---------------------------------------------------------- */

/** A copy of unconfirmed messages. Opaque; in memory of its own, which may outlive the actor. */
typedef struct ward_delivery_state ward_delivery_state;

/**
 * Hands the unconfirmed messages over to the next incarnation. For pre_restart.
 *
 * They are sent as a message to self, which ward_delivery_receive() handles in the next incarnation
 * if the ward_delivery is at the same place in the state; the place distinguishes several of one
 * actor. A message that arrives before ward_delivery_init() waits for it. If nothing is
 * unconfirmed, nothing is sent. In a mailbox with a maximum this is a message like any other. Where
 * the mailbox may be full, make a copy with ward_delivery_take() as well, above all with
 * WARD_OVERFLOW_DROP_NEWEST and WARD_OVERFLOW_DROP_OLDEST, which may drop the message although this
 * call returns WARD_OK.
 *
 * `msg` is the message that failed, as pre_restart gets it. If it was itself such a message, its
 * contents are handed over, too; otherwise it is not touched. So no message is lost when an
 * incarnation fails because it has no memory to take the messages over. They are lost only if the
 * actor is resumed then, and again finds no memory to hand them over.
 *
 * Order      messages that the new incarnation delivers before it handles the handed-over ones are
 *            sent first.
 * Cost       O(n log n) for n unconfirmed messages, and a copy of each; those that wait for the
 *            start are moved.
 * Errors     WARD_ENOMEM; WARD_EFULL the mailbox is full. Not all messages are handed over then.
 *            The error of a `clone`: that message is given up, and the others are handed over.
 */
WARD_API WARD_MUST_USE ward_err ward_try_delivery_keep(ward_self *self,
						       const ward_delivery *delivery,
						       const ward_msg *msg);
/** Hands over like ward_try_delivery_keep(); a refusal is a failure of the hook, which is only
 *  reported by an event. Cost: the same. */
static inline void ward_delivery_keep(ward_self *self, const ward_delivery *delivery,
				      const ward_msg *msg)
{
	(void)ward_noted_(self, ward_try_delivery_keep(self, delivery, msg));
}

/**
 * Copies the unconfirmed messages, in the order of their ids.
 *
 * Ownership  *ret_state is the caller's, who frees it with ward_delivery_state_drop(). Its memory
 *            is from malloc(), as that of any `clone`.
 * Cost       O(n log n) for n unconfirmed messages, and a copy of each.
 * Errors     WARD_ENOMEM; the error of a `clone`.
 */
WARD_API WARD_MUST_USE ward_err ward_delivery_take(const ward_delivery *delivery,
						   ward_delivery_state **ret_state);

/**
 * Takes over messages from a copy, in front of those that wait: with their ids and receivers, in
 * order, due at once, and with no attempts counted. New ids begin above theirs, also in later
 * incarnations. Unconfirmed messages that are already here stay as they are. unconfirmed_max does
 * not apply. A message whose `clone` returns an error other than WARD_ENOMEM is given up: a dead
 * letter to nobody. NULL is allowed: no messages.
 *
 * Messages of another actor must be taken over before anything is delivered here, best in init: its
 * ids begin at 1, too.
 *
 * Ownership  borrows the state for the call.
 * Cost       O(unconfirmed messages there and here), a copy of each, and a record of less than 100
 *            bytes for each id until the incarnation ends. Each id is compared with each range of
 *            ids that earlier restores made here. Then messages that are due are sent, at most
 *            burst_max.
 * Errors     WARD_ENOMEM, also from a `clone`; WARD_EEXIST another message had one of its ids in
 *            this incarnation, and may be confirmed already; WARD_EINVAL it was not started.
 *            Nothing has changed then.
 */
WARD_API WARD_MUST_USE ward_err ward_try_delivery_restore(ward_self *self, ward_delivery *delivery,
							  const ward_delivery_state *state);
/** Calls ward_try_delivery_restore(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_delivery_restore(ward_self *self, ward_delivery *delivery,
					 const ward_delivery_state *state)
{
	(void)ward_noted_(self, ward_try_delivery_restore(self, delivery, state));
}

/** Frees a copy of ward_delivery_take(). NULL is allowed. Threads: any. Cost: O(messages in it). */
WARD_API void ward_delivery_state_drop(ward_delivery_state *state);

WARD_END

/* ---- the macros (C only) ----------------------------------------------------------------- */

#ifndef __cplusplus
/** Sends a message until it is confirmed: `ward_deliver(self, &me->out, store, order, .id =
 *  ward_delivery_next(&me->out))`. See ward_deliver_send(). Cost: as ward_deliver_send(). */
#define ward_deliver(self, delivery, to, ...)                                                      \
	ward_deliver_send((self), (delivery), (to), WARD_BODY(__VA_ARGS__))
/** Delivers like ward_deliver(), or returns an error code: see ward_try_deliver_send(). Cost: as
 *  ward_try_deliver_send(). */
#define ward_try_deliver(self, delivery, to, ...)                                                  \
	ward_try_deliver_send((self), (delivery), (to), WARD_BODY(__VA_ARGS__))
#endif
#endif
