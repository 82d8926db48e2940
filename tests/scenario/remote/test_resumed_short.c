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

/* Its failures are decided, and its mail comes. */
static void check_child(struct family *f)
{
	f->p.decides = WARD_RESTART;
	journal_clear();
	script_break(f->kit, f->a.ref, &ward_exception);
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

WARD_TEST_MAIN
