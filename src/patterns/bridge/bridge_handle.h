/* SPDX-License-Identifier: MIT
 *
 * bridge_handle.h - the handle through which a subsystem reports its death, one for each
 * incarnation of a bridge.
 */
#ifndef WARDI_BRIDGE_HANDLE_H
#define WARDI_BRIDGE_HANDLE_H

#include <ward/bridge.h>

struct wardi_death;

/* Closes the handle for further reports; harmless when repeated. True: a death was reported. */
bool wardi_bridge_close(ward_bridge *bridge);

/* Creates a handle with one reference, the caller's. A report writes to `fd`; the caller keeps it
 * and closes the handle before it. NULL: no memory. */
ward_bridge *wardi_bridge_create(int fd);

/* Whether a death was reported; fills in the report. */
bool wardi_bridge_heard(ward_bridge *bridge, struct wardi_death *ret_death);

#endif
