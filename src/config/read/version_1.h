/* SPDX-License-Identifier: MIT
 *
 * version_1.h - modules that were compiled when rows of arguments were shorter.
 */
#ifndef WARDI_CONFIG_VERSION_1_H
#define WARDI_CONFIG_VERSION_1_H

#include <ward/config.h>

/** Returns the module as one of today, in memory of the config; NULL: no memory. Each word of its
 * own is as it was, only its rows are copies. */
const ward_config_module *wardi_config_from_version_1(ward_config *config,
						      const ward_config_module *module);

#endif
