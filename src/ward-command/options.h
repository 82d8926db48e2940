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
	EXIT_GAVE_UP = 1, /* the guardian ended an actor that the program cannot do without */
	EXIT_WRONG = 2,   /* a wrong command line, file or module: nothing was started */
	EXIT_START = 3,   /* the system or its tree could not be started */
	EXIT_LATE = 4,    /* an actor or thread did not end within the deadline */
	EXIT_SIGNAL = 128 /* plus the number of a second signal, which ended the process at once */
};

enum verb { VERB_RUN, VERB_CHECK, VERB_TREE, VERB_TYPES };

struct options {
	enum verb verb;
	const char *file; /* of VERB_TYPES: a shared object */
	bool quiet;       /* show no tree */
	bool plain;       /* print the tree once, also on a terminal */
	int64_t deadline_ms;
};

/* Returns the options; on an error, --help or --version prints a text and exits. */
struct options options_read(int argc, char **argv);

#endif
