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
	WARDI_SHORTAGE_COMPLETE, /* all that the case checks held all the same */
	WARDI_SHORTAGE_CUT,      /* something did not; the rest of the system did what it must */
	WARDI_SHORTAGE_UNSEEN    /* something did not, where no more could be looked at */
};

/* A check of the case has failed. */
void wardi_shortage_look_after(void);
/* Whether a check of the case has failed: what is the case's own may be left. */
bool wardi_shortage_looks_after(void);
/* Whether this allocation, of a simulated kit, finds no memory. Counts it. */
bool wardi_shortage_strikes(void);
/* So often, in a kit that goes now, somebody was told that memory is out. */
void wardi_shortage_told(uint64_t times);
/* Of each event of a simulated kit: a failure may wait since its decision was put off. */
void wardi_shortage_heard(const ward_event *event);
/* What fails the case from here on is no consequence of a shortage. */
void wardi_shortage_excuses_nothing(void);
/* Whether memory ran out, and what fails now may be a consequence of that. */
bool wardi_shortage_excuses(void);
/* Whether its failure waits for a decision that was put off. */
bool wardi_shortage_is_put_off(ward_ref who);

#endif
