/* SPDX-License-Identifier: MIT
 *
 * blocks.c - the memory blocks of a config: allocated one by one, freed together.
 *
 * Threads: as the config.
 */
#include "config/read/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "config/read/reader.h"

void *wardi_config_make(ward_config *config, size_t size)
{
	struct wardi_config_block *block = calloc(1, sizeof *block + size);

	if (block == NULL) {
		config->no_memory = true;
		return NULL;
	}
	block->next = config->blocks;
	config->blocks = block;
	return block->bytes;
}

const char *wardi_config_copy(ward_config *config, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = wardi_config_make(config, size);

	return copy == NULL ? NULL : memcpy(copy, text, size);
}

void wardi_config_free(ward_config *config)
{
	while (config->blocks != NULL) {
		struct wardi_config_block *block = config->blocks;

		config->blocks = block->next;
		free(block);
	}
}
