/* SPDX-License-Identifier: MIT
 *
 * smallest_mailbox.c - the routee with the fewest messages waiting.
 *
 * Among equals the next in turn is taken, so that idle routees share the work. A mailbox that is
 * not counted (of an actor that was added, or has ended) ranks as the fullest.
 *
 * Threads: in the router's callbacks. The counts change at any time, so each is an
 * estimate.
 */
#include "patterns/router/smallest_mailbox.h"

static size_t pick(struct wardi_router *router, ward_self *self, const ward_msg *msg)
{
	const struct wardi_roster *roster = router->roster;
	size_t best = 0;
	uint64_t fewest = UINT64_MAX;

	(void)msg;
	for (size_t i = 0; i < roster->count; i++) {
		size_t at = (size_t)((router->turn + i) % roster->count);
		/* -1, not counted, becomes the largest number. */
		uint64_t waiting = (uint64_t)ward_mailbox_count(self, roster->at[at].ref);

		if (i == 0 || waiting < fewest) {
			best = at;
			fewest = waiting;
		}
	}
	router->turn = best + 1;
	return best;
}

const struct wardi_logic wardi_route_smallest = {.pick = pick};
