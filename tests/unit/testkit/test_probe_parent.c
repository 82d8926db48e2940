/* SPDX-License-Identifier: MIT
 *
 * test_probe_parent.c - a probe as a parent: the test decides about the failures of its children.
 */
#include "bank.h"

struct family {
	ward_kit *kit;
	ward_probe *probe;
	ward_ref child;
};

static struct family start(bool real)
{
	struct family f;
	f.kit = ward_kit_start(&(ward_kit_options){.real_threads = real});
	f.probe = ward_probe_start(f.kit, "parent");
	f.child = ward_probe_spawn_props(f.probe, &bank_props);
	return f;
}

static void give(struct family *f, int64_t cents)
{
	ward_probe_tell(f->probe, f->child, deposit, .cents = cents);
}

static void check_balance(struct family *f, int64_t cents)
{
	give(f, 0);
	ward_assert_eq(ward_expect(f->probe, WARD_MINUTE, balance)->cents, cents);
}

static void break_child(struct family *f)
{
	ward_probe_tell(f->probe, f->child, break_down);
}

static bool has_failed(void *arg)
{
	const struct family *f = arg;

	return ward_kit_state(f->kit, f->child) == WARD_STATE_FAILED;
}

BOTH(failure_of_a_child_waits_for_the_decision)
{
	struct family f = start(real);
	give(&f, 5);
	ward_expect(f.probe, WARD_MINUTE, balance);
	break_child(&f);
	const ward_probe_failure *failure =
		ward_expect_failure(f.probe, WARD_MINUTE, f.child, &broke);
	ward_assert(ward_ref_equal(failure->child, f.child));
	ward_assert(failure->failure_class == &broke);
	ward_assert_str(failure->text, "with 5 cents");
	ward_assert_state(f.kit, f.child, WARD_STATE_FAILED);
	give(&f, 1);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_probe_count(f.probe), 0); /* it is suspended */
	ward_probe_decide(f.probe, f.child, WARD_RESUME);
	ward_assert_eq(ward_expect(f.probe, WARD_MINUTE, balance)->cents, 6);
	ward_kit_finish(f.kit);
}

static void report_names_failures(ward_kit_options options)
{
	struct family f = {.kit = ward_kit_start(&options)};

	f.probe = ward_probe_start(f.kit, "parent");
	f.child = ward_probe_spawn_props(f.probe, &bank_props);
	give(&f, 5);
	ward_expect(f.probe, WARD_MINUTE, balance);
	break_child(&f);
	ward_assert(ward_kit_run_until(f.kit, WARD_MINUTE, has_failed, &f));
	CAUGHT(ward_expect(f.probe, 10, balance),
	       "nothing came within 10 ms\n  failed   sim/user/parent/bank: broke: with 5 cents; "
	       "waits for a decision\n  time ");
	ward_probe_decide(f.probe, f.child, WARD_RESUME);
	CAUGHT(ward_expect(f.probe, 10, balance), "nothing came within 10 ms\n  time ");
	ward_kit_finish(f.kit);
}

WARD_TEST(report_of_an_expectation_names_failures_that_wait_for_a_decision)
{
	report_names_failures((ward_kit_options){0});
	report_names_failures((ward_kit_options){.real_threads = true});
	report_names_failures((ward_kit_options){.far_children = true});
}

BOTH(decision_restarts_and_stops_the_child)
{
	struct family f = start(real);
	ward_probe_watch(f.probe, f.child);
	give(&f, 5);
	ward_expect(f.probe, WARD_MINUTE, balance);
	break_child(&f);
	ward_expect_failure(f.probe, WARD_MINUTE, f.child, &ward_exception);
	ward_probe_decide(f.probe, f.child, WARD_RESTART);
	check_balance(&f, 0);
	break_child(&f);
	ward_expect_failure(f.probe, WARD_MINUTE, ward_nobody(), NULL);
	ward_probe_decide(f.probe, f.child, WARD_STOP);
	ward_expect_terminated(f.probe, WARD_MINUTE, f.child);
	ward_kit_finish(f.kit);
}

BOTH(decision_always_needs_no_test)
{
	struct family f = start(real);
	ward_probe_decide_always(f.probe, WARD_RESUME);
	give(&f, 5);
	break_child(&f);
	ward_expect(f.probe, WARD_MINUTE, balance);
	check_balance(&f, 5);
	ward_probe_decide_always(f.probe, WARD_UNDECIDED); /* by default: restart */
	break_child(&f);
	check_balance(&f, 0);
	ward_probe_decide_always(f.probe, WARD_LATER);
	break_child(&f);
	ward_expect_failure(f.probe, WARD_MINUTE, f.child, &broke);
	ward_kit_finish(f.kit); /* undecided, but seen */
}

/* The guardian restarts the probe, whose children are stopped with that; its mail stays. */
BOTH(escalation_makes_the_probe_fail_and_keeps_its_mail)
{
	struct family f = start(real);
	give(&f, 5);
	wait_for(&(struct scene){.kit = f.kit, .probe = f.probe}, 1);
	break_child(&f);
	ward_expect_failure(f.probe, WARD_MINUTE, f.child, &broke);
	ward_expect_events(f.kit, 1, .kinds = WARD_EVENT_FAILURE, .path = "sim/user/parent",
			   .class_name = "broke", .directive = WARD_RESTART)
		ward_probe_decide(f.probe, f.child, WARD_ESCALATE);
	ward_kit_run_until_state(f.kit, f.child, WARD_STATE_GONE);
	ward_assert_eq(ward_expect(f.probe, WARD_MINUTE, balance)->cents, 5);
	ward_assert(ward_ref_equal(ward_probe_sender(f.probe), f.child));
	ward_probe_watch(f.probe, f.child);
	ward_expect_terminated(f.probe, WARD_MINUTE, f.child);
	ward_kit_finish(f.kit);
}

static void fail_here(ward_self *self, void *arg)
{
	++*(int *)arg;
	ward_fail(self, &broke, "told to");
}

BOTH(act_that_fails_has_happened)
{
	struct family f = start(real);
	int times = 0;
	ward_expect_events(f.kit, 2, .old_state = WARD_STATE_RESTARTING,
			   .new_state = WARD_STATE_RUNNING, .path = "*/parent")
	{
		ward_probe_do(f.probe, fail_here, &times);
		ward_probe_do(f.probe, fail_here, &times);
	}
	ward_assert_eq(times, 2);
	ward_kit_finish(f.kit);
}

/* ---- with a strategy --------------------------------------------------------------------- */

static const ward_props sibling_props = {.behavior = &bank_behavior, .name = "sibling"};

/* Scope and limit are the strategy's, the decision is the test's. */
BOTH(strategy_without_an_opinion_leaves_the_decision_to_the_test)
{
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.real_threads = real});
	ward_probe *parent = ward_probe_start_with(
		kit, "parent", &(ward_strategy){.scope = WARD_ALL_FOR_ONE, .restarts_max = 1});
	ward_ref child = ward_probe_spawn_props(parent, &bank_props);
	ward_ref sibling = ward_probe_spawn_props(parent, &sibling_props);

	ward_probe_tell(parent, child, break_down);
	ward_expect_failure(parent, WARD_MINUTE, child, &broke);
	ward_expect_events(kit, 2, .old_state = WARD_STATE_RESTARTING,
			   .new_state = WARD_STATE_RUNNING)
		ward_probe_decide(parent, child, WARD_RESTART);
	ward_probe_tell(parent, child, break_down);
	ward_expect_failure(parent, WARD_MINUTE, child, &broke);
	ward_probe_decide(parent, child, WARD_RESTART);
	ward_kit_run_until_state(kit, child, WARD_STATE_GONE);
	ward_kit_run_until_state(kit, sibling, WARD_STATE_GONE);
	ward_kit_finish(kit);
}

static const ward_failure_class other = {.name = "other", .parent = &ward_exception};

/* What a rule decides does not come to the test, what none is for does. */
BOTH(strategy_with_rules_decides_what_it_has_a_rule_for)
{
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.real_threads = real});
	ward_probe *parent = ward_probe_start_with(
		kit, "parent", &(ward_strategy){.rules = {{&broke, WARD_STOP}}});
	ward_ref child = ward_probe_spawn_props(parent, &bank_props);
	ward_ref sibling = ward_probe_spawn_props(parent, &sibling_props);

	ward_expect_events(kit, 1, .failure_class = &broke, .directive = WARD_STOP)
		ward_probe_tell(parent, child, break_down);
	ward_kit_run_until_state(kit, child, WARD_STATE_GONE);
	ward_kit_tell(kit, sibling, ward_kill);
	ward_expect_failure(parent, WARD_MINUTE, sibling, &ward_killed);
	ward_probe_decide(parent, sibling, WARD_RESUME);
	ward_kit_finish(kit);
}

static ward_directive resume(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	(void)failure;
	return WARD_RESUME;
}

static void check_decides_all(bool real, const ward_strategy *strategy)
{
	struct family f = {.kit = ward_kit_start(&(ward_kit_options){.real_threads = real})};

	f.probe = ward_probe_start_with(f.kit, "parent", strategy);
	f.child = ward_probe_spawn_props(f.probe, &bank_props);
	ward_expect_events(f.kit, 1, .failure_class = &broke, .directive = WARD_RESUME)
		break_child(&f);
	ward_assert_state(f.kit, f.child, WARD_STATE_RUNNING);
	ward_kit_finish(f.kit);
}

BOTH(strategy_with_a_decider_or_an_otherwise_leaves_nothing_to_the_test)
{
	check_decides_all(real, &(ward_strategy){.decide = resume});
	check_decides_all(real, &(ward_strategy){.otherwise = WARD_RESUME});
}

static void start_with(ward_kit *kit, const ward_strategy *strategy)
{
	const ward_probe *probe = ward_probe_start_with(kit, "parent", strategy);

	ward_assert(probe == NULL);
}

WARD_TEST(strategy_that_is_no_good_fails_the_test)
{
	ward_kit *kit = ward_kit_start(NULL);

	const ward_strategy window_alone = {.window_ms = 5};

	CAUGHT(start_with(kit, &window_alone), "a spawn was refused: ");
	ward_kit_finish(kit);
}

/* ---- what fails the test ----------------------------------------------------------------- */

BOTH(wrong_failure_says_which_one_it_is)
{
	struct family f = start(real);
	break_child(&f);
	CAUGHT(ward_expect_failure(f.probe, WARD_MINUTE, f.child, &other),
	       "sim/user/parent: expected other of sim/user/parent/bank, got broke of "
	       "sim/user/parent/bank: with 0 cents");
	CAUGHT(ward_expect_failure(f.probe, 4, f.child, NULL),
	       "expected a failure of sim/user/parent/bank, none failed within 4 ms");
	ward_kit_finish(f.kit);
}

BOTH(decision_without_a_failure_is_refused)
{
	struct family f = start(real);
	CAUGHT(ward_probe_decide(f.probe, f.child, WARD_RESUME), "its decision was refused: ");
	ward_assert_part(caught.text, "no failure of sim/user/parent/bank waits");
	ward_kit_finish(f.kit);
}

BOTH(child_that_is_refused_fails_the_test)
{
	struct family f = start(real);
	CAUGHT(ward_probe_spawn_props(f.probe, &bank_props), "its child was refused: ");
	ward_assert_part(caught.text, "bank");
	ward_kit_finish(f.kit);
}

BOTH(failure_that_nobody_asked_about_fails_the_end)
{
	struct family f = start(real);
	break_child(&f);
	ward_kit_run_until_state(f.kit, f.child, WARD_STATE_FAILED);
	ward_kit_run(f.kit);
	CAUGHT(ward_kit_finish(f.kit),
	       "nobody asked sim/user/parent about the failure of sim/user/parent/bank: with 0");
}

WARD_TEST_MAIN
