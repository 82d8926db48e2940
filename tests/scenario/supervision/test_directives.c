/* SPDX-License-Identifier: MIT
 *
 * test_directives.c - what resume, restart and stop do, to the one that failed and to its siblings
 * (S22-S26).
 *
 * Method: a family whose p decides; RESTARTED is what a scripted actor notes in a default restart.
 */
#include <string.h>

#include "support/family_tree.h"

#define RESTARTED "pre_restart;post_stop;init;post_restart;pre_start"

enum { ROUNDS = 40 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
WARD_TEST_FAILURE_CLASSES(&bad_luck);

/* Breaks the actor and lets everything settle. */
static void break_and_run(struct family *f, const struct script *who)
{
	script_break(f->kit, who->ref, &bad_luck);
	ward_kit_run(f->kit);
}

static uint32_t incarnation(struct family *f, const struct script *who)
{
	ward_actor_info info;
	ward_assert(ward_kit_info(f->kit, who->ref, &info));
	return info.incarnation;
}

/* ---- S22: resume ------------------------------------------------------------------------- */

struct counter {
	int count;
};

static ward_result count_and_fail(ward_self *self, void *state, const ward_msg *msg)
{
	struct counter *me = state;
	if (ward_msg_body(msg, &ward_type_script_word) == NULL)
		return WARD_UNHANDLED;
	journal_note("%d", ++me->count);
	return me->count % 2 == 0 ? ward_failed(self, &bad_luck, "even") : WARD_DONE;
}

WARD_TEST(resume_keeps_the_state_and_goes_on, "S22")
{
	static const ward_behavior counter = {
		.name = "counter", .state_size = sizeof(struct counter), .receive = count_and_fail};
	static const ward_strategy resuming = {.otherwise = WARD_RESUME};
	ward_kit *kit = script_start(&(ward_kit_options){.system.user_strategy = &resuming});
	ward_ref ref = ward_kit_spawn(kit, &counter);
	for (int i = 0; i < 5; i++)
		script_say(kit, ref, "count");
	ward_kit_run(kit);
	assert_journal("1;2;3;4;5");
	ward_actor_info info;
	ward_assert(ward_kit_info(kit, ref, &info));
	ward_assert_eq(info.incarnation, 1);
	script_finish(kit);
}

WARD_TEST(resume_is_for_the_failed_child_only_even_when_all_are_for_one, "S22")
{
	const ward_strategy *strategies[] = {&script_one, &script_all};
	for (int i = 0; i < 2; i++) {
		struct family f = FAMILY;
		f.p.strategy = strategies[i];
		f.p.decides = WARD_RESUME;
		family_start(&f);
		break_and_run(&f, &f.a);
		assert_journal("a:break;p:decide a");
		ward_assert_eq(incarnation(&f, &f.a), 1);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
}

static ward_directive escalate_b(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)failure;
	return strcmp(script_name(child), "b") == 0 ? WARD_ESCALATE : script_of(self)->decides;
}

/* a and b fail at once; a's decision is made for all, b's is left to g. Until then b must not run,
 * whatever happened to a. */
static void check_b_waits_for_its_own_decision(ward_directive for_a)
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.strategy = &script_all;
		f.p.decide = escalate_b;
		f.p.decides = for_a;
		family_start(&f);
		if (family_break_both(&f)) {
			seen++;
			script_say(f.kit, f.b.ref, "late");
			ward_kit_run(f.kit);
			ward_assert(noted_before("p:decide b", "g:decide p"));
			ward_assert(noted_before("g:decide p", "b:late"));
			ward_assert_part(journal_text(), "b:late");
			check_well(f.kit, &f.a);
			check_well(f.kit, &f.b);
			check_well(f.kit, &f.c);
		}
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(resume_of_one_frees_no_sibling_that_waits_for_its_own_decision, "S22", "S18")
{
	check_b_waits_for_its_own_decision(WARD_RESUME);
}

/* ---- S23: restart, one for one ----------------------------------------------------------- */

WARD_TEST(restart_one_for_one_restarts_the_failed_child_only, "S23")
{
	struct family f = FAMILY;
	family_start(&f);
	break_and_run(&f, &f.a);
	assert_journal_of("a", "break;" RESTARTED);
	assert_journal_of("b", "");
	assert_journal_of("p", "decide a");
	ward_assert_eq(incarnation(&f, &f.a), 2);
	ward_assert_eq(incarnation(&f, &f.b), 1);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

static const ward_strategy two_restarts = {.otherwise = WARD_RESTART, .restarts_max = 2};

WARD_TEST(restart_asks_the_childs_own_limit_and_stops_it_when_denied, "S23")
{
	struct family f = FAMILY;
	f.p.strategy = &two_restarts;
	family_start(&f);
	break_and_run(&f, &f.a);
	break_and_run(&f, &f.a);
	break_and_run(&f, &f.b);
	ward_assert_state(f.kit, f.a.ref, WARD_STATE_RUNNING);
	journal_clear();
	break_and_run(&f, &f.a);
	assert_journal("a:break;a:post_stop");
	/* b has failed once only. */
	break_and_run(&f, &f.b);
	check_well(f.kit, &f.b);
	script_finish(f.kit);
}

/* ---- S24: restart, all for one ----------------------------------------------------------- */

static const ward_strategy all_restart_once = {
	.scope = WARD_ALL_FOR_ONE, .otherwise = WARD_RESTART, .restarts_max = 1};
static const ward_strategy all_restart_twice = {
	.scope = WARD_ALL_FOR_ONE, .otherwise = WARD_RESTART, .restarts_max = 2};

WARD_TEST(restart_all_for_one_restarts_every_child, "S24")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.strategy = &all_restart_twice;
		family_start(&f);
		break_and_run(&f, &f.a);
		assert_journal_of("a", "break;" RESTARTED);
		assert_journal_of("b", RESTARTED);
		assert_journal_of("c", RESTARTED);
		assert_journal_of("p", "");
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		check_well(f.kit, &f.c);
		script_finish(f.kit);
	}
}

WARD_TEST(sibling_runs_no_mail_between_the_decision_and_its_restart, "S24")
{
	/* Its restart comes with a suspension, and both before any mail. */
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.strategy = &script_all;
		family_start(&f);
		script_break(f.kit, f.a.ref, &bad_luck);
		while (strstr(journal_text(), "p:decide a") == NULL)
			ward_assert(ward_kit_step(f.kit));
		script_say(f.kit, f.b.ref, "after");
		ward_kit_run(f.kit);
		assert_journal_of("b", RESTARTED ";after");
		script_finish(f.kit);
	}
}

WARD_TEST(restart_of_all_lifts_no_more_than_its_own_suspension, "S24", "S9")
{
	check_b_waits_for_its_own_decision(WARD_RESTART);
}

WARD_TEST(restart_all_for_one_charges_siblings_that_never_failed, "S24")
{
	struct family f = FAMILY;
	f.p.strategy = &all_restart_once;
	family_start(&f);
	break_and_run(&f, &f.a);
	journal_clear();
	break_and_run(&f, &f.b);
	/* b fails for the first time, but was charged for a; so all are stopped. */
	assert_journal_of("a", "post_stop");
	assert_journal_of("b", "break;post_stop");
	assert_journal_of("c", "post_stop");
	ward_assert_state(f.kit, f.c.ref, WARD_STATE_GONE);
	script_finish(f.kit);
}

static ward_result spawn(ward_self *self, void *arg)
{
	ward_assert_ok(script_spawn_child(self, arg));
	return WARD_DONE;
}

WARD_TEST(child_added_later_has_been_charged_less, "S24")
{
	struct family f = FAMILY;
	struct script d = {.name = "d"};
	f.p.strategy = &all_restart_twice;
	family_start(&f);
	break_and_run(&f, &f.a);
	script_do(f.kit, f.p.ref, spawn, &d);
	ward_kit_run(f.kit);
	break_and_run(&f, &f.a);
	ward_system_stop(ward_kit_system(f.kit), f.a.ref);
	ward_system_stop(ward_kit_system(f.kit), f.b.ref);
	ward_system_stop(ward_kit_system(f.kit), f.c.ref);
	ward_kit_run(f.kit);
	/* The old ones have been charged twice, d once. */
	break_and_run(&f, &d);
	ward_assert_state(f.kit, d.ref, WARD_STATE_RUNNING);
	break_and_run(&f, &d);
	ward_assert_state(f.kit, d.ref, WARD_STATE_GONE);
	script_finish(f.kit);
}

WARD_TEST(denial_of_one_child_stops_all, "S24")
{
	/* d is charged least and fails; the first in order denies, for all. */
	struct family f = FAMILY;
	struct script d = {.name = "d"};
	f.p.strategy = &all_restart_once;
	family_start(&f);
	break_and_run(&f, &f.a);
	script_do(f.kit, f.p.ref, spawn, &d);
	ward_kit_run(f.kit);
	journal_clear();
	ward_kit_forget_events(f.kit);
	break_and_run(&f, &d);
	assert_journal_of("d", "break;post_stop");
	assert_journal_of("a", "post_stop");
	assert_journal_of("b", "post_stop");
	assert_journal_of("c", "post_stop");
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/d", 0);
	ward_assert_eq(event->denied, 1);
	/* It stands behind the denying one, so it was not even asked. */
	ward_assert_eq(event->restarts, 0);
	script_finish(f.kit);
}

/* ---- S25: stop --------------------------------------------------------------------------- */

WARD_TEST(stop_one_for_one_stops_the_failed_child_only, "S25")
{
	struct family f = FAMILY;
	f.p.decides = WARD_STOP;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	script_say(f.kit, f.a.ref, "late");
	ward_kit_run(f.kit);
	assert_journal("a:break;p:decide a;a:post_stop");
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*/p/a"), 1);
	ward_assert_state(f.kit, f.b.ref, WARD_STATE_RUNNING);
	script_finish(f.kit);
}

WARD_TEST(stop_all_for_one_stops_every_child, "S25")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.strategy = &script_all;
		f.p.decides = WARD_STOP;
		family_start(&f);
		break_and_run(&f, &f.b);
		assert_journal_of("a", "post_stop");
		assert_journal_of("b", "break;post_stop");
		assert_journal_of("c", "post_stop");
		check_well(f.kit, &f.p);
		script_finish(f.kit);
	}
}

static ward_directive stop_c_first(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)child;
	(void)failure;
	ward_stop(self, ward_child(self, "c"));
	return script_of(self)->decides;
}

enum { CHAIN = 5 };

/* b, which took a pill, waits for the end of a long chain of children. */
static ward_directive restart_all_while_b_stops(ward_self *self, ward_ref child,
						const ward_failure *failure)
{
	struct family *f = script_of(self)->arg;
	(void)child;
	(void)failure;
	journal_note("b is %s", ward_kit_state_text(ward_kit_state(f->kit, f->b.ref)));
	return WARD_RESTART;
}

WARD_TEST(restart_that_reaches_one_that_stops_by_itself_only_keeps_the_balance, "S41")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(60)
	{
		struct family f = FAMILY;
		struct script chain[CHAIN] = {
			{.name = "1"}, {.name = "2"}, {.name = "3"}, {.name = "4"}, {.name = "5"}};
		f.p.strategy = &script_all;
		f.p.decide = restart_all_while_b_stops;
		f.p.arg = &f;
		f.b.children[0] = &chain[0];
		for (int i = 0; i + 1 < CHAIN; i++)
			chain[i].children[0] = &chain[i + 1];
		family_start(&f);
		ward_kit_tell(f.kit, f.b.ref, ward_poison_pill);
		ward_kit_run_until_state(f.kit, f.b.ref, WARD_STATE_STOPPING);
		script_break(f.kit, f.a.ref, &ward_exception);
		ward_kit_run(f.kit);
		assert_journal_of("b", "post_stop");
		ward_assert_state(f.kit, f.b.ref, WARD_STATE_GONE);
		ward_assert(strstr(journal_of("a"), "init;post_restart") != NULL);
		seen += strstr(journal_text(), "b is stopping") != NULL;
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(children_on_their_way_out_ignore_a_directive_for_all, "S25", "S41")
{
	for (ward_directive directive = WARD_RESTART; directive <= WARD_STOP; directive++) {
		WARD_TEST_SEEDS(ROUNDS)
		{
			struct family f = FAMILY;
			f.p.strategy = &script_all;
			f.p.decide = stop_c_first;
			f.p.decides = directive;
			family_start(&f);
			break_and_run(&f, &f.a);
			assert_journal_of("c", "post_stop");
			ward_assert_state(f.kit, f.c.ref, WARD_STATE_GONE);
			ward_assert_state(f.kit, f.b.ref,
					  directive == WARD_STOP ? WARD_STATE_GONE
								 : WARD_STATE_RUNNING);
			script_finish(f.kit);
		}
	}
}

static ward_result spawn_and_fail(ward_self *self, void *arg)
{
	ward_assert_ok(script_spawn_child(self, arg));
	return ward_failed(self, &bad_luck, "with a new child");
}

WARD_TEST(stop_wins_over_a_restart_ordered_after_it, "S25", "S2")
{
	/* c may still have p's suspension and resume before it when stop and restart come. */
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d", .traps = {{SCRIPT_PRE_START, .first = 1}}};
		f.p.strategy = &script_all;
		f.p.decide = stop_c_first;
		family_start(&f);
		script_do(f.kit, f.p.ref, spawn_and_fail, &d);
		ward_kit_run(f.kit);
		assert_journal_of("p", "decide d");
		assert_journal_of("c", "post_stop");
		assert_journal_of("a", RESTARTED);
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

WARD_TEST(stop_neither_asks_nor_charges_the_limit, "S25")
{
	static const ward_strategy never_restart = {.otherwise = WARD_STOP,
						    .restarts_max = WARD_RESTARTS_NONE};
	struct family f = FAMILY;
	f.p.strategy = &never_restart;
	family_start(&f);
	break_and_run(&f, &f.a);
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0);
	ward_assert_eq(event->directive, WARD_STOP);
	ward_assert_eq(event->denied, 0);
	ward_assert_eq(event->restarts, 0);
	script_finish(f.kit);
}

/* ---- S26: two at once, all for one ------------------------------------------------------- */

WARD_TEST(two_failures_at_once_restart_the_group_and_leave_nobody_suspended, "S26")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.strategy = &script_all;
		family_start(&f);
		if (family_break_both(&f)) {
			seen++;
			ward_kit_run(f.kit);
			assert_journal_of("p", "decide a;decide b");
			/* Both were decided in one turn of p, so each child does both at once. */
			assert_journal_of("a", "break;" RESTARTED);
			assert_journal_of("b", "break;" RESTARTED);
			assert_journal_of("c", RESTARTED);
			check_well(f.kit, &f.a);
			check_well(f.kit, &f.b);
			check_well(f.kit, &f.c);
		}
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

/* Each failure is an event, but the second one is of an incarnation that is to restart already. */
WARD_TEST(two_failures_at_once_charge_everybody_once, "S26", "S30")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.strategy = &all_restart_once;
		family_start(&f);
		if (family_break_both(&f)) {
			seen++;
			ward_kit_run(f.kit);
			ward_assert_eq(
				ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0)->restarts, 1);
			ward_assert_eq(
				ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/b", 0)->restarts, 1);
			check_well(f.kit, &f.a);
			check_well(f.kit, &f.b);
			check_well(f.kit, &f.c);
			break_and_run(&f, &f.c);
			ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
			ward_assert_state(f.kit, f.b.ref, WARD_STATE_GONE);
			ward_assert_state(f.kit, f.c.ref, WARD_STATE_GONE);
		}
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

/* Its new incarnation fails: that is another failure. */
WARD_TEST(failure_after_a_restart_for_a_sibling_is_charged, "S26", "S24")
{
	struct family f = FAMILY;

	f.p.strategy = &all_restart_twice;
	family_start(&f);
	break_and_run(&f, &f.a);
	break_and_run(&f, &f.b);
	check_well(f.kit, &f.b);
	break_and_run(&f, &f.b);
	ward_assert_state(f.kit, f.b.ref, WARD_STATE_GONE);
	ward_assert_state(f.kit, f.c.ref, WARD_STATE_GONE);
	script_finish(f.kit);
}

WARD_TEST_MAIN
