/* SPDX-License-Identifier: MIT
 *
 * system_for_self.c - a thread outside uses a call of the actors.
 *
 * refused: with -Werror
 * gcc: passing argument 1 of 'ward_stop' from incompatible pointer type
 * clang: incompatible pointer types passing 'ward_system *'
 */
#include "common.h"

void outside(ward_system *system, ward_ref who);

void outside(ward_system *system, ward_ref who)
{
#ifdef CORRECT
	ward_system_stop(system, who);
#else
	ward_stop(system, who);
#endif
}
