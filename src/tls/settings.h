/* SPDX-License-Identifier: MIT
 *
 * settings.h - the options of a connection: checked, and told to OpenSSL.
 */
#ifndef WARDI_TLS_SETTINGS_H
#define WARDI_TLS_SETTINGS_H

#include <openssl/ssl.h>
#include <ward/tls.h>

/* NULL: they can be used; otherwise what is wrong with them. */
const char *wardi_tls_settings_wrong(const ward_tls_options *options, bool accepting);
/* Whether the certificate of the peer is verified. */
bool wardi_tls_settings_verify(const ward_tls_options *options, bool accepting);
/* False: no memory, or a name that cannot be. */
bool wardi_tls_settings_apply(SSL *ssl, const ward_tls_options *options, bool accepting);

/* The callback of a context: a server chooses the first protocol of its own that the client offers.
 * The connection is found through the application's data of `ssl`. */
int wardi_tls_protocol_choose(SSL *ssl, const unsigned char **ret_chosen, unsigned char *ret_size,
			      const unsigned char *offered, unsigned int size, void *arg);

#endif
