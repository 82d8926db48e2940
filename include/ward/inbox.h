/* SPDX-License-Identifier: MIT
 *
 * ward/inbox.h - a mailbox for threads outside: they send, get answers, and watch, like actors.
 *
 *	err = ward_inbox_create(system, NULL, &inbox);
 *	ward_inbox_tell(inbox, bank, get_balance, .account = 1);
 *	while (ward_inbox_receive(inbox, WARD_SECOND, &msg) == WARD_OK)
 *		...
 *	ward_inbox_destroy(inbox);
 *
 * ward_system_ask() waits for one answer of one actor. An inbox receives everything that is sent to
 * it: answers of several actors, published messages, notices of watched actors. An actor stands
 * behind it, so its ref can be sent and watched like any other. A program with an event loop of its
 * own polls ward_inbox_fd().
 *
 * All functions may be called on any thread outside the system's actors, but only one thread at a
 * time may receive. In a simulation they must be called on the simulation's own thread, and a
 * receive steps the system. In a fork()ed child, calls return WARD_EFORKED, ward_inbox_send() drops
 * what the body owns, and ward_inbox_destroy() has no effect.
 */
#ifndef WARD_INBOX_H
#define WARD_INBOX_H

#include <ward/system.h>

WARD_BEGIN

/** An inbox. Opaque; destroyed by ward_inbox_destroy(). */
typedef struct ward_inbox ward_inbox;

/** Options of an inbox. Zero is the default in every field. */
typedef struct ward_inbox_options {
	const char *name; /* of the actor behind the inbox; default: generated */
	/** The most unread messages, excluding notices; further ones become dead letters. Default:
	 *  no limit. */
	uint32_t messages_max;
	uintptr_t reserved[2]; /* zero */
} ward_inbox_options;

/**
 * Creates an inbox.
 *
 * Ownership  borrows options for the call (NULL: all defaults). *ret_inbox is the caller's, to be
 *            destroyed before the system. An inbox that still exists then is destroyed with the
 *            system, and must not be used after that.
 * Cost       as ward_system_spawn_service(), and memory for the inbox.
 * Errors     as ward_system_spawn(); WARD_EINVAL, WARD_ENOMEM. No inbox is created then.
 */
WARD_API WARD_MUST_USE ward_err ward_inbox_create(ward_system *system,
						  const ward_inbox_options *options,
						  ward_inbox **ret_inbox);

/** Destroys an inbox; NULL is allowed. Unread messages become dead letters; watchers of the inbox
 *  are notified. Threads: no other thread may be using the inbox. Cost: O(unread messages). */
WARD_API void ward_inbox_destroy(ward_inbox *inbox);

/** Returns the ref of the actor behind the inbox; nobody for NULL. Cost: O(1). */
WARD_API ward_ref ward_inbox_ref(const ward_inbox *inbox);

/**
 * Receives the next message, in order of arrival.
 *
 * Ownership  *ret_msg, written on WARD_OK only, is borrowed until the next receive or the destroy;
 *            then the message is dropped with what it owns.
 * Units      timeout_ms milliseconds; WARD_FOREVER: no limit; 0 or less: does not wait.
 * Cost       O(1), regardless of the number of unread messages. If it waits, the wake-up looks at
 *            each thread outside that waits.
 * Errors     WARD_ETIMEDOUT; WARD_ESTOPPING no message is left and none will arrive, because the
 *            system ends or the actor behind the inbox was stopped; WARD_ETHREAD called in a
 *            callback of an actor, or while another thread receives; WARD_EINVAL an argument
 *            is NULL; WARD_EFORKED.
 */
WARD_API WARD_MUST_USE ward_err ward_inbox_receive(ward_inbox *inbox, int64_t timeout_ms,
						   const ward_msg **ret_msg);

/**
 * Sends like ward_system_send(), with the inbox as the sender, so that it gets the replies. The
 * plain form of ward_inbox_tell() and ward_inbox_reply().
 *
 * Ownership  takes what the body owns, always.
 * Order      FIFO from one thread to one receiver.
 * Cost       as ward_system_send().
 */
WARD_API void ward_inbox_send(ward_inbox *inbox, ward_ref to, const ward_type *type,
			      const void *body, size_t size);

/**
 * Watches an actor as ward_watch() does: the inbox gets exactly one ward_terminated when `who` has
 * ended. This also holds while the system ends, since inboxes end after the program's actors.
 *
 * Waits without a limit until the actor behind the inbox has set the watch. If callbacks of other
 * actors occupy all workers, it waits until one of them returns.
 *
 * Cost       as ward_system_ask_send().
 * Errors     as ward_try_watch(); WARD_ESTOPPING; WARD_ETHREAD called in a callback of an actor;
 *            WARD_EFORKED; WARD_ETIMEDOUT only in a simulation in which nothing more can happen.
 *            The watch is not set then.
 */
WARD_API WARD_MUST_USE ward_err ward_inbox_watch(ward_inbox *inbox, ward_ref who);

/** Ends a watch: no notice about `who` is received after this call, not even one that waits
 *  already. Waits as ward_inbox_watch(). After an error, notices may still arrive. Cost: as
 *  ward_system_ask_send(), and O(unread messages). Errors: as ward_inbox_watch(). */
WARD_API WARD_MUST_USE ward_err ward_inbox_unwatch(ward_inbox *inbox, ward_ref who);

/**
 * Returns in *ret_fd a descriptor for poll() and similar calls. It is readable while a receive
 * would not wait.
 *
 * Ownership  borrowed until the destroy. Do not read from it: ward_inbox_receive() does.
 * Cost       O(1). The first call creates the descriptor. From then on there is a system call each
 *            time that the inbox becomes empty or non-empty.
 * Errors     WARD_ESYS, WARD_EINVAL, WARD_EFORKED.
 */
WARD_API WARD_MUST_USE ward_err ward_inbox_fd(ward_inbox *inbox, int *ret_fd);

WARD_END

/* ---- the macros (C only) ----------------------------------------------------------------- */

#ifndef __cplusplus
/** Sends a message as the inbox: `ward_inbox_tell(inbox, bank, get_balance, .account = 1)`. See
 *  ward_inbox_send(). Cost: as ward_inbox_send(). */
#define ward_inbox_tell(inbox, to, ...) ward_inbox_send((inbox), (to), WARD_BODY(__VA_ARGS__))
/** Sends a message to the sender of a received one: `ward_inbox_reply(inbox, msg, balance,
 *  .cents = 5)`. Cost: as ward_inbox_send(). */
#define ward_inbox_reply(inbox, msg, ...)                                                          \
	ward_inbox_send((inbox), ward_msg_sender(msg), WARD_BODY(__VA_ARGS__))
#endif
#endif
