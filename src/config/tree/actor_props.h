/* SPDX-License-Identifier: MIT
 *
 * actor_props.h - the props of the actors of a file.
 */
#ifndef WARDI_CONFIG_ACTOR_PROPS_H
#define WARDI_CONFIG_ACTOR_PROPS_H

#include <ward/config.h>
#include <ward/types.h>

struct wardi_config_made;
struct wardi_config_node;
struct wardi_config_run;

/** Writes the props of a node, with refs that are known by now. Borrowed from *made and the run. */
void wardi_config_made(struct wardi_config_run *run, const struct wardi_config_node *node,
		       struct wardi_config_made *made);

/** Notes the ref of the running actor before it starts its children, which may name it. The spawn
 * of this actor may not have returned yet. */
void wardi_config_note_parent(ward_self *self, const ward_config_children *children);

/** Makes a run; NULL: there is no memory. */
struct wardi_config_run *wardi_config_run_make(ward_config *config, ward_system *system);

/** Releases it; the last release frees it. */
void wardi_config_run_release(struct wardi_config_run *run);

#endif
