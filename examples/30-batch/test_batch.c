/* SPDX-License-Identifier: MIT
 *
 * test_batch.c - how to write in batches, and lose nothing: neither by a failure nor at the end.
 *
 *	cd examples/30-batch && cc *.c $(pkg-config --cflags --libs ward-testkit) -o batch
 *
 * Prints the result of each test. The last test is a simulation with many seeds, in which the
 * writer fails and stalls, and batches are late or lost.
 */
#include <ward/testkit.h>

#include "batch.h"

static void send_rows(ward_kit *kit, ward_ref it, int from, int to)
{
	for (int number = from; number < to; number++)
		ward_kit_tell(kit, it, row, number);
	ward_kit_run(kit);
}

static ward_ref start(ward_kit *kit, struct store *store)
{
	return ward_kit_spawn(kit, &collector, .args = WARD_ARGS(store_args, store));
}

WARD_TEST(batch_is_written_when_it_is_full_or_after_a_while)
{
	ward_kit *kit = ward_kit_start(NULL);
	struct store store = {0};
	ward_ref it = start(kit, &store);

	send_rows(kit, it, 0, 6);
	ward_assert_eq(store.row_count, BATCH_MAX);
	ward_kit_advance(kit, WAIT_MS);
	ward_assert_eq(store.row_count, 6);
	ward_assert_eq(store.batch_count, 2);
	ward_kit_finish(kit);
}

WARD_TEST(rows_outlive_a_writer_that_fails)
{
	ward_kit *kit = ward_kit_start(NULL);
	struct store store = {.failures = 3};
	ward_ref it = start(kit, &store);

	send_rows(kit, it, 0, 4);
	ward_kit_advance(kit, 2 * RETRY_MS);
	send_rows(kit, it, 4, 10);
	ward_assert_eq(store.row_count, 0);
	ward_assert_eq(ward_kit_stats(kit).restarts, 3);
	ward_kit_advance(kit, RETRY_MS);
	ward_assert_eq(store.row_count, 8);
	ward_kit_finish(kit);
}

WARD_TEST(shutdown_writes_the_rest)
{
	ward_kit *kit = ward_kit_start(NULL);
	struct store store = {.failures = 1};
	ward_ref it = start(kit, &store);

	send_rows(kit, it, 0, 3);
	ward_system_shutdown(ward_kit_system(kit), "test");
	ward_kit_advance(kit, RETRY_MS);
	ward_assert_eq(store.row_count, 3);
	ward_kit_finish(kit);
}

/* ---- rows at intervals that are drawn from the seed -------------------------------------- */

enum { ROWS = 60 };

static bool rows_are_in_order(void *arg)
{
	const struct store *store = arg;

	for (int i = 0; i < store->row_count; i++)
		if (store->rows[i] != i)
			return false;
	return true;
}
static bool all_rows_are_there(void *arg)
{
	return ((const struct store *)arg)->row_count == ROWS;
}

WARD_SIMULATION(each_row_is_written_once_and_in_order, .faults = {.fail = 4,
								  .lose = 3,
								  .delay = 3,
								  .stall = 3,
								  .horizon = 15,
								  .path = "*/collector*/writer"})
{
	struct store store = {0};
	ward_ref it = start(kit, &store);

	ward_simulation_invariant(kit, rows_are_in_order, &store, "rows are in order");
	for (int number = 0; number < ROWS; number++) {
		ward_kit_tell(kit, it, row, number);
		ward_kit_advance(kit,
				 (int64_t)(ward_test_seed() * 31 * (uint64_t)number % WAIT_MS));
	}
	ward_simulation_eventually(kit, WARD_MINUTE, all_rows_are_there, &store, "all rows");
}

WARD_TEST_MAIN
