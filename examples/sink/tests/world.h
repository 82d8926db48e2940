/* SPDX-License-Identifier: MIT
 *
 * world.h - what befalls the sink in a simulated run: harms, and where they strike, from a seed.
 *
 * The fakes ask at each of their calls whether something strikes there; the plan says so. A run has
 * few strikes, so that each of them meets a sink that is otherwise well, or just getting over the
 * one before; where they strike is drawn again for each run.
 *
 * What was taken of all that could happen is counted in a tally, which all runs of a test share.
 */
#ifndef SINK_TESTS_WORLD_H
#define SINK_TESTS_WORLD_H

#include <ward/ward.h>

#include "../dice.h"
#include "../sources.h"

/* Where a strike is possible: a call that reaches what is outside the sink. */
enum spot {
	AT_OPEN,
	AT_CHECK,
	AT_NAME,
	AT_PUT,
	AT_COMMIT,
	AT_SQUEEZE,
	AT_RELAX,
	AT_ASIDE,  /* a damaged database is set aside */
	AT_INPUT,  /* a file or a spool is read */
	AT_SPOOL,  /* standard input is written down */
	AT_STDIN,  /* standard input is read */
	AT_CHAOS,  /* the saboteur is started */
	AT_LINE,   /* a line comes to the ledger from the reader */
	AT_STORED, /* an acknowledgement comes to the ledger */
	SPOTS
};

enum harm {
	HARM_NONE,
	HARM_LOCK,      /* somebody holds the lock for a while */
	HARM_LONG_LOCK, /* longer than the sink is patient */
	HARM_WOUND,     /* rows are changed, and the call tells */
	HARM_ROT,       /* rows are changed, and nobody tells yet */
	HARM_VANISH,    /* the last rows are gone without a trace, as with the end of a log */
	HARM_DISPLACE,  /* the file is not at its path for a while */
	HARM_FULL,      /* the disk is full for a while */
	HARM_FAIL,      /* an error of another kind, once */
	HARM_LOSE,      /* it does not arrive */
	HARM_INTERRUPT, /* SIGINT: not of the call, but just then */
	HARM_SCREEN,    /* standard output is gone, likewise */
	HARMS
};

/* How often each possible strike was made, in all runs of all processes of a test. */
struct tally {
	uint64_t strikes[SPOTS][HARMS];
};

enum { STRIKES_MAX = 6 };

struct hit {
	enum spot spot;
	enum harm harm;
	uint32_t nth; /* call at the place, from 1 */
	int64_t ms;   /* of what lasts */
};

struct world {
	ward_system *system; /* its clock is the world's */
	const struct sources *sources;
	struct tally *tally;
	struct dice dice;
	bool calm; /* nothing strikes: no run is under way, or the time of faults is over */
	uint32_t count;
	struct hit strikes[STRIKES_MAX];
	uint32_t calls[SPOTS];
	uint32_t struck[SPOTS];
	int64_t spool_full_until; /* ms */
	int64_t stdin_taken;      /* bytes */
};

/* The one that the fakes of this process ask. */
extern struct world world;

/* A calm world. */
void world_begin(ward_system *system, uint64_t seed, struct tally *tally);
/* Draws a new plan. */
void world_plan(void);
/* In milliseconds. */
int64_t world_now(void);
/* Counts a call at the place; returns the strike that meets it, or NULL. */
const struct hit *world_strike(enum spot spot);
bool world_spool_is_full(void);
/* Whether anything has struck there since the plan was drawn. */
bool world_has_struck(enum spot spot);
/* What has a place and a harm, one after the other from 0 on; false: there are no more. */
bool world_possible(uint32_t index, enum spot *ret_spot, enum harm *ret_harm);
const char *world_place_text(enum spot place);
const char *world_harm_text(enum harm harm);

#endif
