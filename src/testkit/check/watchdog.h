/* SPDX-License-Identifier: MIT
 *
 * watchdog.h - the thread that ends a case at its time limit, and lets others speak first.
 *
 * It lives in the process of the case, so what hangs can be looked at from inside: a hook prints,
 * say, the tree of a system. When all hooks have returned the case ends as timed out. Should one of
 * them hang as well, the runner kills the process after a period of grace.
 */
#ifndef WARDI_TESTKIT_WATCHDOG_H
#define WARDI_TESTKIT_WATCHDOG_H

#include <stdbool.h>

enum { WARDI_TESTKIT_HOOKS_MAX = 8 };

/* Has `print` called when a case reaches its limit: on the thread of the watchdog, while all other
 * threads of the case run or hang on. What it writes to stdout and stderr becomes diagnostics.
 * Hooks are called in the order in which they were set; a second setting of one changes nothing.
 * Any thread, before or in a case. */
void wardi_testkit_on_hang(void (*print)(void));

/* How long the runner waits for the hooks before it kills. Written by tests of the runner only,
 * before main(). */
extern unsigned wardi_testkit_grace_s;

/* Around the case, in its process. */
void wardi_testkit_watchdog_start(void);
void wardi_testkit_watchdog_stop(void);

/* False: WARD_TEST_TIMEOUT_S is set, and is no number of seconds. */
bool wardi_testkit_limit_is_sound(void);

void wardi_testkit_limit_reset(void);

#endif
