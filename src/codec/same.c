/* SPDX-License-Identifier: MIT
 *
 * same.c - whether two bodies have the same values by the table of their type.
 */
#include <string.h>

#include <ward/codec.h>

bool ward_value_same(const ward_type *type, const void *a, size_t a_size, const void *b,
		     size_t b_size)
{
	(void)type;
	return a_size == b_size && memcmp(a, b, a_size) == 0;
}
