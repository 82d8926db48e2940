/* SPDX-License-Identifier: MIT
 *
 * test_otp_restart.c - which children of a supervisor of the OTP profile are restarted, in which
 * order, and which are not (S111, S112).
 *
 * Method: workers note what happens to them. Where it is a matter of order, over many seeds.
 */
#include "support/otp_workers.h"

#define THREE CHILDREN(PERMANENT("a"), PERMANENT("b"), PERMANENT("c"))

static const ward_otp_supervisor one = {.intensity = 9, .children = THREE};
static const ward_otp_supervisor all = {
	.strategy = WARD_OTP_ONE_FOR_ALL, .intensity = 9, .children = THREE};
static const ward_otp_supervisor rest = {
	.strategy = WARD_OTP_REST_FOR_ONE, .intensity = 9, .children = THREE};

static void check_restart(const ward_otp_supervisor *table, const char *log)
{
	WARD_TEST_SEEDS(20)
	{
		ward_ref who, old;

		o_begin_at(ward_test_seed());
		who = o_start(table);
		old = o_child(who, "b");
		seen();
		o_fail(who, "b");
		ward_assert_str(seen(), log);
		ward_assert_str(o_which(who), "c+ b+ a+");
		ward_assert(!o_lives(old));
		ward_assert(!ward_ref_equal(old, o_child(who, "b"))); /* another actor */
		o_end();
	}
}

WARD_TEST(one_for_one_restarts_the_one_that_ended, "S111")
{
	check_restart(&one, "b- b+");
}

WARD_TEST(one_for_all_stops_the_others_in_reverse_and_starts_all, "S111")
{
	check_restart(&all, "b- c- a- a+ b+ c+");
}

WARD_TEST(rest_for_one_stops_those_after_it_in_reverse_and_starts_them, "S111")
{
	check_restart(&rest, "b- c- b+ c+");
}

WARD_TEST(one_for_all_starts_what_was_off, "S111")
{
	const ward_otp_supervisor table = {
		.strategy = WARD_OTP_ONE_FOR_ALL,
		.intensity = 9,
		.children = CHILDREN(TRANSIENT("a"), PERMANENT("b"), PERMANENT("c")),
	};
	ward_ref who;

	o_begin();
	who = o_start(&table);
	o_leave(who, "a", .kind = WARD_EXIT_NORMAL);
	ward_assert_eq(o_terminate(who, "b"), WARD_OTP_OK);
	ward_assert_str(o_which(who), "c+ b- a-");
	seen();
	o_fail(who, "c");
	ward_assert_str(seen(), "c- a+ b+ c+");
	o_end();
}

WARD_TEST(a_temporary_child_is_never_restarted_as_a_bystander, "S112", "S111")
{
	const ward_otp_child_spec *children =
		CHILDREN(TEMPORARY("a"), PERMANENT("b"), TEMPORARY("c"), PERMANENT("d"));
	ward_otp_supervisor table = {.intensity = 9, .children = children};
	ward_ref who;

	o_begin();
	table.strategy = WARD_OTP_REST_FOR_ONE;
	who = o_start(&table);
	seen();
	o_fail(who, "b");
	ward_assert_str(seen(), "b- d- c- b+ d+");
	ward_assert_str(o_which(who), "d+ b+ a+");
	ward_assert_ok(ward_otp_stop(o_system(), who, WARD_SECOND));
	table.strategy = WARD_OTP_ONE_FOR_ALL;
	who = o_start(&table);
	seen();
	o_fail(who, "d");
	ward_assert_str(seen(), "d- c- b- a- b+ d+");
	ward_assert_str(o_which(who), "d+ b+");
	o_end();
}

/* ---- reasons ----------------------------------------------------------------------------- */

static const ward_otp_supervisor lives = {
	.intensity = 9,
	.children = CHILDREN(PERMANENT("p"), TRANSIENT("t"), TEMPORARY("x")),
};

/* What becomes of the three when each leaves with that reason. */
static void check_reason(const ward_exit_reason *reason, const char *log, const char *which)
{
	static const char *const ids[] = {"p", "t", "x"};
	ward_ref who;

	o_begin();
	who = o_start(&lives);
	seen();
	for (int i = 0; i < 3; i++)
		o_tell(who, ids[i], .what = LEAVE, .reason = *reason);
	ward_assert_str(seen(), log);
	ward_assert_str(o_which(who), which);
	o_end();
}

WARD_TEST(normal_reasons_restart_the_permanent_one_only, "S112")
{
	check_reason(&(ward_exit_reason){.kind = WARD_EXIT_NORMAL}, "p- p+ t- x-", "t- p+");
	check_reason(&(ward_exit_reason){.kind = WARD_EXIT_SHUTDOWN}, "p- p+ t- x-", "t- p+");
	check_reason(&(ward_exit_reason){.kind = WARD_EXIT_SHUTDOWN, .text = "no work"},
		     "p- p+ t- x-", "t- p+");
}

WARD_TEST(other_reasons_restart_the_transient_one_too, "S112")
{
	check_reason(&(ward_exit_reason){.kind = WARD_EXIT_OTHER, .name = "odd"}, "p- p+ t- t+ x-",
		     "t+ p+");
	check_reason(&(ward_exit_reason){.kind = WARD_EXIT_KILL}, "p- p+ t- t+ x-", "t+ p+");
}

WARD_TEST(a_failure_is_a_reason_that_restarts, "S112")
{
	ward_ref who;

	o_begin();
	who = o_start(&lives);
	seen();
	o_fail(who, "p");
	o_fail(who, "t");
	o_fail(who, "x");
	ward_assert_str(seen(), "p- p+ t- t+ x-");
	ward_assert_str(o_which(who), "t+ p+");
	ward_kit_tell(o.kit, o_child(who, "t"), ward_kill);
	ward_assert_str(seen(), "t- t+");
	ward_kit_tell(o.kit, o_child(who, "t"), ward_poison_pill);
	ward_assert_str(seen(), "t-");
	ward_kit_stop(o.kit, o_child(who, "p"));
	ward_assert_str(seen(), "p- p+");
	o_end();
}

static void says_it_exits(ward_self *self, void *arg)
{
	const ward_exit_reason reason = {.kind = WARD_EXIT_OTHER, .name = "odd"};

	ward_assert_ok(ward_exit(self, *(ward_ref *)arg, &reason));
}

WARD_TEST(an_exit_signal_of_somebody_else_is_ignored, "S111")
{
	ward_ref who;

	o_begin();
	who = o_start(&one);
	seen();
	ward_probe_do(o.probe, says_it_exits, &who);
	ward_assert_str(seen(), "");
	ward_assert(o_lives(who));
	o_end();
}

WARD_TEST(a_child_that_only_says_that_it_has_ended_is_not_restarted, "S111")
{
	ward_ref who;

	o_begin();
	who = o_start(&one);
	seen();
	o_tell(who, "a", .what = PRETEND, .reason = {.kind = WARD_EXIT_SHUTDOWN});
	ward_assert_str(seen(), "");
	o_fail(who, "a"); /* which is an end */
	ward_assert_str(seen(), "a- a+");
	o_end();
}

/* ---- simple_one_for_one ------------------------------------------------------------------ */

static const ward_otp_supervisor simple = {
	.strategy = WARD_OTP_SIMPLE_ONE_FOR_ONE,
	.intensity = 9,
	.children = CHILDREN(TRANSIENT("t")),
};

WARD_TEST(simple_starts_none_then_those_that_are_added_with_their_arguments, "S111")
{
	ward_ref who, a, b;

	o_begin();
	who = o_start(&simple);
	ward_assert_str(o_which(who), "");
	a = o_more(who, "a");
	b = o_more(who, "b");
	ward_assert_eq(o_add(who, &(ward_otp_child_spec){0}).code, WARD_OTP_OK);
	ward_assert_str(seen(), "a+ b+ t+");
	ward_assert_str(o_which(who), "+ + +");
	ward_kit_tell(o.kit, a, act, .what = FAIL);
	ward_assert_str(seen(), "a- a+"); /* with its own arguments */
	ward_kit_tell(o.kit, b, act, .what = LEAVE);
	ward_assert_str(seen(), "b-");
	ward_assert_str(o_which(who), "+ +");
	o_end();
}

WARD_TEST(simple_forgets_one_that_has_nothing_to_do, "S110", "S111")
{
	struct ward_otp_done done;
	ward_ref who, a;

	o_begin();
	who = o_start(&simple);
	o.idle = "t";
	done = o_add(who, &(ward_otp_child_spec){0});
	ward_assert_eq(done.code, WARD_OTP_OK);
	ward_assert(ward_ref_is_nobody(done.who));
	ward_assert_str(o_which(who), "");
	a = o_more(who, "a");
	o.idle = "a";
	ward_kit_tell(o.kit, a, act, .what = FAIL);
	ward_kit_run(o.kit);
	ward_assert_str(o_which(who), "");
	o_end();
}

WARD_TEST(a_supervisor_below_that_ends_is_restarted_with_all_it_has, "S111", "S112")
{
	const ward_otp_supervisor below = {
		.intensity = WARD_RESTARTS_NONE,
		.children = CHILDREN(PERMANENT("c"), PERMANENT("d")),
	};
	const ward_otp_supervisor table = {
		.strategy = WARD_OTP_REST_FOR_ONE,
		.children = CHILDREN(PERMANENT("a"), {.id = "below", .supervisor = &below},
				     PERMANENT("b")),
	};
	ward_ref who;

	o_begin();
	who = o_start(&table);
	seen();
	o_fail(o_child(who, "below"), "c");
	ward_assert_str(seen(), "c- d- b- c+ d+ b+");
	ward_assert_str(o_which(who), "b+ below+ a+");
	o_end();
}

WARD_TEST_MAIN
