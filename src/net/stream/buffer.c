/* SPDX-License-Identifier: MIT
 *
 * buffer.c - see buffer.h; and the large blocks that each thread keeps.
 */
#include "net/stream/buffer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 4, SMALL_MIN = 96 };

/* ---- large blocks ------------------------------------------------------------------------ */

struct kept {
	struct wardi_bytes *blocks[KEPT];
	int count;
};

static __thread struct kept kept;
static pthread_key_t at_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void release(void *arg)
{
	struct kept *mine = arg;

	while (mine->count > 0)
		free(mine->blocks[--mine->count]);
}

static void make_key(void)
{
	if (pthread_key_create(&at_exit, release) != 0)
		abort(); /* PTHREAD_KEYS_MAX libraries in one process */
}

static struct wardi_bytes *make(size_t cap)
{
	struct wardi_bytes *block = malloc(sizeof *block + cap + 1);

	if (block != NULL)
		block->cap = (uint32_t)cap;
	return block;
}

struct wardi_bytes *wardi_large_take(void)
{
	struct wardi_bytes *large = kept.count > 0 ? kept.blocks[--kept.count] : make(WARDI_LARGE);

	if (large != NULL)
		large->from = large->to = 0;
	return large;
}

void wardi_large_give(struct wardi_bytes *large)
{
	if (kept.count == KEPT) {
		free(large);
		return;
	}
	pthread_once(&once, make_key);
	if (pthread_getspecific(at_exit) == NULL && pthread_setspecific(at_exit, &kept) != 0) {
		free(large);
		return;
	}
	kept.blocks[kept.count++] = large;
}

/* ---- a buffer ---------------------------------------------------------------------------- */

/* Moves the bytes to a block of another size. */
static bool move(struct wardi_buffer *buffer, size_t cap)
{
	uint32_t count = wardi_buffer_count(buffer);
	struct wardi_bytes *block = cap == WARDI_LARGE ? wardi_large_take() : make(cap);

	if (block == NULL)
		return false;
	if (count > 0)
		memcpy(block->at, wardi_buffer_bytes(buffer), count);
	block->from = 0;
	block->to = count;
	wardi_buffer_free(buffer);
	buffer->block = block;
	return true;
}

bool wardi_buffer_reserve(struct wardi_buffer *buffer, size_t more)
{
	struct wardi_bytes *block = buffer->block;
	size_t count = wardi_buffer_count(buffer), cap = block != NULL ? block->cap : 0;

	if (block != NULL && block->cap - block->to >= more)
		return true;
	if (count + more > UINT32_MAX / 2)
		return false;
	/* Half of it is free then, so each byte is moved to the front once at most. */
	if (block != NULL && count + more <= cap / 2) {
		memmove(block->at, wardi_buffer_bytes(buffer), count);
		block->from = 0;
		block->to = (uint32_t)count;
		return true;
	}
	if (cap < SMALL_MIN)
		cap = SMALL_MIN;
	while (cap < count + more)
		cap *= 2;
	return move(buffer, cap);
}

unsigned char *wardi_buffer_room(struct wardi_buffer *buffer, size_t more)
{
	if (buffer->block == NULL && more <= WARDI_LARGE)
		buffer->block = wardi_large_take();
	return wardi_buffer_reserve(buffer, more) ? buffer->block->at + buffer->block->to : NULL;
}

void wardi_buffer_drop(struct wardi_buffer *buffer, size_t count)
{
	if (buffer->block != NULL)
		buffer->block->from += (uint32_t)count;
}

void wardi_buffer_settle(struct wardi_buffer *buffer)
{
	uint32_t count = wardi_buffer_count(buffer);

	if (count == 0)
		wardi_buffer_free(buffer);
	else if (buffer->block->cap == WARDI_LARGE && count <= WARDI_LARGE / 4)
		(void)move(buffer, count < SMALL_MIN ? SMALL_MIN : count);
}

void wardi_buffer_free(struct wardi_buffer *buffer)
{
	if (buffer->block == NULL)
		return;
	if (buffer->block->cap == WARDI_LARGE)
		wardi_large_give(buffer->block);
	else
		free(buffer->block);
	buffer->block = NULL;
}
