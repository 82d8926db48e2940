/* SPDX-License-Identifier: MIT
 *
 * sim_input.h - what the sink reads in a simulated run, and what must become of it.
 */
#ifndef SINK_TESTS_SIM_INPUT_H
#define SINK_TESTS_SIM_INPUT_H

#include <stdio.h>

#include "../dice.h"
#include "../sources.h"
#include "../store.h"

enum {
	SIM_LINE_MAX = 160, /* longer lines are cut */
	SIM_KEPT_MAX = 64   /* sources of all runs of a seed */
};

/* Writes about so many lines of a real log, some of them spoiled, to the end of the file; the last
 * one perhaps without its end. */
void sim_input_write(FILE *file, struct dice *dice, uint32_t lines, bool ended);

/* What was in the sources, also of those that are gone by now. */
struct sim_kept {
	uint32_t id;
	char *bytes;
	size_t length;
};
struct sim_keep {
	struct sim_kept all[SIM_KEPT_MAX];
	size_t count;
};

/* Takes copies of all sources that can be read. Of the one at the index `looked_at` (-1: none) only
 * up to where the ledger looked: what chaos wrote of a line only in part was never accepted. */
void sim_keep_take(struct sim_keep *keep, const struct sources *sources, int looked_at);
void sim_keep_finish(struct sim_keep *keep);
/* NULL: it is not kept. */
const struct sim_kept *sim_keep_find(const struct sim_keep *keep, uint32_t id);
/* Checks that each line of a source is stored once, as it should be, and nothing else of it. */
void sim_keep_check(const struct sim_keep *keep, struct store *store, uint32_t id);

#endif
