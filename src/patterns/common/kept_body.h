/* SPDX-License-Identifier: MIT
 *
 * kept_body.h - a copy of a body that somebody keeps, to be given on.
 *
 * single-threaded: in callbacks of the actor that keeps it.
 */
#ifndef WARDI_KEPT_BODY_H
#define WARDI_KEPT_BODY_H

#include "common/bodies.h"

/* In message memory, for ward_give_body() and ward_give_body_from(). NULL: no memory, or the clone
 * of its type refuses. */
void *wardi_copy_of(ward_self *self, const ward_type *type, const void *body, size_t size);
/* The same, and says why not: WARD_ENOMEM, or what the clone said. */
ward_err wardi_copy_try(ward_self *self, const ward_type *type, const void *body, size_t size,
			void **ret_copy);
/* Drops what a body owns that was not sent; one that does not fit its type is left alone. */
void wardi_drop_unsent(const ward_type *type, const void *body, size_t size);

#endif
