/* SPDX-License-Identifier: MIT
 *
 * match_into_another_struct.c - a message of one type is read as a struct of another.
 *
 * refused: with -Werror
 * gcc: from incompatible pointer type
 * clang: incompatible pointer types initializing
 */
#include "common.h"

ward_result receive(ward_self *self, void *state, const ward_msg *msg);

ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
#ifdef CORRECT
	const struct note *n = ward_match(msg, note);
#else
	const struct note *n = ward_match(msg, answer);
#endif

	(void)self, (void)state;
	return n ? WARD_DONE : WARD_UNHANDLED;
}
