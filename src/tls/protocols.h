/* SPDX-License-Identifier: MIT
 *
 * protocols.h - which protocol is spoken above TLS (ALPN, RFC 7301).
 */
#ifndef WARDI_TLS_PROTOCOLS_H
#define WARDI_TLS_PROTOCOLS_H

#include <stdbool.h>

/* Names with their lengths in front, as on the wire. */
struct wardi_tls_protocols {
	unsigned char names[256];
	unsigned int size;
};

/* Reads names with spaces between them. False: no name, or too many bytes of them. */
bool wardi_tls_protocols_read(const char *text, struct wardi_tls_protocols *ret_protocols);

#endif
