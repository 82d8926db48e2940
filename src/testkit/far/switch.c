/* SPDX-License-Identifier: MIT
 *
 * switch.c - what the options of a kit and WARD_FAR say.
 *
 * Threads: functions of their arguments, and of the environment.
 */
#include "testkit/far/switch.h"

#include <stdlib.h>
#include <string.h>

static bool environment_says(const char *what)
{
	const char *text = getenv("WARD_FAR");

	return text != NULL && strcmp(text, what) == 0;
}

bool wardi_far_by_bytes(void)
{
	return environment_says("bytes");
}

bool wardi_far_wanted(const ward_kit_options *options)
{
	if (options->near_children || options->real_threads || options->fail_allocation != 0)
		return false;
	return options->far_children || environment_says("1") || wardi_far_by_bytes();
}
