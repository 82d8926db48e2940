/* SPDX-License-Identifier: MIT
 *
 * test_selection.c - a selection that reaches a later life of a cell is a miss (S58).
 *
 * Method: the test is the root that looked for the cell in time and sends too late.
 */
#include "actor/selection.h"
#include "cell/table.h"
#include "support/script.h"

WARD_SIGNAL(greeting);

WARD_TEST(selection_for_an_earlier_life_is_a_miss, "S58")
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	script_spawn(kit, &a);

	struct wardi_cell *cell = wardi_table_cell(system, wardi_uid_slot(a.ref.uid));
	struct wardi_selection *it = wardi_selection_make(system, ward_nobody(), "/user/a");
	ward_assert(it != NULL);
	wardi_selection_load(
		it, wardi_msg_make(wardi_outside_source(system), &ward_type_greeting, NULL, 0),
		ward_nobody());
	/* its node comes first */
	ward_assert(wardi_sys_send(NULL, cell, wardi_uid_gen(a.ref.uid) + 1,
				   (struct wardi_sysmsg *)(void *)it));
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", 0)->reason,
		       WARD_REASON_NO_MATCH);
	ward_assert_eq(ward_kit_stats(kit).unhandled, 0);
	script_finish(kit);
}

WARD_TEST_MAIN
