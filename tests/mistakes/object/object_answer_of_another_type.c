/* SPDX-License-Identifier: MIT
 *
 * object_answer_of_another_type.c - the answer is expected in a variable of another type.
 *
 * refused: with -Werror
 * gcc: passing argument 2 of 'account_balance' from incompatible pointer type
 * clang: incompatible pointer types passing 'int *' to parameter of type 'int64_t *'
 */
#include "object.h"

ward_err look(account_ref acc);

ward_err look(account_ref acc)
{
#ifdef CORRECT
	int64_t cents;
#else
	int cents;
#endif

	return account_balance(acc, &cents);
}
