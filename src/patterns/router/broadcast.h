/* SPDX-License-Identifier: MIT
 *
 * broadcast.h - one message for all routees: by the routing of a router, or in an envelope.
 */
#ifndef WARDI_BROADCAST_H
#define WARDI_BROADCAST_H

#include <ward/router.h>
#include <ward/types.h>

#include "patterns/router/router.h"

struct wardi_router;

/* Whether the message is an envelope for all routees. */
bool wardi_is_broadcast(const ward_msg *msg);
/* Handles such an envelope. */
void wardi_broadcast_arrived(struct wardi_router *router, ward_self *self, const ward_msg *msg);

/* Sends a copy of the body to each routee from number `first` on, or to none. */
ward_err wardi_copy_to_all(struct wardi_router *router, ward_self *self, ward_ref sender,
			   const ward_type *type, const void *body, size_t size, size_t first);

extern const struct wardi_logic wardi_route_broadcast;

#endif
