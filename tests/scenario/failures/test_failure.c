/* SPDX-License-Identifier: MIT
 *
 * test_failure.c - what a failure is, how it is reported, and what it does not do
 * (S11-S15, S17).
 *
 * Method: a family whose scripts fail in one hook after the other; events tell what was reported,
 * the journal what was done about it.
 */
#include <string.h>

#include "support/family_tree.h"

enum { ROUNDS = 40 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
static const ward_failure_class bad_day = {.name = "bad_day", .parent = &ward_exception};

/* ---- S11: which errors are failures ------------------------------------------------------ */

/* One failure of `a` in that hook, by return and by jump: reported once, to its parent. */
static void check_hook_failure_is_reported(enum script_hook hook, uint32_t call,
					   const ward_failure_class *reported)
{
	for (int jumps = 0; jumps < 2; jumps++) {
		struct family f = FAMILY;
		f.a.traps[0] = (struct script_trap){.hook = hook,
						    .first = call,
						    .failure_class = &bad_luck,
						    .jumps = jumps != 0};
		f.g.children[0] = &f.p;
		f.p.children[0] = &f.a;
		f.kit = script_start(NULL);
		script_spawn(f.kit, &f.g);
		if (hook == SCRIPT_RECEIVE)
			script_say(f.kit, f.a.ref, "on");
		if (hook == SCRIPT_POST_RESTART)
			script_break(f.kit, f.a.ref, &ward_exception);
		ward_kit_run(f.kit);
		size_t before = hook == SCRIPT_POST_RESTART;
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), before + 1);
		const ward_event *event =
			ward_kit_event(f.kit, WARD_EVENT_FAILURE, "sim/user/g/p/a", before);
		ward_assert_str(event->failure_class, reported->name);
		ward_assert_part(event->text, "trap");
		ward_assert_eq(ward_kit_stats(f.kit).failures, before + 1);
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

WARD_TEST(error_in_receive_is_a_failure, "S11", "S16")
{
	check_hook_failure_is_reported(SCRIPT_RECEIVE, 1, &bad_luck);
}

WARD_TEST(error_in_init_is_a_failure, "S11", "S42")
{
	check_hook_failure_is_reported(SCRIPT_INIT, 1, &ward_initialization);
}

WARD_TEST(error_in_pre_start_is_a_failure, "S11", "S42")
{
	check_hook_failure_is_reported(SCRIPT_PRE_START, 1, &ward_initialization);
}

WARD_TEST(error_in_post_restart_is_a_failure, "S11", "S37")
{
	check_hook_failure_is_reported(SCRIPT_POST_RESTART, 1, &ward_post_restart);
}

WARD_TEST(errors_in_pre_restart_and_post_stop_are_only_reported, "S11", "S33", "S46")
{
	for (int jumps = 0; jumps < 2; jumps++) {
		struct family f = FAMILY;
		/* post_stop fails within the default pre_restart, and at the end. */
		f.a.traps[0] =
			(struct script_trap){SCRIPT_PRE_RESTART, 1, 1, &bad_luck, jumps != 0};
		f.b.traps[0] = (struct script_trap){SCRIPT_POST_STOP, 1, 2, &bad_luck, jumps != 0};
		family_start(&f);
		script_break(f.kit, f.a.ref, &ward_exception);
		script_break(f.kit, f.b.ref, &ward_exception);
		ward_kit_run(f.kit);
		ward_system_stop(ward_kit_system(f.kit), f.b.ref);
		ward_kit_run(f.kit);
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 2);
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_HOOK_FAILURE, "*/p/a"), 1);
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_HOOK_FAILURE, "*/p/b"), 2);
		check_well(f.kit, &f.a);
		ward_assert_state(f.kit, f.b.ref, WARD_STATE_GONE);
		script_finish(f.kit);
	}
}

static ward_directive fail_to_decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)failure;
	if (strcmp(script_name(child), "a") == 0)
		ward_fail(self, &bad_day, "cannot decide");
	return WARD_RESTART;
}

WARD_TEST(error_in_the_strategy_is_a_failure_of_the_supervisor, "S11", "S19")
{
	struct family f = FAMILY;
	f.p.decide = fail_to_decide;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	ward_assert_str(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/g/p", 0)->failure_class,
			"bad_day");
	assert_journal("a:break;p:decide a;g:decide p");
	script_finish(f.kit);
}

/* ---- S12: what happens at a failure ------------------------------------------------------ */

WARD_TEST(failure_suspends_self_and_all_children, "S12")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		script_break(f.kit, f.p.ref, &bad_luck);
		ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_FAILED);
		script_say(f.kit, f.a.ref, "late");
		script_say(f.kit, f.b.ref, "late");
		ward_actor_info p;
		ward_assert(ward_kit_info(f.kit, f.p.ref, &p));
		ward_assert_eq(p.suspended, 1);
		ward_assert_part(p.last_failure, "bad_luck: break");
		while (strstr(journal_text(), "g:decide p") == NULL) {
			ward_actor_info a, b;
			ward_assert(ward_kit_info(f.kit, f.a.ref, &a));
			ward_assert(ward_kit_info(f.kit, f.b.ref, &b));
			seen += a.suspended == 1 && b.suspended == 1;
			ward_assert(ward_kit_step(f.kit));
		}
		assert_journal("p:break;g:decide p");
		ward_kit_run(f.kit);
		assert_journal_of("a", "late");
		assert_journal_of("b", "late");
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(escalation_does_not_suspend_the_perpetrator_again, "S12", "S27")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_ESCALATE;
		family_start(&f);
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_FAILED);
		while (strstr(journal_text(), "g:decide p") == NULL) {
			ward_actor_info a, b;
			ward_assert(ward_kit_info(f.kit, f.a.ref, &a));
			ward_assert(ward_kit_info(f.kit, f.b.ref, &b));
			ward_assert_eq(a.suspended, 1);
			seen += b.suspended == 1;
			ward_assert(ward_kit_step(f.kit));
		}
		ward_kit_run(f.kit);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

static ward_directive note_failure(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	journal_note("%s of %s: %s", ward_failure_class_of(failure)->name,
		     script_name(ward_failure_actor(failure)), ward_failure_text(failure));
	return WARD_RESUME;
}

WARD_TEST(report_names_class_text_and_actor, "S12")
{
	struct family f = FAMILY;
	f.p.decide = note_failure;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	assert_journal("a:break;p:decide a;bad_luck of a: break");
	script_finish(f.kit);
}

/* ---- S13: one failure at a time ---------------------------------------------------------- */

static ward_result fail_twice(ward_self *self, void *arg)
{
	(void)arg;
	if (ward_failed(self, &bad_luck, "the first") != WARD_FAILED)
		return WARD_DONE;
	ward_fail(self, &bad_day, "the second");
}

WARD_TEST(second_failure_of_one_callback_is_ignored, "S13")
{
	struct family f = FAMILY;
	f.p.decide = note_failure;
	family_start(&f);
	script_do(f.kit, f.a.ref, fail_twice, NULL);
	ward_kit_run(f.kit);
	assert_journal("p:decide a;bad_luck of a: the first");
	ward_assert_eq(ward_kit_stats(f.kit).failures, 1);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

WARD_TEST(child_that_fails_below_a_failed_parent_adds_no_report, "S13", "S7")
{
	/* Two escalations of p, one after the other: never a second report while one is open. */
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_ESCALATE;
		family_start(&f);
		if (family_break_both(&f)) {
			seen++;
			ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_FAILED);
			ward_assert_eq(ward_kit_stats(f.kit).failures, 3);
			ward_kit_run(f.kit);
			ward_assert_eq(ward_kit_stats(f.kit).failures, 4);
		}
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

/* ---- S14: reporting cannot fail ---------------------------------------------------------- */

static const ward_strategy resume_luck = {.rules = {{&bad_luck, WARD_RESUME}},
					  .otherwise = WARD_STOP};

WARD_TEST(failure_is_reported_with_its_class_when_memory_is_out, "S14", "S16")
{
	for (int of_parent = 0; of_parent < 2; of_parent++) {
		struct family f = FAMILY;
		f.g.strategy = &resume_luck;
		f.p.strategy = &resume_luck;
		family_start(&f);
		struct script *who = of_parent ? &f.p : &f.a;
		script_break(f.kit, who->ref, &bad_luck);
		ward_kit_fail_all_allocations(f.kit, true);
		ward_kit_run(f.kit);
		ward_kit_fail_all_allocations(f.kit, false);
		const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*", 0);
		ward_assert(ward_ref_equal(event->subject, who->ref));
		ward_assert_str(event->failure_class, "bad_luck");
		ward_assert_eq(event->directive, WARD_RESUME);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.p);
		script_finish(f.kit);
	}
}

/* ---- S15: reports of a former child ------------------------------------------------------ */

static ward_result spawn_and_fail(ward_self *self, void *arg)
{
	ward_assert_ok(script_spawn_child(self, arg));
	return ward_failed(self, &bad_luck, "with a new child");
}

static ward_result spawn_again(ward_self *self, const ward_failure *why)
{
	(void)why;
	return script_spawn_child(self, script_of(self)->arg) == WARD_OK ? WARD_DONE
									 : WARD_UNHANDLED;
}

WARD_TEST(report_of_a_child_that_a_restart_replaced_is_dropped, "S15")
{
	/* d fails at its start while p is failed, so its report waits. p's restart kills it and
	 * makes another one of the same name, which must not pay for it. */
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d", .traps = {{SCRIPT_PRE_START, .first = 1}}};
		f.g.decides = WARD_RESTART;
		f.p.post_restart = spawn_again;
		f.p.arg = &d;
		family_start(&f);
		script_do(f.kit, f.p.ref, spawn_and_fail, &d);
		ward_kit_run(f.kit);
		ward_assert(strstr(journal_text(), "decide d") == NULL);
		ward_assert(strstr(journal_text(), "d:pre_restart") == NULL);
		ward_assert_state(f.kit, d.ref, WARD_STATE_RUNNING);
		seen += strstr(journal_text(), "d:init;d:pre_start;g:decide p") != NULL;
		check_well(f.kit, &d);
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

/* ---- S17: the message and its sender ----------------------------------------------------- */

/* `b` sends the word that breaks `a`. */
static ward_result tell_break(ward_self *self, void *arg)
{
	script_tell_break(self, ((struct script *)arg)->ref, &bad_luck);
	return WARD_DONE;
}

WARD_TEST(failing_message_is_gone_and_the_rest_stays, "S17")
{
	for (ward_directive directive = WARD_RESUME; directive <= WARD_RESTART; directive++) {
		struct family f = FAMILY;
		f.p.decides = directive;
		family_start(&f);
		script_say(f.kit, f.a.ref, "one");
		script_break(f.kit, f.a.ref, &bad_luck);
		script_say(f.kit, f.a.ref, "two");
		script_say(f.kit, f.a.ref, "three");
		ward_kit_run(f.kit);
		if (directive == WARD_RESUME)
			assert_journal_of("a", "one;break;two;three");
		else
			assert_journal_of("a", "one;break;pre_restart;post_stop;init;post_restart;"
					       "pre_start;two;three");
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
		script_finish(f.kit);
	}
}

WARD_TEST(failing_message_is_dropped_once, "S17")
{
	for (ward_directive directive = WARD_RESUME; directive <= WARD_STOP; directive++) {
		struct family f = FAMILY;
		f.p.decides = directive;
		family_start(&f);
		int64_t words = script_words_left();
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run(f.kit);
		ward_assert_eq(script_words_left(), words);
		script_finish(f.kit);
	}
}

WARD_TEST(sender_of_a_failing_message_learns_nothing, "S17")
{
	struct family f = FAMILY;
	family_start(&f);
	script_do(f.kit, f.b.ref, tell_break, &f.a);
	ward_kit_run(f.kit);
	ward_assert_part(journal_text(), "a:break;p:decide a;a:pre_restart");
	assert_journal_of("b", "");
	script_finish(f.kit);
}

static ward_result reply_that_it_broke(ward_self *self, const ward_failure *why,
				       const ward_msg *msg)
{
	(void)why;
	ward_assert(msg != NULL);
	script_tell(self, ward_msg_sender(msg), "sorry");
	return WARD_DONE;
}

WARD_TEST(sender_of_a_failing_message_can_be_told_by_the_actor, "S17", "S31")
{
	struct family f = FAMILY;
	f.a.pre_restart = reply_that_it_broke;
	family_start(&f);
	script_do(f.kit, f.b.ref, tell_break, &f.a);
	ward_kit_run(f.kit);
	assert_journal_of("b", "sorry");
	script_finish(f.kit);
}

WARD_TEST_MAIN
