/* SPDX-License-Identifier: MIT
 *
 * ask_routees.c - scatter-gather and tail chopping: several routees are asked, and the first answer
 * counts.
 *
 * Each question gets an actor of its own (requester.c), so that the router can route other messages
 * in the meantime.
 *
 * Threads: in the router's callbacks.
 */
#include "patterns/router/ask_routees.h"

#include <string.h>

#include "patterns/router/requester.h"
#include "patterns/router/router_args.h"

enum { INTERVAL_MS = 10 };
#define TIMEOUT_MS (5 * WARD_SECOND)

static void shuffle(ward_self *self, struct wardi_routee *routees, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = (size_t)(ward_random(self) % i);
		struct wardi_routee last = routees[i - 1];

		routees[i - 1] = routees[other];
		routees[other] = last;
	}
}

static int64_t or_default(int64_t value, int64_t otherwise)
{
	return value != 0 ? value : otherwise;
}

/* Adds the routee to the request, with its path as seen from a child of the router. */
static void list(struct wardi_request *request, const struct wardi_routee *routee)
{
	struct wardi_routee *listed = &wardi_request_routees(request)[request->count++];

	*listed = *routee;
	if (routee->path == NULL)
		return;
	listed->path = wardi_path_for_child(routee->path);
	if (strpbrk(routee->path, "*?") != NULL)
		request->patterns = true;
}

/* NULL: no memory. */
static struct wardi_request *request_for(const struct wardi_router *router, ward_self *self,
					 bool one_by_one, size_t *ret_size)
{
	const struct ward_router *args = router->args;
	const struct wardi_roster *roster = router->roster;
	struct wardi_request *request;

	*ret_size = sizeof *request + roster->count * sizeof *roster->at;
	request = ward_make_body(self, &wardi_type_request, *ret_size);
	if (request == NULL)
		return NULL;
	request->router = ward_self_ref(self);
	request->timeout_ms = or_default(args->timeout_ms, TIMEOUT_MS);
	request->interval_ms = one_by_one ? or_default(args->interval_ms, INTERVAL_MS) : 0;
	for (size_t i = 0; i < roster->count; i++)
		list(request, &roster->at[i]);
	if (one_by_one)
		shuffle(self, wardi_request_routees(request), roster->count);
	return request;
}

static void ask(const struct wardi_router *router, ward_self *self, const ward_msg *msg,
		bool one_by_one)
{
	struct wardi_request *request;
	ward_ref requester;
	size_t size;
	ward_err err;

	if (router->roster->count > 1 && !wardi_copyable(ward_msg_type(msg))) {
		wardi_router_dead(self, WARD_REASON_UNIQUE);
		return;
	}
	request = request_for(router, self, one_by_one, &size);
	err = request == NULL
		      ? WARD_ENOMEM
		      : ward_try_spawn(self,
				       WARD_PROPS(&wardi_requester,
						  .args = {&wardi_type_request, request, size}),
				       &requester);
	ward_discard(self, request);
	if (err == WARD_OK)
		ward_forward(self, requester);
	else
		wardi_router_dead(self, WARD_REASON_NO_MEMORY);
}

static void scatter(struct wardi_router *router, ward_self *self, const ward_msg *msg)
{
	ask(router, self, msg, false);
}

static void chop(struct wardi_router *router, ward_self *self, const ward_msg *msg)
{
	ask(router, self, msg, true);
}

const struct wardi_logic wardi_route_gather = {.deliver = scatter};
const struct wardi_logic wardi_route_tail = {.deliver = chop};
