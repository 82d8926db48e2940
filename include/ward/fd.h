/* SPDX-License-Identifier: MIT
 *
 * ward/fd.h - file descriptors as a source of messages.
 *
 * Readiness is one-shot: each ward_fd_watch() gets one ward_fd_ready. A watch belongs to the
 * incarnation and ends with it; a new incarnation never sees a notice for an earlier one.
 *
 * A descriptor moves to another actor in a message. The sender has it no longer; a message that is
 * not taken closes it, wherever it ends. So a connection needs one descriptor:
 *
 *	ward_fd_give(self, ward_spawn(self, &connection), fd);
 *
 *	if (ward_match(msg, ward_fd))				in the child
 *		me->fd = ward_fd_take(self);
 *
 * An adopted descriptor is closed with the incarnation. To keep it across a restart, pre_restart
 * gives it to the actor itself: the next incarnation takes it. This ward_fd comes behind the mail
 * that waits already, which the new incarnation handles without a descriptor: start with -1 in
 * init. An actor that others tell something has its descriptor in its arguments instead, from the
 * first callback of each incarnation: see props.args_given and WARD_FD_KEPT.
 *
 * A ward_fd can be the arguments of a child instead. They are copied, and each copy of a ward_fd is
 * a descriptor of its own; the runtime keeps one for restarts until the child has ended. So the
 * parent still has its own, and closes it after the spawn; and each incarnation adopts a copy
 * (ward_adopt_fd_copy()), or uses that of the arguments itself and never closes it.
 *
 * The peer sees the end of a connection when the last of these descriptors is closed, or at once
 * after shutdown().
 */
#ifndef WARD_FD_H
#define WARD_FD_H

#include <ward/failure.h>

WARD_BEGIN

/** What a descriptor is ready for: a mask. */
enum {
	WARD_FD_READ = 1,
	WARD_FD_WRITE = 2,
	/** In the notice of READ or WRITE: an error, or the peer has closed or will send no more.
	 *  Watched alone: an error, a reset, or the end of both directions, not of one. */
	WARD_FD_HANGUP = 4,
	/** To ward_fd_watch() only, with another: self keeps the descriptor open until it is
	 *  unwatched, see there. */
	WARD_FD_KEPT = 8
};

/** A descriptor as arguments or as a message. The drop function of its type closes it, unless it is
 *  -1: taken; the clone function, as for a broadcast, duplicates it with F_DUPFD_CLOEXEC. */
struct ward_fd {
	int fd;
};
WARD_API extern const ward_type ward_type_ward_fd;

/** The notice that a descriptor is ready for the operations in `events`. */
struct ward_fd_ready {
	int fd;
	uint32_t events;
};
WARD_API extern const ward_type ward_type_ward_fd_ready;

/**
 * Watches a descriptor: one ward_fd_ready arrives when it is ready. Call it again after the notice,
 * or to change the events: a second watch of self replaces the first, whose notice is never seen.
 *
 * The descriptor must stay open until the notice or ward_fd_unwatch(); ward_close_fd() unwatches it
 * first. If it is closed earlier, no notice arrives, and no other actor can watch its number until
 * the watch of self ends. But if a duplicate is open (dup(), a child process), the kernel still
 * watches that, once: the notice arrives; after the end of the watch a WARD_EVENT_NOTE of level
 * WARNING names the number and the last actor that watched it.
 *
 * Between two watches the kernel goes on watching an adopted descriptor, since that is closed by
 * ward_close_fd() only. Any other may be closed and opened again in between, so the kernel is told
 * at each watch; unless self promises, with WARD_FD_KEPT, that the number stays this open
 * descriptor until ward_fd_unwatch() or ward_fd_give(), a watch without WARD_FD_KEPT, or the end of
 * the incarnation, which unwatches it before pre_restart, post_stop and the drop of the arguments.
 * A notice does not end the promise. If it is broken, notices may not arrive, or tell of what the
 * number was before; no other actor gets them.
 *
 * WARD_FD_HANGUP alone waits for the end of a connection that self neither reads nor writes now: a
 * reset, an error, or the end of both directions. A peer that has only finished sending (FIN, as of
 * shutdown(), and also of a close() over TCP until something is sent to it) has not hung up: READ
 * reports that, and is not watched again when the end was read. So no watch is ready all the time
 * because of an end that self knows already. After the hang-up each watch is ready at once. A
 * socket of the same machine hangs up when its peer is closed, a pipe when its other end is; bytes
 * may still be there to read.
 *
 * Cost       of an adopted or kept descriptor, after the first watch and for the same events:
 *            O(1). Otherwise a system call or two, O(calls and descriptors that self deferred
 *            or adopted), a lock of the system, and occasionally O(the highest descriptor), for
 *            a table. The notice: O(1), a message, no call, no lock.
 * Errors     WARD_EINVAL no events, a file or device that is always ready, such as a regular file
 *            or /dev/null, or a descriptor of the system itself; WARD_EEXIST another actor watches
 *            its number; WARD_ESYS; WARD_ENOMEM. No watch remains then. With a negative fd or
 *            invalid events an earlier watch of self goes on.
 * Contract   S129, S130
 */
WARD_API WARD_MUST_USE ward_err ward_try_fd_watch(ward_self *self, int fd, uint32_t events);
/** Calls ward_try_fd_watch(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_fd_watch(ward_self *self, int fd, uint32_t events)
{
	(void)ward_noted_(self, ward_try_fd_watch(self, fd, events));
}

/** Ends a watch: no ward_fd_ready for this descriptor arrives after this call. A descriptor that is
 *  not watched is ignored. Cost: a system call, and a lock of the system. */
WARD_API void ward_fd_unwatch(ward_self *self, int fd);

/**
 * Moves a descriptor into a message of type ward_fd, or returns why it cannot. Its watch by self
 * ends in any case.
 *
 * Ownership  takes the descriptor on WARD_OK only; if self had adopted it, self no longer owns
 *            it then.
 * Order      as ward_send().
 * Cost       as ward_send(), ward_undefer() and, if it is watched, ward_fd_unwatch().
 * Errors     WARD_EINVAL a negative descriptor; otherwise as ward_try_send().
 */
WARD_API WARD_MUST_USE ward_err ward_try_fd_give(ward_self *self, ward_ref to, int fd);

/**
 * Moves a descriptor into a message of type ward_fd. A message that cannot be delivered is a dead
 * letter, which closes the descriptor. A negative descriptor makes self fail when the callback
 * returns: see ward_failed_err().
 *
 * Ownership  takes the descriptor, always; self no longer owns or watches it.
 * Threads    a thread outside sends a ward_fd: ward_system_tell(system, to, ward_fd, fd).
 * Cost       as ward_try_fd_give().
 */
WARD_API void ward_fd_give(ward_self *self, ward_ref to, int fd);

/**
 * Adopts the descriptor of the current message, which is a ward_fd; *ret_fd is set on WARD_OK only.
 * The message no longer closes it; the incarnation owns it as after ward_adopt_fd().
 *
 * Cost       as ward_adopt_fd().
 * Errors     WARD_ENOENT no current message, another type, or taken already; WARD_EINVAL self has
 *            adopted a descriptor of this number, and closed it by close(); WARD_ENOMEM. The
 *            message still has the descriptor then.
 */
WARD_API WARD_MUST_USE ward_err ward_try_fd_take(ward_self *self, int *ret_fd);

/** Adopts the descriptor of the current message like ward_try_fd_take(), and returns it. A refusal
 *  makes the actor fail by a jump with ward_misuse, or ward_out_of_memory. Cost: the same. */
WARD_API int ward_fd_take(ward_self *self);

WARD_END
#endif
