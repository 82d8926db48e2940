/* SPDX-License-Identifier: MIT
 *
 * kept_body.h - copies of a body that an actor keeps to send later.
 *
 * Threads: in callbacks of the actor that keeps it.
 */
#ifndef WARDI_KEPT_BODY_H
#define WARDI_KEPT_BODY_H

#include "common/bodies.h"

/* Returns a copy in message memory, for ward_give_body() and ward_give_body_from(). NULL: no
 * memory, or the clone of the type refuses. */
void *wardi_copy_of(ward_self *self, const ward_type *type, const void *body, size_t size);
/* The same, with the error: WARD_ENOMEM, or that of the clone. */
ward_err wardi_copy_try(ward_self *self, const ward_type *type, const void *body, size_t size,
			void **ret_copy);
/* Drops the contents of a body that was not sent; leaves a body that does not fit its type
 * alone. */
void wardi_drop_unsent(const ward_type *type, const void *body, size_t size);

#endif
