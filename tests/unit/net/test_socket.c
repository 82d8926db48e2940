/* SPDX-License-Identifier: MIT
 *
 * test_socket.c - the transport of sockets: a part of a file that does not go out.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <ward/testkit.h>

#include "net/stream/socket.h"
#include "net/stream/stream.h"

enum { SIZE = 100 };

struct ends {
	ward_stream stream;
	int peer, file;
};

static void begin(struct ends *ends)
{
	char path[] = "/tmp/ward-socket-XXXXXX";
	int pair[2];

	ward_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
	ends->file = mkostemp(path, O_CLOEXEC);
	ward_assert(ends->file >= 0);
	ward_assert_eq(unlink(path), 0);
	ward_assert_eq(ftruncate(ends->file, SIZE), 0);
	ends->stream = (ward_stream){.fd = pair[0]};
	ends->peer = pair[1];
}

static void end(struct ends *ends)
{
	close(ends->stream.fd);
	close(ends->peer);
	close(ends->file);
}

static ssize_t send_file(struct ends *ends, const char *head, int file)
{
	const struct iovec part = {(void *)(uintptr_t)head, strlen(head)};

	return wardi_socket.send_file(&ends->stream, &part, part.iov_len > 0, file, 0, SIZE);
}

WARD_TEST(a_head_that_is_out_counts_although_the_file_behind_it_is_refused)
{
	struct ends ends;
	char came[SIZE];

	begin(&ends);
	ward_assert_eq(send_file(&ends, "head", -1), 4);
	ward_assert_eq(read(ends.peer, came, sizeof came), 4);
	ward_assert_eq(send_file(&ends, "", -1), -1);
	ward_assert_eq(errno, EBADF);
	ward_assert_eq(send_file(&ends, "head", ends.file), 4 + SIZE);
	end(&ends);
}

static bool is_pending(void)
{
	sigset_t pending;

	ward_assert_eq(sigpending(&pending), 0);
	return sigismember(&pending, SIGPIPE) == 1;
}

static void mask(int how)
{
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	ward_assert_eq(pthread_sigmask(how, &pipe, NULL), 0);
}

WARD_TEST(a_file_for_a_peer_that_is_gone_raises_no_signal)
{
	struct ends ends;

	begin(&ends);
	ward_assert_eq(shutdown(ends.peer, SHUT_RDWR), 0);
	ward_assert_eq(send_file(&ends, "", ends.file), -1);
	ward_assert_eq(errno, EPIPE);
	ward_assert(!is_pending());
	end(&ends);
}

WARD_TEST(a_signal_that_the_program_keeps_waiting_still_waits)
{
	struct ends ends;

	begin(&ends);
	mask(SIG_BLOCK);
	ward_assert_eq(raise(SIGPIPE), 0);
	ward_assert_eq(shutdown(ends.peer, SHUT_RDWR), 0);
	ward_assert_eq(send_file(&ends, "", ends.file), -1);
	ward_assert_eq(errno, EPIPE);
	ward_assert(is_pending());
	end(&ends);
}

WARD_TEST_MAIN
