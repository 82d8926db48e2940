/* SPDX-License-Identifier: MIT
 *
 * echo.c - an echo server on libuv: a buffer and a write request for each connection.
 *
 * The buffer is larger than a message: libuv reads again at once when it is full.
 */
#include "../../echo/echo.h"

#include <stdlib.h>
#include <uv.h>

#include "libuv.h"

enum { BUFFER = 16 * ECHO_BYTES };

struct connection {
	uv_tcp_t tcp;
	uv_write_t write;
	char bytes[BUFFER];
};

static void give_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	struct connection *me = handle->data;

	(void)suggested;
	*buffer = uv_buf_init(me->bytes, sizeof(me->bytes));
}

static void closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void written(uv_write_t *write, int status)
{
	(void)write;
	peer_must(status, "uv_write");
}

/* Without a request, as long as the socket takes all: a request costs an epoll_ctl. */
static void answer(struct connection *me, char *bytes, size_t count)
{
	uv_stream_t *stream = (uv_stream_t *)&me->tcp;
	uv_buf_t buffer = uv_buf_init(bytes, (unsigned)count);
	int taken = uv_try_write(stream, &buffer, 1);

	if (taken == (int)count)
		return;
	buffer.base += taken > 0 ? taken : 0;
	buffer.len -= taken > 0 ? (size_t)taken : 0;
	peer_must(uv_write(&me->write, stream, &buffer, 1, written), "uv_write");
}

static void heard(uv_stream_t *stream, ssize_t got, const uv_buf_t *buffer)
{
	if (got > 0)
		answer(stream->data, buffer->base, (size_t)got);
	else if (got < 0)
		uv_close((uv_handle_t *)stream, closed);
}

static void came(uv_stream_t *server, int status)
{
	struct connection *me = calloc(1, sizeof(*me));

	peer_must(me == NULL ? -1 : status, "connection");
	peer_must(uv_tcp_init(server->loop, &me->tcp), "uv_tcp_init");
	me->tcp.data = me;
	peer_must(uv_accept(server, (uv_stream_t *)&me->tcp), "uv_accept");
	peer_must(uv_tcp_nodelay(&me->tcp, 1), "uv_tcp_nodelay");
	peer_must(uv_read_start((uv_stream_t *)&me->tcp, give_buffer, heard), "uv_read_start");
}

void libuv_echo(const struct peer_row *row, int64_t ms)
{
	uv_loop_t *loop = uv_default_loop();
	uv_tcp_t server;
	uint16_t port;

	peer_must(uv_tcp_init(loop, &server), "uv_tcp_init");
	peer_must(uv_tcp_open(&server, echo_listen(&port)), "uv_tcp_open");
	peer_must(uv_listen((uv_stream_t *)&server, 1024, came), "uv_listen");
	peer_echo_client(row, port, ms);
	uv_run(loop, UV_RUN_DEFAULT);
}
