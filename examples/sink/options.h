/* SPDX-License-Identifier: MIT
 *
 * options.h - the command line.
 */
#ifndef SINK_OPTIONS_H
#define SINK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "why.h"

struct options {
	const char *db;
	const char *memory; /* NULL: the database's name with ".input" behind it */
	bool chaos;
	uint64_t seed;
	uint32_t workers; /* 0: as many as cores */
	uint32_t parsers;
	size_t line_max;
	const char *poison;
	int64_t patience_s;
	bool help;
	char **files; /* what is left of argv; "-" is standard input */
	int file_count;
};

extern const char options_usage[];

/* False: says what is wrong. */
bool options_parse(int argc, char **argv, struct options *ret_options, struct why *why);

#endif
