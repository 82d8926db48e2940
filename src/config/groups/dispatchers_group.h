/* SPDX-License-Identifier: MIT
 *
 * dispatchers_group.h - the group `system.dispatchers`: pools, and what the threads are like.
 */
#ifndef WARDI_CONFIG_DISPATCHERS_GROUP_H
#define WARDI_CONFIG_DISPATCHERS_GROUP_H

#include <libconfig.h>

#include <ward/config.h>

/** Reads the group. `workers` and `blocking` are the keys beside it; 0: missing. */
void wardi_config_dispatchers(ward_config *config, const config_setting_t *group, uint32_t workers,
			      uint32_t blocking);

#endif
