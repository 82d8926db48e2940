/* SPDX-License-Identifier: MIT
 *
 * run.h - a tree that was started from a config: its refs and the arguments of its actors.
 *
 * What belongs to a node is written by who spawns that actor: a thread outside for those at the
 * top, the parent for the others; before the spawn, and again when the parent begins anew, whose
 * children have all ended then. It is read by who spawns actors that come later in the same group,
 * or below these. So a write comes before all reads of what was written, through the spawns in
 * between, and after those of what was there before, through the ends.
 */
#ifndef WARDI_CONFIG_RUN_H
#define WARDI_CONFIG_RUN_H

#include <stdatomic.h>

#include "config/read/tree.h"
#include "config/tree/actor_props.h"
#include "config/tree/failure_listener.h"

/** The group `children` of a node, in this run. */
struct ward_config_children {
	struct wardi_config_run *run;
	const struct wardi_config_node *node;
	ward_ref parent; /* whose group it is, or its back-off supervisor; its own to write */
};

/** A tree that was started. */
struct wardi_config_run {
	ward_config *config;
	ward_system *system;
	size_t modules_started;
	_Atomic bool modules_stopped;
	_Atomic uint32_t holders; /* who starts it, and the system: the last one frees it */
	ward_ref *refs;           /* by number of the node, as the next two */
	char **args;
	ward_config_children *children;
};

/** Props of an actor, and what they point to. */
struct wardi_config_made {
	ward_props props;
	struct ward_router pool;
	struct ward_backoff backoff;
	const ward_config_children *group;
};

/* ---- failure_listener.c ---------------------------------------------------------------------- */

/** Room for what was heard. */
enum { WARDI_CONFIG_HEARD = 384 };

/** Asks it to listen to a path from now on; it answers with what it has heard: nothing yet. */
struct wardi_config_hear {
	char path[WARD_EVENT_PATH];
};
/** Asks it for the last failure below that path; it answers with a text, or "". */
struct wardi_config_heard {
	char text[WARDI_CONFIG_HEARD];
};

#endif
