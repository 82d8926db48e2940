/* SPDX-License-Identifier: MIT
 *
 * copy.c - a copy of a body that somebody keeps, to be given on.
 *
 * single-threaded: in callbacks of the actor that keeps it.
 */
#include "patterns/copy.h"

#include <string.h>

bool wardi_copyable(const ward_type *type)
{
	return type->drop == NULL || type->clone != NULL;
}

void *wardi_copy_of(ward_self *self, const ward_type *type, const void *body, size_t size)
{
	void *copy = ward_make_body(self, type, size);

	if (copy == NULL)
		return NULL;
	memcpy(copy, body, size);
	if (type->drop == NULL || type->clone(copy, body) == WARD_OK)
		return copy;
	/* It owns nothing. A drop knows bodies of zeroes: what is made begins as one. */
	memset(copy, 0, size);
	ward_discard(self, copy);
	return NULL;
}
