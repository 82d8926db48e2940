/* SPDX-License-Identifier: MIT
 *
 * ref_for_self.c - a ref stands where the running actor is wanted.
 *
 * refused: always
 * gcc: incompatible type for argument 1 of 'ward_send'
 * clang: passing 'ward_ref' (aka 'struct ward_ref') to parameter of incompatible type 'ward_self *'
 */
#include "common.h"

void inside(ward_self *self, ward_ref to);

void inside(ward_self *self, ward_ref to)
{
#ifdef CORRECT
	ward_tell(self, to, note, .number = 1);
#else
	(void)self;
	ward_tell(to, to, note, .number = 1);
#endif
}
