/* SPDX-License-Identifier: MIT
 *
 * switch.c - what the options of a kit and WARD_FAR say.
 *
 * Threads: functions of their arguments, and of the environment.
 */
#include "testkit/far/switch.h"

#include <stdlib.h>
#include <string.h>

#include "testkit/check/case_result.h"

static bool environment_says(const char *what)
{
	const char *text = getenv("WARD_FAR");

	return text != NULL && strcmp(text, what) == 0;
}

bool wardi_far_by_bytes(void)
{
	return environment_says("bytes");
}

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

static bool environment_wants(void)
{
	return environment_says("1") || wardi_far_by_bytes();
}

bool wardi_far_wanted(const ward_kit_options *options)
{
	return is_possible(options) &&
	       (options->far_children || (environment_wants() && from_the_start()));
}

bool wardi_far_awaited(const ward_kit_options *options)
{
	return is_possible(options) && !options->far_children && environment_wants() &&
	       !from_the_start();
}
