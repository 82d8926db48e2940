/* SPDX-License-Identifier: MIT
 *
 * orders.cc - messages that are called and look as those of test_names.cc, but are others.
 */
#include "cpp/orders.h"

namespace shop
{
struct order {
	int number;
};
WARD_MESSAGE(order);
} // namespace shop

namespace
{
struct hidden {
	int number;
};
WARD_MESSAGE(hidden);
} // namespace

const ward_type *orders_of_shop()
{
	return &shop::ward_type_order;
}

const ward_type *orders_unnamed()
{
	return &ward_type_hidden;
}

const ward_type *orders_within()
{
	struct local {
		int number;
	};
	WARD_MESSAGE(local);

	return &ward_type_local;
}
