/* SPDX-License-Identifier: MIT
 *
 * kept_body.c - copies of a body that an actor keeps to send later.
 *
 * Threads: in callbacks of the actor that keeps it.
 */
#include "patterns/common/kept_body.h"

#include <string.h>

#include "common/refusal.h"

ward_err wardi_copy_try(ward_self *self, const ward_type *type, const void *body, size_t size,
			void **ret_copy)
{
	void *copy = ward_make_body_uninit(self, type, size);
	ward_err err = WARD_OK;

	if (copy == NULL)
		return WARD_ENOMEM;
	memcpy(copy, body, size);
	if (type->drop != NULL)
		err = wardi_clone(type, copy, body);
	if (err == WARD_OK) {
		*ret_copy = copy;
		return WARD_OK;
	}
	/* The copy owns nothing. A drop accepts an all-zero body, since every new body is one. */
	memset(copy, 0, size);
	ward_discard(self, copy);
	return err;
}

void *wardi_copy_of(ward_self *self, const ward_type *type, const void *body, size_t size)
{
	void *copy = NULL;

	return wardi_copy_try(self, type, body, size, &copy) == WARD_OK ? copy : NULL;
}

void wardi_drop_unsent(const ward_type *type, const void *body, size_t size)
{
	if (type != NULL && type->drop != NULL && body != NULL && wardi_fits(type, body, size))
		type->drop((void *)(uintptr_t)body);
}
