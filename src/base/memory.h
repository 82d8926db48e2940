/* SPDX-License-Identifier: MIT
 *
 * memory.h - memory of any size, from a block if it fits one. Zeroed, unless stated otherwise.
 */
#ifndef WARDI_MEMORY_H
#define WARDI_MEMORY_H

#include <string.h>

#include "base/pool.h"

/* Returns memory that is not zeroed. */
static inline void *wardi_memory_take(struct wardi_source from, size_t size)
{
	enum wardi_block_class class = wardi_block_class_for(size);

	if (class == WARDI_BLOCK_CLASSES)
		return wardi_alloc(from.pool->alloc, size);
	return wardi_block_get(from.pool, from.cache, class);
}

static inline void *wardi_memory_get(struct wardi_source from, size_t size)
{
	void *piece = wardi_memory_take(from, size);

	if (piece != NULL)
		memset(piece, 0, size);
	return piece;
}

static inline void wardi_memory_put(struct wardi_source from, void *piece, size_t size)
{
	enum wardi_block_class class = wardi_block_class_for(size);

	if (class == WARDI_BLOCK_CLASSES)
		wardi_free(from.pool->alloc, piece, size);
	else
		wardi_block_put(from.pool, from.cache, class, piece);
}

#endif
