/* SPDX-License-Identifier: MIT
 *
 * sending.c - from datagrams to the operating system.
 *
 * What waits is a row of records in one buffer: a head with the receiver, then the bytes, up to the
 * next multiple of 8. It is sent with one call; the call stops at a datagram that the kernel does
 * not take, which is counted, and the rest follows with the next call.
 */
#include "net/datagrams/sending.h"

#include <errno.h>
#include <string.h>
#include <ward/extend.h>
#include <ward/ward.h>

#include "net/datagrams/family.h"

enum { SENT_AT_ONCE = 64, COLLECTED_MAX = 64 * 1024, SIZE_LIMIT = 65507, ROUND = 8 };

struct record {
	uint32_t size;
	ward_net_address to; /* nobody: the peer */
};

static size_t room_of(size_t size)
{
	return (sizeof(struct record) + size + ROUND - 1) / ROUND * ROUND;
}

void wardi_datagrams_count_error(ward_datagrams *socket, int error)
{
	switch (error) {
	case EAGAIN:
	case ENOBUFS:
	case ENOMEM:
		socket->counts.dropped++;
		break;
	default:
		socket->counts.refused++;
	}
	socket->counts.error = error;
}

static void describe(struct record *record, struct mmsghdr *head, struct iovec *place)
{
	*place = (struct iovec){record + 1, record->size};
	*head = (struct mmsghdr){.msg_hdr = {.msg_iov = place, .msg_iovlen = 1}};
	if (record->to.size == 0)
		return;
	head->msg_hdr.msg_name = record->to.bytes;
	head->msg_hdr.msg_namelen = record->to.size;
}

/* Whether the error is about an earlier datagram, and this one was not tried. */
static bool is_of_earlier(const ward_datagrams *socket, int error)
{
	return error == ECONNREFUSED && socket->has_peer &&
	       wardi_family_of(&socket->own) != AF_UNIX;
}

/* Sends the `count` of them, or counts those that cannot be sent. */
static void send_all(ward_datagrams *socket, struct mmsghdr *heads, unsigned count)
{
	unsigned at = 0;
	bool again = false;

	while (at < count) {
		int sent =
			sendmmsg(socket->fd, heads + at, count - at, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0) {
			wardi_datagrams_count_error(socket, errno);
			again = !again && is_of_earlier(socket, errno);
			at += !again;
			continue;
		}
		socket->counts.sent += (uint64_t)sent;
		at += (unsigned)sent;
		again = false;
	}
}

void wardi_datagrams_flush(ward_datagrams *socket)
{
	struct mmsghdr heads[SENT_AT_ONCE];
	struct iovec places[SENT_AT_ONCE];
	unsigned char *at;

	if (socket->waiting == 0)
		return;
	at = wardi_buffer_bytes(&socket->out);
	for (uint32_t i = 0; i < socket->waiting; i++) {
		struct record *record = (struct record *)(void *)at;

		describe(record, &heads[i], &places[i]);
		at += room_of(record->size);
	}
	send_all(socket, heads, socket->waiting);
	socket->waiting = 0;
	wardi_buffer_free(&socket->out);
}

static ward_err put(ward_datagrams *socket, const ward_net_address *to, const void *bytes,
		    size_t size)
{
	struct record head = {(uint32_t)size, *to};
	unsigned char *at;

	if (!wardi_buffer_reserve(&socket->out, room_of(size)))
		return ward_refused(WARD_ENOMEM, "ward_datagrams_write: no memory");
	at = socket->out.block->at + socket->out.block->to;
	memcpy(at, &head, sizeof head);
	if (size > 0)
		memcpy(at + sizeof head, bytes, size);
	wardi_buffer_wrote(&socket->out, room_of(size));
	socket->waiting++;
	return WARD_OK;
}

/* The sender of a datagram may be a UNIX socket without a name, which cannot be answered. */
static bool is_nameless(const ward_datagrams *socket, const ward_net_address *to)
{
	return to != NULL && to->size == 0 && wardi_family_of(&socket->own) == AF_UNIX;
}

static ward_err receiver_of(const ward_datagrams *socket, const ward_net_address *to,
			    ward_net_address *ret_to)
{
	char own[WARD_ADDRESS_TEXT], other[WARD_ADDRESS_TEXT];

	*ret_to = (ward_net_address){0};
	if (to == NULL && socket->has_peer)
		return WARD_OK;
	if (to == NULL)
		return ward_refused(WARD_EINVAL,
				    "ward_datagrams_write: no receiver, and no .peer in the "
				    "options");
	if (wardi_address_for(socket, to, ret_to))
		return WARD_OK;
	return ward_refused(WARD_EINVAL,
			    "ward_datagrams_write: %s cannot send to %s: that is nobody, or of "
			    "another family",
			    ward_datagrams_address(socket, own), ward_net_address_text(to, other));
}

ward_err ward_datagrams_try_write(ward_self *self, ward_datagrams *socket,
				  const ward_net_address *to, const void *bytes, size_t size)
{
	ward_net_address receiver;
	ward_err err;

	(void)self;
	if (socket == NULL)
		return ward_refused(WARD_EDEAD, "ward_datagrams_write: there is no socket");
	if (size > SIZE_LIMIT)
		return ward_refused(WARD_ESIZE,
				    "ward_datagrams_write: %zu bytes: a datagram has at most %d",
				    size, (int)SIZE_LIMIT);
	if (is_nameless(socket, to)) {
		wardi_datagrams_count_error(socket, EDESTADDRREQ);
		return WARD_OK;
	}
	err = receiver_of(socket, to, &receiver);
	if (err == WARD_OK)
		err = put(socket, &receiver, bytes, size);
	if (err != WARD_OK)
		return err;
	if (socket->msg == NULL || socket->waiting == SENT_AT_ONCE ||
	    wardi_buffer_count(&socket->out) >= COLLECTED_MAX)
		wardi_datagrams_flush(socket);
	return WARD_OK;
}

void ward_datagrams_write(ward_self *self, ward_datagrams *socket, const ward_net_address *to,
			  const void *bytes, size_t size)
{
	if (socket != NULL)
		(void)ward_noted_(self, ward_datagrams_try_write(self, socket, to, bytes, size));
}
