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
 * At least once: a message is sent again each redeliver_ms until it is confirmed; so the receiver
 * may get it several times, and again after others that came later. The ids of one sender grow, and
 * the first sendings are in their order. There are bounds on how many messages may be unconfirmed,
 * and on how many are sent in a time; what is too much for that time waits, the oldest goes first.
 *
 * It is a value in the state of one actor. A stop takes it along: what is unconfirmed then is not
 * sent again. Over a restart it is kept by ward_delivery_keep() in pre_restart; over the end of the
 * actor by ward_delivery_take() and ward_delivery_restore().
 *
 * All calls: only inside a callback of self, unless said otherwise.
 */
#ifndef WARD_DELIVERY_H
#define WARD_DELIVERY_H

#include <ward/failure.h>
#include <ward/message.h>

WARD_BEGIN

/** A message that is unconfirmed, as a callback sees it. */
typedef struct ward_undelivered {
	uint64_t id;
	ward_ref to;
	const ward_type *type;
	const void *body; /* borrowed for the call; NULL: all zero */
	size_t size;
	uint32_t attempts; /* so often it was sent */
} ward_undelivered;

/** How messages are sent again. Constant; must outlive what is started with it. Zero is the default
 *  in every field. */
typedef struct ward_delivery_options {
	int64_t redeliver_ms;     /* after each sending; 5 seconds */
	uint32_t burst_max;       /* sent in redeliver_ms, for the first time or again; 1000 */
	uint32_t unconfirmed_max; /* 10,000 */
	uint32_t warn_after;      /* sendings; 5 */
	/** Hears, once for each message, that it was sent so often and is due once more. It may
	 *  deliver, and confirm: that is how to give up, and the body stays until it returns.
	 *  NULL: nobody does. */
	void (*warn)(ward_self *self, void *state, const ward_undelivered *what) WARD_NOEXCEPT;
	uintptr_t reserved[2]; /* zero */
} ward_delivery_options;

/** Messages that are sent until they are confirmed. The fields are the library's. It must not move
 *  in memory; before its first start it is zero, as all of a state is. */
typedef struct ward_delivery {
	const ward_delivery_options *options;
	struct wardi_tags *ids;            /* all that are unconfirmed */
	struct wardi_tags *brought;        /* all that ever came in a state */
	struct wardi_delivery *waiting[2]; /* never sent: the first and the last */
	struct wardi_delivery *sent[2];    /* by when they are due */
	struct wardi_delivery *gone;       /* confirmed by a `warn` that has not returned */
	struct wardi_delivery_span *own;   /* what it delivered itself had these ids */
	struct wardi_delivery_pack *packs; /* kept, and here before the start */
	uint64_t next_id, own_from;        /* and has ids from there */
	uint64_t series;                   /* of those ids: that of no other in the process */
	int64_t armed_ns;                  /* when the timer is due; 0: there is none */
	int64_t window_ends_ns;            /* in which burst_max counts */
	uint32_t window_count, count;
	bool sending; /* the calls of `warn` come from in here */
} ward_delivery;

/** Confirms a message: what a receiver may reply. */
struct ward_delivered {
	uint64_t id;
};
WARD_MESSAGE_FLAT(ward_delivered);

/**
 * Starts without messages, but for what ward_delivery_keep() handed on: that waits for the start,
 * and is taken up by it. For init, or any later callback, also for a second time: the ids go on
 * then, so that a confirmation that comes late is never one of a new message.
 *
 * Cost       O(1); for what was handed on as ward_delivery_restore().
 * Errors     notes a failure, and returns WARD_FAILED then, else WARD_DONE: ward_misuse when
 *            something in the options is wrong, or when messages of before are unconfirmed;
 *            ward_out_of_memory when there is none to take up what waited: that waits on, for the
 *            next message of an actor that is resumed.
 */
WARD_API ward_result ward_delivery_init(ward_self *self, ward_delivery *delivery,
					const ward_delivery_options *options);

/** Returns the id that the next message has; to be put into it. Ids begin at 1 and grow by 1; those
 *  of a later incarnation begin at one more than a multiple of 2^40, above all that the actor had
 *  before. Cost: O(1). */
WARD_API uint64_t ward_delivery_next(const ward_delivery *delivery);

/**
 * Sends a message until it is confirmed. The plain form of ward_deliver().
 *
 * It is sent at once, unless burst_max is reached, or others wait or are due: then after them.
 *
 * Ownership  takes what the body owns, always. Each sending is a copy: what owns things needs a
 *            clone.
 * Order      the first sendings to one receiver are FIFO, and with all that self sends there while
 *            none waits.
 * Cost       O(1), a record of less than 200 bytes and a copy of the body; now and then O(log
 *            timers of the system).
 * Errors     then it has no id, and is not sent: WARD_EFULL unconfirmed_max is reached; WARD_EINVAL
 *            no type, or nobody; WARD_ESIZE; WARD_EUNIQUE the body owns things, and its type has no
 *            clone; what that answers; WARD_ENOMEM. What does not arrive later is a dead letter
 *            each time; one to nobody, where there was no copy to be sent.
 */
WARD_API WARD_MUST_USE ward_err ward_try_deliver_send(ward_self *self, ward_delivery *delivery,
						      ward_ref to, const ward_type *type,
						      const void *body, size_t size);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_deliver_send(ward_self *self, ward_delivery *delivery, ward_ref to,
				     const ward_type *type, const void *body, size_t size)
{
	(void)ward_noted_(self, ward_try_deliver_send(self, delivery, to, type, body, size));
}

/** Forgets a message, which has arrived, or is given up. False: none with this id is unconfirmed.
 *  Cost: O(1); of the last one as ward_timer_cancel(). */
WARD_API bool ward_delivery_confirm(ward_self *self, ward_delivery *delivery, uint64_t id);

/**
 * Sends again what is due, and confirms what a ward_delivered is about.
 *
 * Returns WARD_UNHANDLED for other messages. The ids of two ward_delivery are alike: an actor that
 * has several confirms by hand, with messages of its own.
 *
 * Cost       O(1); when its timer is due O(what is due), at most burst_max sendings, what `warn`
 *            does, and O(log timers of the system). Of a ward_delivered as ward_delivery_confirm(),
 *            of what ward_delivery_keep() handed on as ward_delivery_restore().
 * Errors     returns WARD_FAILED with ward_out_of_memory when there is none for the next timer; if
 *            the actor is resumed, its next message makes up for that.
 */
WARD_API WARD_MUST_USE ward_result ward_delivery_receive(ward_self *self, ward_delivery *delivery,
							 const ward_msg *msg);

/** Returns how many are unconfirmed, what waits for the start included. Cost: O(lives that kept
 *  something and never started). */
WARD_API size_t ward_delivery_count(const ward_delivery *delivery);

/* ---- over a restart, and longer ---------------------------------------------------------- */

/** What was unconfirmed at a moment. Opaque; in memory of its own, which outlives the actor. */
typedef struct ward_delivery_state ward_delivery_state;

/**
 * For pre_restart: hands what is unconfirmed to the next incarnation, in a message to itself that
 * ward_delivery_receive() understands there, if the ward_delivery is at the same place in the
 * state: so several of one actor are told apart. Before ward_delivery_init() it waits for that. If
 * nothing is unconfirmed, nothing is sent. In a mailbox with a maximum it is a message like
 * any other: where it may be full, make a copy with ward_delivery_take(), too; above all with
 * WARD_OVERFLOW_DROP_NEWEST and WARD_OVERFLOW_DROP_OLDEST, where it may be dropped although this
 * answers WARD_OK.
 *
 * `msg` is the one that failed, as pre_restart has it: if it was such a message itself, what it has
 * is handed on, too; it is not touched otherwise. So nothing is lost when an incarnation has no
 * memory to take it up, which is a failure of it. Only an actor that is resumed then, and has no
 * memory to pass it on either, has lost it.
 *
 * Order      what the new incarnation delivers before it handles that message goes first.
 * Cost       O(n log n) for n that are unconfirmed, a copy of each; what waits for the start is
 *            moved.
 * Errors     WARD_ENOMEM; WARD_EFULL its mailbox is full, and refuses; what a `clone` answers: that
 *            message is given up, and the others are handed on. Else not all is handed on.
 */
WARD_API WARD_MUST_USE ward_err ward_try_delivery_keep(ward_self *self,
						       const ward_delivery *delivery,
						       const ward_msg *msg);
/** The same, where a refusal is a failure of the hook, which is an event: see ward_failed_err().
 *  Cost: the same. */
static inline void ward_delivery_keep(ward_self *self, const ward_delivery *delivery,
				      const ward_msg *msg)
{
	(void)ward_noted_(self, ward_try_delivery_keep(self, delivery, msg));
}

/**
 * Makes a copy of what is unconfirmed, in order of the ids.
 *
 * Ownership  the caller's: end it with ward_delivery_state_drop(). Memory is that of malloc(), as
 *            with what any `clone` makes.
 * Cost       O(n log n) for n that are unconfirmed, a copy of each.
 * Errors     WARD_ENOMEM; what a `clone` answers.
 */
WARD_API WARD_MUST_USE ward_err ward_delivery_take(const ward_delivery *delivery,
						   ward_delivery_state **ret_state);

/**
 * Takes up what was unconfirmed, in front of what waits: with its ids and receivers, in order, due
 * at once and counted anew. New ids begin above, also in later incarnations. What is unconfirmed
 * here already stays as it is. One whose `clone` refuses, and not for want of memory, is given up:
 * a dead letter to nobody. unconfirmed_max does not count here. Of NULL there is nothing.
 *
 * What another actor left comes before anything is delivered here, best in init: its ids begin at
 * 1, too.
 *
 * Ownership  borrows the state for the call.
 * Cost       O(unconfirmed there and here), a copy of each; and a record of less than 100 bytes
 *            for each, of its id, until the incarnation ends. Each of them is held against each of
 *            the spans that restores made in the ids here. Then what is due is sent, at most
 *            burst_max.
 * Errors     WARD_ENOMEM, also of a `clone`; WARD_EEXIST another message had one of its ids in this
 *            incarnation, and may be confirmed by now; WARD_EINVAL it was not started. Then nothing
 *            has changed.
 */
WARD_API WARD_MUST_USE ward_err ward_try_delivery_restore(ward_self *self, ward_delivery *delivery,
							  const ward_delivery_state *state);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_delivery_restore(ward_self *self, ward_delivery *delivery,
					 const ward_delivery_state *state)
{
	(void)ward_noted_(self, ward_try_delivery_restore(self, delivery, state));
}

/** Frees what ward_delivery_take() gave. NULL is fine. Threads: any. Cost: O(messages in it). */
WARD_API void ward_delivery_state_drop(ward_delivery_state *state);

WARD_END

#ifndef __cplusplus
/** ward_deliver(self, &me->out, store, order, .id = ward_delivery_next(&me->out)): see
 *  ward_deliver_send(). Cost: as that. */
#define ward_deliver(self, delivery, to, ...)                                                      \
	ward_deliver_send((self), (delivery), (to), WARD_BODY(__VA_ARGS__))
/** The same, which answers a code: see ward_try_deliver_send(). Cost: as that. */
#define ward_try_deliver(self, delivery, to, ...)                                                  \
	ward_try_deliver_send((self), (delivery), (to), WARD_BODY(__VA_ARGS__))
#endif
#endif
