/* SPDX-License-Identifier: MIT
 *
 * test_names.cc - in C++ message types of one name are told apart by their namespaces.
 */
#include <cstring>

#include <ward/extend.h>
#include <ward/testkit.h>

#include "cpp/orders.h"

namespace bank
{
struct order {
	int number;
};
WARD_MESSAGE(order);
WARD_SIGNAL(close_down);
namespace night
{
struct order {
	int number;
};
WARD_MESSAGE_FLAT(order);
} // namespace night
struct owned {
	int *number;
};
static void drop(owned *it)
{
	delete it->number;
}
WARD_MESSAGE_DROP(owned, drop);
} // namespace bank

namespace
{
struct hidden {
	int number;
};
WARD_MESSAGE(hidden);
} // namespace

static const ward_type *within()
{
	struct local {
		int number;
	};
	WARD_MESSAGE(local);

	return &ward_type_local;
}

static const ward_type *within_another()
{
	struct local {
		int number;
	};
	WARD_MESSAGE(local);

	return &ward_type_local;
}

WARD_TEST(name_of_a_type_has_its_namespaces)
{
	ward_assert_str(bank::ward_type_order.name, "bank::order");
	ward_assert_str(bank::night::ward_type_order.name, "bank::night::order");
	ward_assert_str(bank::ward_type_close_down.name, "bank::close_down");
	ward_assert_str(bank::ward_type_owned.name, "bank::owned");
	ward_assert_str(orders_of_shop()->name, "shop::order");
	ward_assert(!ward_type_same(&bank::ward_type_order, &bank::night::ward_type_order));
	ward_assert(!ward_type_same(&bank::ward_type_order, &ward_type_order));
	ward_assert(!ward_type_same(&bank::ward_type_order, orders_of_shop()));
}

WARD_TEST(name_of_a_type_without_a_namespace_is_that_of_c)
{
	ward_assert_str(ward_type_order.name, "order");
	ward_assert(&ward_type_order != orders_in_c());
	ward_assert(ward_type_same(&ward_type_order, orders_in_c()));
}

/* One of each file, and two of one file. */
WARD_TEST(types_that_may_be_several_by_one_name_are_told_apart_by_their_place)
{
	ward_assert_part(ward_type_hidden.name, "test_names.cc:");
	ward_assert_part(orders_unnamed()->name, "orders.cc:");
	ward_assert(!ward_type_same(&ward_type_hidden, orders_unnamed()));
	ward_assert_part(within()->name, "test_names.cc:");
	ward_assert(!ward_type_same(within(), within_another()));
	ward_assert(!ward_type_same(within(), orders_within()));
}

static int seen_bank, seen_shop;

static ward_result receive(ward_self *, void *, const ward_msg *msg) noexcept
{
	seen_bank += ward_msg_body(msg, &bank::ward_type_order) != nullptr;
	seen_shop += ward_msg_body(msg, orders_of_shop()) != nullptr;
	return WARD_DONE;
}

WARD_TEST(message_of_another_namespace_is_another_message)
{
	ward_kit *kit = ward_kit_start(nullptr);
	ward_behavior behavior = {};
	ward_props props = {};
	bank::order body = {7};

	behavior.name = "clerk";
	behavior.receive = receive;
	props.behavior = &behavior;
	ward_ref clerk = ward_kit_spawn_props(kit, &props);
	ward_system_send(ward_kit_system(kit), clerk, &bank::ward_type_order, &body, sizeof body);
	ward_system_send(ward_kit_system(kit), clerk, orders_of_shop(), nullptr, 0);
	ward_system_send(ward_kit_system(kit), clerk, orders_of_shop(), nullptr, 0);
	ward_kit_run(kit);
	ward_assert_eq(seen_bank, 1);
	ward_assert_eq(seen_shop, 2);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
