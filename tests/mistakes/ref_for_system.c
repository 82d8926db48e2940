/* SPDX-License-Identifier: MIT
 *
 * ref_for_system.c - a ref stands where the system is wanted.
 *
 * refused: always
 * gcc: incompatible type for argument 1 of 'ward_system_send'
 * clang: passing 'ward_ref' (aka 'struct ward_ref') to parameter of incompatible type
 */
#include "common.h"

void outside(ward_system *system, ward_ref to);

void outside(ward_system *system, ward_ref to)
{
#ifdef CORRECT
	ward_system_tell(system, to, note, .number = 1);
#else
	(void)system;
	ward_system_tell(to, to, note, .number = 1);
#endif
}
