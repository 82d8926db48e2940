/* SPDX-License-Identifier: MIT
 *
 * term.h - bodies as terms of Erlang: https://www.erlang.org/doc/apps/erts/erl_ext_dist.html
 */
#ifndef WARDI_TERM_H
#define WARDI_TERM_H

#include <ward/codec.h>

/* The first byte of each term. */
enum {
	WARDI_TERM_FLOAT = 70,
	WARDI_TERM_BIT_BINARY = 77,
	WARDI_TERM_NEW_PID = 88,
	WARDI_TERM_NEW_PORT = 89,
	WARDI_TERM_NEWER_REFERENCE = 90,
	WARDI_TERM_SMALL_INTEGER = 97,
	WARDI_TERM_INTEGER = 98,
	WARDI_TERM_OLD_FLOAT = 99,
	WARDI_TERM_OLD_ATOM = 100,
	WARDI_TERM_OLD_REFERENCE = 101,
	WARDI_TERM_PORT = 102,
	WARDI_TERM_PID = 103,
	WARDI_TERM_SMALL_TUPLE = 104,
	WARDI_TERM_LARGE_TUPLE = 105,
	WARDI_TERM_NIL = 106,
	WARDI_TERM_STRING = 107,
	WARDI_TERM_LIST = 108,
	WARDI_TERM_BINARY = 109,
	WARDI_TERM_SMALL_BIG = 110,
	WARDI_TERM_LARGE_BIG = 111,
	WARDI_TERM_NEW_FUN = 112,
	WARDI_TERM_EXPORT = 113,
	WARDI_TERM_REFERENCE = 114,
	WARDI_TERM_OLD_SMALL_ATOM = 115,
	WARDI_TERM_MAP = 116,
	WARDI_TERM_ATOM = 118,
	WARDI_TERM_SMALL_ATOM = 119,
	WARDI_TERM_V4_PORT = 120,
	WARDI_TERM_VERSION = 131
};

/* The node in a pid that stands for a ref of a system. */
#define WARDI_TERM_NODE "ward@nohost"

/* The body has the size `size`, which the type allows. On an error *out is unchanged, except for
 * its room. `refs` may be NULL. */
ward_err wardi_term_encode(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *body, size_t size, ward_bytes *out);

/* The body is `room` zeros. On an error the caller drops the strings in it. */
ward_err wardi_term_decode(const ward_codec_refs *refs, const ward_type *type,
			   const unsigned char *bytes, size_t count, unsigned char *body,
			   size_t room, size_t *ret_size);

/* The name of the message that the term is, without its contents; false: it is none. */
bool wardi_term_name(const unsigned char *bytes, size_t count, const char **ret_name,
		     size_t *ret_size);

#endif
