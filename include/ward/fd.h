/* SPDX-License-Identifier: MIT
 *
 * ward/fd.h - file descriptors as a source of messages.
 *
 * Readiness is one-shot: each ward_fd_watch() gets one ward_fd_ready. A watch belongs to the
 * incarnation and ends with it; a new incarnation never sees a notice for an earlier one.
 *
 * To pass a descriptor to a child, use a ward_fd as its arguments. Each copy of a ward_fd is a
 * descriptor of its own. The runtime keeps one for restarts until the child has ended, so each
 * incarnation adopts a copy:
 *
 *	ward_spawn(self, &connection, .args = WARD_ARGS(ward_fd, fd));
 *	close(fd);
 *
 *	const struct ward_fd *args = ward_args(self);		in the child
 *	me->fd = ward_adopt_fd_copy(self, args->fd);
 *
 * So each connection takes two descriptors (RLIMIT_NOFILE). A child that does not close the
 * descriptor before its own end needs no copy: it may use args->fd itself, which is closed when the
 * child has ended.
 *
 * The parent still owns the descriptor that it put into the props, and closes it after the spawn.
 * A message takes the descriptor of its sender instead, and closes it when the message is dropped,
 * after receive: to keep it, the receiver adopts a copy, or takes the message (ward_take()).
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
	WARD_FD_HANGUP = 4 /* in a notice only: an error, or the peer has closed */
};

/** A descriptor as arguments or as a message. The drop function of its type closes it; the clone
 *  function duplicates it with F_DUPFD_CLOEXEC. */
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
 * Cost       O(descriptors that self watches), some system calls, memory, and two locks of the
 *            system; occasionally O(the highest descriptor), for a table. The notice: the same,
 *            without the calls, the memory and the table.
 * Errors     WARD_EINVAL no events, a file or device that is always ready, such as a regular file
 *            or /dev/null, or a descriptor of the system itself; WARD_EEXIST another actor watches
 *            its number; WARD_ESYS; WARD_ENOMEM. Self does not watch it then: an earlier watch of
 *            self has ended, unless fd is negative, or events is 0 or has unknown bits.
 */
WARD_API WARD_MUST_USE ward_err ward_try_fd_watch(ward_self *self, int fd, uint32_t events);
/** Calls ward_try_fd_watch(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_fd_watch(ward_self *self, int fd, uint32_t events)
{
	(void)ward_noted_(self, ward_try_fd_watch(self, fd, events));
}

/** Ends a watch: no ward_fd_ready for this descriptor arrives after this call. A descriptor that is
 *  not watched is ignored. Cost: as ward_fd_watch(). */
WARD_API void ward_fd_unwatch(ward_self *self, int fd);

WARD_END
#endif
