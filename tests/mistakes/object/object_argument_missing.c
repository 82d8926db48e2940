/* SPDX-License-Identifier: MIT
 *
 * object_argument_missing.c - a method is called without its argument.
 *
 * refused: always
 * gcc: too few arguments to function 'account_deposit'
 * clang: too few arguments to function call, expected 2, have 1
 */
#include "object.h"

void pay(account_ref acc);

void pay(account_ref acc)
{
#ifdef CORRECT
	account_deposit(acc, 5);
#else
	account_deposit(acc);
#endif
}
