/* SPDX-License-Identifier: MIT
 *
 * spool.h - appending to a spool: what was synced is accepted, what was not is not.
 */
#ifndef SINK_SPOOL_H
#define SINK_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes on their way into the spool. Single-threaded. */
struct spool {
	int fd;
	int64_t size; /* of the file */
	char *bytes;
	size_t begin, end, capacity; /* what is not written yet */
};

/* `bytes` is the caller's, with room for `capacity`. Goes on behind what the file holds. */
bool spool_init(struct spool *spool, int fd, char *bytes, size_t capacity);
/* Writes all that waits and syncs it. False: see errno; what was not written still waits. */
bool spool_flush(struct spool *spool);

#endif
