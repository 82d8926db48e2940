/* SPDX-License-Identifier: MIT
 *
 * sim_inside.h - the state of a run, shared by the files of the simulation.
 */
#ifndef SINK_TESTS_SIM_INSIDE_H
#define SINK_TESTS_SIM_INSIDE_H

#include <signal.h>
#include <stdio.h>

#include "../ledger_inside.h"
#include "sim_input.h"
#include "sim_story.h"

struct story {
	ward_kit *kit;
	struct sim_shared *shared;
	struct dice dice;
	struct job job;
	struct sources sources;
	const struct ledger
		*ledger; /* NULL: there is none, or it has not heard of the database yet */
	const struct ledger *made;
	ward_ref ref;
	/* Committed rows were harmed, and the ledger may not know yet. */
	bool excused;
	uint64_t losses;
	struct sim_keep keep;
	/* Standard input. */
	bool has_stdin;
	int fed; /* the pipe's other end; -1: a file, or all is written */
	FILE *stdin_text;
	int64_t stdin_kept; /* bytes that are in spools */
	int kept_stdin, kept_stdout;
	sigset_t kept_mask;
};

/* The one of this process. */
extern struct story *playing;

/* ---- files (sim_files.c) ----------------------------------------------------------------- */

/* Returns the path of a name in the folder of the run; good until the eighth next call. */
const char *sim_path(const char *name);
void sim_remove_folder(void);
/* Writes lines to the end of a file; the last one perhaps without its end. */
void sim_write_input(struct story *story, const char *name, bool ended);
/* Puts the descriptor in the place of another, and closes it. */
void sim_redirect(int from, int to);

/* Makes standard input, if the story has one: a file, or a pipe that is fed from time to time. */
void sim_begin_stdin(struct story *story);
/* Checks that what is in the spools is what was taken from standard input; when all went well, that
 * is all of it. */
void sim_check_stdin(struct story *story);

/* ---- the ledger, from outside (sim_watch.c) ---------------------------------------------- */

/* The ledger's behaviour, and in between the looks of a spectator. */
const ward_behavior *sim_watched_ledger(void);
/* From now on the ledger is looked at after each turn. */
void sim_watch(struct story *story);

#endif
