/* SPDX-License-Identifier: MIT
 *
 * round_robin.c - round robin: one after the other.
 *
 * Threads: in the router's callbacks.
 */
#include "patterns/router/round_robin.h"

static size_t pick(struct wardi_router *router, ward_self *self, const ward_msg *msg)
{
	(void)self, (void)msg;
	return (size_t)(router->turn++ % router->roster->count);
}

const struct wardi_logic wardi_route_round_robin = {.pick = pick};
