/* SPDX-License-Identifier: MIT
 *
 * raw_bytes.h - messages of tests that a table cannot describe: they are written as they are.
 *
 * What they point to is the test's own and outlives the systems, and all systems of a test are in
 * its process. A type that counts its bodies adds to its count in a `decode` of its own, since its
 * drop function runs where it was written.
 */
#ifndef SUPPORT_RAW_BYTES_H
#define SUPPORT_RAW_BYTES_H

#include <string.h>

#include <ward/codec.h>
#include <ward/extend.h>

WARD_UNUSED static ward_err raw_encode(const void *body, size_t size, ward_bytes *out)
{
	return ward_bytes_add(out, body, size);
}

WARD_UNUSED static ward_err raw_decode(const void *bytes, size_t count, void *body, size_t size)
{
	if (count != size)
		return ward_refused(WARD_EINVAL, "%zu bytes are no body of %zu", count, size);
	memcpy(body, bytes, size);
	return WARD_OK;
}

/* In place of WARD_MESSAGE(). */
#define RAW_MESSAGE(T)                                                                             \
	WARD_UNUSED static const ward_type ward_type_##T = {                                       \
		.name = #T, .size = sizeof(struct T), .encode = raw_encode, .decode = raw_decode}
/* In place of WARD_MESSAGE_CLONE() and, with NULL, WARD_MESSAGE_DROP(): with functions of void
 * pointers, and a `decode`. */
#define RAW_MESSAGE_OWNED(T, drop_, clone_, decode_)                                               \
	WARD_UNUSED static const ward_type ward_type_##T = {.name = #T,                            \
							    .size = sizeof(struct T),              \
							    .drop = drop_,                         \
							    .clone = clone_,                       \
							    .encode = raw_encode,                  \
							    .decode = decode_}

#endif
