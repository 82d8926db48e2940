/* SPDX-License-Identifier: MIT
 *
 * elsewhere.c - reads WARD_FAR and WARD_LOOP.
 *
 * Threads: functions of the environment.
 */
#include "testkit/check/elsewhere.h"

#include <stdlib.h>
#include <string.h>

static bool is(const char *variable, const char *value)
{
	const char *text = getenv(variable);

	return strcmp(text != NULL ? text : "", value) == 0;
}

bool wardi_testkit_far_by_bytes(void)
{
	return is("WARD_FAR", "bytes");
}

bool wardi_testkit_far(void)
{
	return is("WARD_FAR", "1") || wardi_testkit_far_by_bytes();
}

bool wardi_testkit_loop_by_bytes(void)
{
	return is("WARD_LOOP", "bytes");
}

bool wardi_testkit_far_is_sound(void)
{
	return is("WARD_FAR", "") || wardi_testkit_far();
}

bool wardi_testkit_loop_is_sound(void)
{
	return is("WARD_LOOP", "") || wardi_testkit_loop_by_bytes();
}
