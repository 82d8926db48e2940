/* SPDX-License-Identifier: MIT
 *
 * test_watch_across.c - watches of actors of another system: one notice each, with how it ended, or
 * that it is unreached (S198).
 */
#include <ward/ask.h>
#include <ward/codec.h>

#include "gate.h"
#include "two_systems.h"

/* ---- the end of the watched ---------------------------------------------------------------- */

static ward_result say_and_fail(ward_self *self, void *arg)
{
	script_tell(self, ((struct script *)arg)->ref, "before");
	return ward_failed(self, &bad_luck, "as told");
}

WARD_TEST(notice_says_how_the_watched_has_ended_behind_its_messages, "S198")
{
	struct two two = {.loop = NULL};

	two_start(&two, NULL);
	let(&two, &two.a, do_watch, &two.b);
	let_and_settle(&two, &two.a, do_watch, &two.d);
	let_and_settle(&two, &two.b, do_end, NULL);
	assert_journal_of("a", "gone b: normal b");
	journal_clear();
	script_say(two.right, two.d.ref, "");
	let_and_settle(&two, &two.d, say_and_fail, &two.a);
	ward_system_stop(ward_kit_system(two.right), two.d.ref);
	settle(&two);
	assert_journal_of("a", "before;gone d: stopped d");
	two_finish(&two);
}

static const ward_strategy stop_all = {.decide = script_decide};

static ward_result watch_child(ward_self *self, void *arg)
{
	ward_watch(self, ((struct script *)arg)->ref);
	return WARD_DONE;
}

WARD_TEST(notice_of_a_failure_has_its_class_by_value, "S198")
{
	struct script child = {.name = "child"};
	struct two two = {.b = {.strategy = &stop_all, .decides = WARD_STOP, .children = {&child}}};

	two_start(&two, NULL);
	let_and_settle(&two, &two.a, watch_child, &child);
	script_do(two.right, child.ref, say_and_fail, &two.a);
	settle(&two);
	assert_journal_of("a", "before;gone child: failed child bad_luck");
	two_finish(&two);
}

WARD_TEST(watch_of_one_that_has_ended_is_answered_unknown, "S198")
{
	struct two two = {.loop = NULL};

	two_start(&two, NULL);
	let_and_settle(&two, &two.b, do_end, NULL);
	let_and_settle(&two, &two.a, do_watch, &two.b);
	assert_journal_of("a", "gone b: unknown");
	two_finish(&two);
}

WARD_TEST(watch_repeated_is_one_and_each_watcher_has_its_own, "S198")
{
	struct two two = {.loop = NULL};

	two_start(&two, NULL);
	let(&two, &two.a, do_watch, &two.b);
	let(&two, &two.c, do_watch, &two.b);
	let_and_settle(&two, &two.a, do_watch, &two.b);
	let_and_settle(&two, &two.b, do_end, NULL);
	assert_journal_of("a", "gone b: normal b");
	assert_journal_of("c", "gone b: normal b");
	two_finish(&two);
}

/* ---- unwatch ------------------------------------------------------------------------------- */

WARD_TEST(unwatch_leaves_nothing_on_either_side, "S198")
{
	struct two two = {.loop = NULL};

	two_start(&two, &(ward_loop_options){.latency_ms = 20});
	let_and_settle(&two, &two.a, do_watch, &two.b);
	uint64_t blocks = ward_kit_blocks(two.right);

	for (int i = 0; i < 20; i++) {
		let_and_settle(&two, &two.a, do_unwatch, &two.b);
		let_and_settle(&two, &two.a, do_watch, &two.b);
	}
	ward_assert_eq(ward_kit_blocks(two.right), blocks);
	let_and_settle(&two, &two.a, do_unwatch, &two.b);
	ward_assert(ward_kit_blocks(two.right) < blocks);
	let_and_settle(&two, &two.b, do_end, NULL);
	assert_journal_of("a", "");
	two_finish(&two);
}

static ward_result unwatch_and_watch(ward_self *self, void *arg)
{
	do_unwatch(self, arg);
	return do_watch(self, arg);
}

WARD_TEST(watch_anew_that_crosses_the_end_has_one_notice, "S198")
{
	struct two two = {.loop = NULL};

	two_start(&two, &(ward_loop_options){.latency_ms = 20});
	let_and_settle(&two, &two.a, do_watch, &two.b);
	let(&two, &two.b, do_end, NULL);
	ward_kit_run(two.left); /* the notice is on its way */
	let_and_settle(&two, &two.a, unwatch_and_watch, &two.b);
	assert_journal_of("a", "gone b: normal b");
	two_finish(&two);
}

/* ---- the end of the association ------------------------------------------------------------ */

WARD_TEST(watch_ends_as_unreached_with_the_association_once, "S198")
{
	struct two two = {.loop = NULL};

	two_start(&two, NULL);
	let(&two, &two.a, do_watch, &two.b);
	let(&two, &two.a, do_watch, &two.d);
	let_and_settle(&two, &two.d, do_watch, &two.c);
	lose(&two);
	settle(&two);
	ward_assert_part(journal_of("a"), "gone b: unreached");
	ward_assert_part(journal_of("a"), "gone d: unreached");
	ward_assert_eq(strlen(journal_of("a")), strlen("gone b: unreached;gone d: unreached"));
	assert_journal_of("d", "gone c: unreached");
	journal_clear();
	let_and_settle(&two, &two.b, do_end, NULL);
	assert_journal_of("a", "");
	two_finish(&two);
}

WARD_TEST(watch_that_is_on_its_way_is_unreached_when_the_connection_breaks, "S198")
{
	struct two two = {.loop = NULL};

	two_start(&two, &(ward_loop_options){.latency_ms = 20});
	let(&two, &two.a, do_watch, &two.b);
	ward_kit_run(two.left);
	lose(&two);
	assert_journal_of("a", "gone b: unreached");
	two_finish(&two);
}

WARD_TEST(watch_of_an_association_that_is_closed_is_unreached_at_once, "S198")
{
	struct two two = {.loop = NULL};

	two_start(&two, NULL);
	lose(&two);
	let(&two, &two.a, do_watch, &two.b);
	ward_kit_run(two.left);
	assert_journal_of("a", "gone b: unreached");
	settle(&two);
	let_and_settle(&two, &two.a, do_watch, &two.b);
	let_and_settle(&two, &two.b, do_end, NULL);
	assert_journal_of("a", "gone b: unreached;gone b: normal b");
	two_finish(&two);
}

/* ---- for one pair together ----------------------------------------------------------------- */

struct question {
	int number;
};
WARD_MESSAGE_FIELDS(question, 1, WARD_FIELD(INT, question, number));
WARD_REPLY(question, question);
struct lost {
	int number;
};
WARD_MESSAGE_FIELDS(lost, 1, WARD_FIELD(INT, lost, number));

static ward_result ask_and_watch(ward_self *self, void *arg)
{
	ward_ref who = ((struct script *)arg)->ref;

	ward_watch_with(self, who, lost, .number = 5);
	ward_ask(self, who, 1, 1000, question, .number = 1);
	ward_ask(self, who, 2, 1000, question, .number = 2);
	return WARD_DONE;
}

static ward_result note_answers(ward_self *self, const ward_msg *msg)
{
	const struct lost *lost = ward_match(msg, lost);
	const struct question *answer = ward_match(msg, question);
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);

	if (lost != NULL)
		journal_note("a:lost %d of %s", lost->number, script_name(ward_msg_sender(msg)));
	else if (failed != NULL)
		journal_note("a:%u ends: %s", (unsigned)failed->tag, ward_err_text(failed->why));
	else if (answer != NULL)
		journal_note("a:%u: %d", (unsigned)ward_ask_tag(self), answer->number);
	else
		return note_ends(self, msg);
	return WARD_DONE;
}

static ward_result answer_first(ward_self *self, const ward_msg *msg)
{
	const struct question *asked = ward_match(msg, question);

	if (asked == NULL)
		return note_ends(self, msg);
	if (asked->number == 1)
		ward_answer(self, msg, question, .number = 10);
	return WARD_DONE;
}

WARD_TEST(watch_with_a_message_and_questions_of_one_pair_do_not_touch, "S198", "S201")
{
	for (int broken = 0; broken < 2; broken++) {
		struct two two = {.a.receive = note_answers, .b.receive = answer_first};
		char wanted[200];

		two_start(&two, NULL);
		let(&two, &two.a, ask_and_watch, &two.b);
		ward_kit_run(two.left);
		assert_journal_of("a", "1: 10");
		if (broken)
			lose(&two);
		else
			let(&two, &two.b, do_end, NULL);
		ward_kit_run(two.left);
		const char *err = ward_err_text(broken ? WARD_EUNREACHED : WARD_EDEAD);
		snprintf(wanted, sizeof wanted, "1: 10;lost 5 of b;2 ends: %s", err);
		const char *notes = journal_of("a");
		if (strcmp(notes, wanted) != 0) {
			snprintf(wanted, sizeof wanted, "1: 10;2 ends: %s;lost 5 of b", err);
			assert_journal_of("a", wanted);
		}
		two_finish(&two);
	}
}

/* ---- what cannot be watched ---------------------------------------------------------------- */

static ward_result watch_asker(ward_self *self, const ward_msg *msg)
{
	ward_ref asker = ward_msg_sender(msg);

	if (ward_match(msg, question) == NULL)
		return note_ends(self, msg);
	journal_note("b:%s", ward_err_text(ward_try_watch(self, asker)));
	journal_note("b:%s", ward_err_text(ward_try_link(self, asker)));
	journal_note("b:%s", ward_err_text(ward_exit(self, asker,
						     &(ward_exit_reason){.kind = WARD_EXIT_KILL})));
	ward_stop(self, asker);
	return WARD_DONE;
}

static ward_result ask_once(ward_self *self, void *arg)
{
	ward_ask(self, ((struct script *)arg)->ref, 1, 1000, question, .number = 1);
	return WARD_DONE;
}

WARD_TEST(question_of_another_system_is_not_watched_and_breaks_no_connection, "S198", "S199",
	  "S200", "S202")
{
	struct two two = {.a.receive = note_answers, .b.receive = watch_asker};
	char wanted[200];

	two_start(&two, NULL);
	let_and_settle(&two, &two.a, ask_once, &two.b);
	const char *foreign = ward_err_text(WARD_EFOREIGN);
	snprintf(wanted, sizeof wanted, "%s;%s;%s", foreign, foreign, foreign);
	assert_journal_of("b", wanted);
	ward_assert_eq(ward_loop_read_stats(two.loop).closed, 0);
	ward_assert(is_alive(&two, &two.a));
	two_finish(&two);
}

/* ---- many ---------------------------------------------------------------------------------- */

enum { MANY = 10000 };
static ward_ref *many;

static ward_result watch_many(ward_self *self, void *arg)
{
	for (int i = 0; i < *(int *)arg; i++)
		ward_watch(self, many[i]);
	return WARD_DONE;
}

static int notices;
static ward_result count_notices(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);

	(void)self;
	if (gone == NULL)
		return WARD_UNHANDLED;
	ward_assert_eq(gone->end, WARD_END_UNREACHED);
	notices++;
	return WARD_DONE;
}

static ward_result nothing(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}
static const ward_behavior idle = {.name = "idle", .receive = nothing};

WARD_TEST(ten_thousand_watches_end_at_once_with_one_notice_each, "S198")
{
	struct two two = {.a.receive = count_notices};
	int count = ward_test_shortage() ? 3 : MANY;

	notices = 0;
	many = calloc((size_t)count, sizeof *many);
	ward_assert(many != NULL);
	two_start(&two, NULL);
	for (int i = 0; i < count; i++)
		many[i] = ward_kit_spawn(two.right, &idle);
	let_and_settle(&two, &two.a, watch_many, &count);
	lose(&two);
	ward_assert_eq(notices, count);
	two_finish(&two);
	free(many);
}

/* ---- memory -------------------------------------------------------------------------------- */

WARD_TEST(watch_without_memory_is_refused_and_the_transport_decides, "S198")
{
	struct gate gate = {.place = 0};
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = true});
	struct script who = {.name = "who"};

	gate_spawn(kit, &gate, "x");
	script_spawn(kit, &who);
	const struct ward_outgoing nobody = {
		.kind = WARD_CONTROL_WATCH, .from = ward_nobody(), .to = who.ref};
	ward_assert_eq(gate_apply(kit, &gate, nobody), WARD_EINVAL);
	const struct ward_outgoing watch = {
		.kind = WARD_CONTROL_WATCH, .from = gate_peer(&gate), .to = who.ref};
	ward_assert_ok(gate_apply(kit, &gate, watch));
	ward_assert_ok(gate_apply(kit, &gate, watch));
	journal_clear();
	ward_system_stop(ward_kit_system(kit), who.ref);
	ward_kit_run(kit);
	assert_journal_of("gate", "terminated;terminated");
	script_finish(kit);
}

WARD_TEST_MAIN
