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

/* In the process of the case, before it runs. */
void wardi_shortage_begin(void);
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
/* For ward_test_on_failure(): a check did not hold. Ends the process, or the callback. */
__attribute__((noreturn)) void wardi_shortage_failed(void *arg, const char *file, int line,
						     const char *text);

#endif
