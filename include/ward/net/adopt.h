/* SPDX-License-Identifier: MIT
 *
 * ward/net/adopt.h - streams over descriptors that exist: pipes, terminals, socket pairs, files.
 *
 *	struct ward_connection terminal;
 *
 *	if (ward_connection_adopt(0, 1, &terminal) == WARD_OK)
 *		return ward_run(WARD_PROPS(&session, .args_given = true,
 *					   .args = {WARD_COPY(ward_connection, &terminal)}),
 *				NULL);
 *
 * The behaviour is the same as below a listener: it does not know who has made its connection. A
 * pipe has no reset, and no end of one direction while one descriptor is used for both.
 */
#ifndef WARD_NET_ADOPT_H
#define WARD_NET_ADOPT_H

#include <ward/net/stream.h>

WARD_BEGIN

/**
 * Makes a connection of one or two descriptors, for the arguments of an actor.
 *
 * `read_fd` and `write_fd` may be the same, as of a socket or a terminal; -1: none, for a stream in
 * one direction. A stream without `write_fd` is finished from the start, so that the end of what it
 * reads stops the actor, also with half_close; one that waits for something pauses the stream, so
 * its end waits, too. One without `read_fd` is never readable, and ends when nobody is left to read
 * what is written, or after ward_stream_finish().
 *
 * Whatever can be read is accepted: pipes, terminals, stream sockets, other devices. A file that is
 * always ready, such as a regular file or /dev/null, is read as fast as the actor takes its frames;
 * the worker waits for the disk then. A write to a pipe that nobody reads any longer is
 * ward_peer_lost, without a SIGPIPE.
 *
 * Other processes may use the same open file: a terminal, or a pipe that several were started with.
 * So O_NONBLOCK, which they would share, is not set on it. Pipes and terminals are opened a second
 * time, by /proc/self/fd; of sockets each call says that it does not wait. Only where neither can
 * be (no /proc, no permission, the master of a pseudoterminal, other devices) O_NONBLOCK is set.
 * The end of the stream takes it back, but not the sudden end of the process.
 *
 * Ownership  takes both descriptors on WARD_OK, and *ret_connection is the caller's until it is
 *            given to an actor; the drop function of its type closes it. 0, 1 and 2 are not closed
 *            but replaced by /dev/null, so that no file gets these numbers.
 * Threads    any.
 * Cost       some system calls.
 * Errors     WARD_EINVAL no descriptor, one that is not open, not for this direction, a directory,
 *            or a socket that is not connected or not of streams; WARD_ESYS; WARD_ENOMEM.
 * Contract   S169
 */
WARD_API WARD_MUST_USE ward_err ward_connection_adopt(int read_fd, int write_fd,
						      struct ward_connection *ret_connection);

WARD_END
#endif
