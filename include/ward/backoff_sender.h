/* SPDX-License-Identifier: MIT
 *
 * ward/backoff_sender.h - a sender that keeps messages until they are done, and sends them again.
 *
 *	lines = ward_spawn(self, &ward_backoff_sender,
 *			   .args = WARD_ARGS(ward_backoff_sender, .child = {.behavior = &writer},
 *					     .id = id_of_line));
 *
 * In front of an actor that does something dangerous, and may fail of it again and again: its
 * child. A message to the sender is meant for the child. Each is kept, and the child gets a copy
 * with the first sender. When it is done with one it tells its parent, and then the message is
 * forgotten:
 *
 *	ward_tell(self, ward_parent(self), ward_sent, .id = line->number);
 *
 * When the child fails it is stopped and made anew. After a wait, by exponential.h, the new one
 * gets all that is kept, in the order in which it came. What comes during a wait is sent at its
 * end, with the rest. A ward_sent begins the waits anew; one that goes on still goes to its end.
 *
 * So each message is done at least once, if the child is ever able to do it; perhaps several
 * times: a child that fails after its work and before its ward_sent gets it again, and so does one
 * that was slow. Order holds in each sending. But when the waits have begun anew while one goes on,
 * by a ward_sent or at a ceiling, a new message goes straight to the child, ahead of what is kept;
 * and once more in its place at the end of that wait.
 *
 * What a failing child leaves in its mailbox are copies, which are dead letters as any. So who
 * asks through a sender hears that the question ended, though the message is sent again and
 * answered later: let the sender of a message wait for its answer as for other messages.
 *
 * Not for the child are a poison pill and a kill, which mean the sender itself, and the messages
 * below. When the sender stops, what it keeps becomes dead letters with their senders; when it is
 * restarted, it gets that again, behind what is in its mailbox. So a mailbox with a maximum
 * (ward_mailbox.messages_max) has to have room for what is kept: what it does not take then is a
 * dead letter (WARD_REASON_FULL), or as its overflow has it. Give such a sender a pending_max.
 */
#ifndef WARD_BACKOFF_SENDER_H
#define WARD_BACKOFF_SENDER_H

#include <ward/actor.h>
#include <ward/exponential.h>
#include <ward/message.h>

WARD_BEGIN

/** The arguments of a back-off sender. The first two must be set; zero is the default of the
 *  others. */
struct ward_backoff_sender {
	ward_props child; /* copied; with a name or without */
	/** Returns the number of a message, which comes back in its ward_sent; it looks at the
	 *  message and at nothing else. Those with the same number are done together. False: no
	 *  message for the child, it is unhandled. */
	bool (*id)(const ward_msg *msg, uint64_t *ret_id) WARD_NOEXCEPT;
	ward_exponential_options back_off; /* draw_arg must outlive the sender */
	/** The number of messages that are kept. For one more the oldest is dropped, and the owner
	 *  gets a ward_backoff_dropped. 0: no limit. */
	uint32_t pending_max;
	/** So often in a row, without a ward_sent between, a child that has ended is made anew; at
	 *  the next end the owner gets a ward_backoff_gave_up, and the sender stops. 0: no limit;
	 *  WARD_RESTARTS_NONE: never. Counts ends and no time: each wait may be drawn as none. A
	 *  limit of the strategy would do nothing: it stops the child,
	 *  and neither asks nor charges. */
	int32_t retries_max;
	/** When the child has something to do and no ward_sent comes for so long, it is stopped as
	 *  if it had failed: it hangs, or messages to it or from it were lost. 0: never. */
	int64_t patience_ms;
	ward_ref owner;        /* nobody: the parent */
	uintptr_t reserved[4]; /* zero */
};
WARD_MESSAGE(ward_backoff_sender);

/**
 * The behaviour of a back-off sender.
 *
 * Types of messages that own things need a clone; others are dead letters (WARD_REASON_UNIQUE).
 * Short of memory nothing is lost silently: a message that cannot be kept is a dead letter
 * (WARD_REASON_NO_MEMORY), and one that is kept is sent when there is memory again; so is one whose
 * clone says WARD_ENOMEM, and nothing overtakes it. One whose clone says anything else is dropped,
 * with a ward_backoff_dropped. A child that cannot be made counts as one that has failed. Without
 * memory for a timer the sender fails with ward_out_of_memory, and what it keeps goes where it does
 * at any restart or stop; where its parent resumes it, that is sent at once, and without any memory
 * with the next message for the child.
 *
 * A child that ends before it was its turn, while a wait goes on, is made anew at the end of that
 * wait, and not at once: else one that cannot start would be made again without end. Its end draws
 * a wait, too, and of the two the one that ends later stands: a wait that goes on may be put off,
 * and is never shortened, by whatever comes. So a child that cannot start, and fails at once,
 * costs two retries in each wait.
 *
 * Its strategy is ward_stopping_strategy. Errors of the child are escalated by it; with a
 * child_strategy in the sender's props it is that which decides, and a child that is restarted by
 * it has not ended: nothing is sent again.
 *
 * Cost       of a message: as ward_take_body() to keep it, a record, and a copy for each time that
 *            it is sent. Of a ward_sent O(messages with that number). Of the end of a child, and
 *            of what is sent after a wait, O(what is kept). O(log timers of the system) for each
 *            wait, and with a patience_ms of each message and ward_sent, too. Records are used
 *            again, and freed with the incarnation.
 * Errors     of its spawn, besides those of ward_spawn(): WARD_EINVAL for arguments that are not
 *            there or cannot be; WARD_EUNIQUE if the child's arguments own things and have no
 *            clone.
 * Contract   S106-S108
 */
WARD_API extern const ward_behavior ward_backoff_sender;

/** From the child, or another actor that knows: the messages with this number are done. Begins the
 *  waits anew, also with a number that is not kept. Contract: S106. */
struct ward_sent {
	uint64_t id;
};
WARD_MESSAGE_FLAT(ward_sent);

/** To the owner: a message is kept no more, since pending_max was reached or it cannot be copied.
 *  Contract: S108. */
struct ward_backoff_dropped {
	uint64_t id;
	ward_ref sender; /* of the message */
	/** The child that is there now has a copy, and may do it still. If not, the message is
	 *  also a dead letter. */
	bool handed_over;
	ward_err why;     /* what its clone said; WARD_OK: pending_max was reached */
	uint64_t dropped; /* their number, since the start or a restart of the sender */
};
WARD_MESSAGE_FLAT(ward_backoff_dropped);

/** To the owner: retries_max was reached, and the sender stops. Contract: S108. */
struct ward_backoff_gave_up {
	uint32_t retries; /* children made anew, in a row */
	uint32_t spare;
	uint64_t pending; /* what is kept, and becomes dead letters now */
};
WARD_MESSAGE_FLAT(ward_backoff_gave_up);

/** Asks a sender how it is; the answer is ward_sending. */
WARD_SIGNAL(ward_get_sending);
/** How a sender is. */
struct ward_sending {
	ward_ref child;   /* nobody: there is none until the end of the wait */
	uint64_t pending; /* messages that are kept */
	uint64_t dropped; /* since its start, or a restart */
	uint32_t retries; /* in a row, see retries_max */
	bool waiting;     /* what is kept is sent at the end of a wait */
	/* of the back-off, see ward_exponential */
	uint32_t slot;
	uint32_t slot_retries;
	int64_t wait_ms;
	uint64_t resets;
	uint64_t total_retries;
};
WARD_MESSAGE_FLAT(ward_sending);
WARD_REPLY(ward_get_sending, ward_sending);

WARD_END
#endif
