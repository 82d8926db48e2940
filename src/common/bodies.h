/* SPDX-License-Identifier: MIT
 *
 * bodies.h - whether a body fits its type, and whether it can be copied.
 *
 * Threads: calls may run at the same time.
 */
#ifndef WARDI_BODIES_H
#define WARDI_BODIES_H

#include <ward/message.h>

/* Whether bodies of the type can be copied. */
static inline bool wardi_copyable(const ward_type *type)
{
	return type->drop == NULL || type->clone != NULL;
}

/* Whether the type allows the size; NULL and 0 stand for all zero. */
static inline bool wardi_fits(const ward_type *type, const void *body, size_t size)
{
	if (body == NULL)
		return size == 0;
	return size >= type->size && size <= (type->size_max != 0 ? type->size_max : type->size);
}

#endif
