/* SPDX-License-Identifier: MIT
 *
 * output.c - see output.h. Most streams have no parts: all that waits is in `tail`.
 */
#include "net/stream/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void release_part(struct wardi_part *part)
{
	wardi_buffer_free(&part->before);
	if (part->bytes == NULL)
		close(part->fd);
	else if (part->release != NULL)
		part->release(part->arg);
	free(part);
}

unsigned char *wardi_output_room(struct wardi_output *output, size_t size)
{
	struct wardi_buffer *tail = &output->tail;

	if (tail->at == NULL && size <= WARDI_LARGE) {
		tail->at = wardi_large_take();
		tail->cap = tail->at == NULL ? 0 : WARDI_LARGE;
	}
	if (!wardi_buffer_reserve(tail, size))
		return NULL;
	return tail->at + tail->to;
}

void wardi_output_wrote(struct wardi_output *output, size_t size)
{
	output->tail.to += (uint32_t)size;
	output->waiting += size;
}

bool wardi_output_part(struct wardi_output *output, const struct wardi_part *part)
{
	struct wardi_part *added = malloc(sizeof *added);

	if (added == NULL)
		return false;
	*added = *part;
	added->next = NULL;
	wardi_buffer_settle(&output->tail);
	added->before = output->tail;
	output->tail = (struct wardi_buffer){0};
	if (output->last == NULL)
		output->first = added;
	else
		output->last->next = added;
	output->last = added;
	output->waiting += part->size;
	return true;
}

static void add(struct wardi_next *next, const void *bytes, uint64_t size)
{
	if (size == 0)
		return;
	next->bytes[next->count].iov_base = (void *)(uintptr_t)bytes;
	next->bytes[next->count++].iov_len = size;
}

static void add_buffer(struct wardi_next *next, const struct wardi_buffer *buffer)
{
	if (buffer->at != NULL)
		add(next, wardi_buffer_bytes(buffer), wardi_buffer_count(buffer));
}

bool wardi_output_next(const struct wardi_output *output, struct wardi_next *ret_next)
{
	const int room = sizeof ret_next->bytes / sizeof ret_next->bytes[0];
	const struct wardi_part *part = output->first;

	*ret_next = (struct wardi_next){.fd = -1};
	for (; part != NULL && ret_next->count + 3 <= room; part = part->next) {
		add_buffer(ret_next, &part->before);
		if (part->bytes == NULL) {
			if (ret_next->count == 0) {
				ret_next->fd = part->fd;
				ret_next->offset = part->offset;
				ret_next->size = part->size;
			}
			break;
		}
		add(ret_next, part->bytes, part->size);
	}
	if (part == NULL)
		add_buffer(ret_next, &output->tail);
	ret_next->more = part != NULL && (ret_next->count > 0 || part->next != NULL ||
					  wardi_buffer_count(&output->tail) > 0);
	return output->waiting > 0;
}

static uint64_t take(struct wardi_buffer *buffer, uint64_t count)
{
	uint64_t here = wardi_buffer_count(buffer);

	if (here > count)
		here = count;
	wardi_buffer_drop(buffer, here);
	return here;
}

void wardi_output_sent(struct wardi_output *output, uint64_t count)
{
	struct wardi_part *part;

	output->waiting -= count;
	while ((part = output->first) != NULL) {
		uint64_t here = take(&part->before, count);

		count -= here;
		here = part->size < count ? part->size : count;
		count -= here;
		part->size -= here;
		part->offset += (int64_t)here;
		if (part->bytes != NULL)
			part->bytes += here;
		if (part->size > 0 || wardi_buffer_count(&part->before) > 0)
			return;
		output->first = part->next;
		if (output->first == NULL)
			output->last = NULL;
		release_part(part);
	}
	(void)take(&output->tail, count);
}

void wardi_output_settle(struct wardi_output *output)
{
	if (output->first != NULL)
		wardi_buffer_settle(&output->first->before);
	wardi_buffer_settle(&output->tail);
}

void wardi_output_free(struct wardi_output *output)
{
	struct wardi_part *part;

	while ((part = output->first) != NULL) {
		output->first = part->next;
		release_part(part);
	}
	wardi_buffer_free(&output->tail);
	*output = (struct wardi_output){0};
}
