/* SPDX-License-Identifier: MIT
 *
 * object_of_another_class.c - a method is called of an object of another class.
 *
 * refused: always
 * gcc: incompatible type for argument 1 of 'account_deposit'
 * clang: to parameter of incompatible type 'account_ref'
 */
#include "object.h"

void pay(account_ref acc, journal_ref other);

void pay(account_ref acc, journal_ref other)
{
	(void)acc, (void)other;
#ifdef CORRECT
	account_deposit(acc, 5);
#else
	account_deposit(other, 5);
#endif
}
