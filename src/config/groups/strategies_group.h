/* SPDX-License-Identifier: MIT
 *
 * strategies_group.h - the group `strategies`: rules, limits and deciders by name.
 */
#ifndef WARDI_CONFIG_STRATEGIES_GROUP_H
#define WARDI_CONFIG_STRATEGIES_GROUP_H

#include <libconfig.h>

#include <ward/config.h>
#include <ward/types.h>

/** Reads the group `strategies`, which may be NULL. */
void wardi_config_strategies(ward_config *config, const config_setting_t *group);

#endif
