/* SPDX-License-Identifier: MIT
 *
 * schedule.h - which actor has the next turn: at random, by random priorities, or all orders in
 * turn.
 *
 *	struct wardi_schedule order;
 *	wardi_schedule_init(&order, kind, change_points);
 *	do {
 *		wardi_schedule_begin(&order, seed);
 *		... index = wardi_schedule_choose(&order, system, count) at each turn ...
 *	} while (wardi_schedule_next(&order));		exhaustive only
 *
 * An order is plain memory without pointers to data, so that it may lie in memory that processes
 * share. Single-threaded.
 */
#ifndef WARDI_TESTKIT_SCHEDULE_H
#define WARDI_TESTKIT_SCHEDULE_H

#include <stdbool.h>

#include <ward/testkit/simulate.h>

#include "testkit/check/chance.h"

struct wardi_schedule;

enum {
	WARDI_PCT_CHANGES_MAX = 16,
	/* Choices that the exhaustive order varies; after them it takes the first. */
	WARDI_CHOICES_MAX = 256
};

/* Priorities of a run; see schedule_pct.c. */
struct wardi_pct {
	uint32_t changes_wanted;
	uint64_t salt;   /* of the priorities */
	uint64_t length; /* turns until the choice becomes uniform */
	uint64_t turn;   /* the number of turns so far */
	uint32_t changes_count;
	uint64_t changes[WARDI_PCT_CHANGES_MAX]; /* turns at which an actor is lowered */
	uint32_t lowered_count;
	uint64_t lowered[WARDI_PCT_CHANGES_MAX]; /* uids, the lowest last */
};

/* The path through the tree of all choices; see schedule_exhaustive.c. */
struct wardi_choices {
	uint32_t depth; /* choices made in this run */
	uint32_t count; /* prescribed choices; after them it takes the first */
	bool cut;       /* a run had more choices than fit */
	uint16_t taken[WARDI_CHOICES_MAX];
	uint16_t among[WARDI_CHOICES_MAX];
};

struct wardi_schedule {
	ward_order kind;    /* as requested */
	bool matters;       /* the body runs; else its kit starts or ends */
	ward_order current; /* of this run: never mixed */
	struct wardi_chance chance;
	union {
		struct wardi_pct pct;
		struct wardi_choices choices;
	};
};

/* One way of choosing. `begin` may be NULL. */
struct wardi_schedule_way {
	const char *name; /* in replay lines */
	void (*begin)(struct wardi_schedule *order);
	/* Returns an index below count, which is at least 1. */
	size_t (*choose)(struct wardi_schedule *order, const ward_system *system, size_t count);
};

/* change_points 0 means 3. */
void wardi_schedule_init(struct wardi_schedule *order, ward_order kind, uint32_t change_points);
/* Begins a run under the seed, in the part whose order matters. */
void wardi_schedule_begin(struct wardi_schedule *order, uint64_t seed);
size_t wardi_schedule_choose(struct wardi_schedule *order, const ward_system *system, size_t count);

/* Writes it as a word, "pct" or "exhaustive:0021", cut at `max`; returns the full length. The
 * digits are the choices, 0 to 9 and a to z; larger ones stand in brackets. Zeros at the end are
 * left out. */
size_t wardi_schedule_text(const struct wardi_schedule *order, char *text, size_t max);
/* Reads such a word into an initialised order. False: the text is not one. */
bool wardi_schedule_parse(struct wardi_schedule *order, const char *text);

#endif
