/* SPDX-License-Identifier: MIT
 *
 * err_as_result.c - a code of a call is returned as the result of a callback.
 *
 * refused: with -Werror
 * gcc: implicit conversion from 'ward_err' to 'ward_result'
 * clang: implicit conversion from enumeration type 'ward_err'
 */
#include "common.h"

ward_result start(ward_self *self, const ward_props *props);

ward_result start(ward_self *self, const ward_props *props)
{
#ifdef CORRECT
	ward_err err = ward_try_spawn(self, props, NULL);

	return err == WARD_OK ? WARD_DONE : ward_failed(self, &broken, "no child");
#else
	return ward_try_spawn(self, props, NULL);
#endif
}
