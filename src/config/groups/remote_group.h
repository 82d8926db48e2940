/* SPDX-License-Identifier: MIT
 *
 * remote_group.h - where an actor lives, if not in the system of the file.
 */
#ifndef WARDI_CONFIG_REMOTE_GROUP_H
#define WARDI_CONFIG_REMOTE_GROUP_H

#include <libconfig.h>

#include <ward/config.h>

struct wardi_config_node;

/** Reads a group `remote` of a node whose behaviour and arguments were read. */
void wardi_config_remote(ward_config *config, const config_setting_t *group,
			 struct wardi_config_node *node);

#endif
