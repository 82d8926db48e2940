/* SPDX-License-Identifier: MIT
 *
 * test_otp_auto_shutdown.c - supervisors of the OTP profile that end with their significant
 * children (S114).
 *
 * Method: as in test_otp_intensity.c, the supervisor is a transient child of another one.
 */
#include "support/otp_workers.h"

#define SIGNIFICANT(id_, restart_) CHILD(id_, .restart = restart_, .significant = true)
#define FOUR                                                                                       \
	CHILDREN(PERMANENT("a"), SIGNIFICANT("b", WARD_OTP_TRANSIENT),                             \
		 SIGNIFICANT("c", WARD_OTP_TEMPORARY), TRANSIENT("d"))

static ward_ref o_below, o_above;

static void start_below(ward_otp_auto_shutdown auto_shutdown, ward_otp_strategy strategy)
{
	const ward_otp_supervisor below = {.strategy = strategy,
					   .intensity = 9,
					   .auto_shutdown = auto_shutdown,
					   .children = FOUR};
	const ward_otp_supervisor above = {
		.children = CHILDREN(
			{.id = "below", .supervisor = &below, .restart = WARD_OTP_TRANSIENT}),
	};

	o_above = o_start(&above);
	o_below = o_child(o_above, "below");
	seen();
}

static bool has_ended_with_shutdown(void)
{
	return !o_lives(o_below) && strcmp(o_which(o_above), "below-") == 0;
}

WARD_TEST(any_significant_child_that_ends_by_itself_ends_it, "S114")
{
	o_begin();
	start_below(WARD_OTP_ANY_SIGNIFICANT, WARD_OTP_ONE_FOR_ONE);
	o_leave(o_below, "b", .kind = WARD_EXIT_NORMAL);
	ward_assert_str(seen(), "b- d- c- a-");
	ward_assert(has_ended_with_shutdown());
	start_below(WARD_OTP_ANY_SIGNIFICANT, WARD_OTP_ONE_FOR_ONE);
	o_fail(o_below, "c"); /* temporary: with any reason */
	ward_assert_str(seen(), "c- d- b- a-");
	ward_assert(has_ended_with_shutdown());
	o_end();
}

WARD_TEST(what_is_restarted_or_not_significant_does_not_end_it, "S114")
{
	o_begin();
	start_below(WARD_OTP_ANY_SIGNIFICANT, WARD_OTP_ONE_FOR_ONE);
	o_fail(o_below, "b");
	o_leave(o_below, "d", .kind = WARD_EXIT_NORMAL);
	ward_assert_str(seen(), "b- b+ d-");
	ward_assert(o_lives(o_below));
	o_end();
}

WARD_TEST(what_is_terminated_does_not_end_it, "S114")
{
	o_begin();
	start_below(WARD_OTP_ANY_SIGNIFICANT, WARD_OTP_ONE_FOR_ONE);
	ward_assert_eq(o_terminate(o_below, "b"), WARD_OTP_OK);
	ward_assert_eq(o_terminate(o_below, "c"), WARD_OTP_OK);
	ward_assert_str(o_which(o_below), "d+ b- a+");
	o_end();
}

WARD_TEST(a_bystander_does_not_end_it, "S114")
{
	o_begin();
	start_below(WARD_OTP_ANY_SIGNIFICANT, WARD_OTP_REST_FOR_ONE);
	o_fail(o_below, "a"); /* and with it c, which is temporary */
	ward_assert_str(seen(), "a- d- c- b- a+ b+ d+");
	ward_assert(o_lives(o_below));
	o_end();
}

WARD_TEST(all_significant_ends_it_with_the_last_of_them, "S114")
{
	o_begin();
	start_below(WARD_OTP_ALL_SIGNIFICANT, WARD_OTP_ONE_FOR_ONE);
	o_fail(o_below, "c");
	ward_assert_str(seen(), "c-");
	ward_assert(o_lives(o_below));
	o_leave(o_below, "b", .kind = WARD_EXIT_SHUTDOWN);
	ward_assert_str(seen(), "b- d- a-");
	ward_assert(has_ended_with_shutdown());
	o_end();
}

WARD_TEST(all_significant_does_not_wait_for_one_that_was_terminated, "S114")
{
	o_begin();
	start_below(WARD_OTP_ALL_SIGNIFICANT, WARD_OTP_ONE_FOR_ONE);
	ward_assert_eq(o_terminate(o_below, "b"), WARD_OTP_OK);
	ward_assert(o_lives(o_below));
	o_fail(o_below, "c");
	ward_assert(has_ended_with_shutdown());
	o_end();
}

/* It starts, and leaves with its first message. */
static ward_result brief_start(ward_self *self, void *state)
{
	ward_tell(self, ward_self_ref(self), act, .what = LEAVE);
	return worker_start(self, state);
}

static const ward_behavior brief = {
	.name = "brief",
	.args = &ward_type_name,
	.receive = worker_receive,
	.pre_start = brief_start,
	.post_stop = worker_stop,
};

/* As in OTP: it was there when the last one ran, so that was a start, for the one above, too. */
WARD_TEST(child_that_ends_while_those_after_it_start_was_started, "S114", "S110")
{
	const ward_otp_supervisor below = {
		.auto_shutdown = WARD_OTP_ANY_SIGNIFICANT,
		.children = CHILDREN({.id = "b",
				      .props = {.behavior = &brief, .args = WARD_ARGS(name, "b")},
				      .restart = WARD_OTP_TRANSIENT,
				      .significant = true},
				     PERMANENT("c"), PERMANENT("d"))};
	const ward_otp_supervisor above = {
		.children = CHILDREN(
			PERMANENT("a"),
			{.id = "below", .supervisor = &below, .restart = WARD_OTP_TRANSIENT}),
	};

	WARD_TEST_SEEDS(20)
	{
		ward_ref who;

		o_begin_at(ward_test_seed());
		ward_assert_ok(ward_otp_start(o_system(), &below, WARD_MINUTE, &who));
		ward_kit_run(o.kit);
		ward_assert(!o_lives(who));
		who = o_start(&above);
		ward_kit_run(o.kit);
		ward_assert_str(o_which(who), "below- a+");
		o_end();
	}
}

WARD_TEST(never_goes_on_without_children, "S114")
{
	const ward_otp_supervisor table = {.children = CHILDREN(TEMPORARY("a"))};
	ward_ref who;

	o_begin();
	who = o_start(&table);
	o_fail(who, "a");
	ward_assert_str(o_which(who), "");
	o_end();
}

WARD_TEST_MAIN
