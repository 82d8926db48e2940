/* SPDX-License-Identifier: MIT
 *
 * manage_routees.h - how routees join and leave: at the start, by message, by their end (S92).
 */
#ifndef WARDI_MANAGE_ROUTEES_H
#define WARDI_MANAGE_ROUTEES_H

#include <ward/types.h>

struct ward_routees;
struct wardi_roster;
struct wardi_router;

/* Sends the poison pill to a routee that leaves. */
void wardi_router_dismiss(ward_self *self, ward_ref routee);

/* False: not all could be made. On false this and the next two note why, for ward_err_detail(). */
bool wardi_router_grow(struct wardi_router *router, ward_self *self, size_t by);

/* Makes an existing actor a routee. False: refused. */
bool wardi_router_join(struct wardi_router *router, ward_self *self, ward_ref routee);

/* Makes a path a routee, unless it is one. False: no memory. */
bool wardi_router_join_path(struct wardi_router *router, const char *path);

/* Returns a message with the routees that are refs, to be sent or discarded. NULL: no memory. */
struct ward_routees *wardi_router_list(const struct wardi_roster *roster, ward_self *self);

/* False: the message is for the routees. */
bool wardi_router_manage(struct wardi_router *router, ward_self *self, const ward_msg *msg,
			 ward_result *ret_result);

void wardi_router_shrink(struct wardi_router *router, ward_self *self, size_t by);

#endif
