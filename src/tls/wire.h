/* SPDX-License-Identifier: MIT
 *
 * wire.h - where OpenSSL reads and writes: the memory of one step of a filter.
 */
#ifndef WARDI_TLS_WIRE_H
#define WARDI_TLS_WIRE_H

#include <openssl/bio.h>
#include <stdbool.h>
#include <stddef.h>
#include <ward/net/filter.h>

struct wardi_tls_wire {
	const unsigned char *from; /* what came, and was not read yet */
	size_t left;
	ward_stream_bytes *to; /* what goes */
	bool no_memory;
};

/* NULL: no memory. `wire` is the caller's, and outlives it. */
BIO *wardi_tls_wire_make(struct wardi_tls_wire *wire);

#endif
