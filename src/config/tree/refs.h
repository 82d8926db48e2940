/* SPDX-License-Identifier: MIT
 *
 * refs.h - what the names of other actors mean.
 */
#ifndef WARDI_CONFIG_REFS_H
#define WARDI_CONFIG_REFS_H

#include <ward/config.h>

/** Finds what the refs of all nodes mean. */
void wardi_config_resolve(ward_config *config);

#endif
