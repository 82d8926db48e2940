/* SPDX-License-Identifier: MIT
 *
 * give_of_another_type.c - a body is given away as a message of another type.
 *
 * refused: with -Werror
 * gcc: pointer type mismatch in conditional expression
 * clang: pointer type mismatch
 */
#include "common.h"

void pass(ward_self *self, ward_ref to, struct note *n);

void pass(ward_self *self, ward_ref to, struct note *n)
{
#ifdef CORRECT
	ward_give(self, to, note, &n);
#else
	ward_give(self, to, answer, &n);
#endif
}
