/* SPDX-License-Identifier: MIT
 *
 * router_args.h - the arguments of a router: whether they fit together, and the copy that it keeps.
 */
#ifndef WARDI_ROUTER_ARGS_H
#define WARDI_ROUTER_ARGS_H

#include <ward/types.h>

struct ward_router;
struct wardi_roster;

/* One of the paths in the arguments, as it is to be written in a child of the router. */
const char *wardi_path_for_child(const char *path);

struct wardi_roster *wardi_router_roster(const struct ward_router *args);

extern const ward_type wardi_type_pool_args;
extern const ward_type wardi_type_group_args;

#endif
