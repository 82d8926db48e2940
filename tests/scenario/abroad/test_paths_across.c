/* SPDX-License-Identifier: MIT
 *
 * test_paths_across.c - paths of other nodes, ward://node/user/a: telling, patterns, identity, and
 * how far refs print (S203); threads outside that ask, wait and watch across (S204).
 */
#include <ward/ask.h>
#include <ward/codec.h>
#include <ward/inbox.h>
#include <ward/selection.h>

#include "two_systems.h"

struct question {
	int number;
};
WARD_MESSAGE_FIELDS(question, 1, WARD_FIELD(INT, question, number));
WARD_REPLY(question, question);
WARD_SIGNAL(hello);

enum { DIE = 99 };

static ward_result note_hello(ward_self *self, const ward_msg *msg)
{
	const struct question *asked = ward_match(msg, question);
	const struct ward_identity *identity = ward_match(msg, ward_identity);
	const char *name = script_of(self)->name;

	if (ward_match(msg, hello) != NULL)
		journal_note("%s:hello of %s", name, script_name(ward_msg_sender(msg)));
	else if (asked != NULL && asked->number == DIE)
		ward_stop_self(self);
	else if (asked != NULL)
		ward_answer(self, msg, question, .number = asked->number + 1);
	else if (identity != NULL)
		journal_note("%s:%u is %s", name, (unsigned)identity->tag,
			     identity->found ? script_name(identity->who) : "nobody");
	else
		return note_ends(self, msg);
	return WARD_DONE;
}

static void start(struct two *two, int64_t latency_ms)
{
	two->a.receive = two->b.receive = two->c.receive = two->d.receive = note_hello;
	two_start(two, &(ward_loop_options){.latency_ms = latency_ms});
}

static ward_result select_hello(ward_self *self, void *arg)
{
	ward_select_tell(self, (const char *)arg, hello);
	return WARD_DONE;
}

static ward_result select_identify(ward_self *self, void *arg)
{
	ward_select_tell(self, (const char *)arg, ward_identify, .tag = 7);
	return WARD_DONE;
}

static void select_and_settle(struct two *two, script_call *call, const char *path)
{
	journal_clear();
	let_and_settle(two, &two->a, call, (void *)(uintptr_t)path);
}

WARD_TEST(path_of_a_node_selects_there_with_the_sender, "S203")
{
	struct two two = {.loop = NULL};

	start(&two, 5);
	select_and_settle(&two, select_hello, "ward://right/user/b");
	assert_journal("b:hello of a");
	select_and_settle(&two, select_hello, "ward://right/user/*");
	assert_journal_of("b", "hello of a");
	assert_journal_of("d", "hello of a");
	assert_journal_of("a", "");
	journal_clear();
	ward_system_select_tell(ward_kit_system(two.left), "ward://right/user/d", hello);
	settle(&two);
	ward_assert_part(journal_text(), "d:hello of ");
	two_finish(&two);
}

WARD_TEST(path_of_a_node_identifies, "S203")
{
	struct two two = {.loop = NULL};

	start(&two, 5);
	select_and_settle(&two, select_identify, "ward://right/user/b");
	assert_journal("a:7 is b");
	select_and_settle(&two, select_identify, "ward://right/user/nobody");
	assert_journal("a:7 is nobody");
	two_finish(&two);
}

WARD_TEST(path_of_an_unknown_node_is_unreached, "S203")
{
	static const char *const paths[] = {"ward://other/user/b", "ward://righ*/user/b",
					    "ward:///user/b", "ward://"};
	struct two two = {.loop = NULL};

	start(&two, 0);
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		ward_kit_forget_events(two.left);
		select_and_settle(&two, select_hello, paths[i]);
		assert_journal("");
		ward_assert_eq(ward_kit_count(two.left, WARD_EVENT_DEAD_LETTER, "*"), 1);
		const ward_event *event = ward_kit_event(two.left, WARD_EVENT_DEAD_LETTER, "*", 0);
		ward_assert_eq(event->reason, WARD_REASON_UNREACHED);
		ward_assert_str(event->path, paths[i]);
	}
	select_and_settle(&two, select_identify, paths[0]);
	assert_journal("a:7 is nobody");
	two_finish(&two);
}

static ward_ref far_ref;
static ward_result tell_far(ward_self *self, void *arg)
{
	(void)arg;
	ward_tell(self, far_ref, hello);
	return WARD_DONE;
}

WARD_TEST(far_ref_prints_with_its_node_also_in_events, "S203")
{
	struct two two = {.loop = NULL};
	char path[100], wanted[100];

	start(&two, 0);
	ward_system_path(ward_kit_system(two.left), two.b.ref, path, sizeof path);
	snprintf(wanted, sizeof wanted, "ward://right/#%llx",
		 (unsigned long long)ward_ref_number(two.b.ref));
	ward_assert_str(path, wanted);
	lose(&two);
	far_ref = two.b.ref;
	let(&two, &two.a, tell_far, NULL);
	ward_kit_run(two.left);
	ward_assert_str(ward_kit_event(two.left, WARD_EVENT_DEAD_LETTER, "*", 0)->path, wanted);
	two_finish(&two);
}

/* ---- threads outside ----------------------------------------------------------------------- */

WARD_TEST(thread_outside_asks_and_waits_across, "S204")
{
	struct two two = {.loop = NULL};
	struct question answer;

	start(&two, 5);
	ward_system *left = ward_kit_system(two.left);

	ward_assert_ok(ward_system_ask(left, two.b.ref, 1000, &answer, question, .number = 4));
	ward_assert_eq(answer.number, 5);
	ward_assert_err(ward_system_wait_for(left, two.b.ref, 20), WARD_ETIMEDOUT);
	ward_assert_ok(ward_system_ask_stop(left, two.b.ref, 1000));
	ward_assert_ok(ward_system_wait_for(left, two.b.ref, 1000));
	ward_assert_err(ward_system_ask(left, two.b.ref, 1000, &answer, question, .number = 4),
			WARD_EDEAD);
	two_finish(&two);
}

WARD_TEST(thread_outside_that_asks_does_not_wait_for_who_has_ended_or_is_lost, "S204")
{
	for (int broken = 0; broken < 2; broken++) {
		struct two two = {.loop = NULL};
		struct question answer;

		start(&two, 5);
		ward_system *left = ward_kit_system(two.left);
		int64_t begin_ms = ward_kit_now_ms(two.left);

		if (broken)
			ward_loop_cut(two.loop, "left", "right");
		ward_assert_err(ward_system_ask(left, two.b.ref, 60 * WARD_MINUTE, &answer,
						question, .number = DIE),
				broken ? WARD_EUNREACHED : WARD_EDEAD);
		ward_assert(ward_kit_now_ms(two.left) - begin_ms < WARD_MINUTE);
		if (broken)
			ward_assert_part(ward_err_detail(), "not connected");
		two_finish(&two);
	}
}

WARD_TEST(thread_outside_is_not_left_waiting_for_what_is_unreached, "S204")
{
	struct two two = {.loop = NULL};
	struct question answer;

	start(&two, 0);
	ward_system *left = ward_kit_system(two.left);

	lose(&two);
	ward_assert_err(ward_system_ask(left, two.b.ref, 1000, &answer, question, .number = 4),
			WARD_EUNREACHED);
	ward_assert_part(ward_err_detail(), "not connected");
	ward_assert_err(ward_system_wait_for(left, two.b.ref, 1000), WARD_EUNREACHED);
	ward_assert_part(ward_err_detail(), "not connected");
	ward_assert_err(ward_system_ask_stop(left, two.b.ref, 1000), WARD_EUNREACHED);
	ward_assert_part(ward_err_detail(), "not connected");
	two_finish(&two);
}

WARD_TEST(inbox_watches_across, "S204")
{
	for (int broken = 0; broken < 2; broken++) {
		struct two two = {.loop = NULL};
		ward_inbox *inbox;
		const ward_msg *msg;

		start(&two, 0);
		ward_assert_ok(ward_inbox_create(ward_kit_system(two.left), NULL, &inbox));
		ward_assert_ok(ward_inbox_watch(inbox, two.b.ref));
		settle(&two);
		if (broken)
			lose(&two);
		else
			let_and_settle(&two, &two.b, do_end, NULL);
		ward_assert_ok(ward_inbox_receive(inbox, 1000, &msg));
		const struct ward_terminated *gone = ward_match(msg, ward_terminated);
		ward_assert(gone != NULL && ward_ref_equal(gone->who, two.b.ref));
		ward_assert_eq(gone->end, broken ? WARD_END_UNREACHED : WARD_END_NORMAL);
		ward_inbox_destroy(inbox);
		two_finish(&two);
	}
}

WARD_TEST_MAIN
