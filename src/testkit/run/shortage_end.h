/* SPDX-License-Identifier: MIT
 *
 * shortage_end.h - how a case ends when its n-th allocation found no memory.
 */
#ifndef WARDI_TESTKIT_SHORTAGE_END_H
#define WARDI_TESTKIT_SHORTAGE_END_H

/* Sets the rules up, in the process of the case, before it runs. */
void wardi_shortage_begin(void);

/* For ward_test_on_failure(): after a failed check, ends the process or the callback. */
__attribute__((noreturn)) void wardi_shortage_failed(void *arg, const char *file, int line,
						     const char *text);

#endif
