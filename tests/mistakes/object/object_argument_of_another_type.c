/* SPDX-License-Identifier: MIT
 *
 * object_argument_of_another_type.c - a method is called with an argument of another type.
 *
 * refused: always
 * gcc: incompatible type for argument 2 of 'account_deposit'
 * clang: passing 'struct iban' to parameter of incompatible type 'int64_t'
 */
#include "object.h"

void pay(account_ref acc, struct iban to);

void pay(account_ref acc, struct iban to)
{
#ifdef CORRECT
	(void)to;
	account_deposit(acc, 5);
#else
	account_deposit(acc, to);
#endif
}
