/* SPDX-License-Identifier: MIT
 *
 * answer_copy_of_another_type.c - a question is answered with a struct that it does not promise.
 *
 * refused: with -Werror
 * gcc: pointer type mismatch in conditional expression
 * clang: pointer type mismatch
 */
#include "common.h"

void respond(ward_self *self, const ward_msg *msg);

void respond(ward_self *self, const ward_msg *msg)
{
#ifdef CORRECT
	const struct answer a = {0};
#else
	const struct note a = {0};
#endif

	ward_answer_copy(self, msg, question, &a);
}
