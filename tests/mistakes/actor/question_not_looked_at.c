/* SPDX-License-Identifier: MIT
 *
 * question_not_looked_at.c - nobody looks whether the question was accepted; else nothing comes.
 *
 * refused: with -Werror
 * gcc: ignoring return value of 'ward_try_ask_send'
 * clang: ignoring return value of function declared with 'warn_unused_result'
 */
#include "common.h"

ward_result wonder(ward_self *self, ward_ref who);

ward_result wonder(ward_self *self, ward_ref who)
{
#ifdef CORRECT
	if (ward_try_ask(self, who, 1, WARD_SECOND, question, .number = 7) != WARD_OK)
		return ward_failed(self, &broken, "not asked: %s", ward_err_detail());
#else
	ward_try_ask(self, who, 1, WARD_SECOND, question, .number = 7);
#endif
	return WARD_DONE;
}
