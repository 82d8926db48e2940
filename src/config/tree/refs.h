/* SPDX-License-Identifier: MIT
 *
 * refs.h - resolves the names of other actors.
 */
#ifndef WARDI_CONFIG_REFS_H
#define WARDI_CONFIG_REFS_H

#include <ward/config.h>

/** Resolves the refs of all nodes. */
void wardi_config_resolve(ward_config *config);

#endif
