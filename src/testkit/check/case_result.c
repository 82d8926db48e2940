/* SPDX-License-Identifier: MIT
 *
 * case_result.c - the memory that the process of a case shares with the runner.
 */
#include "testkit/check/case_result.h"

static struct wardi_testkit_run alone;
struct wardi_testkit_run *wardi_testkit_run = &alone;

bool wardi_testkit_has_runner(void)
{
	return wardi_testkit_run != &alone;
}
