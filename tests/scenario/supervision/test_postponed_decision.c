/* SPDX-License-Identifier: MIT
 *
 * test_postponed_decision.c - a decider that answers WARD_LATER, and the decision that follows.
 *
 * Method: a family whose p puts each failure off and is told in a message of its own what to
 * decide. What happens meanwhile is in test_postponed_decision_meanwhile.c, escalation in
 * test_postponed_decision_escalate.c.
 */
#include <stdio.h>

#include "postponed_decision.h"

#include "support/elsewhere.h"

#define RESTARTED "pre_restart;post_stop;init;post_restart;pre_start"

enum { ROUNDS = 40 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
WARD_TEST_FAILURE_CLASSES(&bad_luck);

static void break_and_run(struct family *f, const struct script *who)
{
	script_break(f->kit, who->ref, &bad_luck);
	ward_kit_run(f->kit);
}

/* A family whose a has failed, and waits. */
static void start_and_put_off(struct family *f)
{
	f->p.decides = WARD_LATER;
	family_start(f);
	break_and_run(f, &f->a);
	assert_journal("a:break;p:decide a");
}

/* ---- waiting ------------------------------------------------------------------------------- */

WARD_TEST(later_leaves_the_child_and_all_below_it_suspended, "S12", "S18")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.a.children[0] = &d;
		start_and_put_off(&f);
		ward_assert_state(f.kit, f.a.ref, WARD_STATE_FAILED);
		check_waits(&f, &f.a, 1);
		check_waits(&f, &d, 1);
		check_well(f.kit, &f.b);
		check_well(f.kit, &f.p);
		journal_clear();
		decide(&f, &f.a, WARD_RESUME);
		assert_journal_of("a", "mail");
		assert_journal_of("d", "mail");
		check_well(f.kit, &d);
		script_finish(f.kit);
	}
}

WARD_TEST(later_is_called_later)
{
	ward_assert_eq(WARD_LATER, 5);
	ward_assert_str(ward_directive_text(WARD_LATER), "later");
}

/* ---- the decision -------------------------------------------------------------------------- */

/* What a notes when p decides so, at once or later. */
static const char *story(ward_directive directive, bool later, const ward_strategy *strategy,
			 const char *name)
{
	struct family f = FAMILY;
	f.p.strategy = strategy;
	f.p.decides = later ? WARD_LATER : directive;
	family_start(&f);
	break_and_run(&f, &f.a);
	if (later)
		decide(&f, &f.a, directive);
	static char text[512];
	snprintf(text, sizeof text, "%s -> %s", journal_of(name),
		 ward_kit_state_text(ward_kit_state(f.kit, f.a.ref)));
	script_finish(f.kit);
	return text;
}

WARD_TEST(decision_does_what_an_answer_at_once_does, "S22", "S23", "S24", "S25")
{
	static const char *const names[] = {"a", "b", "p"};
	const ward_strategy *strategies[] = {&script_one, &script_all};
	for (ward_directive directive = WARD_RESUME; directive <= WARD_STOP; directive++) {
		for (int i = 0; i < 6; i++) {
			char at_once[512];
			snprintf(at_once, sizeof at_once, "%s",
				 story(directive, false, strategies[i % 2], names[i / 2]));
			ward_assert_str(story(directive, true, strategies[i % 2], names[i / 2]),
					at_once);
		}
	}
}

static ward_result note_why(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	(void)self;
	journal_note("%s: %s, of %s", ward_failure_class_of(why)->name, ward_failure_text(why),
		     word->text);
	return WARD_DONE;
}

static ward_result note_why_again(ward_self *self, const ward_failure *why)
{
	(void)self;
	journal_note("%s", ward_failure_class_of(why)->name);
	return WARD_DONE;
}

WARD_TEST(restart_decided_later_has_the_failure_and_its_message, "S31", "S35")
{
	struct family f = FAMILY;
	f.a.pre_restart = note_why;
	f.a.post_restart = note_why_again;
	start_and_put_off(&f);
	journal_clear();
	decide(&f, &f.a, WARD_RESTART);
	assert_journal("a:pre_restart;bad_luck: break, of break;a:post_stop;a:init;"
		       "a:post_restart;bad_luck;a:pre_start");
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

static const ward_strategy once = {.decide = script_decide, .restarts_max = 1};
static const ward_strategy all_once = {
	.scope = WARD_ALL_FOR_ONE, .decide = script_decide, .restarts_max = 1};

WARD_TEST(limit_is_charged_when_it_is_decided, "S23", "S72")
{
	struct family f = FAMILY;
	f.p.strategy = &once;
	start_and_put_off(&f);
	decide(&f, &f.a, WARD_RESTART);
	check_well(f.kit, &f.a);
	break_and_run(&f, &f.a);
	ward_kit_forget_events(f.kit);
	journal_clear();
	decide(&f, &f.a, WARD_RESTART);
	assert_journal("a:post_stop");
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0);
	ward_assert_eq(event->directive, WARD_RESTART);
	ward_assert_eq(event->denied, 1);
	ward_assert_eq(event->restarts, 2);
	script_finish(f.kit);
}

WARD_TEST(denied_restart_of_all_stops_all, "S24")
{
	struct family f = FAMILY;
	f.p.strategy = &all_once;
	start_and_put_off(&f);
	decide(&f, &f.a, WARD_RESTART);
	break_and_run(&f, &f.b);
	decide(&f, &f.b, WARD_RESTART);
	ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
	ward_assert_state(f.kit, f.b.ref, WARD_STATE_GONE);
	ward_assert_state(f.kit, f.c.ref, WARD_STATE_GONE);
	script_finish(f.kit);
}

WARD_TEST(failed_start_that_waits_is_tried_again, "S42")
{
	for (ward_directive directive = WARD_RESUME; directive <= WARD_STOP; directive++) {
		struct family f = FAMILY;
		f.p.decides = WARD_LATER;
		f.a.traps[0] = (struct script_trap){SCRIPT_PRE_START, .first = 1};
		family_start(&f);
		ward_assert_state(f.kit, f.a.ref, WARD_STATE_START_FAILED);
		decide(&f, &f.a, directive);
		if (directive == WARD_STOP)
			ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
		else
			check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

WARD_TEST(failed_restart_that_waits_cannot_be_resumed, "S37", "S38")
{
	struct family f = FAMILY;
	f.a.traps[0] = (struct script_trap){SCRIPT_POST_RESTART, .first = 1};
	start_and_put_off(&f);
	decide(&f, &f.a, WARD_RESTART);
	ward_assert_state(f.kit, f.a.ref, WARD_STATE_RESTART_FAILED);
	journal_clear();
	decide(&f, &f.a, WARD_RESUME);
	assert_journal_of("a", "init;post_restart;pre_start");
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

WARD_TEST(failure_waits_without_memory_too, "S14")
{
	struct family f = FAMILY;
	f.p.decides = WARD_LATER;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_fail_all_allocations(f.kit, true);
	ward_kit_run(f.kit);
	ward_kit_fail_all_allocations(f.kit, false);
	check_waits(&f, &f.a, 1);
	decide(&f, &f.a, WARD_RESTART);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

/* Of a: the first failure is put off, and the second is what the test wants. */
static ward_directive put_a_off(ward_self *self, ward_ref child, const ward_failure *failure)
{
	const ward_directive *second = script_of(self)->arg;
	(void)failure;
	if (strcmp(script_name(child), "a") != 0)
		return WARD_RESTART;
	return strstr(journal_text(), "p:decide a;p:decide a") == NULL ? WARD_LATER : *second;
}

/* p restarts all for b before it looks at a's report, and is suspended by g in between; a's restart
 * fails meanwhile, and p then gets two failures at once. True: it came to that. */
static bool start_and_break_a_twice(struct family *f, ward_directive *second)
{
	static const ward_strategy resuming = {.otherwise = WARD_RESUME};
	f->p.strategy = &script_all;
	f->p.decide = put_a_off;
	f->p.arg = second;
	f->a.traps[0] = (struct script_trap){SCRIPT_INIT, .first = 2};
	family_start_below(f, &resuming);
	script_break(f->kit, f->b.ref, &bad_luck);
	script_break(f->kit, f->g.ref, &bad_luck);
	script_break(f->kit, f->a.ref, &bad_luck);
	ward_kit_run(f->kit);
	return strstr(journal_text(), "p:decide a;p:decide a") != NULL;
}

static void check_nothing_waits(struct family *f)
{
	check_well(f->kit, &f->a);
	check_well(f->kit, &f->b);
	check_well(f->kit, &f->c);
	try_to_decide(f, &f->a, WARD_RESTART, WARD_ENOENT);
}

WARD_TEST(two_failures_of_one_child_wait_for_one_decision, "S18", "S9")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS * 10)
	{
		static const ward_directive directives[] = {WARD_RESUME, WARD_RESTART,
							    WARD_ESCALATE};
		struct family f = FAMILY;
		ward_directive second = WARD_LATER;
		f.leaves_mail = true;
		if (start_and_break_a_twice(&f, &second)) {
			seen++;
			check_waits(&f, &f.a, 2);
			decide(&f, &f.a, directives[ward_test_seed() % 3]);
			check_nothing_waits(&f);
		}
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(answer_at_once_to_the_second_failure_is_one_to_the_first_too, "S18", "S9")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS * 10)
	{
		struct family f = FAMILY;
		ward_directive second = WARD_RESUME + (ward_directive)(ward_test_seed() % 2);
		f.leaves_mail = true;
		if (start_and_break_a_twice(&f, &second)) {
			seen++;
			check_nothing_waits(&f);
		}
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

/* ---- what is refused ----------------------------------------------------------------------- */

WARD_TEST(decision_is_made_once, "S18")
{
	for (ward_directive directive = WARD_RESUME; directive <= WARD_RESTART; directive++) {
		struct family f = FAMILY;
		start_and_put_off(&f);
		decide(&f, &f.a, directive);
		journal_clear();
		ward_kit_forget_events(f.kit);
		try_to_decide(&f, &f.a, WARD_STOP, WARD_ENOENT);
		ward_assert_part(ward_err_detail(), "no failure of sim/user/g/p/a waits");
		assert_journal("");
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 0);
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

WARD_TEST(only_a_child_whose_failure_waits_can_be_decided_about)
{
	struct family f = FAMILY;
	struct script nobody = {.name = "nobody"};
	f.leaves_mail = true;
	start_and_put_off(&f);
	try_to_decide(&f, &f.b, WARD_RESTART, WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "no failure of sim/user/g/p/b waits");
	try_to_decide(&f, &f.g, WARD_RESTART, WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "sim/user/g is not, or no longer, a child");
	try_to_decide(&f, &f.p, WARD_RESTART, WARD_ENOENT);
	try_to_decide(&f, &nobody, WARD_RESTART, WARD_ENOENT);
	nobody.ref = ref_elsewhere(f.a.ref);
	try_to_decide(&f, &nobody, WARD_RESTART, WARD_ENOENT);
	/* a waits, but g is not its parent */
	struct answer a = {&f.a, WARD_RESTART, WARD_ENOENT};
	script_do(f.kit, f.g.ref, answer, &a);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_decide(NULL, f.a.ref, WARD_RESTART), WARD_EINVAL);
	check_waits(&f, &f.a, 1);
	script_finish(f.kit);
}

WARD_TEST(decision_is_one_of_the_four_directives)
{
	static const ward_directive none[] = {WARD_UNDECIDED, WARD_LATER, (ward_directive)6,
					      (ward_directive)-1};
	struct family f = FAMILY;
	start_and_put_off(&f);
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
		try_to_decide(&f, &f.a, none[i], WARD_EINVAL);
		ward_assert_part(ward_err_detail(), "is not a decision");
	}
	check_waits(&f, &f.a, 1);
	decide(&f, &f.a, WARD_RESUME);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

static ward_directive decide_twice(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)failure;
	ward_assert_err(ward_decide(self, child, WARD_STOP), WARD_ENOENT);
	return WARD_LATER;
}

WARD_TEST(decider_cannot_decide_before_it_has_answered, "S18")
{
	struct family f = FAMILY;
	f.p.decide = decide_twice;
	start_and_put_off(&f);
	check_waits(&f, &f.a, 1);
	decide(&f, &f.a, WARD_RESUME);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

static ward_directive decide_about_a(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)failure;
	if (strcmp(script_name(child), "a") == 0)
		return WARD_LATER;
	ward_assert_ok(ward_decide(self, ward_child(self, "a"), script_of(self)->decides));
	ward_assert_str(script_name(child), "b");
	return WARD_RESTART;
}

WARD_TEST(decider_may_decide_what_it_has_put_off, "S18", "S24")
{
	const ward_strategy *strategies[] = {&script_one, &script_all};
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.strategy = strategies[ward_test_seed() % 2];
		f.p.decides = ward_test_seed() % 4 < 2 ? WARD_RESUME : WARD_RESTART;
		f.p.decide = decide_about_a;
		family_start(&f);
		break_and_run(&f, &f.a);
		break_and_run(&f, &f.b);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		check_well(f.kit, &f.c);
		script_finish(f.kit);
	}
}

static ward_directive answer_later(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	(void)failure;
	return WARD_LATER;
}

WARD_TEST(later_of_a_guardians_strategy_is_no_opinion, "S19")
{
	/* The guardian has no callback to decide in: nothing may wait for it for ever. */
	static const ward_strategy put_off = {.decide = answer_later, .otherwise = WARD_STOP};
	struct family f = FAMILY;
	f.g.decides = WARD_ESCALATE;
	f.p.decides = WARD_ESCALATE;
	family_start_below(&f, &put_off);
	break_and_run(&f, &f.a);
	ward_assert_state(f.kit, f.g.ref, WARD_STATE_GONE);
	ward_assert_part(ward_kit_event(f.kit, WARD_EVENT_NOTE, "sim/user/g", 0)->text,
			 "no opinion");
	script_finish(f.kit);
}

/* ---- events -------------------------------------------------------------------------------- */

WARD_TEST(failure_is_told_when_it_is_put_off_and_when_it_is_decided, "S30")
{
	for (ward_directive directive = WARD_RESUME; directive <= WARD_STOP; directive++) {
		struct family f = FAMILY;
		char text[640];
		start_and_put_off(&f);
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 1);
		const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0);
		ward_assert_eq(event->directive, WARD_LATER);
		ward_assert_eq(event->level, WARD_LEVEL_WARNING);
		ward_assert_eq(event->denied, 0);
		ward_event_format(event, text, sizeof text);
		ward_assert_part(text,
				 "bad_luck: break [handling script_word] -> later (incarnation 1");
		decide(&f, &f.a, directive);
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 2);
		event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 1);
		ward_assert_eq(event->directive, directive);
		ward_assert_eq(event->level,
			       directive == WARD_STOP ? WARD_LEVEL_SEVERE : WARD_LEVEL_WARNING);
		ward_assert_str(event->failure_class, "bad_luck");
		ward_assert_eq(event->incarnation, 1);
		script_finish(f.kit);
	}
}

WARD_TEST(quiet_strategy_tells_neither, "S30")
{
	static const ward_strategy quiet = {.decide = script_decide, .quiet = true};
	struct family f = FAMILY;
	f.p.strategy = &quiet;
	start_and_put_off(&f);
	decide(&f, &f.a, WARD_RESTART);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 0);
	script_finish(f.kit);
}

WARD_TEST_MAIN
