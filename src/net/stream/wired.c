/* SPDX-License-Identifier: MIT
 *
 * wired.c - a stream over one end of a wire: the transport of simulations.
 *
 * Its descriptor is the bell of the end, which is watched as a socket is: so a notice reaches the
 * actor in the same way, also one whose mailbox is closed, and never a later incarnation.
 */
#include "net/stream/wired.h"

#include <errno.h>
#include <string.h>
#include <ward/extend.h>
#include <ward/ward.h>

#include "net/sim/wire.h"
#include "net/stream/stream.h"
#include "net/transport/unconnected.h"

/* Its first member is the table. */
static struct wardi_end *end_of(const ward_stream *stream)
{
	return (struct wardi_end *)(uintptr_t)stream->transport;
}

static ssize_t receive(ward_stream *stream, const struct iovec *into, int count)
{
	return wardi_end_receive(end_of(stream), into, count);
}

static ssize_t send_bytes(ward_stream *stream, const struct iovec *from, int count)
{
	return wardi_end_send(end_of(stream), from, count);
}

static ward_err want(ward_self *self, ward_stream *stream, uint32_t events)
{
	wardi_end_want(end_of(stream), events);
	if (events != 0)
		return ward_try_fd_watch(self, stream->fd, WARD_FD_READ | WARD_FD_KEPT);
	ward_fd_unwatch(self, stream->fd);
	return WARD_OK;
}

/* The bell rang for something that was wanted; another message may have taken it since. */
static uint32_t told(const ward_stream *stream, const ward_msg *msg)
{
	const struct ward_fd_ready *ready = ward_match(msg, ward_fd_ready);
	const struct wardi_end *end = end_of(stream);
	uint32_t events;

	if (ready == NULL || ready->fd != stream->fd)
		return 0;
	events = wardi_end_events(end) & (end->wanted | WARDI_HUNG_UP);
	return events != 0 ? events : end->wanted;
}

static int error_of(ward_stream *stream)
{
	return wardi_end_error(end_of(stream));
}

static void finish(ward_self *self, ward_stream *stream)
{
	(void)self;
	wardi_end_finish(end_of(stream));
}

static void close_wired(ward_stream *stream, bool reset)
{
	struct wardi_end *end = end_of(stream);

	stream->transport = &wardi_unconnected;
	stream->fd = -1;
	wardi_end_close(end, reset);
}

static const struct wardi_transport wire = {
	.receive = receive,
	.send = send_bytes,
	.want = want,
	.told = told,
	.error = error_of,
	.finish = finish,
	.close = close_wired,
};

/* The end that connects sees the name; the other one the number of the wire, too. */
static struct wardi_peer peer_of(const struct wardi_end *end)
{
	struct wardi_peer peer = {.family = WARDI_PEER_SIM};

	memcpy(peer.ip, end->wire->name, strnlen(end->wire->name, sizeof peer.ip));
	if (end == &end->wire->ends[1])
		peer.scope = (uint32_t)end->wire->number;
	return peer;
}

void wardi_wired_carry(ward_stream *stream, struct wardi_end *end)
{
	end->transport = wire;
	stream->transport = &end->transport;
	stream->peer = peer_of(end);
	stream->fd = end->bell.fd;
}

ward_stream *wardi_wired_make(struct wardi_end *end)
{
	static const struct wardi_peer nobody;
	ward_stream *stream = wardi_stream_make_over(&wardi_unconnected, -1, &nobody);

	if (stream != NULL)
		wardi_wired_carry(stream, end);
	return stream;
}

/* ---- from outside ------------------------------------------------------------------------ */

static ward_err err_of(int error)
{
	switch (error) {
	case ENETDOWN:
		return WARD_ENOENT;
	case ENOMEM:
		return WARD_ENOMEM;
	default:
		return WARD_ESYS;
	}
}

ward_err ward_net_sim_connect(ward_system *system, const char *text,
			      struct ward_connection *ret_connection)
{
	struct wardi_net_refusal refusal;
	struct wardi_address address;
	struct wardi_end *end;
	ward_stream *stream;
	ward_err err = wardi_address_read(&address, text, text != NULL ? strlen(text) : 0);

	if (err != WARD_OK)
		return err;
	if (address.kind != WARDI_ADDRESS_SIM)
		return ward_refused(WARD_EINVAL,
				    "ward_net_sim_connect: \"%s\" is not of a simulation: such as "
				    "sim:server",
				    text);
	end = wardi_end_connect(system, address.host, false, &refusal);
	if (end == NULL)
		return ward_refused(err_of(refusal.error), "%s: %s: %s", text, refusal.call,
				    refusal.text);
	stream = wardi_wired_make(end);
	if (stream == NULL) {
		wardi_end_close(end, true);
		return ward_refused(WARD_ENOMEM, "%s: no memory for a stream", text);
	}
	*ret_connection = (struct ward_connection){.stream = stream};
	return WARD_OK;
}
