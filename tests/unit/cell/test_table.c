/* SPDX-License-Identifier: MIT
 *
 * test_table.c - the table of cells: chunks that grow, and cells that stay where they are.
 *
 * Method: actors at the top, so many that the table has chunks of all sizes. The allocator of the
 * kit fills what it gives, so a cell that was not zeroed shows.
 */
#include "cell/self.h"
#include "cell/table.h"
#include "support/script.h"

enum { MANY = 6000 };

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

static const ward_behavior idle = {.name = "idle", .receive = ignore};

static uint64_t bytes_of(ward_kit *kit)
{
	return ward_kit_stats(kit).memory_bytes;
}

WARD_TEST(slot_finds_its_cell_in_chunks_of_all_sizes)
{
	static struct wardi_cell *cells[MANY];
	ward_kit *kit = ward_kit_start(NULL);
	ward_system *system = ward_kit_system(kit);
	uint32_t count = ward_test_shortage() ? 40 : MANY;

	for (uint32_t i = 0; i < count; i++) {
		ward_ref ref;

		ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&idle), &ref));
		cells[i] = wardi_table_cell(system, wardi_uid_slot(ref.uid));
		ward_assert_eq(cells[i]->uid, ref.uid);
	}
	ward_kit_run(kit);
	/* All are where they were, side by side but where a chunk ends, and none is on another. */
	for (uint32_t i = 0; i < count; i++)
		ward_assert(wardi_table_cell(system, wardi_uid_slot(cells[i]->uid)) == cells[i]);
	for (uint32_t i = 0, ends = 0; i + 1 < count; i++) {
		ends += cells[i + 1] != cells[i] + 1;
		ward_assert(ends <= 10);
	}
	ward_assert(wardi_table_cell(system, system->table.used) == NULL);
	ward_kit_finish(kit);
}

WARD_TEST(first_actors_of_a_system_take_a_small_chunk)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_system *system = ward_kit_system(kit);
	uint64_t before = bytes_of(kit);
	ward_ref ref;

	for (int i = 0; i < 10; i++)
		ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&idle), &ref));
	ward_kit_run(kit);
	ward_assert(bytes_of(kit) - before < 64 * sizeof(struct wardi_cell));
	ward_kit_finish(kit);
}

WARD_TEST(questions_are_counted_on_through_the_lives_of_a_cell)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_system *system = ward_kit_system(kit);
	struct wardi_cell *cell, *other;
	ward_ref ref, neighbour, next;

	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&idle), &ref));
	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&idle), &neighbour));
	cell = wardi_table_cell(system, wardi_uid_slot(ref.uid));
	other = wardi_table_cell(system, wardi_uid_slot(neighbour.uid));
	ward_assert(wardi_cell_numbers(cell) != NULL);
	ward_assert_eq(wardi_cell_numbers(cell)->last, 0);
	wardi_cell_numbers(cell)->last = 7;
	ward_assert_eq(wardi_cell_numbers(other)->last, 0);
	ward_system_stop(system, ref);
	ward_kit_run(kit);
	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&idle), &next));
	ward_assert_eq(wardi_uid_slot(next.uid), wardi_uid_slot(ref.uid));
	ward_assert_eq(wardi_cell_numbers(cell)->last, 7);
	ward_kit_finish(kit);
}

/* ---- what a parent keeps of a child ------------------------------------------------------ */

static ward_result start_four(ward_self *self, void *state)
{
	static const char *const names[] = {NULL, "named", NULL, "other"};
	ward_ref refs[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		if (ward_try_spawn(self, WARD_PROPS(&idle, .name = names[i]), &refs[i]))
			return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	ward_assert(ward_ref_equal(ward_child(self, "idle$1"), refs[0]));
	ward_assert(ward_ref_equal(ward_child(self, "named"), refs[1]));
	ward_assert(ward_ref_equal(ward_child(self, "idle$2"), refs[2]));
	ward_assert(ward_ref_equal(ward_child(self, "other"), refs[3]));
	ward_assert(ward_ref_is_nobody(ward_child(self, "")));
	ward_assert(ward_ref_is_nobody(ward_child(self, "other$1")));
	ward_assert(ward_ref_is_nobody(ward_child(self, "$1")));
	return WARD_DONE;
}

/* A limit gives each child an entry, of which a name is a part. */
WARD_TEST(children_with_a_limit_have_their_names_all_the_same, "S56")
{
	static const ward_strategy limited = {.restarts_max = 3, .window_ms = 1000};
	static const ward_behavior parent = {
		.name = "parent", .receive = ignore, .pre_start = start_four};
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref ref;

	ward_assert_ok(ward_system_spawn(ward_kit_system(kit),
					 WARD_PROPS(&parent, .child_strategy = &limited), &ref));
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).failures, 0);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
