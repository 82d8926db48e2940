/* SPDX-License-Identifier: MIT
 *
 * router.h - what the parts of a router share: its routees, its state, its routing logic.
 *
 * Threads: all of it belongs to the router's actor.
 */
#ifndef WARDI_ROUTER_H
#define WARDI_ROUTER_H

#include <ward/event.h>
#include <ward/router.h>
#include <ward/timer.h>
#include <ward/watch.h>

#include "patterns/common/kept_body.h"

/* ---- the routees ------------------------------------------------------------------------- */

struct wardi_routee {
	ward_ref ref;     /* nobody: see path */
	const char *path; /* in the arguments; NULL: see ref */
	bool made;        /* a child of the pool: stopped when removed */
	void *copy;       /* in a broadcast: the body for this routee */
};

/* The routees of a router: at[0..count) get messages; at[count..all) were removed, and are watched
 * until they have ended. It belongs to the copy of the router's arguments, so it outlives restarts,
 * as the children do. */
struct wardi_roster {
	struct wardi_routee *at;
	size_t count, all, room;
};

/* ---- a router ---------------------------------------------------------------------------- */

struct wardi_logic;

/* The state of one incarnation. */
struct wardi_router {
	const struct ward_router *args;
	struct wardi_roster *roster;
	const struct wardi_logic *logic;
	uint64_t turn;     /* round robin: the next turn */
	uint64_t messages; /* since the start, for the resizer */
	bool pool;
};

/* A routing logic has one of the two functions, which is called with at least one routee. */
struct wardi_logic {
	/* Returns the number of the routee that the message is forwarded to. */
	size_t (*pick)(struct wardi_router *router, ward_self *self, const ward_msg *msg);
	/* Hands the current message over. */
	void (*deliver)(struct wardi_router *router, ward_self *self, const ward_msg *msg);
};

/* ---- its parts --------------------------------------------------------------------------- */

/* router_args.c: the types of the arguments of both behaviours. */

/* Makes the current message a dead letter. */
void wardi_router_dead(ward_self *self, ward_reason reason);

#endif
