/* SPDX-License-Identifier: MIT
 *
 * term_read.h - reads a body from a term.
 */
#ifndef WARDI_TERM_READ_H
#define WARDI_TERM_READ_H

#include <ward/codec.h>

/* The body is `room` zeros. On an error the caller drops the strings in it. */
ward_err wardi_term_decode(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *bytes, size_t count, unsigned char *body,
			   size_t room, size_t *ret_size);

/* The name of the message that the term is, without its contents; false: it is none. */
bool wardi_term_name(const unsigned char *bytes, size_t count, const char **ret_name,
		     size_t *ret_size);

#endif
