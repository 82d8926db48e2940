/* SPDX-License-Identifier: MIT
 *
 * started_tree.h - a tree that was started from a config: its refs and the arguments of its actors.
 *
 * What belongs to a node is written by who spawns that actor: a thread outside for those at the
 * top, the parent for the others; before the spawn, and again when the parent begins anew, whose
 * children have all ended then. It is read by who spawns actors that come later in the same group,
 * or below these. So a write comes before all reads of what was written, through the spawns in
 * between, and after those of what was there before, through the ends.
 */
#ifndef WARDI_CONFIG_STARTED_TREE_H
#define WARDI_CONFIG_STARTED_TREE_H

#include <stdatomic.h>

#include "config/tree.h"

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

/** Makes a run; NULL: there is no memory. */
struct wardi_config_run *wardi_config_run_make(ward_config *config, ward_system *system);
/** Gives it up; the last who does frees it. */
void wardi_config_run_release(struct wardi_config_run *run);
/** Notes who the running actor is, before it starts those below it: they may name it. Whoever has
 *  spawned it may not know yet. */
void wardi_config_note_parent(ward_self *self, const ward_config_children *children);
/** Writes the props of a node, with refs that are known by now. Borrowed from *made and the run. */
void wardi_config_made(struct wardi_config_run *run, const struct wardi_config_node *node,
		       struct wardi_config_made *made);

/* ---- supervisor.c ------------------------------------------------------------------------ */

/** The behaviour of an actor without one. */
extern const ward_behavior wardi_config_supervisor;
/** Asks it whether all its children run; it answers when they do, with the second. */
extern const ward_type wardi_config_ready, wardi_config_running;

/* ---- start_failure.c ---------------------------------------------------------------------- */

/** Room for what was heard. */
enum { WARDI_CONFIG_HEARD = 384 };

/** A service that hears why an actor of the tree has failed while it started. */
extern const ward_behavior wardi_config_hearing;
/** Asks it to listen to a path from now on; it answers with what it has heard: nothing yet. */
struct wardi_config_hear {
	char path[WARD_EVENT_PATH];
};
extern const ward_type wardi_config_hear;
/** Asks it for the last failure below that path; it answers with a text, or "". */
struct wardi_config_heard {
	char text[WARDI_CONFIG_HEARD];
};
extern const ward_type wardi_config_what, wardi_config_heard;

#endif
