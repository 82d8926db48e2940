/* SPDX-License-Identifier: MIT
 *
 * router.h - what the parts of a router share: its routees, its state, the ways of routing.
 *
 * single-threaded: all of it belongs to the router's actor.
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
	ward_ref ref;     /* nobody: it is a path */
	const char *path; /* of the arguments; NULL: it is a ref */
	bool made;        /* a child of the pool: stopped when it is removed */
	void *copy;       /* while a message is copied for all: the body for this one */
};

/* The routees of a router: those in `at[0..count)` get messages; those in `at[count..all)` were
 * removed, and are watched until they are gone. It hangs on the copy of the router's arguments, so
 * it outlives restarts, as the children do. */
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
	uint64_t turn;     /* round robin: how many have had one */
	uint64_t messages; /* since the start, for the resizer */
	bool pool;
};

/* A way of routing. Called with at least one routee. Either of the two. */
struct wardi_logic {
	/* Returns the number of the routee that the message is forwarded to. */
	size_t (*pick)(struct wardi_router *router, ward_self *self, const ward_msg *msg);
	/* Hands the current message over. */
	void (*deliver)(struct wardi_router *router, ward_self *self, const ward_msg *msg);
};

/* ---- its parts --------------------------------------------------------------------------- */

/* router_args.c: the types of the arguments of both behaviours. */

/* The current message goes nowhere. */
void wardi_router_dead(ward_self *self, ward_reason reason);

#endif
