/* SPDX-License-Identifier: MIT
 *
 * lines.h - a file, from an offset up to a limit, as lines.
 *
 * A line is what stands between two newlines. One that is longer than `line_max` is measured and
 * summed to its end, but only its head is kept: a line of any length takes the same memory.
 */
#ifndef SINK_LINES_H
#define SINK_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LINE_HEAD = 1024,                  /* bytes that are kept of a line that is too long */
	LINE_MAX_DEFAULT = 64 * 1024,      /* the longest line that is stored */
	LINE_MAX_LIMIT = 16 * 1024 * 1024, /* --line-max may not be more */
	LINES_CHUNK = 64 * 1024            /* read at once */
};

/* One line. `text` is valid until the next call. */
struct input_line {
	int64_t offset;  /* of its first byte */
	int64_t span;    /* bytes that it takes in the file, its newline included */
	uint64_t digest; /* of all its bytes but the newline */
	const char *text;
	size_t length; /* of text; of a line that is too long, of its head */
	bool ended;    /* by a newline; else by the end of the file */
	bool cut;      /* too long */
	bool has_nul;
};

enum lines_result {
	LINES_OK,
	LINES_END,   /* no more whole line before the limit */
	LINES_SHORT, /* the file ends before the limit: somebody cut it */
	LINES_ERROR  /* see errno */
};

/* Where a file is read. Single-threaded. */
struct lines {
	int fd;
	int64_t limit; /* bytes from here on are not read */
	bool complete; /* what stands before the limit without a newline is a line, too */
	int64_t head;  /* file offset of the first byte in the buffer that is not given out */
	size_t line_max;
	char *buffer;
	size_t begin, end, capacity; /* of the bytes in the buffer */
};

/* False: out of memory. */
bool lines_init(struct lines *lines, size_t line_max);
void lines_finish(struct lines *lines);

/* Turns to this file. Keeps what the buffer holds if that is where it is already. */
void lines_turn(struct lines *lines, int fd, int64_t offset, int64_t limit, bool complete);

enum lines_result lines_next(struct lines *lines, struct input_line *ret_line);

#endif
