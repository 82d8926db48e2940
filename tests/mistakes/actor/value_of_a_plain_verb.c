/* SPDX-License-Identifier: MIT
 *
 * value_of_a_plain_verb.c - a plain verb is asked for a code: only the try_ verb has one.
 *
 * refused: always
 * gcc: void value not ignored as it ought to be
 * clang: statement requires expression of scalar type
 */
#include "common.h"

ward_result look(ward_self *self, ward_ref who);

ward_result look(ward_self *self, ward_ref who)
{
#ifdef CORRECT
	if (ward_try_watch(self, who))
#else
	if (ward_watch(self, who))
#endif
		return ward_failed(self, &broken, "not watched");
	return WARD_DONE;
}
