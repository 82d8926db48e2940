/* SPDX-License-Identifier: MIT
 *
 * test_strategy.c - asking what a strategy would decide, and whether it is one at all.
 *
 * Method: a family whose p decides with a function that asks another strategy; the failure of a
 * child shows what it answered.
 */
#include <ward/extend.h>

#include "support/family_tree.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
static const ward_failure_class worse_luck = {.name = "worse_luck", .parent = &bad_luck};
static const ward_failure_class meltdown = {.name = "meltdown", .parent = &ward_error};
WARD_TEST_FAILURE_CLASSES(&bad_luck, &worse_luck, &meltdown);

static const ward_strategy *asked;
static ward_directive answer;

static ward_directive ask_another(ward_self *self, ward_ref child, const ward_failure *failure)
{
	answer = ward_strategy_decide(self, asked, child, failure);
	return WARD_RESUME;
}

/* What `strategy` would decide about a child of p that fails like that. */
static ward_directive would_decide(const ward_strategy *strategy, const ward_failure_class *why)
{
	struct family f = FAMILY;

	asked = strategy;
	answer = (ward_directive)77;
	f.p.decide = ask_another;
	family_start(&f);
	script_break(f.kit, f.a.ref, why);
	ward_kit_run(f.kit);
	script_finish(f.kit);
	return answer;
}

WARD_TEST(strategy_asked_answers_by_the_nearest_rule, "S19")
{
	static const ward_strategy rules = {
		.rules = {{&ward_exception, WARD_STOP}, {&bad_luck, WARD_RESUME}},
		.otherwise = WARD_ESCALATE,
	};

	ward_assert_eq(would_decide(&rules, &worse_luck), WARD_RESUME);
	ward_assert_eq(would_decide(&rules, &ward_misuse), WARD_STOP);
	ward_assert_eq(would_decide(&rules, &meltdown), WARD_ESCALATE);
}

static ward_directive restarts_bad_luck(ward_self *self, ward_ref child,
					const ward_failure *failure)
{
	(void)self;
	(void)child;
	if (ward_failure_class_of(failure) == &bad_luck)
		return WARD_RESTART;
	return ward_failure_class_of(failure) == &worse_luck ? WARD_LATER : WARD_UNDECIDED;
}

WARD_TEST(strategy_asked_answers_by_its_decide, "S19")
{
	static const ward_strategy decides = {
		.rules = {{&meltdown, WARD_STOP}},
		.decide = restarts_bad_luck,
	};

	ward_assert_eq(would_decide(&decides, &bad_luck), WARD_RESTART);
	ward_assert_eq(would_decide(&decides, &worse_luck), WARD_LATER);
	ward_assert_eq(would_decide(&decides, &meltdown), WARD_STOP);
}

static ward_directive nonsense(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self, (void)child, (void)failure;
	return (ward_directive)42;
}

WARD_TEST(strategy_asked_without_an_opinion_says_so, "S19")
{
	static const ward_strategy silent = {.decide = restarts_bad_luck};
	static const ward_strategy confused = {.decide = nonsense};

	ward_assert_eq(would_decide(&silent, &meltdown), WARD_UNDECIDED);
	ward_assert_eq(would_decide(&confused, &meltdown), WARD_UNDECIDED);
}

static ward_directive fails(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)child;
	(void)failure;
	return ward_decider_failed(self, &worse_luck, "no plan");
}

WARD_TEST(strategy_asked_whose_decide_fails_says_so, "S19")
{
	static const ward_strategy failing = {.decide = fails};
	struct family f = FAMILY;

	asked = &failing;
	f.p.decide = ask_another;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	ward_assert_eq(answer, WARD_DECIDER_FAILED);
	/* What was noted counts, whatever the decide that asked has answered. */
	ward_assert_str(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/g/p", 0)->failure_class,
			"worse_luck");
	script_finish(f.kit);
}

WARD_TEST(strategy_asked_with_rules_alone_answers_the_rest_by_default, "S20")
{
	static const ward_strategy partial = {.rules = {{&worse_luck, WARD_RESUME}}};

	ward_assert_eq(would_decide(&partial, &worse_luck), WARD_RESUME);
	ward_assert_eq(would_decide(&partial, &bad_luck), WARD_RESTART);
	ward_assert_eq(would_decide(&partial, &ward_initialization), WARD_STOP);
	ward_assert_eq(would_decide(&partial, &meltdown), WARD_ESCALATE);
}

WARD_TEST(strategy_asked_that_has_none_of_the_three_answers_by_default, "S20")
{
	static const ward_strategy limited = {.restarts_max = 3};

	ward_assert_eq(would_decide(NULL, &bad_luck), WARD_RESTART);
	ward_assert_eq(would_decide(&limited, &bad_luck), WARD_RESTART);
	ward_assert_eq(would_decide(&ward_default_strategy, &ward_killed), WARD_STOP);
	ward_assert_eq(would_decide(NULL, &meltdown), WARD_ESCALATE);
}

static ward_directive asks_by_failing(ward_self *self, ward_ref child, const ward_failure *failure)
{
	static const ward_strategy jumps = {.decide = asks_by_failing};

	if (ward_failure_is(failure, &bad_luck) && asked == NULL) {
		asked = &jumps;
		return ward_strategy_decide(self, &jumps, child, failure);
	}
	ward_fail(self, &worse_luck, "cannot decide");
}

WARD_TEST(strategy_asked_that_fails_fails_the_callback, "S19")
{
	struct family f = FAMILY;

	asked = NULL;
	f.p.decide = asks_by_failing;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	ward_actor_info info;
	ward_assert(ward_kit_info(f.kit, f.p.ref, &info));
	ward_assert_part(info.last_failure, "worse_luck: cannot decide");
	assert_journal_of("g", "decide p");
	script_finish(f.kit);
}

WARD_TEST(strategy_check_refuses_what_a_spawn_would)
{
	static const ward_strategy good = {.restarts_max = 3, .window_ms = 1000};
	static const ward_strategy no_number = {.window_ms = 1000};
	static const ward_strategy later = {.rules = {{&bad_luck, WARD_LATER}}};

	ward_assert_ok(ward_strategy_check(NULL));
	ward_assert_ok(ward_strategy_check(&good));
	ward_assert_err(ward_strategy_check(&no_number), WARD_EINVAL);
	ward_assert_str(ward_err_detail(),
			"a strategy: window_ms is 1000, but there is no restarts_max: what would "
			"it count to? Set restarts_max, or leave both 0");
	ward_assert_err(ward_strategy_check(&later), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "rules[0], for \"bad_luck\", has directive WARD_LATER");
}

WARD_TEST_MAIN
