/* SPDX-License-Identifier: MIT
 *
 * router.c - the actor in front of its routees: a pool spawns them, a group is given them.
 *
 *	message --> a notice, a pill due --> the roster
 *	        --> management           --> manage_routees.c
 *	        --> for all              --> broadcast.c
 *	        --> any other            --> resize, if due; then the routing logic
 *
 * A restart keeps the children, and the roster, which belongs to the arguments. So the surviving
 * children that the runtime restarts are the routees of the new incarnation (S91).
 *
 * Threads: runs as an actor.
 */
#include <ward/extend.h>

#include "patterns/router/router.h"

#include "patterns/router/ask_routees.h"
#include "patterns/router/broadcast.h"
#include "patterns/router/consistent_hash.h"
#include "patterns/router/manage_routees.h"
#include "patterns/router/random_routee.h"
#include "patterns/router/resize_pool.h"
#include "patterns/router/round_robin.h"
#include "patterns/router/routee.h"
#include "patterns/router/router_args.h"
#include "patterns/router/smallest_mailbox.h"

static const struct wardi_logic *const logics[] = {
	[WARD_ROUTE_ROUND_ROBIN] = &wardi_route_round_robin,
	[WARD_ROUTE_RANDOM] = &wardi_route_random,
	[WARD_ROUTE_SMALLEST_MAILBOX] = &wardi_route_smallest,
	[WARD_ROUTE_BROADCAST] = &wardi_route_broadcast,
	[WARD_ROUTE_SCATTER_GATHER] = &wardi_route_gather,
	[WARD_ROUTE_TAIL_CHOPPING] = &wardi_route_tail,
	[WARD_ROUTE_CONSISTENT_HASHING] = &wardi_route_hash,
};

/* ---- each incarnation -------------------------------------------------------------------- */

static void begin(struct wardi_router *router, const struct ward_router *args, bool pool)
{
	router->args = args;
	router->roster = wardi_router_roster(args);
	router->logic = logics[args->routing];
	router->pool = pool;
}

static ward_result init_pool(ward_self *self, void *state, const void *args)
{
	(void)self;
	begin(state, args, true);
	return WARD_DONE;
}

static ward_result init_group(ward_self *self, void *state, const void *args)
{
	(void)self;
	begin(state, args, false);
	return WARD_DONE;
}

static bool join_members(struct wardi_router *router, ward_self *self)
{
	for (uint32_t i = 0; i < router->args->members_count; i++)
		if (!wardi_router_join(router, self, router->args->members[i]))
			return false;
	return true;
}

static bool join_paths(struct wardi_router *router)
{
	for (uint32_t i = 0; i < router->args->paths_count; i++)
		if (!wardi_router_join_path(router, router->args->paths[i]))
			return false;
	return true;
}

/* Also runs when a failed first start is tried again. Then the routees of that attempt are stopped,
 * and their notices match no routee. */
static ward_result start(ward_self *self, void *state)
{
	struct wardi_router *router = state;
	bool filled;

	router->roster->count = router->roster->all = 0;
	if (router->pool)
		filled = wardi_router_grow(router, self, wardi_router_start_size(router->args));
	else
		filled = join_members(router, self) && join_paths(router);
	if (!filled)
		return ward_failed(self, &ward_exception, "a router cannot get its routees: %s",
				   ward_err_detail());
	return WARD_DONE;
}

/* Keeps the children: the default would stop them. */
static ward_result keep_children(ward_self *self, void *state, const ward_failure *why,
				 const ward_msg *msg)
{
	(void)self, (void)state, (void)why, (void)msg;
	return WARD_DONE;
}

/* Sends the pills again, since their timers ended with the last incarnation. */
static ward_result go_on(ward_self *self, void *state, const ward_failure *why)
{
	const struct wardi_roster *roster = ((struct wardi_router *)state)->roster;

	(void)why;
	for (size_t i = roster->count; i < roster->all; i++)
		wardi_router_dismiss(self, roster->at[i].ref);
	return WARD_DONE;
}

/* ---- messages ---------------------------------------------------------------------------- */

void wardi_router_dead(ward_self *self, ward_reason reason)
{
	ward_dead_letter(self, ward_self_ref(self), reason);
}

static void route(struct wardi_router *router, ward_self *self, const ward_msg *msg)
{
	const struct wardi_roster *roster = router->roster;

	wardi_router_resize(router, self);
	if (roster->count == 0)
		wardi_router_dead(self, WARD_REASON_NO_ROUTEE);
	else if (router->logic->deliver != NULL)
		router->logic->deliver(router, self, msg);
	else
		wardi_routee_forward(self, &roster->at[router->logic->pick(router, self, msg)]);
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct wardi_router *router = state;
	ward_result result;

	if (wardi_router_manage(router, self, msg, &result))
		return result;
	if (wardi_is_broadcast(msg))
		wardi_broadcast_arrived(router, self, msg);
	else
		route(router, self, msg);
	return WARD_DONE;
}

/* ---- the behaviours ---------------------------------------------------------------------- */

/* The parent of the pool decides about any failure (S91). */
static const ward_strategy always_escalate = {.otherwise = WARD_ESCALATE};

const ward_behavior ward_pool = {
	.name = "ward_pool",
	.state_size = sizeof(struct wardi_router),
	.args = &wardi_type_pool_args,
	.child_strategy = &always_escalate,
	.init = init_pool,
	.receive = receive,
	.pre_start = start,
	.pre_restart = keep_children,
	.post_restart = go_on,
};

const ward_behavior ward_group = {
	.name = "ward_group",
	.state_size = sizeof(struct wardi_router),
	.args = &wardi_type_group_args,
	.init = init_group,
	.receive = receive,
	.pre_start = start,
	.pre_restart = keep_children,
	.post_restart = go_on,
};
