/* SPDX-License-Identifier: MIT
 *
 * ward/inbox.h - a mailbox for threads outside: to send, be answered, and watch, like an actor.
 *
 *	err = ward_inbox_create(system, NULL, &inbox);
 *	ward_inbox_tell(inbox, bank, get_balance, .account = 1);
 *	while (ward_inbox_receive(inbox, WARD_SECOND, &msg) == WARD_OK)
 *		...
 *	ward_inbox_destroy(inbox);
 *
 * Where ward_system_ask() waits for one answer of one actor, an inbox takes all that is sent to it:
 * the answers of many, what an actor publishes, the ends of those it watches. An actor stands
 * behind it, so its ref may be sent and watched like any other. A program with a loop of its own
 * polls ward_inbox_fd().
 *
 * Threads: any outside the system's actors; but only one at a time receives. In a simulation: its
 * own, and receiving steps the system. In a fork()ed child every call answers WARD_EFORKED.
 */
#ifndef WARD_INBOX_H
#define WARD_INBOX_H

#include <ward/system.h>

WARD_BEGIN

/** An inbox. Opaque; ended by ward_inbox_destroy(). */
typedef struct ward_inbox ward_inbox;

/** Options of an inbox. Zero is the default in every field. */
typedef struct ward_inbox_options {
	const char *name;      /* of the actor behind it; generated */
	uint32_t messages_max; /* that wait, notices not counted; what comes then is a dead letter.
				* No limit */
	uintptr_t reserved[2]; /* zero */
} ward_inbox_options;

/**
 * Creates an inbox.
 *
 * Ownership  borrows options for the call (NULL: all defaults). Sets *ret_inbox, to be destroyed
 *            before the system is; else it goes with the system.
 * Cost       as ward_system_spawn_service(), and memory for the inbox.
 * Errors     as ward_system_spawn(); WARD_EINVAL, WARD_ENOMEM.
 */
WARD_API WARD_MUST_USE ward_err ward_inbox_create(ward_system *system,
						  const ward_inbox_options *options,
						  ward_inbox **ret_inbox);

/** Ends an inbox; NULL is fine. What is unread becomes dead letters; its watchers are told. Nobody
 *  may use it at the same time. Cost: O(unread messages). */
WARD_API void ward_inbox_destroy(ward_inbox *inbox);

/** Returns the ref of the actor behind it; nobody for NULL. Cost: O(1). */
WARD_API ward_ref ward_inbox_ref(const ward_inbox *inbox);

/**
 * Takes the next message, in the order of arrival.
 *
 * Ownership  *ret_msg is borrowed until the next receive or the destroy; what it owns is dropped
 *            then. Written on WARD_OK only.
 * Units      timeout_ms milliseconds; WARD_FOREVER; 0 looks once.
 * Cost       O(1), however many messages wait. Where it has to wait, what wakes it looks at each
 *            thread outside that waits.
 * Errors     WARD_ETIMEDOUT; WARD_ESTOPPING nothing is left, and nothing comes any more: the system
 *            goes down, or somebody stopped the actor behind it; WARD_ETHREAD an actor's callback,
 *            or another thread receives; WARD_EINVAL; WARD_EFORKED.
 */
WARD_API WARD_MUST_USE ward_err ward_inbox_receive(ward_inbox *inbox, int64_t timeout_ms,
						   const ward_msg **ret_msg);

/**
 * Sends like ward_system_send(), with the inbox as the sender: that is where a reply goes. The
 * plain form of ward_inbox_tell() and ward_inbox_reply().
 *
 * Ownership  takes what the body owns, always.
 * Order      FIFO from one thread to one receiver.
 * Cost       as ward_system_send().
 */
WARD_API void ward_inbox_send(ward_inbox *inbox, ward_ref to, const ward_type *type,
			      const void *body, size_t size);

/** Watches: exactly one ward_terminated comes when `who` is gone, also while the system goes down:
 *  an inbox ends after the actors of the program. As ward_watch(), and waits until the actor behind
 *  the inbox has made the watch, without a limit: as long as callbacks of other actors hold all
 *  workers. Cost: as ward_system_ask_send(). Errors: also WARD_ESTOPPING; WARD_ETHREAD an actor's
 *  callback; WARD_EFORKED; WARD_ETIMEDOUT, in a simulation only: nothing can happen any more, and
 *  the watch is not made. */
WARD_API WARD_MUST_USE ward_err ward_inbox_watch(ward_inbox *inbox, ward_ref who);

/** Ends a watch: no notice about `who` is received after this, not even one that waits already.
 *  Waits as ward_inbox_watch(); after an error notices may come still. Cost: as
 *  ward_system_ask_send(), and O(unread messages). Errors: as ward_inbox_watch(). */
WARD_API WARD_MUST_USE ward_err ward_inbox_unwatch(ward_inbox *inbox, ward_ref who);

/**
 * Returns a descriptor that is readable while a receive would not wait: for poll() and its like.
 *
 * Ownership  borrowed until the destroy. Do not read it: ward_inbox_receive() does.
 * Cost       O(1). The first one makes it; from then on there is a system call each time that the
 *            inbox becomes empty, or is empty no longer.
 * Errors     WARD_ESYS, WARD_EINVAL, WARD_EFORKED.
 */
WARD_API WARD_MUST_USE ward_err ward_inbox_fd(ward_inbox *inbox, int *ret_fd);

WARD_END

#ifndef __cplusplus
/** ward_inbox_tell(inbox, bank, get_balance, .account = 1): see ward_inbox_send(). Cost: as that.
 */
#define ward_inbox_tell(inbox, to, ...) ward_inbox_send((inbox), (to), WARD_BODY(__VA_ARGS__))
/** ward_inbox_reply(inbox, msg, balance, .cents = 5): to the sender of a received message. Cost: as
 *  ward_inbox_send(). */
#define ward_inbox_reply(inbox, msg, ...)                                                          \
	ward_inbox_send((inbox), ward_msg_sender(msg), WARD_BODY(__VA_ARGS__))
#endif
#endif
