/* SPDX-License-Identifier: MIT
 *
 * files.h - certificates and keys, loaded and loaded again.
 */
#ifndef WARDI_TLS_FILES_H
#define WARDI_TLS_FILES_H

#include <openssl/ssl.h>
#include <ward/tls.h>

/* A reference to what is loaded, for one connection; NULL: the caller has the reason, if there is
 * one, in ret_text, and otherwise no memory. files: NULL: none. trusts: it needs authorities. */
SSL_CTX *wardi_tls_files_take(ward_tls_files *files, bool trusts,
			      char ret_text[WARD_FILTERED_TEXT]);

#endif
