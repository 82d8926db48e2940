/* SPDX-License-Identifier: MIT
 *
 * plan.h - the faults of a run: which kind strikes at which occasion of its kind.
 *
 *	"fail@17,stall@3:250,memory@120"
 *
 * The 17th callback fails before it is called, the 3rd turn is put off by 250 ms, the 120th
 * allocation finds no memory. Occasions are counted from 1 through the run, among the actors that
 * faults may strike. So a plan means the same in each run of a seed, and a fault can be taken out
 * of it without moving the others, up to the first moment at which its absence shows.
 */
#ifndef WARDI_TESTKIT_PLAN_H
#define WARDI_TESTKIT_PLAN_H

#include <stdbool.h>

#include <ward/testkit/simulate.h>

enum { WARDI_PLAN_MAX = 64 /* faults in a plan */ };

/* The kind of a fault. */
enum wardi_plan_kind {
	WARDI_PLAN_FAIL,       /* a callback, before its work */
	WARDI_PLAN_FAIL_AFTER, /* after its work */
	WARDI_PLAN_REFUSE,
	WARDI_PLAN_MEMORY,
	WARDI_PLAN_STALL,
	WARDI_PLAN_JUMP,
	WARDI_PLAN_DELAY,
	WARDI_PLAN_LOSE,
	WARDI_PLAN_RESET,
	WARDI_PLAN_CUT,
	WARDI_PLAN_CUT_ONE_WAY,
	WARDI_PLAN_LATE,
	WARDI_PLAN_CRASH,
	WARDI_PLAN_KINDS
};

/* A counter of occasions: kinds that strike at the same points share one. */
enum wardi_plan_site {
	WARDI_SITE_CALLBACK,
	WARDI_SITE_SPAWN,
	WARDI_SITE_ALLOCATION,
	WARDI_SITE_TURN,
	WARDI_SITE_SEND,
	WARDI_SITE_FRAME, /* a frame that one system sends to another */
	WARDI_SITES
};

struct wardi_plan_fault {
	uint8_t kind; /* enum wardi_plan_kind */
	bool struck;
	uint32_t nth;
	int64_t delay_ms; /* of kinds that last: at least 1 */
};

struct wardi_plan {
	uint32_t count;
	struct wardi_plan_fault faults[WARDI_PLAN_MAX];
};

/* For each site, the number of occasions so far and the next one at which a fault strikes. */
struct wardi_plan_state {
	uint64_t passed[WARDI_SITES];
	uint64_t next[WARDI_SITES]; /* UINT64_MAX: none */
};

enum wardi_plan_site wardi_plan_site(enum wardi_plan_kind kind);
ward_fault_kind wardi_plan_fault_kind(enum wardi_plan_kind kind);

/* Draws the plan of a mix from the seed. */
void wardi_plan_draw(struct wardi_plan *plan, const ward_fault_mix *mix, uint64_t seed);

/* Resets the counters and the faults, before the first occasion. */
void wardi_plan_begin(struct wardi_plan *plan, struct wardi_plan_state *state);
/* Counts `occasions` of a site; returns the fault that strikes at one of them, or NULL. */
struct wardi_plan_fault *wardi_plan_pass(struct wardi_plan *plan, struct wardi_plan_state *state,
					 enum wardi_plan_site site, uint64_t occasions);

/* Copies the faults that have struck. */
void wardi_plan_struck(const struct wardi_plan *plan, struct wardi_plan *ret_struck);

/* Writes the plan as above, "none" if empty, cut at `max`; returns the full length. */
size_t wardi_plan_text(const struct wardi_plan *plan, char *text, size_t max);
/* Reads what wardi_plan_text() writes. False: the text is not a plan. */
bool wardi_plan_parse(struct wardi_plan *plan, const char *text);

#endif
