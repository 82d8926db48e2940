/* SPDX-License-Identifier: MIT
 *
 * lines.c - an echo server by lines on libuv.
 *
 * All connections read into one buffer; only a line that has begun is kept by its connection. The
 * answers to one read go out together, without a request as long as the socket takes all. A peer
 * that does not read is not read. One timer for each connection ticks at a quarter of the shortest
 * limit, and looks whether anything has happened.
 */
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "../../echo/echo.h"
#include "libuv.h"

enum { LINE = 4096, READ = 64 * 1024, HIGH = 64 * 1024, LOW = HIGH / 4 };
enum { IDLE_MS = 60 * 1000, TICK_MS = IDLE_MS / 4, IDLE_TICKS = 4, STUCK_TICKS = 2 };

struct connection {
	uv_tcp_t tcp;
	uv_timer_t timer;
	char *begun; /* a line without its end; NULL: none */
	size_t begun_size;
	unsigned idle, stuck; /* ticks */
	bool active;          /* since the last tick */
	bool moved;           /* something was taken */
	bool stopped;         /* it is not read */
	bool closing;
	unsigned handles; /* that are not closed */
};

struct request {
	uv_write_t write;
	char bytes[];
};

static char came[READ];
static char answers[LINE + READ + 1];
static size_t answers_size;

/* ---- the end ----------------------------------------------------------------------------- */

static void closed(uv_handle_t *handle)
{
	struct connection *me = handle->data;

	if (--me->handles > 0)
		return;
	free(me->begun);
	free(me);
}

static void end(struct connection *me)
{
	if (me->closing)
		return;
	me->closing = true;
	uv_close((uv_handle_t *)&me->tcp, closed);
	uv_close((uv_handle_t *)&me->timer, closed);
}

static void shut(uv_shutdown_t *shutdown, int status)
{
	(void)status;
	end(shutdown->data);
	free(shutdown);
}

/* Once all is written. */
static void end_in_order(struct connection *me)
{
	uv_shutdown_t *shutdown = malloc(sizeof(*shutdown));

	peer_must(shutdown == NULL ? -1 : 0, "malloc");
	shutdown->data = me;
	if (uv_shutdown(shutdown, (uv_stream_t *)&me->tcp, shut) == 0)
		return;
	free(shutdown);
	end(me);
}

/* ---- writing ----------------------------------------------------------------------------- */

static void give_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	(void)handle;
	(void)suggested;
	*buffer = uv_buf_init(came, sizeof(came));
}

static void heard(uv_stream_t *stream, ssize_t got, const uv_buf_t *buffer);

static size_t waiting(struct connection *me)
{
	return uv_stream_get_write_queue_size((uv_stream_t *)&me->tcp);
}

static void written(uv_write_t *write, int status)
{
	struct connection *me = write->data;

	free(write);
	if (status != 0) {
		end(me);
		return;
	}
	me->active = me->moved = true;
	if (me->stopped && !me->closing && waiting(me) <= LOW) {
		me->stopped = false;
		uv_read_start((uv_stream_t *)&me->tcp, give_buffer, heard);
	}
}

static void queue(struct connection *me, const char *bytes, size_t count)
{
	struct request *request = malloc(sizeof(*request) + count);
	uv_buf_t buffer;

	peer_must(request == NULL ? -1 : 0, "malloc");
	memcpy(request->bytes, bytes, count);
	request->write.data = me;
	buffer = uv_buf_init(request->bytes, (unsigned)count);
	if (uv_write(&request->write, (uv_stream_t *)&me->tcp, &buffer, 1, written) != 0) {
		free(request);
		end(me);
		return;
	}
	if (waiting(me) > HIGH) {
		me->stopped = true;
		uv_read_stop((uv_stream_t *)&me->tcp);
	}
}

/* Without a request, as long as the socket takes all: a request costs an epoll_ctl. */
static void send_answers(struct connection *me)
{
	uv_buf_t buffer = uv_buf_init(answers, (unsigned)answers_size);
	int taken;

	if (answers_size == 0)
		return;
	taken = uv_try_write((uv_stream_t *)&me->tcp, &buffer, 1);
	if (taken < 0 && taken != UV_EAGAIN)
		end(me);
	else if (taken < (int)answers_size)
		queue(me, answers + (taken > 0 ? taken : 0),
		      answers_size - (taken > 0 ? (size_t)taken : 0));
}

/* ---- reading ----------------------------------------------------------------------------- */

static void answer(const char *line, size_t size)
{
	memcpy(answers + answers_size, line, size);
	answers_size += size;
	answers[answers_size++] = '\n';
}

static size_t without_return(const char *line, size_t size)
{
	return size > 0 && line[size - 1] == '\r' ? size - 1 : size;
}

/* Adds to the line that has begun. False: it is too long. */
static bool keep(struct connection *me, const char *bytes, size_t count)
{
	char *more;

	if (count == 0)
		return true;
	if (me->begun_size + count > LINE)
		return false;
	more = realloc(me->begun, me->begun_size + count);
	peer_must(more == NULL ? -1 : 0, "realloc");
	memcpy(more + me->begun_size, bytes, count);
	me->begun = more;
	me->begun_size += count;
	return true;
}

static void forget_begun(struct connection *me)
{
	free(me->begun);
	me->begun = NULL;
	me->begun_size = 0;
}

/* Answers all whole lines. False: one is too long. */
static bool cut(struct connection *me, const char *bytes, size_t count)
{
	const char *newline;

	while ((newline = memchr(bytes, '\n', count)) != NULL) {
		size_t size = (size_t)(newline - bytes);

		if (me->begun != NULL) {
			if (!keep(me, bytes, size))
				return false;
			answer(me->begun, without_return(me->begun, me->begun_size));
			forget_begun(me);
		} else if (size <= LINE) {
			answer(bytes, without_return(bytes, size));
		} else {
			return false;
		}
		bytes += size + 1;
		count -= size + 1;
	}
	return keep(me, bytes, count);
}

static void heard(uv_stream_t *stream, ssize_t got, const uv_buf_t *buffer)
{
	struct connection *me = stream->data;
	bool fine = true;

	answers_size = 0;
	if (got > 0) {
		me->active = true;
		fine = cut(me, buffer->base, (size_t)got);
	} else if (got == UV_EOF && me->begun != NULL) {
		answer(me->begun, me->begun_size);
	}
	if (got >= 0 || got == UV_EOF)
		send_answers(me);
	if (got == UV_EOF)
		end_in_order(me);
	else if (got < 0 || !fine)
		end(me);
}

/* ---- connections ------------------------------------------------------------------------- */

static void tick(uv_timer_t *timer)
{
	struct connection *me = timer->data;

	me->idle = me->active ? 0 : me->idle + 1;
	me->stuck = me->moved || waiting(me) == 0 ? 0 : me->stuck + 1;
	me->active = me->moved = false;
	if (me->idle >= IDLE_TICKS || me->stuck > STUCK_TICKS)
		end(me);
}

static void came_one(uv_stream_t *server, int status)
{
	struct connection *me = calloc(1, sizeof(*me));

	peer_must(me == NULL ? -1 : status, "connection");
	me->handles = 2;
	me->tcp.data = me->timer.data = me;
	peer_must(uv_timer_init(server->loop, &me->timer), "uv_timer_init");
	peer_must(uv_tcp_init(server->loop, &me->tcp), "uv_tcp_init");
	peer_must(uv_accept(server, (uv_stream_t *)&me->tcp), "uv_accept");
	peer_must(uv_tcp_nodelay(&me->tcp, 1), "uv_tcp_nodelay");
	peer_must(uv_timer_start(&me->timer, tick, TICK_MS, TICK_MS), "uv_timer_start");
	peer_must(uv_read_start((uv_stream_t *)&me->tcp, give_buffer, heard), "uv_read_start");
}

void libuv_lines(const struct peer_row *row, int64_t n)
{
	uv_loop_t *loop = uv_default_loop();
	uv_tcp_t server;
	uint16_t port;

	peer_must(uv_tcp_init(loop, &server), "uv_tcp_init");
	peer_must(uv_tcp_open(&server, echo_listen(&port)), "uv_tcp_open");
	peer_must(uv_listen((uv_stream_t *)&server, 1024, came_one), "uv_listen");
	peer_echo_client(row, port, n);
	uv_run(loop, UV_RUN_DEFAULT);
}
