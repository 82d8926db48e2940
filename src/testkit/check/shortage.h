/* SPDX-License-Identifier: MIT
 *
 * shortage.h - a case that is run again with its n-th allocation finding no memory.
 */
#ifndef WARDI_TESTKIT_SHORTAGE_H
#define WARDI_TESTKIT_SHORTAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <ward/event.h>

/* How a run with a shortage ended, if nothing is wrong with it. */
enum wardi_shortage_end {
	WARDI_SHORTAGE_COMPLETE, /* all checks of the case held anyway */
	WARDI_SHORTAGE_CUT,      /* a check failed; the rest of the system did what it must */
	WARDI_SHORTAGE_UNSEEN    /* a check failed, and the rest could not be examined */
};

/* A check of the case has failed. */
void wardi_shortage_look_after(void);
/* Whether a check of the case has failed: what is the case's own may be left. */
bool wardi_shortage_looks_after(void);
/* Whether this allocation, of a simulated kit, finds no memory. Counts it. */
bool wardi_shortage_strikes(void);
/* Adds how often a shortage was reported in a kit that is being freed. */
void wardi_shortage_told(uint64_t times);
/* Of each event of a simulated kit: a failure may wait since its decision was put off. */
void wardi_shortage_heard(const ward_event *event);
/* From here on no failure of the case counts as a consequence of a shortage. */
void wardi_shortage_excuses_nothing(void);
/* Whether memory ran out, so that a failure now may be a consequence of that. */
bool wardi_shortage_excuses(void);
/* Whether its failure waits for a decision that was put off. */
bool wardi_shortage_is_put_off(ward_ref who);

/* From now on what this thread allocates finds memory, and is not counted; or no longer. Returns
 * what was so before. For what stands for a wire: a program needs no memory to know that something
 * has come. */
bool wardi_shortage_spare(bool on);
bool wardi_shortage_spares(void);

#endif
