/* SPDX-License-Identifier: MIT
 *
 * job.h - what main() wants done, and what came of it.
 */
#ifndef SINK_JOB_H
#define SINK_JOB_H

#include <ward/actor.h>

#include "sources.h"
#include "spool.h"
#include "why.h"

enum {
	CHAOS_GAP = 150,
	INTAKE_CHUNK = 64 * 1024 /* bytes taken from standard input at once */
};

/* What was taken from standard input and is not in its spool yet. */
struct taken {
	bool begun;
	struct spool spool;
	char bytes[INTAKE_CHUNK];
};

/* Written by the ledger before it stops, read by main() after it is gone. */
struct outcome {
	bool finished;     /* all is stored, as the last look at the database says */
	int interrupted;   /* the signal; 0: none */
	bool gave_up;      /* `why` says why */
	struct why why;    /* also of the last failure of the ledger itself */
	bool input_broken; /* standard input ended with an error */
};

struct job {
	/* Frozen while the actors run. */
	char *db; /* absolute */
	size_t line_max;
	uint32_t parsers;
	const char *poison; /* a line that contains it kills its parser; NULL: none does */
	bool chaos;
	uint64_t seed;
	uint32_t chaos_gap; /* lines between two faults; up to twice as many more */
	bool terminal;      /* stdout is one */
	int64_t patience_ms;
	int intake_source; /* indices of the spools; -1: none */
	int chaos_source;
	int skipped; /* inputs that could not be opened */
	struct sources *sources;
	/* Written by the ledger. */
	struct outcome outcome;
	/* Written by the intakes, one after the other. */
	struct taken taken;
	/* Written by the writers, one after the other: the database is damaged, and is set aside
	 * before the next one is opened. */
	bool condemned;
};

/* When the actors are gone: writes down what is left of standard input, if there is room by now.
 * Returns how many bytes found none, and are lost. */
size_t intake_finish(struct job *job);

extern const ward_behavior ledger_behavior;
extern const ward_behavior reader_behavior;
extern const ward_behavior intake_behavior;
extern const ward_behavior crew_behavior;
extern const ward_behavior parser_behavior;
extern const ward_behavior writer_behavior;
extern const ward_behavior chaos_behavior;
extern const ward_behavior signals_behavior;
extern const ward_behavior view_behavior;

#endif
