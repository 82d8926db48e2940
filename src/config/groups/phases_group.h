/* SPDX-License-Identifier: MIT
 *
 * phases_group.h - the group `phases`: the order in which a system ends, in place of the usual one.
 */
#ifndef WARDI_CONFIG_PHASES_GROUP_H
#define WARDI_CONFIG_PHASES_GROUP_H

#include <libconfig.h>

#include <ward/config.h>

/** Reads the group `phases`. */
void wardi_config_phases(ward_config *config, const config_setting_t *group);

#endif
