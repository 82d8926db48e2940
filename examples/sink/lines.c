/* SPDX-License-Identifier: MIT
 *
 * lines.c - splits a file into lines; see lines.h.
 *
 * The buffer holds a line of line_max bytes, its newline, and one chunk more, so that a line is
 * handed out where it was read. Bytes move only when the buffer is full.
 */
#include "lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "digest.h"

bool lines_init(struct lines *lines, size_t line_max)
{
	*lines = (struct lines){.fd = -1, .line_max = line_max};
	lines->capacity = line_max + 1 + LINES_CHUNK;
	lines->buffer = malloc(lines->capacity);
	return lines->buffer != NULL;
}

void lines_finish(struct lines *lines)
{
	free(lines->buffer);
	lines->buffer = NULL;
}

void lines_turn(struct lines *lines, int fd, int64_t offset, int64_t limit, bool complete)
{
	int64_t held = (int64_t)(lines->end - lines->begin);
	if (fd != lines->fd || offset != lines->head || offset + held > limit) {
		lines->fd = fd;
		lines->head = offset;
		lines->begin = lines->end = 0;
	}
	lines->limit = limit;
	lines->complete = complete;
}

/* Reads one more chunk behind what the buffer holds. */
static enum lines_result fill(struct lines *lines)
{
	int64_t at = lines->head + (int64_t)(lines->end - lines->begin);
	if (at >= lines->limit)
		return LINES_END;
	if (lines->capacity - lines->end < LINES_CHUNK) {
		memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
		lines->end -= lines->begin;
		lines->begin = 0;
	}
	size_t wanted = LINES_CHUNK;
	if ((int64_t)wanted > lines->limit - at)
		wanted = (size_t)(lines->limit - at);
	ssize_t got;
	do
		got = pread(lines->fd, lines->buffer + lines->end, wanted, (off_t)at);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return LINES_ERROR;
	if (got == 0)
		return LINES_SHORT;
	lines->end += (size_t)got;
	return LINES_OK;
}

static bool is_end(enum lines_result result)
{
	return result == LINES_END || result == LINES_SHORT;
}

/* Writes the first `length` bytes of the buffer, and a newline behind them. */
static void hand_out(struct lines *lines, size_t length, bool ended, struct input_line *ret_line)
{
	const char *text = lines->buffer + lines->begin;
	*ret_line = (struct input_line){
		.offset = lines->head,
		.span = (int64_t)length + ended,
		.digest = digest_bytes(DIGEST_START, text, length),
		.text = text,
		.length = length,
		.ended = ended,
		.has_nul = memchr(text, '\0', length) != NULL,
	};
	lines->begin += length + ended;
	lines->head += ret_line->span;
}

/* Takes a line of which line_max + 1 bytes or more are in the buffer, chunk by chunk. */
static enum lines_result pass_over(struct lines *lines, struct input_line *ret_line)
{
	struct input_line line = {
		.offset = lines->head, .cut = true, .length = LINE_HEAD, .digest = DIGEST_START};
	int64_t passed = 0; /* bytes of the line that are out of the buffer */

	if (line.length > lines->line_max)
		line.length = lines->line_max;
	/* The head moves to the front of the buffer and stays there; the rest is read behind it. */
	char *rest = lines->buffer + line.length;
	memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
	lines->end -= lines->begin;
	lines->begin = 0;
	char *from = lines->buffer;
	for (;;) {
		size_t held = (size_t)(lines->buffer + lines->end - from);
		char *newline = memchr(from, '\n', held);
		size_t length = newline ? (size_t)(newline - from) : held;
		line.digest = digest_bytes(line.digest, from, length);
		line.has_nul |= memchr(from, '\0', length) != NULL;
		passed += (int64_t)length;
		if (newline) {
			line.ended = true;
			lines->begin = (size_t)(newline + 1 - lines->buffer);
			break;
		}
		lines->head = line.offset + passed;
		lines->begin = lines->end = (size_t)(rest - lines->buffer);
		from = rest;
		enum lines_result result = fill(lines);
		if (is_end(result) && lines->complete)
			break;
		if (result != LINES_OK) {
			lines->head = line.offset;
			lines->begin = lines->end = 0;
			return result;
		}
	}
	line.text = lines->buffer;
	line.span = passed + line.ended;
	lines->head = line.offset + line.span;
	*ret_line = line;
	return LINES_OK;
}

enum lines_result lines_next(struct lines *lines, struct input_line *ret_line)
{
	size_t searched = 0; /* bytes in which there is no newline */
	for (;;) {
		size_t held = lines->end - lines->begin;
		char *from = lines->buffer + lines->begin;
		char *newline = memchr(from + searched, '\n', held - searched);
		size_t length = newline ? (size_t)(newline - from) : held;
		if (length > lines->line_max)
			return pass_over(lines, ret_line);
		if (newline) {
			hand_out(lines, length, true, ret_line);
			return LINES_OK;
		}
		searched = held;
		enum lines_result result = fill(lines);
		if (is_end(result) && held > 0 && lines->complete) {
			hand_out(lines, held, false, ret_line);
			return LINES_OK;
		}
		if (result != LINES_OK)
			return result;
	}
}
