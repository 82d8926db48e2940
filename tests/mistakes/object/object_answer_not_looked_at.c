/* SPDX-License-Identifier: MIT
 *
 * object_answer_not_looked_at.c - nobody looks whether a method has answered.
 *
 * refused: with -Werror
 * gcc: ignoring return value of 'account_balance'
 * clang: ignoring return value of function declared with 'warn_unused_result'
 */
#include "object.h"

int64_t look(account_ref acc);

int64_t look(account_ref acc)
{
	int64_t cents = 0;

#ifdef CORRECT
	if (account_balance(acc, &cents) != WARD_OK)
		return 0;
#else
	account_balance(acc, &cents);
#endif
	return cents;
}
