/* SPDX-License-Identifier: MIT
 *
 * answer_of_another_type.c - an answer is expected in a struct that the question does not promise.
 *
 * refused: with -Werror
 * gcc: pointer type mismatch in conditional expression
 * clang: pointer type mismatch
 */
#include "common.h"

ward_err ask(ward_system *system, ward_ref who);

ward_err ask(ward_system *system, ward_ref who)
{
#ifdef CORRECT
	struct answer a;
#else
	struct note a;
#endif

	return ward_system_ask(system, who, WARD_SECOND, &a, question, .number = 1);
}
