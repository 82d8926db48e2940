/* SPDX-License-Identifier: MIT
 *
 * router_args.h - checks and copies the arguments of a router.
 */
#ifndef WARDI_ROUTER_ARGS_H
#define WARDI_ROUTER_ARGS_H

#include <ward/types.h>

struct ward_router;
struct wardi_roster;

/* Returns a path of the arguments as a child of the router must write it. */
const char *wardi_path_for_child(const char *path);

struct wardi_roster *wardi_router_roster(const struct ward_router *args);

extern const ward_type wardi_type_pool_args;
extern const ward_type wardi_type_group_args;

#endif
