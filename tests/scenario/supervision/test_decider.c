/* SPDX-License-Identifier: MIT
 *
 * test_decider.c - who decides about a failure, and what is decided by default (S18-S21).
 *
 * Method: families whose p has the strategy under test; events tell the directive.
 */
#include <stdio.h>
#include <string.h>

#include "support/family_tree.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
static const ward_failure_class worse_luck = {.name = "worse_luck", .parent = &bad_luck};
static const ward_failure_class bad_day = {.name = "bad_day", .parent = &ward_exception};
static const ward_failure_class meltdown = {.name = "meltdown", .parent = &ward_error};
static const ward_failure_class bad_start = {.name = "bad_start", .parent = &ward_initialization};
static const ward_failure_class impostor = {.name = "bad_luck", .parent = &ward_error};
WARD_TEST_FAILURE_CLASSES(&bad_luck, &worse_luck, &bad_day, &meltdown, &bad_start, &impostor);

/* ---- S18 --------------------------------------------------------------------------------- */

static ward_directive note_what_is_seen(ward_self *self, ward_ref child,
					const ward_failure *failure)
{
	journal_note("%s is %s: %s", script_name(child), ward_failure_class_of(failure)->name,
		     ward_failure_text(failure));
	ward_assert_str(script_of(self)->name, "p");
	ward_assert(ward_state(self) != NULL || ward_args(self) != NULL);
	return WARD_RESUME;
}

WARD_TEST(decider_sees_the_failure_and_the_child, "S18")
{
	struct family f = FAMILY;
	f.p.decide = note_what_is_seen;
	family_start(&f);
	script_break(f.kit, f.b.ref, &bad_luck);
	ward_kit_run(f.kit);
	assert_journal("b:break;p:decide b;b is bad_luck: break");
	script_finish(f.kit);
}

WARD_TEST(decider_is_called_once_for_each_failure, "S18")
{
	WARD_TEST_SEEDS(20)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_RESUME;
		family_start(&f);
		for (int i = 0; i < 10; i++)
			script_break(f.kit, i % 2 == 0 ? f.a.ref : f.b.ref, &bad_luck);
		ward_kit_run(f.kit);
		size_t calls = 0;
		for (const char *at = journal_text(); (at = strstr(at, "p:decide")) != NULL; at++)
			calls++;
		ward_assert_eq(calls, 10);
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 10);
		script_finish(f.kit);
	}
}

/* ---- S19 --------------------------------------------------------------------------------- */

WARD_TEST(undecided_is_escalated, "S19")
{
	struct family f = FAMILY;
	f.p.decides = WARD_UNDECIDED;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	assert_journal("a:break;p:decide a;g:decide p");
	script_finish(f.kit);
}

WARD_TEST(rule_changes_nothing_for_what_it_does_not_name, "S20", "S21")
{
	static const ward_strategy only_bad_day = {.rules = {{&bad_day, WARD_RESUME}}};
	struct family f = FAMILY;
	f.p.strategy = &only_bad_day;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	ward_assert_part(journal_of("a"), "pre_restart");
	ward_system_tell(ward_kit_system(f.kit), f.b.ref, ward_kill);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_state(f.kit, f.b.ref), WARD_STATE_GONE);
	assert_journal_of("g", "");
	script_finish(f.kit);
}

WARD_TEST(failure_that_no_rule_names_is_escalated_if_that_is_said, "S19", "S21")
{
	static const ward_strategy only_bad_day = {.rules = {{&bad_day, WARD_RESTART}},
						   .otherwise = WARD_ESCALATE};
	struct family f = FAMILY;
	f.p.strategy = &only_bad_day;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	assert_journal("a:break;g:decide p");
	script_finish(f.kit);
}

static ward_directive return_an_error(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)failure;
	if (strcmp(script_name(child), "a") != 0)
		return WARD_RESTART;
	return ward_decider_failed(self, &bad_day, "no idea");
}

static ward_directive fail_without_a_failure(ward_self *self, ward_ref child,
					     const ward_failure *failure)
{
	(void)self;
	(void)child;
	(void)failure;
	return WARD_DECIDER_FAILED;
}

WARD_TEST(decider_that_fails_without_a_failure_is_a_misuse, "S19")
{
	struct family f = FAMILY;
	f.p.decide = fail_without_a_failure;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/g/p", 0);
	ward_assert_str(event->failure_class, "ward_misuse");
	ward_assert_part(event->text, "without ward_failed()");
	ward_assert(ward_ref_equal(event->origin, f.p.ref));
	script_finish(f.kit);
}

static ward_directive jump_out(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)failure;
	if (strcmp(script_name(child), "a") != 0)
		return WARD_RESTART;
	ward_fail(self, &bad_day, "no idea");
}

static ward_directive note_cause(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	journal_note("%s of %s: %s", ward_failure_class_of(failure)->name,
		     script_name(ward_failure_actor(failure)), ward_failure_text(failure));
	return WARD_RESUME;
}

WARD_TEST(failing_decider_escalates_its_own_error, "S19")
{
	for (int jumps = 0; jumps < 2; jumps++) {
		struct family f = FAMILY;
		f.p.decide = jumps ? jump_out : return_an_error;
		f.g.decide = note_cause;
		family_start(&f);
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run(f.kit);
		assert_journal("a:break;p:decide a;g:decide p;bad_day of p: no idea");
		/* a is the perpetrator, so the resume of p reaches it. */
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
}

WARD_TEST(failing_decider_loses_no_other_report, "S19")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(40)
	{
		struct family f = FAMILY;
		f.p.decide = ward_test_seed() % 2 == 0 ? jump_out : return_an_error;
		family_start(&f);
		if (script_break_at_once(f.kit, (ward_ref[]){f.a.ref, f.b.ref, f.c.ref}, 3)) {
			seen++;
			ward_kit_run(f.kit);
			assert_journal_of("p", "decide a;decide b;decide c");
			check_well(f.kit, &f.a);
			check_well(f.kit, &f.b);
			check_well(f.kit, &f.c);
		}
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

/* ---- S20: the default decider ------------------------------------------------------------ */

/* What p decides about a's failure of that class, with no strategy but the default one. */
static void check_default(const ward_failure_class *failure_class, ward_directive wanted)
{
	static const ward_strategy asks_the_default = {.decide = ward_default_decide};
	const ward_strategy *strategies[] = {NULL, &ward_default_strategy, &asks_the_default};
	for (int i = 0; i < 3; i++) {
		struct family f = FAMILY;
		f.p.strategy = strategies[i];
		family_start(&f);
		script_break(f.kit, f.a.ref, failure_class);
		ward_kit_run(f.kit);
		if (wanted == WARD_ESCALATE) {
			assert_journal("a:break;g:decide p");
		} else {
			const ward_event *event =
				ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0);
			ward_assert_eq(event->directive, wanted);
			ward_assert_state(f.kit, f.a.ref,
					  wanted == WARD_STOP ? WARD_STATE_GONE
							      : WARD_STATE_RUNNING);
		}
		script_finish(f.kit);
	}
}

WARD_TEST(default_restarts_for_exceptions, "S20")
{
	check_default(&ward_exception, WARD_RESTART);
	check_default(&worse_luck, WARD_RESTART);
	check_default(&ward_out_of_memory, WARD_RESTART);
	check_default(&ward_check_failed, WARD_RESTART);
	check_default(&ward_misuse, WARD_RESTART);
	check_default(&ward_os_failure, WARD_RESTART);
}

WARD_TEST(default_stops_for_hardware_faults_and_hangs, "S20")
{
	check_default(&ward_hardware_fault, WARD_STOP);
	check_default(&ward_stack_overflow, WARD_STOP);
	check_default(&ward_hang, WARD_STOP);
}

WARD_TEST(default_escalates_errors, "S20")
{
	check_default(&ward_error, WARD_ESCALATE);
	check_default(&meltdown, WARD_ESCALATE);
}

WARD_TEST(default_stops_for_initialization_kill_and_death_pact, "S20")
{
	check_default(&ward_initialization, WARD_STOP);
	check_default(&ward_post_restart, WARD_STOP);
	check_default(&bad_start, WARD_STOP);
	check_default(&ward_killed, WARD_STOP);
	check_default(&ward_death_pact, WARD_STOP);
}

WARD_TEST(default_stops_an_actor_that_cannot_start, "S20", "S42")
{
	struct family f = FAMILY;
	f.p.strategy = NULL;
	f.a.traps[0] = (struct script_trap){SCRIPT_INIT, .first = 1};
	f.g.children[0] = &f.p;
	f.p.children[0] = &f.a;
	f.kit = script_start(NULL);
	script_spawn(f.kit, &f.g);
	assert_journal_of("a", "init");
	ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
	script_finish(f.kit);
}

WARD_TEST(default_stops_an_actor_whose_restart_fails, "S20", "S37")
{
	struct family f = FAMILY;
	f.p.strategy = NULL;
	f.a.traps[0] = (struct script_trap){SCRIPT_POST_RESTART, .first = 1};
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 1);
	ward_assert_eq(event->directive, WARD_STOP);
	ward_assert_str(event->failure_class, ward_post_restart.name);
	script_finish(f.kit);
}

WARD_TEST(default_stops_a_killed_actor, "S20", "S50")
{
	struct family f = FAMILY;
	f.p.strategy = NULL;
	family_start(&f);
	ward_system_tell(ward_kit_system(f.kit), f.a.ref, ward_kill);
	script_say(f.kit, f.a.ref, "late");
	ward_kit_run(f.kit);
	assert_journal_of("a", "post_stop");
	ward_assert_str(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0)->failure_class,
			ward_killed.name);
	script_finish(f.kit);
}

static ward_result ignore_all(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	return word != NULL ? word->call(self, word->arg) : WARD_UNHANDLED;
}

static ward_result watch(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_watch(self, ((struct script *)arg)->ref));
	return WARD_DONE;
}

WARD_TEST(default_stops_for_an_unhandled_terminated, "S20", "S66")
{
	static const ward_behavior ignorant = {.name = "ignorant", .receive = ignore_all};
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	ward_ref watcher = ward_kit_spawn(kit, &ignorant, .name = "watcher");
	script_do(kit, watcher, watch, &a);
	ward_kit_run(kit);
	ward_system_stop(ward_kit_system(kit), a.ref);
	ward_kit_run(kit);
	ward_assert_state(kit, watcher, WARD_STATE_GONE);
	const ward_event *event = ward_kit_event(kit, WARD_EVENT_FAILURE, "*/watcher", 0);
	ward_assert_str(event->failure_class, ward_death_pact.name);
	ward_assert_eq(event->directive, WARD_STOP);
	script_finish(kit);
}

/* ---- S21: the stopping decider, tables --------------------------------------------------- */

WARD_TEST(stopping_strategy_stops_exceptions_and_escalates_errors, "S21")
{
	struct family f = FAMILY;
	f.p.strategy = &ward_stopping_strategy;
	family_start(&f);
	script_break(f.kit, f.a.ref, &worse_luck);
	ward_kit_run(f.kit);
	assert_journal("a:break;a:post_stop");
	journal_clear();
	script_break(f.kit, f.b.ref, &meltdown);
	ward_kit_run(f.kit);
	assert_journal("b:break;g:decide p");
	script_finish(f.kit);
}

/* What the strategy says about a class. */
static void check_directive(const ward_strategy *strategy, const ward_failure_class *failure_class,
			    ward_directive wanted)
{
	struct family f = FAMILY;
	f.p.strategy = strategy;
	family_start(&f);
	script_break(f.kit, f.a.ref, failure_class);
	ward_kit_run(f.kit);
	if (wanted == WARD_ESCALATE)
		ward_assert_part(journal_text(), "g:decide p");
	else
		ward_assert_eq(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0)->directive,
			       wanted);
	script_finish(f.kit);
}

static ward_directive have_no_opinion(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	(void)failure;
	return WARD_UNDECIDED;
}

WARD_TEST(table_of_rules_may_be_full, "S21")
{
	ward_failure_class others[WARD_RULES_MAX - 1];
	char names[WARD_RULES_MAX][16];
	/* What stands behind the table is no rule. */
	ward_strategy full = {.decide = have_no_opinion, .otherwise = WARD_STOP};
	for (int i = 0; i < WARD_RULES_MAX - 1; i++) {
		snprintf(names[i], sizeof(names[i]), "other%d", i);
		others[i] = (ward_failure_class){.name = names[i], .parent = &bad_luck};
		full.rules[i] = (ward_rule){&others[i], WARD_RESTART};
	}
	full.rules[WARD_RULES_MAX - 1] = (ward_rule){&worse_luck, WARD_RESUME};
	check_directive(&full, &worse_luck, WARD_RESUME);
	check_directive(&full, &others[WARD_RULES_MAX - 2], WARD_RESTART);
	check_directive(&full, &bad_day, WARD_STOP);
}

WARD_TEST(nearest_rule_wins_whatever_the_order_of_the_table, "S21")
{
	static const ward_strategy tables[] = {
		{.rules = {{&ward_exception, WARD_STOP},
			   {&bad_luck, WARD_RESTART},
			   {&worse_luck, WARD_RESUME}}},
		{.rules = {{&worse_luck, WARD_RESUME},
			   {&bad_luck, WARD_RESTART},
			   {&ward_exception, WARD_STOP}}},
		{.rules = {{&bad_luck, WARD_RESTART},
			   {&worse_luck, WARD_RESUME},
			   {&ward_exception, WARD_STOP}}},
	};
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		check_directive(&tables[i], &worse_luck, WARD_RESUME);
		check_directive(&tables[i], &bad_luck, WARD_RESTART);
		check_directive(&tables[i], &bad_day, WARD_STOP);
		check_directive(&tables[i], &meltdown, WARD_ESCALATE);
	}
}

static ward_directive stop_bad_days(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	return ward_failure_is(failure, &bad_day) ? WARD_STOP : WARD_UNDECIDED;
}

WARD_TEST(rules_are_asked_before_decide_before_otherwise, "S21", "S19")
{
	static const ward_strategy all_three = {.rules = {{&bad_luck, WARD_RESUME}},
						.decide = stop_bad_days,
						.otherwise = WARD_RESTART};
	static const ward_strategy without_otherwise = {.rules = {{&bad_luck, WARD_RESUME}},
							.decide = stop_bad_days};
	static const ward_strategy only_otherwise = {.otherwise = WARD_RESUME};
	check_directive(&all_three, &worse_luck, WARD_RESUME);
	check_directive(&all_three, &bad_day, WARD_STOP);
	check_directive(&all_three, &meltdown, WARD_RESTART);
	check_directive(&without_otherwise, &meltdown, WARD_ESCALATE);
	check_directive(&only_otherwise, &meltdown, WARD_RESUME);
}

WARD_TEST(rule_without_an_opinion_is_refused_at_the_spawn, "S21")
{
	static const ward_strategy no_opinion = {.rules = {{&bad_luck, WARD_UNDECIDED}}};
	struct script a = {.name = "a", .strategy = &no_opinion};
	ward_kit *kit = script_start(NULL);
	ward_ref ref = ward_nobody();
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), script_props(&a), &ref),
			WARD_EINVAL);
	ward_assert(ward_ref_is_nobody(ref));
	script_finish(kit);
}

WARD_TEST(same_name_under_another_parent_is_another_class, "S21", "S16")
{
	static const ward_strategy table = {.rules = {{&impostor, WARD_STOP}},
					    .otherwise = WARD_RESUME};
	check_directive(&table, &bad_luck, WARD_RESUME);
	check_directive(&table, &impostor, WARD_STOP);
}

WARD_TEST_MAIN
