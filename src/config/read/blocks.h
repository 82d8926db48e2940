/* SPDX-License-Identifier: MIT
 *
 * blocks.h - the blocks of a config: made one by one, freed together.
 */
#ifndef WARDI_CONFIG_BLOCKS_H
#define WARDI_CONFIG_BLOCKS_H

#include <ward/config.h>

/** A copy of a text; NULL as above. */
const char *wardi_config_copy(ward_config *config, const char *text);

/** Frees all of it. */
void wardi_config_free(ward_config *config);

/** Zeroed memory that lives as long as the config; NULL: there is none, which is noted. */
void *wardi_config_make(ward_config *config, size_t size);

#endif
