/* SPDX-License-Identifier: MIT
 *
 * output.c - see output.h.
 */
#include "net/stream/output.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- writing ----------------------------------------------------------------------------- */

unsigned char *wardi_output_room(struct wardi_output *output, size_t size)
{
	return wardi_buffer_room(&output->tail, size);
}

void wardi_output_wrote(struct wardi_output *output, size_t size)
{
	wardi_buffer_wrote(&output->tail, size);
}

bool wardi_output_add(struct wardi_output *output, const struct wardi_part *part)
{
	struct wardi_part *added = malloc(sizeof *added);
	struct wardi_parts *parts = output->parts;

	if (parts == NULL)
		parts = output->parts = calloc(1, sizeof *parts);
	if (added == NULL || parts == NULL) {
		free(added);
		return false;
	}
	*added = *part;
	added->next = NULL;
	wardi_buffer_settle(&output->tail);
	added->before = output->tail;
	output->tail = (struct wardi_buffer){0};
	if (parts->first == NULL)
		parts->first = added;
	else
		parts->last->next = added;
	parts->last = added;
	parts->bytes += wardi_buffer_count(&added->before);
	if (part->bytes != NULL)
		parts->bytes += part->size;
	else
		parts->files += part->size;
	return true;
}

/* ---- sending ----------------------------------------------------------------------------- */

static void add(struct wardi_next *next, const void *bytes, uint64_t size)
{
	next->bytes[next->count].iov_base = (void *)(uintptr_t)bytes;
	next->bytes[next->count++].iov_len = size;
}

static void add_buffer(struct wardi_next *next, const struct wardi_buffer *buffer)
{
	if (wardi_buffer_count(buffer) > 0)
		add(next, wardi_buffer_bytes(buffer), wardi_buffer_count(buffer));
}

/* False: nothing behind this part can be sent together with it. */
static bool add_part(struct wardi_next *next, struct wardi_part *part)
{
	add_buffer(next, &part->before);
	if (part->bytes != NULL) {
		add(next, part->bytes, part->size);
		return true;
	}
	add_buffer(next, &part->piece);
	if (wardi_buffer_count(&part->piece) == 0)
		next->file = part;
	return wardi_buffer_count(&part->piece) == part->size;
}

bool wardi_output_next(const struct wardi_output *output, struct wardi_next *ret_next)
{
	enum { ROOM = sizeof ret_next->bytes / sizeof ret_next->bytes[0], OF_PART = 2 };
	struct wardi_part *part = output->parts != NULL ? output->parts->first : NULL;

	ret_next->count = 0;
	ret_next->file = NULL;
	for (; part != NULL && ret_next->count + OF_PART < ROOM; part = part->next)
		if (!add_part(ret_next, part))
			return true;
	if (part == NULL)
		add_buffer(ret_next, &output->tail);
	return ret_next->count > 0;
}

int wardi_part_read(struct wardi_part *part)
{
	size_t size = part->size < WARDI_LARGE ? (size_t)part->size : WARDI_LARGE;
	struct wardi_bytes *large = wardi_large_take();
	ssize_t got;
	int error;

	if (large == NULL)
		return ENOMEM;
	do
		got = pread(part->fd, large->at, size, part->offset);
	while (got < 0 && errno == EINTR);
	if (got <= 0) {
		error = got == 0 ? ENODATA : errno;
		wardi_large_give(large);
		return error;
	}
	wardi_buffer_free(&part->piece);
	large->to = (uint32_t)got;
	part->piece.block = large;
	part->offset += got;
	return 0;
}

void wardi_part_release(struct wardi_part *part)
{
	wardi_buffer_free(&part->before);
	wardi_buffer_free(&part->piece);
	if (part->release != NULL)
		part->release(part->arg);
	if (part->fd >= 0)
		close(part->fd);
}

static void drop_part(struct wardi_part *part)
{
	wardi_part_release(part);
	free(part);
}

static uint64_t take(struct wardi_buffer *buffer, uint64_t count)
{
	uint64_t here = wardi_buffer_count(buffer);

	if (here > count)
		here = count;
	wardi_buffer_drop(buffer, here);
	return here;
}

/* Returns how many of `count` bytes were the part's own. */
static uint64_t take_own(struct wardi_part *part, uint64_t count)
{
	uint64_t here = part->size < count ? part->size : count, of_piece = 0;

	part->size -= here;
	if (part->bytes != NULL) {
		part->bytes += here;
	} else {
		of_piece = take(&part->piece, here);
		part->offset += (int64_t)(here - of_piece);
	}
	return here;
}

/* Takes what it can off a part, and returns it. */
static uint64_t take_part(struct wardi_parts *parts, struct wardi_part *part, uint64_t count)
{
	uint64_t before = take(&part->before, count);
	uint64_t own = take_own(part, count - before);

	parts->bytes -= before;
	if (part->bytes != NULL)
		parts->bytes -= own;
	else
		parts->files -= own;
	return before + own;
}

void wardi_output_sent(struct wardi_output *output, uint64_t count)
{
	struct wardi_parts *parts = output->parts;
	struct wardi_part *part;

	while (parts != NULL && (part = parts->first) != NULL) {
		count -= take_part(parts, part, count);
		if (part->size > 0)
			return;
		parts->first = part->next;
		drop_part(part);
	}
	(void)take(&output->tail, count);
}

/* ---- memory ------------------------------------------------------------------------------ */

void wardi_output_settle(struct wardi_output *output)
{
	struct wardi_part *part = output->parts != NULL ? output->parts->first : NULL;

	if (part != NULL) {
		wardi_buffer_settle(&part->before);
		wardi_buffer_settle(&part->piece);
	}
	wardi_buffer_settle(&output->tail);
}

void wardi_output_free(struct wardi_output *output)
{
	struct wardi_part *part;

	while (output->parts != NULL && (part = output->parts->first) != NULL) {
		output->parts->first = part->next;
		drop_part(part);
	}
	free(output->parts);
	wardi_buffer_free(&output->tail);
	*output = (struct wardi_output){0};
}
