/* SPDX-License-Identifier: MIT
 *
 * random_routee.c - a random routee, all with the same probability.
 *
 * Threads: in the router's callbacks.
 */
#include "patterns/router/random_routee.h"

static size_t pick(struct wardi_router *router, ward_self *self, const ward_msg *msg)
{
	(void)msg;
	/* The modulo favours the first few by less than one in 2^32. */
	return (size_t)(ward_random(self) % router->roster->count);
}

const struct wardi_logic wardi_route_random = {.pick = pick};
