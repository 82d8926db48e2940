/* SPDX-License-Identifier: MIT
 *
 * test_ledger.c - how a ledger begins, and the messages that are in its mailbox by then.
 *
 * Goal: what children of an earlier ledger said is not taken into the account of this one, though
 * the order to begin of an earlier one lies in front of it. An end of input that is long overtaken
 * would let go of lines. And the view sees each failure of the others, the first ones too.
 * Method: the sink's own ledger. For a second beginning its pre_start fails once behind the last
 * thing it does.
 */
#include <ward/testkit.h>

#include "../failures.h"
#include "../ledger_inside.h"
#include "../messages.h"

static int starts, heard;
static struct {
	bool begun;
	ward_ref view, keeper;
} after[4]; /* so many messages */

static ward_result start_badly(ward_self *self, void *state)
{
	ward_result result = ledger_behavior.pre_start(self, state);
	return starts++ == 0 ? ward_failed(self, &store_failure, "once") : result;
}

static ward_result listen(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ledger *me = state;
	ward_result result = ledger_behavior.receive(self, state, msg);
	if (++heard < 4) {
		after[heard].begun = me->begun;
		after[heard].view = ward_child(self, "view");
		after[heard].keeper = ward_child(self, "keeper");
	}
	return result;
}

/* Starts a ledger without input. */
static ward_kit *start(ward_result (*pre_start)(ward_self *self, void *state))
{
	static struct sources sources = {.folder = -1, .lock = -1};
	static struct job job = {.db = (char *)"/nowhere/sink.db",
				 .parsers = 1,
				 .intake_source = -1,
				 .chaos_source = -1,
				 .sources = &sources};
	static ward_behavior behavior;
	struct sink_args args = {.job = &job};
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.system.user_strategy = &top_strategy});
	behavior = ledger_behavior;
	behavior.pre_start = pre_start;
	behavior.receive = listen;
	starts = heard = 0;
	ward_kit_spawn(kit, &behavior, .name = "ledger", .args = {WARD_COPY(sink_args, &args)});
	return kit;
}

static void step_until_heard(ward_kit *kit, int messages)
{
	while (heard < messages)
		ward_assert(ward_kit_step(kit));
}

WARD_TEST(a_ledger_begins_at_its_own_order_only)
{
	ward_kit *kit = start(start_badly);
	step_until_heard(kit, 2);
	ward_assert_eq(starts, 2);
	ward_assert(ward_ref_is_nobody(after[1].view));
	ward_assert(!ward_ref_is_nobody(after[2].view));
	ward_assert(!after[2].begun);
	step_until_heard(kit, 3);
	ward_assert(after[3].begun);
	ward_kit_finish(kit);
}

WARD_TEST(the_writer_starts_when_the_view_is_subscribed)
{
	ward_kit *kit = start(ledger_behavior.pre_start);
	step_until_heard(kit, 1);
	ward_assert(ward_ref_is_nobody(after[1].keeper));
	step_until_heard(kit, 2);
	ward_assert_eq(ward_kit_state(kit, after[2].view), WARD_STATE_RUNNING);
	ward_assert(!ward_ref_is_nobody(after[2].keeper));
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
