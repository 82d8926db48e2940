/* SPDX-License-Identifier: MIT
 *
 * output.h - what waits to be sent: bytes that were copied, bytes of the program, parts of files.
 */
#ifndef WARDI_NET_OUTPUT_H
#define WARDI_NET_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
#include <ward/types.h>

#include "net/stream/buffer.h"

/* Of files, in one go, before others have their turns. */
enum { WARDI_FILES_OF_TURN = 1 << 20 };

/* Bytes of the program or of a file, which were not copied. */
struct wardi_part {
	struct wardi_part *next;
	struct wardi_buffer before;               /* what was written in front of it */
	const unsigned char *bytes;               /* NULL: of a file */
	uint64_t size;                            /* left, those of `piece` among them */
	void (*release)(void *arg) WARD_NOEXCEPT; /* of bytes; NULL: none */
	void *arg;
	/* of a file */
	struct wardi_buffer piece; /* was read, and is sent as bytes */
	int64_t offset;            /* behind the piece */
	int fd;
};

struct wardi_parts {
	struct wardi_part *first, *last;
	uint64_t bytes; /* in memory: given ones, and those in front of a part */
	uint64_t files; /* bytes of files */
};

/* All zero: empty. Most streams never have parts: all that waits is in `tail`. */
struct wardi_output {
	struct wardi_buffer tail; /* behind the last part */
	struct wardi_parts *parts;
};

/* What is to be sent next: bytes, then a part of a file. */
struct wardi_next {
	struct iovec bytes[8];
	int count;
	struct wardi_part *file; /* NULL: none */
};

/* Bytes in memory. Those of files do not count. */
static inline uint64_t wardi_output_bytes(const struct wardi_output *output)
{
	return wardi_buffer_count(&output->tail) +
	       (output->parts != NULL ? output->parts->bytes : 0);
}

static inline bool wardi_output_has_file(const struct wardi_output *output)
{
	return output->parts != NULL && output->parts->files > 0;
}

/* All bytes. */
static inline uint64_t wardi_output_waiting(const struct wardi_output *output)
{
	return wardi_output_bytes(output) + (output->parts != NULL ? output->parts->files : 0);
}

/* Returns room for `size` bytes, which wardi_output_wrote() then adds; NULL: no memory. */
unsigned char *wardi_output_room(struct wardi_output *output, size_t size);
void wardi_output_wrote(struct wardi_output *output, size_t size);
/* Adds a part of at least one byte; it is the output's on true. False: no memory. */
bool wardi_output_add(struct wardi_output *output, const struct wardi_part *part);
/* False: nothing waits. */
bool wardi_output_next(const struct wardi_output *output, struct wardi_next *ret_next);
/* Reads a piece of a file, which is sent as bytes then. Returns 0, or an errno; ENODATA: the file
 * is shorter than the part. */
int wardi_part_read(struct wardi_part *part);
/* Releases what the part has. */
void wardi_part_release(struct wardi_part *part);
/* Takes bytes off the front that were sent; releases parts that are out. */
void wardi_output_sent(struct wardi_output *output, uint64_t count);
/* Frees memory that is not needed while the rest waits. */
void wardi_output_settle(struct wardi_output *output);
/* Drops all; releases the parts. */
void wardi_output_free(struct wardi_output *output);

#endif
