/* SPDX-License-Identifier: MIT
 *
 * screen.h - the display of a run: the tree on standard output, events on standard error.
 *
 * On a terminal the tree is redrawn in place, below the events. Otherwise it is printed once.
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
	_Atomic bool mute;         /* standard error does not accept lines */
	_Atomic bool stuck;        /* nor does the terminal accept the picture */
	/* Frozen once it is live. */
	FILE *out; /* the terminal */
	/* Under output_mu. */
	int output; /* the actors' output, to be read; -1: it goes straight to the terminal */
	/* An incomplete line of that output. */
	char line[SCREEN_LINE];
	size_t length;
	/* Frozen: the log in the options of the file. */
	void (*log)(void *arg, const ward_event *event);
	void *log_arg;
	/* Under mu. */
	char *shown; /* the last picture, or NULL */
	int drawn;   /* lines of the picture on the screen */
};

void screen_init(struct screen *screen, bool live);
void screen_finish(struct screen *screen);

/* Calls fn, which may print, on a thread of its own, and waits for it one second at most: a write
 * to a terminal that nobody reads does not return, whatever poll() says. Without a thread calls it
 * directly. arg must live as long as the process. False: fn still runs. */
bool screen_patiently(void *(*fn)(void *arg), void *arg);

/* Redirects the output of actors, before a live picture, so that it is printed above. */
void screen_catch(struct screen *screen);
/* Prints the output that is there, without waiting. */
void screen_pass(struct screen *screen);
/* Prints the rest of the output, and ends the redirection. */
void screen_release(struct screen *screen);

/* Prints the tree, or redraws it if it has changed. */
void screen_tree(struct screen *screen, ward_system *system);
/* Prints a line on standard error, above the picture. If nobody reads it within a second, it and
 * all later lines are dropped. */
WARD_PRINTF(2, 3) void screen_say(struct screen *screen, const char *text, ...);
/* Routes the log of these options through the screen, so that its lines are printed above the
 * picture, too. */
void screen_hear(struct screen *screen, ward_options *options);

#endif
