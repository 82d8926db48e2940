/* SPDX-License-Identifier: MIT
 *
 * actors_group.h - the groups `services` and `actors`: one node for each actor, filled in from its
 * group in the file.
 */
#ifndef WARDI_CONFIG_ACTORS_GROUP_H
#define WARDI_CONFIG_ACTORS_GROUP_H

#include <libconfig.h>

#include <ward/config.h>

struct wardi_config_node;

/** Returns the next node of the tree below `top`, parents first; from `top` on, NULL at the end. */
struct wardi_config_node *wardi_config_next(const struct wardi_config_node *top,
					    struct wardi_config_node *node);

/** Reads `services` and `actors`; both may be NULL. */
void wardi_config_nodes(ward_config *config, const config_setting_t *services,
			const config_setting_t *actors);

#endif
