/* SPDX-License-Identifier: MIT
 *
 * run.h - a tree that was started from a config: its refs and the arguments of its actors.
 *
 * Threads: the fields of a node are written by the spawner of that actor: a thread outside for the
 * top actors, the parent for the others; before the spawn, and again after a restart of the parent,
 * when all its children have ended. They are read by the spawners of later actors in the same
 * group, or below these. So a write happens before all reads of its value, through the spawns in
 * between, and after all reads of the old value, through the ends of those actors.
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
	/* the owner of the group, or its back-off supervisor; only the owner writes it */
	ward_ref parent;
};

/** A tree that was started. */
struct wardi_config_run {
	ward_config *config;
	ward_system *system;
	size_t modules_started;
	_Atomic bool modules_stopped;
	/* the starting thread and the system: the last one frees the run */
	_Atomic uint32_t holders;
	ward_ref *refs; /* by number of the node, as the next two */
	char **args;
	ward_config_children *children;
};

/** Props of an actor, and what they point to. */
struct wardi_config_made {
	ward_props props;
	struct ward_remote remote;
	struct ward_router pool;
	struct ward_backoff backoff;
	const ward_config_children *group;
};

/* ---- failure_listener.c ---------------------------------------------------------------------- */

/** Longest text of a failure. */
enum { WARDI_CONFIG_HEARD = 384 };

/** Asks the listener to listen to a path from now on; it answers with a text, still empty. */
struct wardi_config_hear {
	char path[WARD_EVENT_PATH];
};
/** Asks the listener for the last failure below that path; it answers with a text, or "". */
struct wardi_config_heard {
	char text[WARDI_CONFIG_HEARD];
};

#endif
