/* SPDX-License-Identifier: MIT
 *
 * no_such_field.c - the message has no field of that name.
 *
 * refused: always
 * gcc: 'struct note' has no member named 'nubmer'
 * clang: field designator 'nubmer' does not refer to any field in type 'struct note'
 */
#include "common.h"

void inside(ward_self *self, ward_ref to);

void inside(ward_self *self, ward_ref to)
{
#ifdef CORRECT
	ward_tell(self, to, note, .number = 1);
#else
	ward_tell(self, to, note, .nubmer = 1);
#endif
}
