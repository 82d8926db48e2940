/* SPDX-License-Identifier: MIT
 *
 * plain_verb_outside.c - a thread outside uses a plain verb, which is for actors.
 *
 * refused: with -Werror
 * gcc: expected 'ward_self *' but argument is of type 'ward_system *'
 * clang: incompatible pointer types passing 'ward_system *'
 */
#include "common.h"

ward_ref start(ward_system *system, const ward_behavior *worker);

ward_ref start(ward_system *system, const ward_behavior *worker)
{
#ifdef CORRECT
	ward_ref child = ward_nobody();

	return ward_system_spawn(system, WARD_PROPS(worker), &child) == WARD_OK ? child
										: ward_nobody();
#else
	return ward_spawn(system, worker);
#endif
}
