/* SPDX-License-Identifier: MIT
 *
 * wrap.h - the front of an actor: a back-off supervisor, or a pool of its routees.
 */
#ifndef WARDI_CONFIG_WRAP_H
#define WARDI_CONFIG_WRAP_H

#include <libconfig.h>

#include <ward/config.h>

struct wardi_config_node;

/** Reads a group `backoff`, or `pool`, of a node. */
void wardi_config_backoff(ward_config *config, const config_setting_t *group,
			  struct wardi_config_node *node);

void wardi_config_pool(ward_config *config, const config_setting_t *group,
		       struct wardi_config_node *node);

#endif
