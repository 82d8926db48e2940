/* SPDX-License-Identifier: MIT
 *
 * test_ledger.c - a ledger that begins again, and the messages still in its mailbox.
 *
 * Goal: what children of an earlier ledger said is not taken into the account of this one, though
 * the order to begin of an earlier one lies in front of it. An end of input that is long overtaken
 * would let go of lines.
 * Method: the sink's own ledger, whose pre_start fails once behind the last thing it does.
 */
#include <ward/testkit.h>

#include "../failures.h"
#include "../ledger_inside.h"
#include "../messages.h"

static int starts, heard;
static bool begun_with[3]; /* after so many messages: had it begun */

static ward_result start_badly(ward_self *self, void *state)
{
	ward_result result = ledger_behavior.pre_start(self, state);
	return starts++ == 0 ? ward_failed(self, &store_failure, "once") : result;
}

static ward_result listen(ward_self *self, void *state, const ward_msg *msg)
{
	ward_result result = ledger_behavior.receive(self, state, msg);
	if (heard < 3)
		begun_with[heard++] = ((struct ledger *)state)->begun;
	return result;
}

WARD_TEST(a_ledger_begins_at_its_own_order_only)
{
	static struct job job = {.parsers = 1, .intake_source = -1, .chaos_source = -1};
	struct sources sources = {.folder = -1, .lock = -1};
	struct sink_args args = {.job = &job};
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.system.user_strategy = &top_strategy});
	ward_behavior behavior = ledger_behavior;
	behavior.pre_start = start_badly;
	behavior.receive = listen;
	job.db = (char *)"/nowhere/sink.db";
	job.sources = &sources;
	ward_kit_spawn(kit, &behavior, .name = "ledger", .args = {WARD_COPY(sink_args, &args)});
	while (heard < 2)
		ward_assert(ward_kit_step(kit));
	ward_assert_eq(starts, 2);
	ward_assert(!begun_with[0]);
	ward_assert(begun_with[1]);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
