/* SPDX-License-Identifier: MIT
 *
 * failure_body_of_another_type.c - the body of a failure is read as a struct of another type.
 *
 * refused: with -Werror
 * gcc: from incompatible pointer type
 * clang: incompatible pointer types initializing
 */
#include "common.h"

ward_directive decide(ward_self *self, ward_ref child, const ward_failure *failure);

ward_directive decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
#ifdef CORRECT
	const struct note *n = ward_failure_body(failure, note);
#else
	const struct note *n = ward_failure_body(failure, answer);
#endif

	(void)self, (void)child;
	return n ? WARD_RESUME : WARD_STOP;
}
