/* SPDX-License-Identifier: MIT
 *
 * test_order_shortage.c - what a stand-in has to pass on to another node while memory runs out: a
 * signal, a decision, a restart (S191, S192).
 *
 * Method: two_nodes.h; each allocation that follows the order fails once.
 */
#include <string.h>

#include "two_nodes.h"

struct order {
	struct family f;
	struct script x;
	uint64_t nth; /* the allocation that fails, from the order on */
	script_call *give;
	bool fails; /* first */
	bool given;
};

static ward_result give_short_of_memory(ward_self *self, void *arg)
{
	struct order *order = arg;
	ward_kit_fail_allocation(order->f.kit, order->nth);
	return order->give(self, order);
}

/* a is on the other node. If it fails, it waits for a decision, and its stand-in is suspended. Then
 * `from` gives an order. Returns whether memory ran out. */
static bool order_with_a_shortage(struct order *order, struct script *from)
{
	struct family *f = &order->f;
	uint64_t made;
	begin(f);
	script_spawn(f->kit, &order->x);
	if (order->fails) {
		f->p.decides = WARD_LATER;
		script_break(f->kit, f->a.ref, &ward_exception);
		ward_kit_advance(f->kit, 100);
	}
	made = ward_kit_allocations(f->kit);
	script_do(f->kit, from->ref, give_short_of_memory, order);
	ward_kit_advance(f->kit, 100);
	ward_kit_fail_allocation(f->kit, 0);
	return ward_kit_allocations(f->kit) - made >= order->nth;
}

static ward_result give_signal(ward_self *self, void *arg)
{
	static const ward_exit_reason enough = {WARD_EXIT_OTHER, "enough", ""};
	struct order *order = arg;
	order->given = ward_exit(self, order->f.a.ref, &enough) == WARD_OK;
	return WARD_DONE;
}

WARD_TEST(signal_to_a_suspended_stand_in_is_not_lost_in_a_shortage, "S192")
{
	uint64_t nth = 1;
	bool short_of_memory = true;
	for (; short_of_memory; nth++) {
		struct order order = {.f = FAMILY,
				      .x = {.name = "x"},
				      .nth = nth,
				      .give = give_signal,
				      .fails = true};
		short_of_memory = order_with_a_shortage(&order, &order.x);
		ward_assert_eq(strstr(journal_of("a"), "post_stop") != NULL, order.given);
		finish(&order.f);
		if (ward_test_shortage())
			return; /* each round would be one for each allocation */
	}
	ward_assert(nth > 3); /* the signal, and what carries it to the other node */
}

static ward_result resume(ward_self *self, void *arg)
{
	struct order *order = arg;
	order->f.p.decides = WARD_RESTART; /* what fails by the shortage, or again */
	order->given = ward_decide(self, order->f.a.ref, WARD_RESUME) == WARD_OK;
	return WARD_DONE;
}

static ward_result restart(ward_self *self, void *arg)
{
	struct order *order = arg;
	order->f.p.decides = WARD_RESTART;
	order->given = ward_restart_child(self, order->f.a.ref, &ward_exception, "") == WARD_OK;
	return WARD_DONE;
}

/* It may end for the shortage, be moved to the other node, or go on; but not as if nothing had been
 * ordered. */
static void check_order(struct order *order)
{
	const char *wanted = order->give == restart ? "post_stop;" : "";
	ward_kit_advance(order->f.kit, WARD_MINUTE);
	if (!order->given || !ward_kit_is_alive(order->f.kit, order->f.a.ref))
		return;
	ward_assert_part(journal_of("a"), wanted);
	journal_clear();
	script_say(order->f.kit, order->f.a.ref, "well");
	ward_kit_advance(order->f.kit, 100);
	assert_journal_of("a", "well");
}

static void verdict_with_shortages(script_call *give)
{
	uint64_t nth = 1;
	bool short_of_memory = true;
	for (; short_of_memory; nth++) {
		struct order order = {
			.f = FAMILY, .nth = nth, .give = give, .fails = give == resume};
		short_of_memory = order_with_a_shortage(&order, &order.f.p);
		check_order(&order);
		finish(&order.f);
		if (ward_test_shortage())
			return;
	}
	ward_assert(nth > 3);
}

WARD_TEST(verdict_is_not_lost_in_a_shortage, "S191")
{
	verdict_with_shortages(resume);
}

WARD_TEST(restart_without_a_failure_is_not_lost_in_a_shortage, "S191")
{
	verdict_with_shortages(restart);
}

WARD_TEST_MAIN
