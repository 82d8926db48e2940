/* SPDX-License-Identifier: MIT
 *
 * resize_pool.h - a pool that grows under pressure and shrinks without it.
 */
#ifndef WARDI_RESIZE_POOL_H
#define WARDI_RESIZE_POOL_H

#include <ward/types.h>

struct ward_router;
struct wardi_router;

/* Called before a message is passed on. */
void wardi_router_resize(struct wardi_router *router, ward_self *self);

/* Returns the initial number of routees of a pool. */
size_t wardi_router_start_size(const struct ward_router *args);

#endif
