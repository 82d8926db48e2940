/* SPDX-License-Identifier: MIT
 *
 * screen.h - what the user sees of a run: the tree on standard output, events on standard error.
 *
 * On a terminal the tree is drawn again in place, below the events. Else it is printed once.
 */
#ifndef WARD_COMMAND_SCREEN_H
#define WARD_COMMAND_SCREEN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <ward/ward.h>

enum { SCREEN_LINE = 1024 };

struct screen {
	pthread_mutex_t mu;
	bool live; /* frozen: the tree is redrawn */
	/* Frozen once it is live: the terminal, and where the actors' output comes from. */
	FILE *out;
	int output; /* -1: it goes straight to the terminal */
	/* The main thread's: a line of that which has no end yet. */
	char line[SCREEN_LINE];
	size_t length;
	/* Frozen: what the file says of events. */
	void (*log)(void *arg, const ward_event *event);
	void *log_arg;
	/* Under mu. */
	char *shown; /* the last picture, or NULL */
	int drawn;   /* lines on the screen that are ours */
};

void screen_init(struct screen *screen, bool live);
void screen_finish(struct screen *screen);

/* Before a live picture: what the actors print is to come to us, so that it stands above. */
void screen_catch(struct screen *screen);
/* Prints what has come, and does not wait. */
void screen_pass(struct screen *screen);
/* Prints what has come, and no more is to come. */
void screen_release(struct screen *screen);

/* Prints the tree, or draws it anew if it has changed. */
void screen_tree(struct screen *screen, ward_system *system);
/* Prints one line on standard error, above the picture. */
WARD_PRINTF(2, 3) void screen_say(struct screen *screen, const char *text, ...);
/* Puts the screen in front of the log of these options, so that what it prints stands above the
 * picture, too. */
void screen_hear(struct screen *screen, ward_options *options);

#endif
