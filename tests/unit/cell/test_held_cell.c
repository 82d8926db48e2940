/* SPDX-License-Identifier: MIT
 *
 * test_held_cell.c - a free cell that a worker holds, for mail that came too late, hides no other.
 *
 * Method: all kept cells live but one, which the test holds as a worker would. Other free cells are
 * in a segment that was given back, or is whole.
 */
#include "base/list.h"
#include "cell/ready.h"
#include "cell/segments.h"
#include "cell/self.h"
#include "cell/table.h"
#include "mail/mailbox.h"
#include "mail/ref.h"
#include "unit/cell/segments.h"

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}

static const ward_behavior idle = {.name = "idle", .receive = ignore};
static ward_ref crowd[CROWD];

static void end_crowd(ward_kit *kit)
{
	for (int i = 0; i < CROWD; i++)
		ward_system_stop(ward_kit_system(kit), crowd[i]);
	ward_kit_run(kit);
}

/* Spawns until one cell is free in the segments that are in use, and takes hold of that. */
static struct wardi_cell *hold_the_last(ward_kit *kit)
{
	struct wardi_list *some = &ward_kit_system(kit)->table.some;
	struct wardi_segment *segment;
	struct wardi_cell *cell;
	ward_ref ref;

	ward_assert(!wardi_list_empty(some));
	for (;;) {
		segment = wardi_container_of(some->next, struct wardi_segment, link);
		if (segment->free_count == 1 && segment->link.next == some)
			break;
		ward_assert_ok(ward_system_spawn(ward_kit_system(kit), WARD_PROPS(&idle), &ref));
	}
	cell = wardi_container_of(segment->free.next, struct wardi_cell, sibling);
	ward_assert(wardi_mailbox_wake(&cell->mailbox));
	ward_kit_run(kit);
	return cell;
}

static void spawn_beside(ward_kit *kit, struct wardi_cell *held)
{
	ward_system *system = ward_kit_system(kit);
	ward_ref ref;

	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&idle), &ref));
	ward_assert(wardi_table_cell(system, wardi_uid_slot(ref.uid)) != held);
	wardi_cell_ready(NULL, held);
	ward_kit_run(kit);
	ward_kit_finish(kit);
}

WARD_TEST(held_cell_does_not_hide_a_row_that_comes_back)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_system *system = ward_kit_system(kit);
	int64_t now_ns = 0;
	struct wardi_cell *held;

	(void)spawn_crowd(system, &idle, crowd);
	ward_kit_run(kit);
	end_crowd(kit);
	tidy(system, now_ns);
	now_ns += WARDI_SEGMENTS_PERIOD_NS;
	tidy(system, now_ns);
	held = hold_the_last(kit);
	ward_assert(is_gone(system));
	spawn_beside(kit, held);
}

WARD_TEST(held_cell_does_not_hide_a_whole_row_at_the_limit)
{
	ward_kit *kit = ward_kit_start(
		&(ward_kit_options){.system = {.actors_max = WARDI_TABLE_KEPT + CELLS}});
	struct wardi_cell *held;

	(void)spawn_crowd(ward_kit_system(kit), &idle, crowd);
	ward_kit_run(kit);
	end_crowd(kit);
	held = hold_the_last(kit);
	ward_assert_eq(ward_kit_system(kit)->table.whole_count, 1);
	spawn_beside(kit, held);
}

WARD_TEST_MAIN
