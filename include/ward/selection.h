/* SPDX-License-Identifier: MIT
 *
 * ward/selection.h - sending to a path, and asking who is there (registered names, whereis).
 *
 * A path is a list of names separated by slashes; several slashes count as one. For an actor, a
 * path begins at the actor itself; for a thread outside, at the root. A path with a slash in front
 * begins at the root for both. An empty path is the place where it begins.
 *
 *	"log"             the child log                "../log"        a sibling
 *	"/user/shop/log"  from the root on             "/user/shop"    an actor at the top
 *	"worker-*"        children, by pattern         "worker-?/log"  below each that matches
 *	"**"              all descendants; as the last element only, elsewhere it is "*"
 *
 * A path with the name of a node in front, as "ward://right/user/log", begins at the root of that
 * node. Without an association with it (association.h) the message is a dead letter with the reason
 * UNREACHED. The name of the node is literal; behind it there may be patterns.
 *
 * `*` in a name stands for any run of characters, `?` for one character; the names of actors
 * contain neither. `.` is the place itself, `..` its parent. A name or a pattern followed by `..`
 * is also the place itself, if such a child exists. Each receiver gets one copy. `..` may take back
 * a pattern only directly behind it: a path such as "w?/a/../..", whose second `..` takes back the
 * "w?", is invalid. A message to an invalid path, or to NULL, is a dead letter with the reason
 * MISUSE.
 *
 * ward_system_path() and events write paths with the name of the system in front. Leave it
 * out: "/user/shop" for "ward/user/shop".
 *
 * A path is resolved while the message travels: the actors themselves, even suspended ones, pass it
 * from parent to child. The receivers are the children that exist at that moment: those that were
 * spawned and have not ended. A ref is cheaper than a path, and denotes one life of an actor; a
 * path denotes the actor that is there now. To use it often, resolve it once with ward_identify and
 * keep the ref.
 */
#ifndef WARD_SELECTION_H
#define WARD_SELECTION_H

#include <ward/message.h>

WARD_BEGIN

/**
 * Sends a message to all actors that the path selects; the sender is self. The plain form of
 * ward_select_tell().
 *
 * If no actor matches, the message is a dead letter whose event has the path; but once a pattern
 * has matched more than one actor, further misses are not reported. Each receiver gets a copy. If
 * the type has a drop function and no clone, only the first receiver gets the message, and the
 * copies for the others are dead letters (WARD_REASON_UNIQUE). So some receivers may get a message
 * and others not.
 *
 * Ownership  takes what the body owns, always; the bytes remain the caller's.
 * Order      FIFO among the selections of this sender along the same path to the same receiver; no
 *            order with messages that it sends to a ref.
 * Cost       a copy of the path and of the body. Then a hop from actor to actor for each name but
 *            the last, each as ward_child(), and one to the root if the path begins there. A
 *            pattern looks at all children of an actor and makes a copy for each that matches; many
 *            are served in portions, so that other actors get their turns. O(depth) without
 *            patterns.
 * Contract   S58
 */
WARD_API void ward_select_send(ward_self *self, const char *path, const ward_type *type,
			       const void *body, size_t size);

/**
 * Passes the current message on along a path, with its original sender, as ward_forward() does to a
 * ref. Its body may not be accessed after this.
 *
 * In pre_restart the message is the one that failed. Without a current message, or if it was taken
 * or forwarded already, nothing happens. For its delivery see ward_select_send().
 *
 * Ownership  moves the message; the runtime drops it if it cannot be delivered.
 * Order      FIFO with all messages that self sends along the same path, under any sender.
 * Cost       as ward_select_send(), without the first copy of the body: see ward_forward().
 * Contract   S31, S58
 */
WARD_API void ward_select_forward(ward_self *self, const char *path);

/** Sends like ward_select_send(), without a sender; relative paths begin at the root. Threads: any
 *  outside the system's actors. Cost: as ward_select_send(), and a lock that these threads share.
 */
WARD_API void ward_system_select_send(ward_system *system, const char *path, const ward_type *type,
				      const void *body, size_t size);

/** Asks an actor to identify itself. The runtime answers with a ward_identity when the message is
 *  handled; receive does not see it. Contract: S90. */
struct ward_identify {
	uint64_t tag; /* is copied to the answer */
};
WARD_API extern const ward_type ward_type_ward_identify;

/** The answer to a ward_identify. `found` is false if the message was sent to nobody, to an actor
 *  that has ended, or to a path without an actor, unless a pattern in it matched more than one.
 *  Without memory for the ward_identify there is no answer: it is a dead letter. */
struct ward_identity {
	uint64_t tag;
	ward_ref who; /* nobody if `found` is false */
	bool found;
};
WARD_API extern const ward_type ward_type_ward_identity;

/**
 * Returns the ref of the actor at a path such as "/user/shop/log" of this system, for a thread
 * outside. To get a ref of an actor at another node, let an actor ask there by ward_select_tell()
 * with ward_identify.
 *
 * The actor answers after the messages that are already in its mailbox. With a pattern, the first
 * answer counts.
 *
 * Threads    any outside the system's actors.
 * Units      timeout_ms milliseconds, more than 0.
 * Cost       as ward_system_select_send(), and the wait; at the end a look at each thread that
 *            waits.
 * Errors     WARD_ENOENT there is no such actor; WARD_ETIMEDOUT it did not answer, or a pattern
 *            matched several actors and no path below them exists; WARD_EDEAD the system ended;
 *            WARD_EINVAL no path, one of another node, or no time; WARD_ETHREAD, WARD_EFORKED,
 *            WARD_ENOMEM. *ret_ref is not written then.
 */
WARD_API WARD_MUST_USE ward_err ward_system_resolve(ward_system *system, const char *path,
						    int64_t timeout_ms, ward_ref *ret_ref);

WARD_END

/* ---- the macros (C only) ----------------------------------------------------------------- */

#ifndef __cplusplus
/** Sends to a path: `ward_select_tell(self, "../log", note, .level = 1)`. See ward_select_send().
 *  Cost: as ward_select_send(). */
#define ward_select_tell(self, path, ...) ward_select_send((self), (path), WARD_BODY(__VA_ARGS__))
/** Sends to a path from a thread outside: `ward_system_select_tell(system, "/user/log", note,
 *  .level = 1)`. Cost: as ward_system_select_send(). */
#define ward_system_select_tell(system, path, ...)                                                 \
	ward_system_select_send((system), (path), WARD_BODY(__VA_ARGS__))
/** The reply type of ward_identify: `ward_system_ask(system, ref, WARD_SECOND, &identity,
 *  ward_identify, .tag = 7)` works. */
WARD_REPLY(ward_identify, ward_identity);
#endif
#endif
