/* SPDX-License-Identifier: MIT
 *
 * behavior_without_address.c - a behaviour in place of its address.
 *
 * refused: always
 * gcc: incompatible types when initializing type 'const ward_behavior *'
 * clang: take the address with &
 */
#include "common.h"

ward_ref start(ward_self *self);

static const ward_behavior worker = {.name = "worker"};

ward_ref start(ward_self *self)
{
#ifdef CORRECT
	return ward_spawn(self, &worker);
#else
	return ward_spawn(self, worker);
#endif
}
