/* SPDX-License-Identifier: MIT
 *
 * forgotten_return.c - the failure is noted, but not returned.
 *
 * refused: with -Werror
 * gcc: ignoring return value of 'ward_failed'
 * clang: ignoring return value of function declared with 'warn_unused_result'
 */
#include "common.h"

ward_result check(ward_self *self, int number);

ward_result check(ward_self *self, int number)
{
	if (number < 0)
#ifdef CORRECT
		return
#endif
			ward_failed(self, &broken, "a negative number: %d", number);
	return WARD_DONE;
}
