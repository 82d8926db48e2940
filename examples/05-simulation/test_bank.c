/* SPDX-License-Identifier: MIT
 *
 * test_bank.c - how to find a bug that only some orders and faults show.
 *
 *	cd examples/05-simulation && cc *.c $(pkg-config --cflags --libs ward-testkit) -o test_bank
 *
 * A simulation runs the bank with many seeds: each run has another order and other faults. Prints
 * the number of runs and violations. With -DBROKEN the bank has a bug, and the simulation prints a
 * line that replays a run that fails, with as few faults as possible.
 */
#include <ward/testkit.h>

#include "bank.h"

static const ward_strategy try_everything_again = {.rules = {{&ward_exception, WARD_RESTART}}};

static bool receipts_are_true(void *arg)
{
	const struct books *books = arg;

	for (int i = 0; i < DEPOSITS; i++) {
		if (books->receipts[i] && !books->booked[i])
			return false;
	}
	return true;
}

static bool all_have_receipts(void *arg)
{
	const struct books *books = arg;

	for (int i = 0; i < DEPOSITS; i++) {
		if (!books->receipts[i])
			return false;
	}
	return true;
}

static ward_ref hire(ward_kit *kit, const char *name, const ward_behavior *behavior,
		     const struct world *world)
{
	return ward_kit_spawn(kit, behavior, .name = name, .args = {WARD_COPY(world, world)});
}

WARD_SIMULATION(no_deposit_is_lost, .faults = {.fail = 3, .lose = 2, .delay = 2, .horizon = 60},
		.kit.system.user_strategy = &try_everything_again)
{
	struct books books = {0};
	struct world world = {.books = &books};

	world.vault = hire(kit, "vault", &vault, &world);
	world.clerk = hire(kit, "clerk", &clerk, &world);
	hire(kit, "customer", &customer, &world);
	ward_simulation_eventually(kit, WARD_MINUTE, all_have_receipts, &books, "all receipts");
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
	ward_assert(receipts_are_true(&books));
}

WARD_TEST_MAIN
