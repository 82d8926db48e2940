/* SPDX-License-Identifier: MIT
 *
 * bridge_handle.h - what a subsystem reports its death to: one for each incarnation of a bridge.
 */
#ifndef WARDI_BRIDGE_HANDLE_H
#define WARDI_BRIDGE_HANDLE_H

#include <ward/bridge.h>

struct wardi_death;

/* Nobody is heard any more; again: nothing. True: somebody was. */
bool wardi_bridge_close(ward_bridge *bridge);

/* One share, for the caller. `fd` is written to when there is a death; it stays the caller's, who
 * closes the handle before it. NULL: no memory. */
ward_bridge *wardi_bridge_create(int fd);

/* Whether somebody was heard, and what he said. */
bool wardi_bridge_heard(ward_bridge *bridge, struct wardi_death *ret_death);

#endif
