/* SPDX-License-Identifier: MIT
 *
 * point.h - a name of a network at which a listener listens.
 */
#ifndef WARDI_SIM_POINT_H
#define WARDI_SIM_POINT_H

#include <ward/net/stream.h>

#include "net/address/refusal.h"

struct wardi_network;
struct wardi_point;
struct wardi_wire;
struct wardi_end;

/* Listens at a name of the network of a system. Returns a descriptor that is readable while a
 * connection waits; it is the point's, and a listener watches a duplicate. -1: *ret_refusal. */
int wardi_point_listen(ward_system *system, const char *name, struct wardi_point **ret_point,
		       struct wardi_net_refusal *ret_refusal);
/* The end of it; connections that wait are reset. For ward_defer(). */
void wardi_point_close(void *point) WARD_NOEXCEPT;

/* Takes the next connection. Returns 0, or an errno: EAGAIN none waits. */
int wardi_point_accept(struct wardi_point *point, struct wardi_end **ret_end);

/* A connect arrives: the wire waits at its point. False: nobody listens there. */
bool wardi_point_reach(struct wardi_network *network, struct wardi_wire *wire);
/* The network ends: no connect reaches its points. */
void wardi_points_end(struct wardi_network *network);

#endif
