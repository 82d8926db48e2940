/* SPDX-License-Identifier: MIT
 *
 * options.h - the command line of ward.
 */
#ifndef WARD_COMMAND_OPTIONS_H
#define WARD_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Exit statuses. */
enum {
	EXIT_ORDERED = 0,
	EXIT_GAVE_UP = 1, /* the guardian ended what the program could not do without */
	EXIT_WRONG = 2,   /* the command line, the file or what it names: nothing was started */
	EXIT_START = 3,   /* the system or its tree could not be started */
	EXIT_LATE = 4,    /* something did not end within the deadline */
	EXIT_SIGNAL = 128 /* and the number of a second signal, which ended it at once */
};

enum verb { VERB_RUN, VERB_CHECK, VERB_TREE };

struct options {
	enum verb verb;
	const char *file;
	bool quiet; /* no tree */
	bool plain; /* the tree once, also on a terminal */
	int64_t deadline_ms;
};

/* Prints what is wrong, or what was asked for, and ends the process; else gives what is to do. */
struct options options_read(int argc, char **argv);

#endif
