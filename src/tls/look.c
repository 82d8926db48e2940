/* SPDX-License-Identifier: MIT
 *
 * look.c - what a handshake has come to.
 */
#include <stdio.h>
#include <string.h>

#include "tls/connection.h"

static const struct wardi_tls_connection *connection_of(const ward_stream *stream)
{
	const void *of_server = ward_stream_filter_state(stream, &ward_tls_server);

	return of_server != NULL ? of_server : ward_stream_filter_state(stream, &ward_tls_client);
}

static void show_subject(const X509 *certificate, char *ret_text, size_t size)
{
	BIO *text = BIO_new(BIO_s_mem());
	int count = 0;

	if (text != NULL &&
	    X509_NAME_print_ex(text, X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253) >= 0)
		count = BIO_read(text, ret_text, (int)size - 1);
	ret_text[count > 0 ? count : 0] = '\0';
	BIO_free(text);
}

bool ward_tls_look(const ward_stream *stream, struct ward_tls_info *ret_info)
{
	const struct wardi_tls_connection *me = connection_of(stream);
	const unsigned char *protocol;
	const char *name;
	unsigned int size;
	X509 *certificate;

	memset(ret_info, 0, sizeof *ret_info);
	if (me == NULL || !me->open)
		return false;
	snprintf(ret_info->version, sizeof ret_info->version, "%s", SSL_get_version(me->ssl));
	snprintf(ret_info->cipher, sizeof ret_info->cipher, "%s", SSL_get_cipher_name(me->ssl));
	SSL_get0_alpn_selected(me->ssl, &protocol, &size);
	snprintf(ret_info->protocol, sizeof ret_info->protocol, "%.*s", (int)size,
		 size > 0 ? (const char *)protocol : "");
	name = SSL_is_server(me->ssl) ? SSL_get_servername(me->ssl, TLSEXT_NAMETYPE_host_name)
				      : NULL;
	snprintf(ret_info->name, sizeof ret_info->name, "%s", name != NULL ? name : "");
	certificate = SSL_get1_peer_certificate(me->ssl);
	if (certificate != NULL)
		show_subject(certificate, ret_info->subject, sizeof ret_info->subject);
	ret_info->verified = certificate != NULL &&
			     (SSL_get_verify_mode(me->ssl) & SSL_VERIFY_PEER) != 0 &&
			     SSL_get_verify_result(me->ssl) == X509_V_OK;
	X509_free(certificate);
	return true;
}
