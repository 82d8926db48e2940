/* SPDX-License-Identifier: MIT
 *
 * callback_that_may_throw.cc - in C++, a callback that an exception may leave.
 *
 * refused: always
 * gcc: invalid conversion from
 * clang: different exception specifications
 */
#include <ward/ward.h>

#ifdef CORRECT
#define MAY_THROW noexcept
#else
#define MAY_THROW
#endif

static ward_result receive(ward_self *, void *, const ward_msg *) MAY_THROW
{
	return WARD_DONE;
}

ward_behavior behavior();

ward_behavior behavior()
{
	ward_behavior it = {};

	it.name = "thrower";
	it.receive = receive;
	return it;
}
