/* SPDX-License-Identifier: MIT
 *
 * screen.h - what the user sees of a run: the tree on standard output, events on standard error.
 *
 * On a terminal the tree is drawn again in place, below the events. Else it is printed once.
 */
#ifndef WARD_COMMAND_SCREEN_H
#define WARD_COMMAND_SCREEN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <ward/ward.h>

enum { SCREEN_LINE = 1024 };

struct screen {
	pthread_mutex_t mu;
	pthread_mutex_t output_mu; /* taken before mu */
	bool live;                 /* frozen: the tree is redrawn */
	_Atomic bool mute;         /* nobody reads what is said */
	_Atomic bool stuck;        /* nor what is drawn */
	/* Frozen once it is live. */
	FILE *out; /* the terminal */
	/* Under output_mu. */
	int output; /* where the actors' output comes from; -1: it goes straight to the terminal */
	/* A line of that which has no end yet. */
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

/* Does what may print, on a thread of its own, which is waited for for a second: on a terminal that
 * nobody reads a write does not return, whatever poll() says. Without a thread it is done here. The
 * argument must outlive the process. False: it goes on. */
bool screen_patiently(void *(*fn)(void *arg), void *arg);

/* Before a live picture: what the actors print is to come to us, so that it stands above. */
void screen_catch(struct screen *screen);
/* Prints what has come, and does not wait. */
void screen_pass(struct screen *screen);
/* Prints what has come, and no more is to come. */
void screen_release(struct screen *screen);

/* Prints the tree, or draws it anew if it has changed. */
void screen_tree(struct screen *screen, ward_system *system);
/* Prints one line on standard error, above the picture. One that nobody reads within a second is
 * left out, and so are those after it. */
WARD_PRINTF(2, 3) void screen_say(struct screen *screen, const char *text, ...);
/* Puts the screen in front of the log of these options, so that what it prints stands above the
 * picture, too. */
void screen_hear(struct screen *screen, ward_options *options);

#endif
