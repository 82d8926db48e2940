/* SPDX-License-Identifier: MIT
 *
 * ward/fd.h - file descriptors as a source of messages.
 *
 * Readiness is one-shot: one ward_fd_ready for each ward_fd_watch. The interest belongs to the
 * incarnation and goes with it; a notice of an earlier incarnation is never seen.
 *
 * To hand a descriptor to a child, give it a ward_fd as arguments, of which each copy is a
 * descriptor of its own. The runtime keeps one for restarts until the child is gone, so each
 * incarnation adopts a copy:
 *
 *	ward_spawn(self, &connection, .args = WARD_ARGS(ward_fd, fd));
 *	close(fd);
 *
 *	const struct ward_fd *args = ward_args(self);		in the child
 *	me->fd = ward_adopt_fd_copy(self, args->fd);
 *
 * That is two for each connection (RLIMIT_NOFILE). A child that closes none before its own end
 * needs no copy: it may use args->fd itself, which is closed when the child is gone.
 *
 * The parent still owns what it put into the props, and closes that after the spawn. The other side
 * sees the end of a connection when the last of these is closed, or at once after shutdown().
 */
#ifndef WARD_FD_H
#define WARD_FD_H

#include <ward/failure.h>

WARD_BEGIN

/** What a descriptor is ready for. */
enum {
	WARD_FD_READ = 1,
	WARD_FD_WRITE = 2,
	WARD_FD_HANGUP = 4 /* only reported: an error or the end of the other side */
};

/** A descriptor as arguments or message: its type closes it, and copies it by F_DUPFD_CLOEXEC. */
struct ward_fd {
	int fd;
};
WARD_API extern const ward_type ward_type_ward_fd;

/** The notice: the descriptor is ready for what `events` says. */
struct ward_fd_ready {
	int fd;
	uint32_t events;
};
WARD_API extern const ward_type ward_type_ward_fd_ready;

/**
 * Asks for one ward_fd_ready when the descriptor is ready. Again after that, or to change events: a
 * second watch of self replaces the first, of which no notice is seen any more.
 *
 * The descriptor must stay open until the notice came or ward_fd_unwatch(); an adopted one is
 * unwatched before it is closed. One that was closed earlier, while a duplicate of it lives (dup(),
 * a child process), is watched by the kernel still, once: when it is ready a WARD_EVENT_NOTE, a
 * warning, names actor and number, of the last one with that number.
 *
 * Cost       O(descriptors that self watches), some system calls, memory, and two locks of the
 *            system; now and then O(the highest descriptor), for a table. The notice as much, but
 *            for the calls, the memory and the table.
 * Errors     WARD_EINVAL no events, a file or a device that is always ready, as a regular file or
 *            /dev/null, or a descriptor of the system itself; WARD_EEXIST another actor watches
 *            it; WARD_ESYS; WARD_ENOMEM.
 */
WARD_API WARD_MUST_USE ward_err ward_try_fd_watch(ward_self *self, int fd, uint32_t events);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_fd_watch(ward_self *self, int fd, uint32_t events)
{
	(void)ward_noted_(self, ward_try_fd_watch(self, fd, events));
}

/** No ward_fd_ready of this descriptor arrives after this. An unwatched one is ignored. Cost: as
 *  ward_fd_watch(). */
WARD_API void ward_fd_unwatch(ward_self *self, int fd);

WARD_END
#endif
