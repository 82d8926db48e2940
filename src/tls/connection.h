/* SPDX-License-Identifier: MIT
 *
 * connection.h - TLS on one stream: the state of both filters.
 */
#ifndef WARDI_TLS_CONNECTION_H
#define WARDI_TLS_CONNECTION_H

#include <openssl/ssl.h>
#include <ward/tls.h>

#include "tls/wire.h"

struct wardi_tls_connection {
	SSL *ssl;
	const ward_tls_options *options;
	struct wardi_tls_wire wire;
	bool open; /* the handshake is over */
};

#endif
