/* SPDX-License-Identifier: MIT
 *
 * arguments_without_type.c - arguments of an actor that do not say of what type they are.
 *
 * refused: with -Werror
 * gcc: initialization of 'const ward_type *'
 * clang: incompatible pointer types initializing 'const ward_type *'
 */
#include "common.h"

ward_err start(ward_system *system, const ward_behavior *behavior);

ward_err start(ward_system *system, const ward_behavior *behavior)
{
#ifdef CORRECT
	const ward_props props = {.behavior = behavior, .args = WARD_ARGS(note, .number = 1)};
#else
	const ward_props props = {.behavior = behavior, .args = &(struct note){.number = 1}};
#endif

	return ward_system_spawn(system, &props, NULL);
}
