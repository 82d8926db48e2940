/* SPDX-License-Identifier: MIT
 *
 * failed_with_no_such_field.c - the body of a failure has no field of that name.
 *
 * refused: always
 * gcc: 'struct note' has no member named 'nubmer'
 * clang: field designator 'nubmer' does not refer to any field in type 'struct note'
 */
#include "common.h"

ward_result inside(ward_self *self);

ward_result inside(ward_self *self)
{
#ifdef CORRECT
	return ward_failed_with(self, &broken, note, .number = 1);
#else
	return ward_failed_with(self, &broken, note, .nubmer = 1);
#endif
}
