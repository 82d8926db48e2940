/* SPDX-License-Identifier: MIT
 *
 * test_faulty_inbox.c - the actor behind an inbox is to fail whenever it gets a call: the thread of
 * the inbox is answered all the same.
 */
#include <string.h>

#include <ward/inbox.h>
#include <ward/testkit.h>
#include <ward/ward.h>

static int asked;

static ward_fault fail_calls(void *arg, ward_system *system, const ward_occasion *it)
{
	(void)arg, (void)system;
	if (it->point != WARD_POINT_RECEIVE || it->type == NULL ||
	    strncmp(it->type->name, "ward.", 5) != 0)
		return (ward_fault){WARD_FAULT_NONE, 0};
	asked++;
	return (ward_fault){WARD_FAULT_FAIL_BEFORE, 0};
}

static ward_result idle_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_DONE;
}
static const ward_behavior idle = {.name = "idle", .receive = idle_receive};

WARD_TEST(calls_of_an_inbox_are_no_occasion_for_a_failure)
{
	static const ward_simulation faults = {.fault = fail_calls};
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.simulation = &faults});
	ward_ref who = ward_kit_spawn(kit, &idle);
	ward_inbox *inbox;
	const ward_msg *msg;

	ward_assert_ok(ward_inbox_create(ward_kit_system(kit), NULL, &inbox));
	ward_assert_ok(ward_inbox_watch(inbox, who));
	ward_assert_ok(ward_inbox_unwatch(inbox, who));
	ward_assert_ok(ward_inbox_watch(inbox, who));
	ward_kit_stop(kit, who);
	ward_assert_ok(ward_inbox_receive(inbox, WARD_SECOND, &msg));
	ward_assert(ward_match(msg, ward_terminated) != NULL);
	ward_assert_eq(asked, 0);
	ward_inbox_destroy(inbox);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
