/* SPDX-License-Identifier: MIT
 *
 * filters.c - TLS on one stream, as a filter for each side.
 *
 * OpenSSL reads all that came, until it wants more: it keeps no more than a part of a record.
 */
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>

#include "tls/connection.h"
#include "tls/files.h"
#include "tls/settings.h"

enum { RECORD_MAX = 16 * 1024 };

/* ---- begin and end ----------------------------------------------------------------------- */

static void close_connection(void *at) WARD_NOEXCEPT
{
	struct wardi_tls_connection *me = at;

	SSL_free(me->ssl);
	free(me);
}

static SSL *make_ssl(struct wardi_tls_connection *me, SSL_CTX *context, bool accepting)
{
	SSL *ssl = SSL_new(context);
	BIO *bio = ssl != NULL ? wardi_tls_wire_make(&me->wire) : NULL;

	if (bio == NULL) {
		SSL_free(ssl);
		return NULL;
	}
	SSL_set_bio(ssl, bio, bio);
	if (SSL_set_app_data(ssl, me) == 1 && wardi_tls_settings_apply(ssl, me->options, accepting))
		return ssl;
	SSL_free(ssl);
	return NULL;
}

static void *open_connection(const ward_tls_options *options, bool accepting, char *ret_text)
{
	const char *wrong = wardi_tls_settings_wrong(options, accepting);
	struct wardi_tls_connection *me;
	SSL_CTX *context;

	if (wrong != NULL) {
		snprintf(ret_text, WARD_FILTERED_TEXT, "%s", wrong);
		return NULL;
	}
	me = calloc(1, sizeof *me);
	context = me != NULL ? wardi_tls_files_take(options->files,
						    wardi_tls_settings_verify(options, accepting),
						    ret_text)
			     : NULL;
	if (context != NULL) {
		me->options = options;
		me->ssl = make_ssl(me, context, accepting);
		SSL_CTX_free(context);
		ERR_clear_error();
	}
	if (me != NULL && me->ssl != NULL)
		return me;
	free(me);
	return NULL;
}

static void *open_server(const void *options, char ret_text[WARD_FILTERED_TEXT]) WARD_NOEXCEPT
{
	return open_connection(options, true, ret_text);
}

static void *open_client(const void *options, char ret_text[WARD_FILTERED_TEXT]) WARD_NOEXCEPT
{
	return open_connection(options, false, ret_text);
}

/* ---- what OpenSSL says ------------------------------------------------------------------- */

static void tell_why(const struct wardi_tls_connection *me, unsigned long error, char *ret_text)
{
	const char *reason = ERR_reason_error_string(error);
	long verified = SSL_get_verify_result(me->ssl);

	if (reason == NULL)
		reason = "the handshake failed";
	if (ERR_GET_REASON(error) == SSL_R_CERTIFICATE_VERIFY_FAILED)
		snprintf(ret_text, WARD_FILTERED_TEXT, "%s: %s", reason,
			 X509_verify_cert_error_string(verified));
	else
		snprintf(ret_text, WARD_FILTERED_TEXT, "%s", reason);
}

/* Of a call that did not return success. An alert of the peer is a refusal at any time: a server of
 * TLS 1.3 refuses a client after the handshake. */
static ward_filtered judge(struct wardi_tls_connection *me, int returned, char *ret_text)
{
	int what = SSL_get_error(me->ssl, returned);
	unsigned long error = ERR_peek_error();
	bool alert =
		ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) >= SSL_AD_REASON_OFFSET;

	if (what == SSL_ERROR_WANT_READ)
		return WARD_FILTERED_MORE;
	if (what == SSL_ERROR_ZERO_RETURN && me->open)
		return WARD_FILTERED_END;
	if (me->wire.no_memory || ERR_GET_REASON(error) == ERR_R_MALLOC_FAILURE) {
		ERR_clear_error();
		return WARD_FILTERED_MEMORY;
	}
	tell_why(me, error, ret_text);
	ERR_clear_error();
	return me->open && !alert ? WARD_FILTERED_WRONG : WARD_FILTERED_REFUSED;
}

/* ---- steps ------------------------------------------------------------------------------- */

static void begin_step(struct wardi_tls_connection *me, const void *bytes, size_t size,
		       ward_stream_bytes *wire)
{
	ERR_clear_error(); /* of others in this thread, which would be taken for ours */
	me->wire = (struct wardi_tls_wire){.from = bytes, .left = size, .to = wire};
}

static ward_filtered read_all(struct wardi_tls_connection *me, ward_stream_bytes *plain,
			      char *ret_text)
{
	size_t got;

	for (;;) {
		void *at = ward_stream_bytes_room(plain, RECORD_MAX);
		int returned;

		if (at == NULL)
			return WARD_FILTERED_MEMORY;
		returned = SSL_read_ex(me->ssl, at, RECORD_MAX, &got);
		if (returned != 1)
			return judge(me, returned, ret_text);
		ward_stream_bytes_add(plain, got);
	}
}

static ward_filtered came(void *at, const void *bytes, size_t size, ward_stream_bytes *plain,
			  ward_stream_bytes *wire, char ret_text[WARD_FILTERED_TEXT]) WARD_NOEXCEPT
{
	struct wardi_tls_connection *me = at;
	ward_filtered said = WARD_FILTERED_MORE, then;
	int returned;

	begin_step(me, bytes, size, wire);
	if (!me->open) {
		returned = SSL_do_handshake(me->ssl);
		if (returned != 1)
			return judge(me, returned, ret_text);
		me->open = true;
		said = WARD_FILTERED_OPEN;
	}
	then = read_all(me, plain, ret_text);
	return then == WARD_FILTERED_MORE ? said : then;
}

static ward_filtered goes(void *at, const void *bytes, size_t size, bool end,
			  ward_stream_bytes *wire, char ret_text[WARD_FILTERED_TEXT]) WARD_NOEXCEPT
{
	struct wardi_tls_connection *me = at;
	size_t written;
	int returned;

	begin_step(me, NULL, 0, wire);
	if (size > 0) {
		returned = SSL_write_ex(me->ssl, bytes, size, &written);
		if (returned != 1)
			return judge(me, returned, ret_text);
	}
	if (end) {
		returned = SSL_shutdown(me->ssl);
		if (returned < 0)
			return judge(me, returned, ret_text);
	}
	return WARD_FILTERED_MORE;
}

const ward_stream_filter ward_tls_server = {
	.name = "tls", .open = open_server, .came = came, .goes = goes, .close = close_connection};
const ward_stream_filter ward_tls_client = {
	.name = "tls", .open = open_client, .came = came, .goes = goes, .close = close_connection};
