/* SPDX-License-Identifier: MIT
 *
 * code_not_looked_at.c - nobody looks whether the spawn went well.
 *
 * refused: with -Werror
 * gcc: ignoring return value of 'ward_try_spawn'
 * clang: ignoring return value of function declared with 'warn_unused_result'
 */
#include "common.h"

ward_result start(ward_self *self, const ward_props *props);

ward_result start(ward_self *self, const ward_props *props)
{
#ifdef CORRECT
	if (ward_try_spawn(self, props, NULL) != WARD_OK)
		return ward_failed(self, &broken, "no child: %s", ward_err_detail());
#else
	ward_try_spawn(self, props, NULL);
#endif
	return WARD_DONE;
}
