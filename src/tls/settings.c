/* SPDX-License-Identifier: MIT
 *
 * settings.c - the options of a connection: checked, and told to OpenSSL.
 */
#include "tls/settings.h"

#include <openssl/x509v3.h>
#include <string.h>

#include "common/reserved.h"
#include "tls/connection.h"
#include "tls/protocols.h"

bool wardi_tls_settings_verify(const ward_tls_options *options, bool accepting)
{
	if (options->verify == WARD_TLS_USUAL)
		return !accepting;
	return options->verify != WARD_TLS_NONE;
}

const char *wardi_tls_settings_wrong(const ward_tls_options *options, bool accepting)
{
	const ward_tls_files *files = options != NULL ? options->files : NULL;
	struct wardi_tls_protocols protocols;

	if (options == NULL)
		return "no filter_options";
	if (!WARDI_RESERVED_ZERO(options->reserved))
		return WARDI_RESERVED_WRONG;
	if ((unsigned)options->verify > WARD_TLS_REQUIRED ||
	    (unsigned)options->least > WARD_TLS_1_3)
		return "a `verify` or `least` that is none";
	if (accepting && (files == NULL || files->certificate == NULL))
		return "a server without a certificate";
	if (accepting && wardi_tls_settings_verify(options, true) && files->authorities == NULL)
		return "a server that verifies clients needs their authorities";
	if (!accepting && options->verify == WARD_TLS_WANTED)
		return "a server always has a certificate: WARD_TLS_WANTED is for servers";
	if (!accepting && wardi_tls_settings_verify(options, false) && options->name == NULL)
		return "a client needs the name of its peer";
	if (options->name != NULL &&
	    (options->name[0] == '\0' || strlen(options->name) > TLSEXT_MAXLEN_host_name))
		return "a `name` that has not 1 to 255 bytes";
	if (options->protocols != NULL && !wardi_tls_protocols_read(options->protocols, &protocols))
		return "`protocols` has no names, or too many";
	return NULL;
}

/* ---- whom to trust ----------------------------------------------------------------------- */

/* The name of the peer; an address is not told to it. */
static bool set_name(SSL *ssl, const char *name, bool verified)
{
	X509_VERIFY_PARAM *address = X509_VERIFY_PARAM_new();
	bool is_address;

	if (address == NULL)
		return false;
	is_address = X509_VERIFY_PARAM_set1_ip_asc(address, name) == 1;
	X509_VERIFY_PARAM_free(address);
	if (is_address)
		return !verified || X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1;
	SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	return (!verified || SSL_set1_host(ssl, name) == 1) &&
	       SSL_set_tlsext_host_name(ssl, name) == 1;
}

static int mode_of(const ward_tls_options *options, bool accepting)
{
	if (!wardi_tls_settings_verify(options, accepting))
		return SSL_VERIFY_NONE;
	return options->verify == WARD_TLS_WANTED
		       ? SSL_VERIFY_PEER
		       : SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
}

/* A configuration of OpenSSL that asks for more is kept. */
static bool set_least(SSL *ssl, ward_tls_version least)
{
	int wanted = least == WARD_TLS_1_3 ? TLS1_3_VERSION : TLS1_2_VERSION;

	return SSL_get_min_proto_version(ssl) >= wanted ||
	       SSL_set_min_proto_version(ssl, wanted) == 1;
}

static bool set_protocols(SSL *ssl, const char *text)
{
	struct wardi_tls_protocols protocols;

	return wardi_tls_protocols_read(text, &protocols) &&
	       SSL_set_alpn_protos(ssl, protocols.names, protocols.size) == 0;
}

bool wardi_tls_settings_apply(SSL *ssl, const ward_tls_options *options, bool accepting)
{
	SSL_set_verify(ssl, mode_of(options, accepting), NULL);
	if (!set_least(ssl, options->least))
		return false;
	if (accepting) {
		SSL_set_accept_state(ssl);
		return true;
	}
	SSL_set_connect_state(ssl);
	if (options->name != NULL &&
	    !set_name(ssl, options->name, wardi_tls_settings_verify(options, false)))
		return false;
	return options->protocols == NULL || set_protocols(ssl, options->protocols);
}

/* ---- protocols --------------------------------------------------------------------------- */

int wardi_tls_protocol_choose(SSL *ssl, const unsigned char **ret_chosen, unsigned char *ret_size,
			      const unsigned char *offered, unsigned int size, void *arg)
{
	const struct wardi_tls_connection *connection = SSL_get_app_data(ssl);
	const char *text = connection->options->protocols;
	struct wardi_tls_protocols own;
	unsigned char *chosen;

	(void)arg;
	if (text == NULL || !wardi_tls_protocols_read(text, &own))
		return SSL_TLSEXT_ERR_NOACK;
	if (SSL_select_next_proto(&chosen, ret_size, own.names, own.size, offered, size) !=
	    OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_ALERT_FATAL;
	/* It may be in `own`, which ends here: the same name is in what was offered. */
	for (unsigned int at = 0; at + 1 + *ret_size <= size; at += 1U + offered[at]) {
		if (offered[at] == *ret_size && memcmp(offered + at + 1, chosen, *ret_size) == 0) {
			*ret_chosen = offered + at + 1;
			return SSL_TLSEXT_ERR_OK;
		}
	}
	return SSL_TLSEXT_ERR_ALERT_FATAL;
}
