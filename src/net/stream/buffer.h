/* SPDX-License-Identifier: MIT
 *
 * buffer.h - the bytes of one direction of a stream. Without bytes it has no memory.
 *
 * Reads and collected writes use large blocks that the thread keeps, so that a stream with nothing
 * to do holds none. What is left of a large block is moved to one of its own size.
 */
#ifndef WARDI_NET_BUFFER_H
#define WARDI_NET_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { WARDI_LARGE = 64 * 1024 };

/* There is always room for one more byte behind `cap`, for a 0. */
struct wardi_bytes {
	uint32_t from, to; /* the bytes are at[from] to at[to - 1] */
	uint32_t cap;
	_Alignas(16) unsigned char at[];
};

/* All zero: empty. One word, since most streams have no bytes most of the time. */
struct wardi_buffer {
	struct wardi_bytes *block; /* NULL: it has none */
};

static inline uint32_t wardi_buffer_count(const struct wardi_buffer *buffer)
{
	return buffer->block != NULL ? buffer->block->to - buffer->block->from : 0;
}

/* NULL: there is no block. */
static inline unsigned char *wardi_buffer_bytes(const struct wardi_buffer *buffer)
{
	return buffer->block != NULL ? buffer->block->at + buffer->block->from : NULL;
}

/* Adds bytes that were written to the room. */
static inline void wardi_buffer_wrote(struct wardi_buffer *buffer, size_t count)
{
	buffer->block->to += (uint32_t)count;
}

/* A large block without bytes; NULL: no memory. */
struct wardi_bytes *wardi_large_take(void);
void wardi_large_give(struct wardi_bytes *large);

/* Makes room for `more` bytes behind the last one. False: no memory, and nothing has changed. */
bool wardi_buffer_reserve(struct wardi_buffer *buffer, size_t more);
/* The same, where an empty one begins in a large block; returns the room. NULL: no memory. */
unsigned char *wardi_buffer_room(struct wardi_buffer *buffer, size_t more);
/* Takes bytes off the front. */
void wardi_buffer_drop(struct wardi_buffer *buffer, size_t count);
/* Returns a large block to its thread that holds few bytes, and any block that holds none. */
void wardi_buffer_settle(struct wardi_buffer *buffer);
/* Drops all, and gives the block back. */
void wardi_buffer_free(struct wardi_buffer *buffer);

#endif
