/* SPDX-License-Identifier: MIT
 *
 * spoil.h - bad lines for chaos: real lines of the input, damaged.
 */
#ifndef SINK_SPOIL_H
#define SINK_SPOIL_H

#include <stdbool.h>
#include <stddef.h>

#include "sources.h"

/* What the folder of the database is called while chaos hides it, behind its own name. */
#define CHAOS_AWAY ".hidden-by-chaos"

/* Copies about the `nth` line of the first input, damaged, to the end of the spool at this index: a
 * field of its format becomes impossible, or it gets a NUL byte; or, if poison is given, that is
 * put behind it. Returns the new size of the spool. False: says why. */
bool spoil_line(const struct sources *sources, int spool_index, const char *poison, size_t nth,
		int64_t *ret_size, struct why *why);

#endif
