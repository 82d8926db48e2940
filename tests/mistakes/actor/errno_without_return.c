/* SPDX-License-Identifier: MIT
 *
 * errno_without_return.c - a failure with errno is noted, and the callback goes on by mistake.
 *
 * refused: with -Werror
 * gcc: ignoring return value of 'ward_failed_errno'
 * clang: ignoring return value of function declared with 'warn_unused_result'
 */
#include "common.h"

ward_result bind_it(ward_self *self, bool bound);

ward_result bind_it(ward_self *self, bool bound)
{
	if (!bound)
#ifdef CORRECT
		return ward_failed_errno(self, "bind");
#else
		ward_failed_errno(self, "bind");
#endif
	return WARD_DONE;
}
