/* SPDX-License-Identifier: MIT
 *
 * datagrams.c - a socket for datagrams begins and ends, both within an incarnation.
 */
#include "net/datagrams/datagrams.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ward/extend.h>
#include <ward/ward.h>

#include "common/reserved.h"
#include "net/datagrams/net_address.h"
#include "net/datagrams/opening.h"
#include "net/datagrams/sending.h"

enum { SIZE_DEFAULT = 2048, BATCH_DEFAULT = 32, SIZE_LIMIT = 65535, BATCH_LIMIT = 1024 };

/* The drops of a socket in SO_MEMINFO, which <linux/sock_diag.h> has among others. */
enum { MEMINFO_DROPS = 8, MEMINFO_COUNT = 9 };

const ward_type wardi_type_datagrams_again = {
	.name = "ward.datagrams_again",
	.size = sizeof(struct wardi_datagrams_again),
	.flags = WARD_TYPE_QUIET,
};

void wardi_datagrams_fail(ward_self *self, ward_datagrams *socket, const char *call, int error)
{
	struct ward_net_error body = {.error = error};

	if (socket->failed)
		return;
	socket->failed = true;
	snprintf(body.call, sizeof body.call, "%s", call);
	ward_net_address_text(&socket->own, body.address);
	(void)!ward_failed_body(self, &ward_net_failure, WARD_COPY(ward_net_error, &body),
				"%s: %s: %s", body.address, call, strerrordesc_np(error));
}

/* ---- the end ----------------------------------------------------------------------------- */

static void release(ward_datagrams *socket)
{
	wardi_buffer_free(&socket->out);
	free(socket->batch.heads);
	free(socket);
}

/* The path first: once the socket is closed, another one may have it. */
static void end(void *arg) WARD_NOEXCEPT
{
	ward_datagrams *socket = arg;

	wardi_datagrams_flush(socket);
	if (socket->path[0] != '\0')
		wardi_path_remove(socket->path, socket->file);
	close(socket->fd);
	release(socket);
}

void ward_datagrams_close(ward_self *self, ward_datagrams *socket)
{
	if (socket == NULL)
		return;
	ward_fd_unwatch(self, socket->fd);
	ward_timer_cancel(self, (uint64_t)(uintptr_t)socket);
	ward_run_deferred(self, socket->end);
}

/* ---- the begin --------------------------------------------------------------------------- */

static ward_err check(const ward_datagram_options *options)
{
	if (options->size_max > SIZE_LIMIT || options->batch > BATCH_LIMIT)
		return ward_refused(
			WARD_EINVAL,
			"datagrams: size_max is %u, at most %d; batch is %u, at most %d",
			options->size_max, (int)SIZE_LIMIT, options->batch, (int)BATCH_LIMIT);
	if (options->receive_buffer > INT_MAX || options->send_buffer > INT_MAX)
		return ward_refused(WARD_EINVAL,
				    "datagrams: receive_buffer is %u, send_buffer %u: at most %d",
				    options->receive_buffer, options->send_buffer, INT_MAX);
	if (options->unix_mode > 0777)
		return ward_refused(WARD_EINVAL, "datagrams: unix_mode is 0%o, at most 0777",
				    options->unix_mode);
	if (!WARDI_RESERVED_ZERO(options->reserved))
		return ward_refused(WARD_EINVAL, "datagrams: " WARDI_RESERVED_WRONG);
	return WARD_OK;
}

/* One block: the heads, the places, the senders, the bytes. False: no memory. */
static bool make_batch(struct wardi_batch *batch, size_t count, size_t size)
{
	size_t each = sizeof *batch->heads + sizeof *batch->places + sizeof *batch->from;

	batch->heads = malloc(count * (each + size + 1));
	if (batch->heads == NULL)
		return false;
	batch->from = (struct sockaddr_storage *)(void *)(batch->heads + count);
	batch->places = (struct iovec *)(void *)(batch->from + count);
	batch->bytes = (char *)(batch->places + count);
	memset(batch->heads, 0, count * sizeof *batch->heads);
	for (size_t i = 0; i < count; i++) {
		batch->places[i] = (struct iovec){batch->bytes + i * (size + 1), size};
		batch->heads[i].msg_hdr.msg_iov = &batch->places[i];
		batch->heads[i].msg_hdr.msg_iovlen = 1;
		batch->heads[i].msg_hdr.msg_name = &batch->from[i];
	}
	return true;
}

static ward_datagrams *make(const ward_datagram_options *options)
{
	ward_datagrams *socket = calloc(1, sizeof *socket);

	if (socket == NULL)
		return NULL;
	socket->fd = -1;
	socket->size_max = options->size_max != 0 ? options->size_max : SIZE_DEFAULT;
	socket->batch_size = options->batch != 0 ? options->batch : BATCH_DEFAULT;
	if (make_batch(&socket->batch, socket->batch_size, socket->size_max))
		return socket;
	release(socket);
	return NULL;
}

/* From here on the incarnation has it. */
static ward_err begin(ward_self *self, ward_datagrams *socket)
{
	ward_err err = ward_try_defer(self, end, socket, &socket->end);

	if (err != WARD_OK) {
		end(socket);
		return err;
	}
	err = ward_try_fd_watch(self, socket->fd, WARD_FD_READ | WARD_FD_KEPT);
	if (err != WARD_OK)
		ward_run_deferred(self, socket->end);
	return err;
}

/* A refusal of the system is in *ret_refusal, too. */
static ward_err open_at(ward_self *self, const char *text, const ward_datagram_options *options,
			ward_datagrams **ret_socket, struct wardi_net_refusal *ret_refusal)
{
	struct wardi_address address;
	ward_net_address peer;
	ward_datagrams *socket;
	ward_err err = check(options);

	if (err == WARD_OK)
		err = wardi_datagram_address_read(&address, text);
	if (err == WARD_OK && options->peer != NULL)
		err = ward_net_address_read(options->peer, &peer);
	if (err != WARD_OK)
		return err;
	socket = make(options);
	if (socket == NULL)
		return ward_refused(WARD_ENOMEM, "datagrams: no memory for %s", text);
	if (!wardi_datagrams_bind(socket, &address, options->peer != NULL ? &peer : NULL, options,
				  ret_refusal)) {
		release(socket);
		return ward_refused(WARD_ESYS, "%s: %s: %s", text, ret_refusal->call,
				    ret_refusal->text);
	}
	err = begin(self, socket);
	if (err == WARD_OK)
		*ret_socket = socket;
	return err;
}

static const ward_datagram_options defaults;

ward_err ward_try_datagrams_open(ward_self *self, const char *address,
				 const ward_datagram_options *options, ward_datagrams **ret_socket)
{
	struct wardi_net_refusal refusal = {0};

	return open_at(self, address, options != NULL ? options : &defaults, ret_socket, &refusal);
}

static void not_opened(ward_self *self, const char *address,
		       const struct wardi_net_refusal *refusal)
{
	struct ward_net_error body = {.error = refusal->error};

	snprintf(body.call, sizeof body.call, "%s", refusal->call);
	snprintf(body.address, sizeof body.address, "%s", address);
	(void)!ward_failed_body(self, &ward_not_listening, WARD_COPY(ward_net_error, &body),
				"%s: %s: %s", body.address, body.call, refusal->text);
}

ward_datagrams *ward_datagrams_open(ward_self *self, const char *address,
				    const ward_datagram_options *options)
{
	struct wardi_net_refusal refusal = {0};
	ward_datagrams *socket = NULL;
	ward_err err =
		open_at(self, address, options != NULL ? options : &defaults, &socket, &refusal);

	if (err != WARD_OK && refusal.call != NULL)
		not_opened(self, address, &refusal);
	else
		(void)ward_noted_(self, err);
	return err == WARD_OK ? socket : NULL;
}

/* ---- looks ------------------------------------------------------------------------------- */

ward_datagram_counts ward_datagrams_counts(const ward_datagrams *socket)
{
	uint32_t meminfo[MEMINFO_COUNT] = {0};
	socklen_t size = sizeof meminfo;
	ward_datagram_counts counts = {0};

	if (socket == NULL)
		return counts;
	counts = socket->counts;
	if (getsockopt(socket->fd, SOL_SOCKET, SO_MEMINFO, meminfo, &size) == 0)
		counts.missed = meminfo[MEMINFO_DROPS];
	return counts;
}

const char *ward_datagrams_address(const ward_datagrams *socket, char ret_text[WARD_ADDRESS_TEXT])
{
	static const ward_net_address nobody;
	struct sockaddr_in6 v6;

	if (socket == NULL || !socket->dual)
		return ward_net_address_text(socket != NULL ? &socket->own : &nobody, ret_text);
	/* udp:[::]:PORT would be IPv6 alone. */
	memcpy(&v6, socket->own.bytes, sizeof v6);
	snprintf(ret_text, WARD_ADDRESS_TEXT, "udp:*:%u", ntohs(v6.sin6_port));
	return ret_text;
}
