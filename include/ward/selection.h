/* SPDX-License-Identifier: MIT
 *
 * ward/selection.h - sending to a path instead of a ref, and asking who is there.
 *
 * A path is a list of names with slashes between; runs of slashes count as one. For an actor it
 * begins at the actor itself, for a thread outside at the root; with a slash in front it begins at
 * the root for both. An empty one is the place where it begins.
 *
 *	"log"             the child log                "../log"        a sibling
 *	"/user/shop/log"  from the root on             "/user/shop"    an actor at the top
 *	"worker-*"        children, by pattern         "worker-?/log"  below each that matches
 *	"**"              all descendants; as the last element only, elsewhere it is "*"
 *
 * `*` in a name stands for any run of characters, `?` for one; names have neither. `.` is the place
 * itself, and so is a name or a pattern with `..` behind it, if such a child is there.
 * Each receiver gets one copy: a path that comes back out of a pattern in another way, as
 * "w?/a/../.." does, is none, and the message is a dead letter with the reason MISUSE.
 *
 * What ward_system_path() and events print begins with the name of the system: write a slash in its
 * place, "/user/shop" for "ward/user/shop".
 *
 * A path is walked when the message travels, from parent to child, by the actors themselves, also
 * by suspended ones: who matches is decided by the children that are there at that moment, those
 * that were spawned and have not ended. So a ref is cheaper, and means one life of an actor;
 * a path means the actor that is there. Look once, with ward_identify, and keep the ref.
 */
#ifndef WARD_SELECTION_H
#define WARD_SELECTION_H

#include <ward/message.h>

WARD_BEGIN

/**
 * Sends a message to all that the path selects; the sender is self. The plain ward_select_tell().
 *
 * Where nobody matches, the message is a dead letter whose event has the path that was looked for;
 * but once a pattern has matched more than one, further misses are silent. Each receiver gets a
 * copy; a type that owns things and has no clone goes to the first that matches, and is a dead
 * letter for the others (WARD_REASON_UNIQUE). So a message can get to some and not to others.
 *
 * Ownership  takes what the body owns, always; the bytes stay the caller's.
 * Order      FIFO among the selections of this sender along the same path to the same receiver; no
 *            order with what it sends to a ref.
 * Cost       a copy of the path and of the body. Then a hop from actor to actor for each name but
 *            the last, each as ward_child(), and one to the root if it begins there; a pattern
 *            looks at all children of an actor, makes a copy for each that matches, and serves many
 *            of them in portions, so that others have their turns. O(depth) without patterns.
 * Contract   S58
 */
WARD_API void ward_select_send(ward_self *self, const char *path, const ward_type *type,
			       const void *body, size_t size);

/**
 * Passes the current message on along a path with its first sender, as ward_forward() does to a
 * ref. Its body is out of bounds afterwards.
 *
 * In pre_restart it acts on the message that failed. Without a current message, or when it was
 * taken or forwarded before, nothing happens. What becomes of it on its way: see
 * ward_select_send().
 *
 * Ownership  moves the message; the runtime drops it when it cannot be delivered.
 * Order      FIFO with all that self sends along the same path, whatever the sender is called.
 * Cost       as ward_select_send(), but for the first copy of the body: see ward_forward().
 * Contract   S31, S58
 */
WARD_API void ward_select_forward(ward_self *self, const char *path);

/** ward_select_send() as nobody, from a thread outside: relative paths begin at the root. Cost: as
 *  ward_select_send(), and a lock that the threads outside share. */
WARD_API void ward_system_select_send(ward_system *system, const char *path, const ward_type *type,
				      const void *body, size_t size);

/** Asks who is there: every actor answers it by itself, when it gets to it, with a ward_identity;
 *  receive does not see it. Contract: S90. */
struct ward_identify {
	uint64_t tag; /* comes back in the answer */
};
WARD_API extern const ward_type ward_type_ward_identify;

/** The answer. Sent to nobody in particular, or to one that is gone, ward_identify is answered with
 *  `found` false; not after a pattern that matched more than one. */
struct ward_identity {
	uint64_t tag;
	ward_ref who; /* nobody, if none was found */
	bool found;
};
WARD_API extern const ward_type ward_type_ward_identity;

/**
 * Returns the ref of the actor at a path, from a thread outside: "/user/shop/log".
 *
 * It answers when it gets to it, behind the mail it has. With patterns, the first that answers.
 *
 * Units      timeout_ms milliseconds, more than 0.
 * Cost       as ward_system_select_send(), and the wait; at the end a look at each thread that
 *            waits.
 * Errors     WARD_ENOENT nobody is there; WARD_ETIMEDOUT it did not answer, or a pattern matched
 *            more than one and none below them; WARD_EDEAD the system went down; WARD_EINVAL
 *            no path, or no time; WARD_ETHREAD, WARD_ENOMEM.
 */
WARD_API WARD_MUST_USE ward_err ward_system_resolve(ward_system *system, const char *path,
						    int64_t timeout_ms, ward_ref *ret_ref);

WARD_END

#ifndef __cplusplus
/** ward_select_tell(self, "../log", note, .level = 1): see ward_select_send(). Cost: the same. */
#define ward_select_tell(self, path, ...) ward_select_send((self), (path), WARD_BODY(__VA_ARGS__))
/** ward_system_select_tell(system, "/user/log", note, .level = 1): from a thread outside. Cost: as
 *  ward_system_select_send(). */
#define ward_system_select_tell(system, path, ...)                                                 \
	ward_system_select_send((system), (path), WARD_BODY(__VA_ARGS__))
/** ward_system_ask(system, ref, WARD_SECOND, &identity, ward_identify, .tag = 7) works, too. */
WARD_REPLY(ward_identify, ward_identity);
#endif
#endif
