/* SPDX-License-Identifier: MIT
 *
 * buffer.c - see buffer.h; and the large blocks that each thread keeps.
 */
#include "net/stream/buffer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 4, SMALL_MIN = 112 };

/* ---- large blocks ------------------------------------------------------------------------ */

struct kept {
	unsigned char *blocks[KEPT];
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

unsigned char *wardi_large_take(void)
{
	return kept.count > 0 ? kept.blocks[--kept.count] : malloc(WARDI_LARGE + 1);
}

void wardi_large_give(unsigned char *large)
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

static unsigned char *block_of(size_t cap)
{
	return cap == WARDI_LARGE ? wardi_large_take() : malloc(cap + 1);
}

static void give_block(unsigned char *at, size_t cap)
{
	if (cap == WARDI_LARGE)
		wardi_large_give(at);
	else
		free(at);
}

/* Moves the bytes to a block of another size. */
static bool move(struct wardi_buffer *buffer, size_t cap)
{
	uint32_t count = wardi_buffer_count(buffer);
	unsigned char *at = block_of(cap);

	if (at == NULL)
		return false;
	if (count > 0)
		memcpy(at, wardi_buffer_bytes(buffer), count);
	wardi_buffer_free(buffer);
	*buffer = (struct wardi_buffer){at, 0, count, (uint32_t)cap};
	return true;
}

bool wardi_buffer_reserve(struct wardi_buffer *buffer, size_t more)
{
	size_t count = wardi_buffer_count(buffer), cap = buffer->cap;

	if (buffer->at != NULL && buffer->cap - buffer->to >= more)
		return true;
	if (count + more > UINT32_MAX / 2)
		return false;
	/* Half of it is free then, so each byte is moved to the front once at most. */
	if (buffer->at != NULL && count + more <= cap / 2) {
		memmove(buffer->at, wardi_buffer_bytes(buffer), count);
		buffer->from = 0;
		buffer->to = (uint32_t)count;
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
	if (buffer->at == NULL && more <= WARDI_LARGE) {
		buffer->at = wardi_large_take();
		buffer->cap = buffer->at == NULL ? 0 : WARDI_LARGE;
	}
	return wardi_buffer_reserve(buffer, more) ? buffer->at + buffer->to : NULL;
}

void wardi_buffer_drop(struct wardi_buffer *buffer, size_t count)
{
	buffer->from += (uint32_t)count;
}

void wardi_buffer_settle(struct wardi_buffer *buffer)
{
	uint32_t count = wardi_buffer_count(buffer);

	if (count == 0)
		wardi_buffer_free(buffer);
	else if (buffer->cap == WARDI_LARGE && count <= WARDI_LARGE / 4)
		(void)move(buffer, count < SMALL_MIN ? SMALL_MIN : count);
}

void wardi_buffer_free(struct wardi_buffer *buffer)
{
	if (buffer->at != NULL)
		give_block(buffer->at, buffer->cap);
	*buffer = (struct wardi_buffer){0};
}
