/* SPDX-License-Identifier: MIT
 *
 * digest.h - a running 64-bit FNV-1a sum, to notice damage and to compare lines.
 *
 * Protects against accidents, not against attackers, who can also write sums into the database.
 */
#ifndef SINK_DIGEST_H
#define SINK_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t count)
{
	const unsigned char *at = bytes;
	for (size_t i = 0; i < count; i++)
		digest = (digest ^ at[i]) * UINT64_C(0x100000001b3);
	return digest;
}

/* Mixes in a length or a number, so that "ab" + "c" and "a" + "bc" differ. */
static inline uint64_t digest_number(uint64_t digest, uint64_t number)
{
	return digest_bytes(digest, &number, sizeof(number));
}

#endif
