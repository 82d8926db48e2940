/* SPDX-License-Identifier: MIT
 *
 * blocks.h - the memory blocks of a config: allocated one by one, freed together.
 */
#ifndef WARDI_CONFIG_BLOCKS_H
#define WARDI_CONFIG_BLOCKS_H

#include <ward/config.h>

/** Returns a copy of a text; NULL as for wardi_config_make(). */
const char *wardi_config_copy(ward_config *config, const char *text);

/** Frees all blocks. */
void wardi_config_free(ward_config *config);

/** Returns zeroed memory that lives as long as the config; NULL: no memory, which is noted. */
void *wardi_config_make(ward_config *config, size_t size);

#endif
