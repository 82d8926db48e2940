/* SPDX-License-Identifier: MIT
 *
 * switch.c - what the options of a kit and WARD_FAR say.
 *
 * Threads: functions of their arguments, and of the environment.
 */
#include "testkit/far/switch.h"

#include "testkit/check/case_result.h"
#include "testkit/check/elsewhere.h"

static bool is_possible(const ward_kit_options *options)
{
	return !options->near_children && !options->real_threads && options->fail_allocation == 0;
}

/* Without a runner nobody could begin the case again. */
static bool from_the_start(void)
{
	return !wardi_testkit_has_runner() ||
	       atomic_load_explicit(&wardi_testkit_run->has_second_systems, memory_order_relaxed);
}

bool wardi_far_wanted(const ward_kit_options *options)
{
	return is_possible(options) &&
	       (options->far_children || (wardi_testkit_far() && from_the_start()));
}

bool wardi_far_awaited(const ward_kit_options *options)
{
	return is_possible(options) && !options->far_children && wardi_testkit_far() &&
	       !from_the_start();
}
