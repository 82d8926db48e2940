/* SPDX-License-Identifier: MIT
 *
 * tls.c - an echo server with TLS: OpenSSL on a plain loop over epoll, and what a connection takes.
 *
 * The settings are those of ward-tls. A connection is nothing but OpenSSL's own.
 */
#include <openssl/ssl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "../../echo/echo.h"
#include "../peer.h"
#include "tls.h"

enum { EVENTS = 256, READ = 16 * 1024 };

static SSL_CTX *make_context(void)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	char certificate[512], key[512];

	echo_beside("../tls/bench.pem", certificate, sizeof(certificate));
	echo_beside("../tls/bench.key", key, sizeof(key));
	peer_must(context == NULL ? -1 : 0, "SSL_CTX_new");
	peer_must(SSL_CTX_use_certificate_chain_file(context, certificate) - 1, certificate);
	peer_must(SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) - 1, key);
	SSL_CTX_set_options(context,
			    SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
	SSL_CTX_set_num_tickets(context, 0);
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
	return context;
}

static void await(int epoll, int fd, SSL *ssl)
{
	struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = ssl}};

	peer_must(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

static void accept_all(int epoll, int listening, SSL_CTX *context)
{
	int fd;

	while ((fd = echo_accept(listening)) >= 0) {
		SSL *ssl = SSL_new(context);

		peer_must(ssl == NULL ? -1 : SSL_set_fd(ssl, fd) - 1, "SSL_set_fd");
		SSL_set_accept_state(ssl);
		await(epoll, fd, ssl);
	}
}

/* The handshake, too, which has steps of few bytes: they fit into what a socket takes. */
static void answer(SSL *ssl)
{
	static char bytes[READ];
	int got;

	while ((got = SSL_read(ssl, bytes, sizeof(bytes))) > 0)
		peer_must(SSL_write(ssl, bytes, got) - 1, "SSL_write");
	if (SSL_get_error(ssl, got) == SSL_ERROR_WANT_READ)
		return;
	close(SSL_get_fd(ssl));
	SSL_free(ssl);
}

void epoll_tls(const struct peer_row *row, int64_t n)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC), listening;
	SSL_CTX *context = make_context();
	struct epoll_event events[EVENTS];
	uint16_t port;

	peer_must(epoll, "epoll_create1");
	listening = echo_listen(&port);
	await(epoll, listening, NULL);
	peer_echo_client(row, port, n);
	for (;;) {
		int ready = epoll_wait(epoll, events, EVENTS, -1);

		for (int i = 0; i < ready; i++)
			if (events[i].data.ptr == NULL)
				accept_all(epoll, listening, context);
			else
				answer(events[i].data.ptr);
	}
}
