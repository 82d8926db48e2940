/* SPDX-License-Identifier: MIT
 *
 * object_method_missing.c - a class has a row, and no function for it.
 *
 * refused: with -Werror
 * gcc: 'journal_do_write' used but never defined
 * clang: has internal linkage but is not defined
 */
#include "object.h"

struct journal {
	int64_t last;
};

#ifdef CORRECT
static ward_result journal_do_write(ward_self *self, struct journal *me, int64_t number)
{
	(void)self, (void)me, (void)number;
	return WARD_DONE;
}
#endif

WARD_OBJECT_CLASS(journal, JOURNAL);
