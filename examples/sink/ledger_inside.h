/* SPDX-License-Identifier: MIT
 *
 * ledger_inside.h - the state of the ledger, for the ledger and for those who test it.
 */
#ifndef SINK_LEDGER_INSIDE_H
#define SINK_LEDGER_INSIDE_H

#include "job.h"
#include "ledger.h"
#include "tree.h"

enum chaos_state {
	CHAOS_OVER,     /* or there is none */
	CHAOS_WAITING,  /* for the line to strike at */
	CHAOS_STRIKING, /* no lines are requested until it is done */
	CHAOS_ON        /* lines flow into the fault */
};

struct ledger {
	struct job *job;
	struct tree tree;
	struct account account;
	bool begun; /* the children are there */
	bool writer_ready;
	bool reader_ready;
	bool last_look; /* the database is being looked at for the last time */
	bool draining;  /* interrupted */
	bool leaving;   /* all is said and done */
	bool view_gone;
	enum chaos_state chaos_state;
	uint64_t strike_at; /* lines */
	uint64_t lines;     /* acknowledged */
	int64_t drain_ns;   /* when draining began */
	int64_t asked_ns;   /* when the writer was asked to open the store */
	bool asked;         /* and has not begun; nor is it gone */
	int64_t moved_ns;   /* when something last went forward, and since then: */
	uint32_t writers;   /* started; more than one is a sign of trouble */
	uint32_t readers;
};

#endif
