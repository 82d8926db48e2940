/* SPDX-License-Identifier: MIT
 *
 * ward/backoff_sender.h - a sender that keeps messages until they are done, and sends them again.
 *
 *	lines = ward_spawn(self, &ward_backoff_sender,
 *			   .args = WARD_ARGS(ward_backoff_sender, .child = {.behavior = &writer},
 *					     .id = id_of_line));
 *
 * A back-off sender stands in front of an actor that does risky work and may fail again and again:
 * its child. Messages to the sender are meant for the child. The sender keeps each message, and
 * sends the child a copy with the original sender. When the child is done with a message it tells
 * its parent, which then forgets the message:
 *
 *	ward_tell(self, ward_parent(self), ward_sent, .id = line->number);
 *
 * When the child fails, it is stopped and started again at once. After a wait (see exponential.h)
 * the new child gets all kept messages, in the order of their arrival. Messages that arrive during
 * a wait are sent at its end, with the others. A message that arrives after the wait, but before a
 * ward_sent, begins another wait of the same length, at whose end all kept messages are sent again.
 * A ward_sent resets the back-off; a wait that has begun still goes to its end.
 *
 * So each message is done at least once, if the child is ever able to do it. It may be done several
 * times: a child that fails after its work and before its ward_sent gets the message again, and so
 * does a slow child. Each sending is in order. But if the back-off is reset during a wait, by a
 * ward_sent or at a ceiling, a new message goes directly to the child, before the kept ones, and
 * once more in its place at the end of the wait.
 *
 * When the child fails, the copies in its mailbox become dead letters like any others. So an actor
 * that asks a question through a sender may be notified that the question has ended, although the
 * message is sent again and answered later. Use a message and an ordinary reply instead of a
 * question.
 *
 * A poison pill and a kill apply to the sender itself, and the messages below are handled by it.
 * When the sender stops, kept messages become dead letters with their original senders. When it is
 * restarted, it sends them to itself again, behind the messages in its mailbox. So a mailbox with a
 * maximum (ward_mailbox.messages_max) needs room for the kept messages: those that do not fit are
 * dead letters (WARD_REASON_FULL), or treated as its overflow says. Give such a sender a
 * pending_max.
 */
#ifndef WARD_BACKOFF_SENDER_H
#define WARD_BACKOFF_SENDER_H

#include <ward/actor.h>
#include <ward/codec.h>
#include <ward/exponential.h>
#include <ward/message.h>

WARD_BEGIN

/** The arguments of a back-off sender. The first two fields must be set; zero is the default of the
 *  others. */
struct ward_backoff_sender {
	ward_props child; /* the child to start; copied; may have a name */
	/** Returns the number of a message in *ret_id, which the child sends back in its ward_sent;
	 *  it may read only the message. One ward_sent is for all messages with its number. If it
	 *  returns false, the message is not for the child and is unhandled. */
	bool (*id)(const ward_msg *msg, uint64_t *ret_id) WARD_NOEXCEPT;
	ward_exponential_options back_off; /* draw_arg must outlive the sender */
	/** The most messages to keep. For a further one the oldest is dropped, and the owner gets a
	 *  ward_backoff_dropped. 0: no limit. */
	uint32_t pending_max;
	/** Maximum consecutive restarts of the child without a ward_sent; at the next end of the
	 *  child the owner gets a ward_backoff_gave_up, and the sender stops. 0: no limit;
	 *  WARD_RESTARTS_NONE: no restart. It counts ends, not time, since any wait may be drawn
	 *  as 0. A limit in the strategy would have no effect: the strategy stops the child, and
	 *  stops are not counted. */
	int32_t retries_max;
	/** If the child has work and sends no ward_sent for this long, it is stopped as if it had
	 *  failed: it hangs, or messages were lost. 0: no such limit. */
	int64_t patience_ms;
	ward_ref owner;        /* gets the notices below; nobody: the parent */
	uintptr_t reserved[4]; /* zero */
};
WARD_MESSAGE(ward_backoff_sender);

/**
 * The behaviour of a back-off sender. Its arguments are a ward_backoff_sender.
 *
 * A message whose type has a drop function and no clone is a dead letter (WARD_REASON_UNIQUE). If
 * memory runs out, no message is lost silently: one that cannot be kept is a dead letter
 * (WARD_REASON_NO_MEMORY); a kept one, also one whose clone returns WARD_ENOMEM, is sent when there
 * is memory again, and no later message overtakes it. If a clone returns another error, the message
 * is dropped, with a ward_backoff_dropped. A child that cannot be spawned counts as one that has
 * failed; at the start of the sender the sender fails with it. If there is no memory for a timer,
 * the sender fails with ward_out_of_memory; kept messages are treated as at any restart or stop. If
 * its parent resumes it, they are sent at once, or, without any memory, with the next message for
 * the child.
 *
 * A child that ends during a wait is started again at the end of the wait, not at once; otherwise a
 * child that cannot start would be restarted endlessly. Its end draws a wait as well, and of the
 * two the one that ends later counts: a wait may be extended, but is never shortened. So a child
 * that fails as soon as it starts costs two retries for each wait.
 *
 * The strategy is ward_stopping_strategy, which escalates errors of the child. With a
 * child_strategy in the sender's props that strategy decides; a child that it restarts has not
 * ended, and nothing is sent again.
 *
 * Cost       of a message: as ward_take_body() to keep it, a record, and a copy for each time that
 *            it is sent. Of a ward_sent: O(messages with that number). Of the end of a child, and
 *            of the sending after a wait: O(kept messages). O(log timers of the system) for each
 *            wait, and with patience_ms also for each message and each ward_sent. Records are
 *            reused, and freed with the incarnation.
 * Errors     of its spawn: those of ward_try_spawn(); WARD_EINVAL arguments are missing or invalid;
 *            WARD_EUNIQUE the child's arguments have a drop function and no clone.
 * Contract   S106-S108
 */
WARD_API extern const ward_behavior ward_backoff_sender;

/** Tells the sender that the messages with this number are done. Sent by the child, or by another
 *  actor that knows. Resets the back-off, even if no message with the number is kept. Contract:
 *  S106. */
struct ward_sent {
	uint64_t id;
};
WARD_MESSAGE_FIELDS_FLAGS(ward_sent, 1, WARD_TYPE_FLAT, WARD_FIELD(UINT, ward_sent, id));

/** Tells the owner that a message is no longer kept, because pending_max was reached or because it
 *  cannot be copied. Contract: S108. */
struct ward_backoff_dropped {
	uint64_t id;
	ward_ref sender; /* of the message */
	/** true: the present child has a copy, and may still do it. false: the message is also a
	 *  dead letter. */
	bool handed_over;
	ward_err why;     /* the error of its clone; WARD_OK: pending_max was reached */
	uint64_t dropped; /* dropped messages since the start or the last restart of the sender */
};
WARD_API extern const ward_type ward_type_ward_backoff_dropped;

/** Tells the owner that retries_max was reached; the sender stops. Contract: S108. */
struct ward_backoff_gave_up {
	uint32_t retries; /* consecutive restarts of the child */
	uint32_t spare;
	uint64_t pending; /* number of kept messages, which become dead letters now */
};
WARD_MESSAGE_FIELDS_FLAGS(ward_backoff_gave_up, 1, WARD_TYPE_FLAT,
			  WARD_FIELD(UINT, ward_backoff_gave_up, retries),
			  WARD_FIELD(UINT, ward_backoff_gave_up, pending));

/** Asks a sender for its state; the answer is a ward_sending. */
WARD_SIGNAL(ward_get_sending);
/** The state of a sender. */
struct ward_sending {
	ward_ref child;   /* nobody: there is no child until the end of the wait */
	uint64_t pending; /* number of kept messages */
	uint64_t dropped; /* since its start or its last restart */
	uint32_t retries; /* consecutive, see retries_max */
	bool waiting;     /* a wait is under way; kept messages are sent at its end */
	/* of the back-off, see ward_exponential */
	uint32_t slot;
	uint32_t slot_retries;
	int64_t wait_ms;
	uint64_t resets;
	uint64_t total_retries;
};
WARD_MESSAGE_FIELDS_FLAGS(
	ward_sending, 1, WARD_TYPE_FLAT, WARD_FIELD(REF, ward_sending, child),
	WARD_FIELD(UINT, ward_sending, pending), WARD_FIELD(UINT, ward_sending, dropped),
	WARD_FIELD(UINT, ward_sending, retries), WARD_FIELD(BOOL, ward_sending, waiting),
	WARD_FIELD(UINT, ward_sending, slot), WARD_FIELD(UINT, ward_sending, slot_retries),
	WARD_FIELD(INT, ward_sending, wait_ms), WARD_FIELD(UINT, ward_sending, resets),
	WARD_FIELD(UINT, ward_sending, total_retries));
WARD_REPLY(ward_get_sending, ward_sending);

WARD_END
#endif
