/* SPDX-License-Identifier: MIT
 *
 * receiving.c - from a readiness to datagrams.
 *
 * One batch for each readiness; the kernel is asked for the next one at once, so a receive that
 * forgets ward_datagrams_result() goes on, too.
 */
#include <errno.h>
#include <ward/ward.h>

#include "net/datagrams/datagrams.h"
#include "net/datagrams/net_address.h"
#include "net/datagrams/sending.h"

enum { TRIES = 8 }; /* one for each error that waits, and a signal */

/* Not of the network: somebody has closed the descriptor, or put another one into its place. */
static bool is_lost(int error)
{
	return error == EBADF || error == ENOTSOCK || error == EINVAL || error == EFAULT;
}

/* Takes a batch. An error of an earlier datagram comes first, and once: it is counted. */
static void take_batch(ward_self *self, ward_datagrams *socket)
{
	struct wardi_batch *batch = &socket->batch;
	int got;

	batch->next = batch->count = 0;
	for (uint32_t i = 0; i < socket->batch_size; i++)
		batch->heads[i].msg_hdr.msg_namelen = sizeof batch->from[i];
	for (int tries = 0; tries < TRIES; tries++) {
		got = recvmmsg(socket->fd, batch->heads, socket->batch_size, MSG_DONTWAIT, NULL);
		if (got >= 0) {
			batch->count = (uint32_t)got;
			socket->counts.received += (uint64_t)got;
			return;
		}
		if (errno == EAGAIN)
			return;
		if (is_lost(errno)) {
			wardi_datagrams_fail(self, socket, "recvmmsg", errno);
			return;
		}
		if (errno != EINTR)
			wardi_datagrams_count_error(socket, errno);
	}
}

/* A bit that no readiness has when it comes. */
#define TAKEN (UINT32_C(1) << 31)

/* As in net/stream/reading.c: the next message at its address is told from it. */
static void note_taken(const ward_msg *msg)
{
	struct ward_fd_ready *ready = (void *)(uintptr_t)ward_match(msg, ward_fd_ready);
	struct wardi_datagrams_again *again =
		(void *)(uintptr_t)ward_msg_body(msg, &wardi_type_datagrams_again);

	if (ready != NULL)
		ready->events |= TAKEN;
	if (again != NULL)
		again->socket = NULL;
}

static void begin(ward_self *self, ward_datagrams *socket, const ward_msg *msg)
{
	if (socket->msg != NULL && !socket->unfinished) {
		socket->unfinished = true;
		ward_note(self, WARD_LEVEL_WARNING,
			  "datagrams: ward_datagrams_result() was not called after "
			  "ward_datagrams_next(). It has to end each receive, unless that failed");
	}
	socket->msg = msg;
	note_taken(msg);
	socket->failed = false;
}

static bool is_ready(const ward_datagrams *socket, const ward_msg *msg)
{
	const struct ward_fd_ready *ready = ward_match(msg, ward_fd_ready);

	return ready != NULL && ready->fd == socket->fd;
}

static bool is_again(const ward_datagrams *socket, const ward_msg *msg)
{
	const struct wardi_datagrams_again *again = ward_msg_body(msg, &wardi_type_datagrams_again);

	return again != NULL && again->socket == socket;
}

/* Whether it is about the socket, and was not taken yet. */
static bool is_new(const ward_datagrams *socket, const ward_msg *msg)
{
	const struct ward_fd_ready *ready = ward_match(msg, ward_fd_ready);

	return is_again(socket, msg) || (is_ready(socket, msg) && (ready->events & TAKEN) == 0);
}

/* Whether it is about the socket, and was taken. */
static bool is_taken(const ward_datagrams *socket, const ward_msg *msg)
{
	const struct wardi_datagrams_again *again = ward_msg_body(msg, &wardi_type_datagrams_again);

	return is_ready(socket, msg) || (again != NULL && again->socket == NULL);
}

/* Whether the message is about the socket; then it is ready to hand datagrams out. */
static bool take(ward_self *self, ward_datagrams *socket, const ward_msg *msg)
{
	if (is_ready(socket, msg)) {
		begin(self, socket, msg);
		if (socket->batch.next == socket->batch.count)
			take_batch(self, socket);
		if (!socket->failed)
			ward_fd_watch(self, socket->fd, WARD_FD_READ | WARD_FD_KEPT);
		return true;
	}
	if (!is_again(socket, msg))
		return false;
	begin(self, socket, msg);
	socket->again = false;
	return true;
}

bool ward_datagrams_next(ward_self *self, ward_datagrams *socket, const ward_msg *msg,
			 ward_frame *ret_datagram, ward_net_address *ret_from)
{
	const struct mmsghdr *head;
	struct wardi_batch *batch;
	char *text;

	if (socket == NULL ||
	    ((socket->msg != msg || is_new(socket, msg)) && !take(self, socket, msg)))
		return false;
	batch = &socket->batch;
	if (batch->next == batch->count)
		return false;
	head = &batch->heads[batch->next++];
	text = head->msg_hdr.msg_iov->iov_base;
	text[head->msg_len] = '\0';
	*ret_datagram = (ward_frame){text, head->msg_len};
	if (head->msg_hdr.msg_flags & MSG_TRUNC)
		socket->counts.cut++;
	if (ret_from != NULL)
		*ret_from = wardi_net_address_of(head->msg_hdr.msg_name, head->msg_hdr.msg_namelen);
	return true;
}

/* The loop was left early. No mailbox refuses or drops a tick. */
static void go_on(ward_self *self, ward_datagrams *socket)
{
	ward_timer now = {.key = (uint64_t)(uintptr_t)socket, .exact = true};
	struct wardi_datagrams_again again = {socket};

	if (!socket->again)
		socket->again = ward_noted_(self, ward_try_timer_start(self, &now,
								       &wardi_type_datagrams_again,
								       &again, sizeof again));
}

ward_result ward_datagrams_result(ward_self *self, ward_datagrams *socket, const ward_msg *msg)
{
	bool about = true;

	if (socket == NULL)
		return WARD_UNHANDLED;
	/* A callback that failed, or forgot this call, has left the address of its message. */
	if (socket->msg == msg && !is_new(socket, msg))
		about = is_taken(socket, msg);
	else if (!take(self, socket, msg))
		return WARD_UNHANDLED;
	wardi_datagrams_flush(socket);
	socket->msg = NULL;
	if (socket->batch.next < socket->batch.count)
		go_on(self, socket);
	if (socket->failed)
		return WARD_FAILED;
	return about ? WARD_DONE : WARD_UNHANDLED;
}
