/* SPDX-License-Identifier: MIT
 *
 * test_stop_itself.c - orders and watches that reach an actor after it has asked to stop itself,
 * and before the turn carries that out.
 *
 * Method: the callback that stops itself then does by hand what its parent would do on another
 * worker.
 */
#include "cell/command.h"
#include "cell/self.h"
#include "support/family_tree.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

/* What the parent orders. */
struct order {
	uint32_t suspends;
	bool restarts, stops;
};

static ward_result stop_and_get(ward_self *self, void *arg)
{
	const struct order *order = arg;
	struct wardi_cell *cell = self->cell;
	uint32_t gen = wardi_uid_gen(cell->uid);

	(void)ward_stop_self(self);
	ward_assert(self->stops);
	if (order->suspends > 0)
		wardi_command_suspend(NULL, cell, order->suspends);
	if (order->restarts)
		wardi_command_restart_for(NULL, cell,
					  wardi_failure_text(self->system, wardi_own_ref(self),
							     &bad_luck, WARDI_NO_FAILURE, "late"),
					  order->suspends);
	if (order->stops)
		wardi_command_stop(NULL, cell, gen);
	return WARD_DONE;
}

static void check_order(struct order order)
{
	struct family f = FAMILY;

	family_start(&f);
	script_do(f.kit, f.a.ref, stop_and_get, &order);
	ward_kit_run(f.kit);
	assert_journal_of("a", "post_stop");
	ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
	check_well(f.kit, &f.p);
	script_finish(f.kit);
}

WARD_TEST(stop_of_itself_wins_over_orders_under_way, "S25", "S41", "S45")
{
	check_order((struct order){.suspends = 1});
	check_order((struct order){.restarts = true});
	check_order((struct order){.suspends = 2, .restarts = true});
	check_order((struct order){.restarts = true, .stops = true});
	check_order((struct order){.stops = true});
}

/* The flag stands for the end of the lane: what is there already has to come first. */
static ward_result get_and_stop(ward_self *self, void *arg)
{
	(void)arg;
	wardi_command_suspend(NULL, self->cell, 1);
	(void)ward_stop_self(self);
	ward_assert(!self->stops);
	return WARD_DONE;
}

WARD_TEST(stop_of_itself_is_a_message_behind_what_waits_in_the_lane, "S45")
{
	struct family f = FAMILY;

	family_start(&f);
	script_do(f.kit, f.a.ref, get_and_stop, NULL);
	ward_kit_run(f.kit);
	assert_journal_of("a", "post_stop");
	ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
	script_finish(f.kit);
}

static ward_result stop_in_a_hook(ward_self *self, void *arg)
{
	(void)arg;
	(void)ward_stop_self(self);
	ward_assert(!self->stops);
	return WARD_DONE;
}

WARD_TEST(stop_of_itself_in_a_hook_is_a_message, "S45")
{
	struct script a = {.name = "a", .pre_start = stop_in_a_hook};
	ward_kit *kit = script_start(NULL);

	script_spawn(kit, &a);
	ward_kit_run(kit);
	assert_journal("a:init;a:pre_start;a:post_stop");
	ward_assert_state(kit, a.ref, WARD_STATE_GONE);
	script_finish(kit);
}

WARD_TEST_MAIN
