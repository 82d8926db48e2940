/* SPDX-License-Identifier: MIT
 *
 * misspelt_field_of_a_spawn.c - a field of the props is misspelt in a spawn.
 *
 * refused: always
 * gcc: 'ward_props' has no member named 'nmae'
 * clang: field designator 'nmae' does not refer to any field in type 'ward_props'
 */
#include "common.h"

ward_ref start(ward_self *self, const ward_behavior *worker);

ward_ref start(ward_self *self, const ward_behavior *worker)
{
#ifdef CORRECT
	return ward_spawn(self, worker, .name = "one");
#else
	return ward_spawn(self, worker, .nmae = "one");
#endif
}
