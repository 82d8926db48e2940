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

/* Room for one more. False: no memory. */
bool wardi_roster_reserve(struct wardi_roster *roster);
/* As the last; there is room. */
void wardi_roster_add(struct wardi_roster *roster, struct wardi_routee routee);
/* Of a ref. `all`: it is not there. */
size_t wardi_roster_find(const struct wardi_roster *roster, ward_ref ref);
/* From those that get messages to those that leave; the order of the others is kept. */
void wardi_roster_retire(struct wardi_roster *roster, size_t at);
/* Back, as the last. */
void wardi_roster_recall(struct wardi_roster *roster, size_t at);
void wardi_roster_remove(struct wardi_roster *roster, size_t at);

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
	/* Gives the number of the routee that the message is forwarded to. */
	size_t (*pick)(struct wardi_router *router, ward_self *self, const ward_msg *msg);
	/* Hands the current message over. */
	void (*deliver)(struct wardi_router *router, ward_self *self, const ward_msg *msg);
};

extern const struct wardi_logic wardi_route_round_robin, wardi_route_random, wardi_route_smallest,
	wardi_route_broadcast, wardi_route_gather, wardi_route_tail, wardi_route_hash;

/* ---- to a routee, which is a ref or a path (routee.c) -------------------------------- */

void wardi_routee_forward(ward_self *self, const struct wardi_routee *to);
/* Takes the body. */
void wardi_routee_give(ward_self *self, ward_ref sender, const struct wardi_routee *to,
		       const ward_type *type, void *body);

/* ---- its parts --------------------------------------------------------------------------- */

/* router_args.c: the types of the arguments of both behaviours. */
extern const ward_type wardi_type_pool_args, wardi_type_group_args;
struct wardi_roster *wardi_router_roster(const struct ward_router *args);
/* One of the paths in the arguments, as it is to be written in a child of the router. */
const char *wardi_path_for_child(const char *path);

/* manage_routees.c: false: a message for the routees. */
bool wardi_router_manage(struct wardi_router *router, ward_self *self, const ward_msg *msg,
			 ward_result *ret_result);
/* Makes an actor that is there a routee. False: it cannot be. */
bool wardi_router_join(struct wardi_router *router, ward_self *self, ward_ref routee);
/* Makes a path one, unless it is. False: no memory. */
bool wardi_router_join_path(struct wardi_router *router, const char *path);
/* False: not all could be made. All of these note why, for ward_err_detail(). */
bool wardi_router_grow(struct wardi_router *router, ward_self *self, size_t by);
void wardi_router_shrink(struct wardi_router *router, ward_self *self, size_t by);
/* The routees that are refs as a message, to be given or discarded. NULL: no memory. */
struct ward_routees *wardi_router_list(const struct wardi_roster *roster, ward_self *self);
/* The pill of one that leaves. */
void wardi_router_dismiss(ward_self *self, ward_ref routee);

/* resize_pool.c: before a message is passed on. */
void wardi_router_resize(struct wardi_router *router, ward_self *self);
/* How many a pool starts with. */
size_t wardi_router_start_size(const struct ward_router *args);

/* broadcast.c: a copy of the body for each routee from number `first` on: all, or none is given. */
ward_err wardi_copy_to_all(struct wardi_router *router, ward_self *self, const ward_type *type,
			   const void *body, size_t size, size_t first);
void wardi_broadcast_arrived(struct wardi_router *router, ward_self *self,
			     const struct ward_broadcast *envelope);

/* The current message goes nowhere. */
void wardi_router_dead(ward_self *self, ward_reason reason);

#endif
