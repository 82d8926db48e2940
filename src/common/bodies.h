/* SPDX-License-Identifier: MIT
 *
 * bodies.h - whether a body fits its type, and whether there may be more than one of it.
 *
 * Safe together: everything.
 */
#ifndef WARDI_BODIES_H
#define WARDI_BODIES_H

#include <ward/message.h>

/* Whether there may be more than one of it. */
static inline bool wardi_copyable(const ward_type *type)
{
	return type->drop == NULL || type->clone != NULL;
}

/* Whether the size is one of the type's; NULL and 0 stand for all zero. */
static inline bool wardi_fits(const ward_type *type, const void *body, size_t size)
{
	if (body == NULL)
		return size == 0;
	return size >= type->size && size <= (type->size_max != 0 ? type->size_max : type->size);
}

#endif
