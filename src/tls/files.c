/* SPDX-License-Identifier: MIT
 *
 * files.c - certificates and keys, loaded and loaded again.
 *
 * What was loaded is a context of OpenSSL. It counts its references: a connection has one, so that
 * a new context takes the place of an old one while connections use that. It has what is in files;
 * what is in options is set for each connection. The authorities of the system, some hundred, are
 * read when the first connection needs them: servers do not.
 */
#include "tls/files.h"

#include <errno.h>
#include <openssl/err.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <ward/extend.h>

#include "common/reserved.h"
#include "tls/settings.h"

/* For the steps in which a context is exchanged, or gets a reference. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* While the authorities of the system are read: OpenSSL adds them to a context without a lock. */
static pthread_mutex_t trusting = PTHREAD_MUTEX_INITIALIZER;
/* Of connections without files. */
static ward_tls_files nothing;

/* ---- loading ----------------------------------------------------------------------------- */

/* Without it OpenSSL would ask at the terminal. */
static int no_pass_phrase(char *buffer, int size, int writing, void *arg)
{
	(void)buffer, (void)size, (void)writing, (void)arg;
	return -1;
}

static bool is_out_of_memory(void)
{
	return ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE;
}

static ward_err refuse(const char *path, const char *what)
{
	const char *reason = ERR_reason_error_string(ERR_peek_last_error());
	ward_err err;

	if (is_out_of_memory())
		err = ward_refused(WARD_ENOMEM, "%s: no memory", path);
	else
		err = ward_refused(WARD_EINVAL, "%s: %s: %s", path, what,
				   reason != NULL ? reason : "it is not in this file");
	ERR_clear_error();
	return err;
}

static ward_err check_readable(const char *path)
{
	if (access(path, R_OK) == 0)
		return WARD_OK;
	return ward_refused(WARD_ENOENT, "%s: %s", path, strerrordesc_np(errno));
}

static ward_err load_certificate(SSL_CTX *context, const ward_tls_files *files)
{
	const char *key = files->key != NULL ? files->key : files->certificate;
	ward_err err = check_readable(files->certificate);

	if (err == WARD_OK)
		err = check_readable(key);
	if (err != WARD_OK)
		return err;
	if (SSL_CTX_use_certificate_chain_file(context, files->certificate) != 1)
		return refuse(files->certificate, "no certificate in PEM");
	if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1)
		return refuse(key, "no key in PEM for this certificate, without a pass phrase");
	if (SSL_CTX_check_private_key(context) != 1)
		return refuse(key, "it is the key of another certificate");
	return WARD_OK;
}

/* A server names its authorities to clients, if there are but few. */
static ward_err load_authorities(SSL_CTX *context, const ward_tls_files *files)
{
	struct stack_st_X509_NAME *names;
	ward_err err;

	if (files->authorities == NULL)
		return WARD_OK;
	err = check_readable(files->authorities);
	if (err != WARD_OK)
		return err;
	names = SSL_load_client_CA_file(files->authorities);
	if (names == NULL || SSL_CTX_load_verify_file(context, files->authorities) != 1) {
		sk_X509_NAME_pop_free(names, X509_NAME_free);
		return refuse(files->authorities, "no certificates in PEM");
	}
	SSL_CTX_set_client_CA_list(context, names);
	return WARD_OK;
}

static void set_defaults(SSL_CTX *context)
{
	SSL_CTX_set_options(context,
			    SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
	SSL_CTX_set_num_tickets(context, 0);
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	/* What is sent is what is in the file, and nothing of the authorities. */
	SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
	SSL_CTX_set_default_passwd_cb(context, no_pass_phrase);
	SSL_CTX_set_alpn_select_cb(context, wardi_tls_protocol_choose, NULL);
}

static ward_err load(const ward_tls_files *files, SSL_CTX **ret_context)
{
	SSL_CTX *context;
	ward_err err = WARD_OK;

	if (!WARDI_RESERVED_ZERO(files->reserved))
		return ward_refused(WARD_EINVAL, "files of TLS: " WARDI_RESERVED_WRONG);
	ERR_clear_error();
	context = SSL_CTX_new(TLS_method());
	if (context == NULL)
		return refuse("TLS", "no context");
	set_defaults(context);
	if (files->certificate != NULL)
		err = load_certificate(context, files);
	else if (files->key != NULL)
		err = ward_refused(WARD_EINVAL, "%s: a key without a certificate", files->key);
	if (err == WARD_OK)
		err = load_authorities(context, files);
	ERR_clear_error();
	if (err != WARD_OK) {
		SSL_CTX_free(context);
		return err;
	}
	*ret_context = context;
	return WARD_OK;
}

/* ---- what is loaded ---------------------------------------------------------------------- */

static void *exchange(ward_tls_files *files, SSL_CTX *context)
{
	void *before;

	pthread_mutex_lock(&lock);
	before = files->loaded_;
	files->loaded_ = context;
	pthread_mutex_unlock(&lock);
	return before;
}

static SSL_CTX *reference(ward_tls_files *files)
{
	SSL_CTX *context;

	pthread_mutex_lock(&lock);
	context = files->loaded_;
	if (context != NULL)
		SSL_CTX_up_ref(context);
	pthread_mutex_unlock(&lock);
	return context;
}

ward_err ward_tls_load(ward_tls_files *files)
{
	SSL_CTX *context = NULL;
	ward_err err;

	if (files == NULL)
		return ward_refused(WARD_EINVAL, "ward_tls_load: no files");
	err = load(files, &context);
	if (err == WARD_OK)
		SSL_CTX_free(exchange(files, context));
	return err;
}

void ward_tls_unload(ward_tls_files *files)
{
	if (files != NULL)
		SSL_CTX_free(exchange(files, NULL));
}

static ward_err trust_system(SSL_CTX *context)
{
	ward_err err = WARD_OK;

	pthread_mutex_lock(&trusting);
	if (SSL_CTX_get_app_data(context) == NULL) {
		if (SSL_CTX_set_default_verify_paths(context) == 1)
			SSL_CTX_set_app_data(context, context);
		else
			err = refuse("the authorities of the system", "not usable");
	}
	pthread_mutex_unlock(&trusting);
	return err;
}

static ward_err take(ward_tls_files *files, bool trusts, SSL_CTX **ret_context)
{
	SSL_CTX *context = reference(files);
	ward_err err = WARD_OK;

	if (context == NULL) {
		/* Two may do that at the same time: the later one is kept. */
		err = ward_tls_load(files);
		context = err == WARD_OK ? reference(files) : NULL;
	}
	if (err == WARD_OK && context == NULL)
		err = ward_refused(WARD_ENOENT, "its files were unloaded");
	if (err == WARD_OK && trusts && files->authorities == NULL)
		err = trust_system(context);
	if (err != WARD_OK)
		SSL_CTX_free(context);
	else
		*ret_context = context;
	return err;
}

SSL_CTX *wardi_tls_files_take(ward_tls_files *files, bool trusts, char ret_text[WARD_FILTERED_TEXT])
{
	SSL_CTX *context = NULL;
	ward_err err = take(files != NULL ? files : &nothing, trusts, &context);

	if (err != WARD_OK && err != WARD_ENOMEM)
		snprintf(ret_text, WARD_FILTERED_TEXT, "%s", ward_err_detail());
	return context;
}
