/* SPDX-License-Identifier: MIT
 *
 * routee.h - sends a message to a routee: to the actor behind a ref, or to the actors at a path.
 */
#ifndef WARDI_ROUTEE_H
#define WARDI_ROUTEE_H

#include <ward/types.h>

struct wardi_routee;

void wardi_routee_forward(ward_self *self, const struct wardi_routee *to);

/* Takes over the body. */
void wardi_routee_give(ward_self *self, ward_ref sender, const struct wardi_routee *to,
		       const ward_type *type, void *body);

#endif
