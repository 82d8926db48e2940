/* SPDX-License-Identifier: MIT
 *
 * test_timer_poison_pill.c - a timer whose message ends its actor: what its tick leaves on the
 * worker.
 */
#include "support/script.h"

static ward_result start_pill(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_timer_start(self, &(ward_timer){.key = 1, .after_ms = 10},
					    &ward_type_ward_poison_pill, NULL, 0));
	return WARD_DONE;
}

static ward_result note_periods(ward_self *self, void *arg)
{
	(void)arg;
	journal_note("periods %d", (int)ward_timer_periods(self));
	return WARD_DONE;
}

WARD_TEST(periods_of_a_tick_that_ends_its_actor_are_nobody_elses, "S87")
{
	struct script mortal = {.name = "mortal"}, other = {.name = "other"};
	ward_kit *kit = script_start(NULL);

	script_spawn(kit, &mortal);
	script_spawn(kit, &other);
	script_do(kit, mortal.ref, start_pill, NULL);
	ward_kit_advance(kit, 10);
	ward_assert(!ward_kit_is_alive(kit, mortal.ref));
	journal_clear();
	script_do(kit, other.ref, note_periods, NULL);
	ward_kit_run(kit);
	assert_journal("periods 0");
	script_finish(kit);
}

WARD_TEST_MAIN
