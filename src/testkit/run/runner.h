/* SPDX-License-Identifier: MIT
 *
 * runner.h - the runner: one forked process for each case, TAP on stdout.
 */
#ifndef WARDI_TESTKIT_RUNNER_H
#define WARDI_TESTKIT_RUNNER_H

#include <stdbool.h>

struct wardi_testkit_run;

/* Whether a runner stands above this process, and reads what the case leaves there. */
bool wardi_testkit_has_runner(void);

/* Of this process alone, until the runner puts one in its place that it shares with its cases. */
extern struct wardi_testkit_run *wardi_testkit_run;

#endif
