/* SPDX-License-Identifier: MIT
 *
 * system_group.h - the group `system`: the options of the system as a whole.
 */
#ifndef WARDI_CONFIG_SYSTEM_GROUP_H
#define WARDI_CONFIG_SYSTEM_GROUP_H

#include <libconfig.h>

#include <ward/config.h>

/** Reads the group `system`, which may be NULL. */
void wardi_config_system(ward_config *config, const config_setting_t *group);

#endif
