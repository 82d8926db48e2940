/* SPDX-License-Identifier: MIT
 *
 * outside_without_system.c - a call from outside leaves out the system.
 *
 * refused: always
 * gcc: 'note' undeclared
 * clang: use of undeclared identifier 'note'
 */
#include "common.h"

void outside(ward_system *system, ward_ref to);

void outside(ward_system *system, ward_ref to)
{
#ifdef CORRECT
	ward_system_tell(system, to, note, .number = 1);
#else
	(void)system;
	ward_system_tell(to, note, .number = 1);
#endif
}
