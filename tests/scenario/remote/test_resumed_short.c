/* SPDX-License-Identifier: MIT
 *
 * test_resumed_short.c - a stand-in that fails for want of memory, and is resumed, goes on as any
 * child would (S190, S193).
 *
 * Method: two_nodes.h; the parent resumes whatever fails, and one allocation of a node finds no
 * memory: from the start on, or from a failure of the guest on.
 */
#include <string.h>

#include "two_nodes.h"

enum { WHILE_MS = 10000 };

static size_t decided(void)
{
	size_t count = 0;
	for (const char *at = journal_text(); (at = strstr(at, "p:decide a")) != NULL; at++)
		count++;
	return count;
}

/* Its failures are decided, also if nothing has come through the stand-in, and its mail comes. */
static void check_child(struct family *f)
{
	f->p.decides = WARD_RESTART;
	journal_clear();
	ward_kit *kit = has_guest(nodes.right, "/a") ? nodes.right : f->kit;
	script_break(kit, find_guest(kit, "/a"), &ward_exception);
	script_say(f->kit, f->a.ref, "well");
	ward_kit_advance(f->kit, WHILE_MS);
	ward_assert_part(journal_text(), "p:decide a");
	ward_assert_part(journal_of("a"), ";well");
}

/* Returns whether memory ran out. */
static bool resume_in_a_shortage(uint64_t nth, bool has_started, bool at_right)
{
	struct family f = FAMILY;
	f.p.decides = WARD_RESUME;
	begin_with(&f);
	if (has_started) {
		ward_kit_advance(f.kit, 100);
		script_break(f.kit, f.a.ref, &ward_exception);
	}
	ward_kit *kit = at_right ? nodes.right : f.kit;
	uint64_t made = ward_kit_allocations(kit);
	ward_kit_fail_allocation(kit, nth);
	ward_kit_advance(f.kit, has_started ? 100 : 20);
	bool short_of_memory = ward_kit_allocations(kit) - made >= nth;
	ward_kit_fail_allocation(kit, 0);
	ward_kit_advance(f.kit, WHILE_MS);
	ward_assert(decided() <= 2); /* the failure of the guest, and one for the shortage */
	if (ward_kit_is_alive(f.kit, f.a.ref))
		check_child(&f);
	finish(&f);
	return short_of_memory;
}

static void resume_in_shortages(bool has_started)
{
	for (int i = 0; i < 2; i++)
		for (uint64_t nth = 1; resume_in_a_shortage(nth, has_started, i == 1); nth++)
			if (ward_test_shortage())
				return; /* each round would be one for each allocation */
}

WARD_TEST(stand_in_that_is_resumed_in_a_shortage_of_its_start_goes_on, "S190", "S193")
{
	resume_in_shortages(false);
}

WARD_TEST(stand_in_that_is_resumed_in_a_shortage_goes_on, "S190")
{
	resume_in_shortages(true);
}

/* Nor for a timer: then a message shows that it was resumed, and is lost. */
WARD_TEST(stand_in_that_is_resumed_without_any_memory_starts_with_the_next_message, "S193")
{
	size_t lost = 0;
	WARD_TEST_SEEDS(20)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_RESUME;
		begin_with(&f);
		for (uint64_t i = 0; i < ward_test_seed(); i++)
			if (!ward_kit_step(f.kit))
				ward_kit_advance(f.kit, 1);
		ward_kit_fail_all_allocations(f.kit, true);
		ward_kit_advance(f.kit, 20);
		ward_kit_fail_all_allocations(f.kit, false);
		script_say(f.kit, f.a.ref, "first");
		ward_kit_advance(f.kit, 3 * WHILE_MS);
		lost += strstr(journal_of("a"), "first") == NULL;
		if (ward_kit_is_alive(f.kit, f.a.ref)) {
			journal_clear();
			script_say(f.kit, f.a.ref, "well");
			ward_kit_advance(f.kit, 100);
			assert_journal_of("a", "well");
		}
		finish(&f);
	}
	ward_test_seed_fixed() ? (void)0 : ward_assert(lost > 0);
}

WARD_TEST_MAIN
