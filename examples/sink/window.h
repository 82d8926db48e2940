/* SPDX-License-Identifier: MIT
 *
 * window.h - the lines on their way: handed out, not acknowledged yet, at most so many.
 *
 * Every line has a number, used once. Numbers are reserved for the reader before it reads; a
 * number is in the window until it and all before it are settled. Forgetting the window makes all
 * its numbers old, and what still arrives under an old number no longer concerns anybody.
 */
#ifndef SINK_WINDOW_H
#define SINK_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

enum {
	WINDOW_MAX = 1024 /* numbers at once; a power of two */
};

enum flight_state {
	FLIGHT_RESERVED, /* for a line that the reader has not sent yet */
	FLIGHT_OUT,      /* sent on, not acknowledged */
	FLIGHT_SETTLED   /* acknowledged, or there was no line */
};

struct flight {
	enum flight_state state;
	uint32_t source; /* index */
	uint32_t length; /* bytes of its text */
	int64_t end;     /* offset behind the line; -1: there was no line */
};

/* Single-threaded. All zero is an empty window. */
struct window {
	uint64_t first, next; /* the numbers in the window: first..next - 1 */
	uint32_t out;         /* how many are FLIGHT_OUT */
	uint64_t bytes;       /* of text in these */
	struct flight ring[WINDOW_MAX];
};

uint32_t window_room(const struct window *window);
/* Reserves numbers; count is at most the room. Returns the first. */
uint64_t window_reserve(struct window *window, uint32_t count);
/* A line came under this number. False: the number is old, or the line came before. */
bool window_send(struct window *window, uint64_t number, uint32_t source, uint32_t length,
		 int64_t end);
/* There is no line for these numbers. */
void window_skip(struct window *window, uint64_t number, uint32_t count);
/* The line is safe. False: the number is old, or was acknowledged before. */
bool window_settle(struct window *window, uint64_t number);
/* Takes the oldest number out if it is settled. */
bool window_advance(struct window *window, struct flight *ret_flight);
/* Returns true if the number is of a line on its way. */
bool window_is_out(const struct window *window, uint64_t number);
/* Returns true if there is a number among these for which neither a line nor word that there is
 * none has come. */
bool window_is_missing(const struct window *window, uint64_t number, uint32_t count);
/* Makes all numbers old. */
void window_forget(struct window *window);

#endif
