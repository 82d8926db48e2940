/* SPDX-License-Identifier: MIT
 *
 * format.c - the text of a failure and its arguments do not match.
 *
 * refused: with -Werror
 * gcc: format '%d' expects argument of type 'int'
 * clang: format specifies type 'int' but the argument has type 'const char *'
 */
#include "common.h"

ward_result check(ward_self *self, const char *name);

ward_result check(ward_self *self, const char *name)
{
#ifdef CORRECT
	return ward_failed(self, &broken, "not a name: %s", name);
#else
	return ward_failed(self, &broken, "not a name: %d", name);
#endif
}
