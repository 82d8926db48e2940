/* SPDX-License-Identifier: MIT
 *
 * object_method_of_another_type.c - a method takes another type than its row says.
 *
 * refused: always
 * gcc: conflicting types for 'journal_do_write'
 * clang: conflicting types for 'journal_do_write'
 */
#include "object.h"

struct journal {
	int64_t last;
};

#ifdef CORRECT
static ward_result journal_do_write(ward_self *self, struct journal *me, int64_t number)
#else
static ward_result journal_do_write(ward_self *self, struct journal *me, struct iban number)
#endif
{
	(void)self, (void)me, (void)number;
	return WARD_DONE;
}

WARD_OBJECT_CLASS(journal, JOURNAL);
