/* SPDX-License-Identifier: MIT
 *
 * ward/watch.h - being told that another actor is gone for good. Restarts are not seen.
 */
#ifndef WARD_WATCH_H
#define WARD_WATCH_H

#include <ward/failure.h>

WARD_BEGIN

/** Room for the name in a ward_terminated, the 0 at the end included. */
enum { WARD_END_NAME = 20 };

/**
 * The notice: who has ended, and how.
 *
 *	if (gone->end == WARD_END_FAILED &&
 *	    ward_failure_class_is(gone->failure_class, &out_of_paper))
 *
 * ward_children() is not in step with it: a parent that waits for the last child counts notices.
 *
 * Left unhandled, the watcher fails with ward_death_pact, and the notice is the body of that
 * failure. Contract: S60, S61, S66.
 */
struct ward_terminated {
	ward_ref who;
	/** Of FAILED and KILLED, else NULL. The program's constant, not a copy: it may be kept. */
	const ward_failure_class *failure_class;
	ward_end end;
	/** The name that it was given, else that of its behaviour, cut to fit; "": of UNKNOWN. */
	char name[WARD_END_NAME];
};
WARD_API extern const ward_type ward_type_ward_terminated;

/**
 * From now on, exactly one ward_terminated when `who` is gone; at once if it is gone already.
 *
 * The notice comes after everything that `who` sent before. Notices of two actors come in no
 * promised order, not even those of a parent and its child, which ends before it. A repeated watch
 * is a no-op; one with another message is refused. Watching oneself is a no-op. The memory of the
 * notice is taken here, so it can be refused here and nowhere later.
 *
 * Cost       O(1), however many self watches, or has watched, or watch `who`.
 * Errors     WARD_EINVAL nobody; WARD_EFOREIGN; WARD_EEXIST watched with a message; WARD_ENOMEM.
 * Contract   S59-S62, S67
 */
WARD_API WARD_MUST_USE ward_err ward_try_watch(ward_self *self, ward_ref who);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_watch(ward_self *self, ward_ref who)
{
	(void)ward_noted_(self, ward_try_watch(self, who));
}

/**
 * The same with a message of the program's in place of ward_terminated; no death pact. The plain
 * form of ward_watch_with().
 *
 * Ownership  takes what the body owns, always.
 * Cost       as ward_watch(), and O(size).
 * Errors     also WARD_EINVAL no type; WARD_ESIZE a size that does not fit it.
 */
WARD_API WARD_MUST_USE ward_err ward_try_watch_with_send(ward_self *self, ward_ref who,
							 const ward_type *type, const void *body,
							 size_t size);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_watch_with_send(ward_self *self, ward_ref who, const ward_type *type,
					const void *body, size_t size)
{
	(void)ward_noted_(self, ward_try_watch_with_send(self, who, type, body, size));
}

/**
 * A receive for an actor that only starts others and watches them: handles a ward_terminated, and
 * stops self when no child is left; all else is unhandled. For `.receive`, or to be called at the
 * end of a receive of one's own.
 *
 * Cost       O(1); O(children) where many have ended whose ends were not handled yet.
 * Contract   S49, S61
 */
WARD_API ward_result ward_stop_with_children(ward_self *self, void *state, const ward_msg *msg);

/** No notice about `who` arrives after this, not even one that waits already. Cost: O(1), and a
 *  look at each stashed message. Contract: S63. */
WARD_API void ward_unwatch(ward_self *self, ward_ref who);

WARD_END

#ifndef __cplusplus
/** ward_watch_with(self, who, lost_worker, .number = 3): see ward_watch_with_send(). Cost: the
 *  same. */
#define ward_watch_with(self, who, ...) ward_watch_with_send((self), (who), WARD_BODY(__VA_ARGS__))
#endif
#endif
