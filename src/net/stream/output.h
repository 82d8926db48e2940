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

#include "net/stream/buffer.h"

/* A part that is not copied. */
struct wardi_part {
	struct wardi_part *next;
	struct wardi_buffer before; /* what was written in front of it */
	const unsigned char *bytes; /* NULL: a file */
	uint64_t size;              /* left */
	int64_t offset;
	int fd; /* of a file: closed when it is out */
	void (*release)(void *arg);
	void *arg;
};

/* All zero: empty. */
struct wardi_output {
	struct wardi_part *first, *last;
	struct wardi_buffer tail; /* copied, behind the last part */
	uint64_t waiting;         /* bytes in all */
};

/* What is to be sent next: bytes, or a part of a file. */
struct wardi_next {
	struct iovec bytes[8];
	int count; /* 0: the file */
	int fd;
	int64_t offset;
	uint64_t size;
	bool more; /* something follows at once */
};

/* Returns room for `size` bytes, which wardi_output_wrote() then adds; NULL: no memory. */
unsigned char *wardi_output_room(struct wardi_output *output, size_t size);
void wardi_output_wrote(struct wardi_output *output, size_t size);
/* Adds a part; it is the output's on true. False: no memory. */
bool wardi_output_part(struct wardi_output *output, const struct wardi_part *part);
/* False: nothing waits. */
bool wardi_output_next(const struct wardi_output *output, struct wardi_next *ret_next);
/* Takes bytes off the front that were sent; releases parts that are out. */
void wardi_output_sent(struct wardi_output *output, uint64_t count);
/* Gives back memory that is not needed while the rest waits. */
void wardi_output_settle(struct wardi_output *output);
/* Drops all; releases the parts. */
void wardi_output_free(struct wardi_output *output);

#endif
