/* SPDX-License-Identifier: MIT
 *
 * copy_of_another_type.c - a struct is sent as a message of another type.
 *
 * refused: with -Werror
 * gcc: pointer type mismatch in conditional expression
 * clang: pointer type mismatch
 */
#include "common.h"

void pass(ward_self *self, ward_ref to, const struct note *n);

void pass(ward_self *self, ward_ref to, const struct note *n)
{
#ifdef CORRECT
	ward_send(self, to, WARD_COPY(note, n));
#else
	ward_send(self, to, WARD_COPY(answer, n));
#endif
}
