/* SPDX-License-Identifier: MIT
 *
 * hook_signature.c - a hook lacks a parameter.
 *
 * refused: with -Werror
 * gcc: from incompatible pointer type
 * clang: incompatible function pointer types initializing
 */
#include "common.h"

#ifdef CORRECT
static ward_result post_restart(ward_self *self, void *state, const ward_failure *why)
#else
static ward_result post_restart(ward_self *self, void *state)
#endif
{
	(void)self, (void)state;
#ifdef CORRECT
	(void)why;
#endif
	return WARD_DONE;
}

extern const ward_behavior keeper;
const ward_behavior keeper = {.name = "keeper", .post_restart = post_restart};
