/* SPDX-License-Identifier: MIT
 *
 * test_otp_stop.c - how a supervisor of the OTP profile ends its children and itself (S115).
 *
 * Method: a worker that holds on traps exits and goes on; the clock is moved by hand.
 */
#include "support/otp_workers.h"

#define O_ENDS(supervisor) ward_kit_tell(o.kit, supervisor, ward_otp_shut_down)

static const ward_otp_supervisor pair = {
	.children = CHILDREN(PERMANENT("a"), PERMANENT("b")),
	.report = hears,
};

/* ---- how long ---------------------------------------------------------------------------- */

WARD_TEST(a_child_has_five_seconds_then_it_is_killed, "S115", "S110")
{
	ward_ref who;

	o_begin();
	who = o_start(&pair);
	o_tell(who, "b", .what = HOLD);
	seen();
	O_ENDS(who);
	ward_assert_str(seen(), "b!");
	ward_kit_advance(o.kit, 4999);
	ward_assert_str(seen(), "");
	ward_kit_advance(o.kit, 1);
	ward_assert_str(seen(), "b- a-");
	ward_assert_str(reported(), "b:3:killed");
	ward_assert(!o_lives(who));
	o_end();
}

WARD_TEST(a_child_that_ends_in_time_is_not_waited_for, "S115")
{
	ward_ref who, b;

	o_begin();
	who = o_start(&pair);
	b = o_child(who, "b");
	o_tell(who, "b", .what = HOLD);
	seen();
	O_ENDS(who);
	ward_kit_advance(o.kit, 1000);
	ward_kit_tell(o.kit, b, act, .what = LEAVE, .reason = {.kind = WARD_EXIT_SHUTDOWN});
	ward_assert_str(seen(), "b! b- a-");
	ward_assert_str(reported(), "");
	o_end();
}

WARD_TEST(brutal_kills_at_once, "S115", "S110")
{
	const ward_otp_supervisor table = {
		.children = CHILDREN(PERMANENT("a"), CHILD("b", .shutdown_ms = WARD_OTP_BRUTAL)),
		.report = hears,
	};
	ward_ref who;

	o_begin();
	who = o_start(&table);
	o_tell(who, "b", .what = HOLD);
	seen();
	O_ENDS(who);
	ward_assert_str(seen(), "b- a-");
	ward_assert_str(reported(), "");
	o_end();
}

WARD_TEST(infinity_waits_for_ever, "S115", "S110")
{
	const ward_otp_supervisor table = {
		.children = CHILDREN(CHILD("a", .shutdown_ms = WARD_OTP_INFINITY)),
	};
	ward_ref who, a;

	o_begin();
	who = o_start(&table);
	a = o_child(who, "a");
	o_tell(who, "a", .what = HOLD);
	O_ENDS(who);
	ward_kit_advance(o.kit, 60 * WARD_MINUTE);
	ward_assert_str(seen(), "a+ a!");
	ward_kit_tell(o.kit, a, act, .what = LET_GO);
	ward_assert_str(seen(), "a-");
	ward_assert(!o_lives(who));
	o_end();
}

WARD_TEST(a_supervisor_below_has_all_the_time_it_needs, "S115", "S110")
{
	const ward_otp_supervisor below = {
		.children = CHILDREN(CHILD("c", .shutdown_ms = WARD_MINUTE)),
	};
	const ward_otp_supervisor table = {
		.children = CHILDREN(PERMANENT("a"), {.id = "below", .supervisor = &below}),
	};
	ward_ref who;

	o_begin();
	who = o_start(&table);
	o_tell(o_child(who, "below"), "c", .what = HOLD);
	seen();
	O_ENDS(who);
	ward_kit_advance(o.kit, WARD_MINUTE - 1);
	ward_assert_str(seen(), "c!");
	ward_kit_advance(o.kit, 1);
	ward_assert_str(seen(), "c- a-");
	o_end();
}

WARD_TEST(an_unexpected_reason_is_reported, "S115")
{
	ward_ref who;

	o_begin();
	who = o_start(&pair);
	o_tell(who, "b", .what = HOLD);
	o.turn_flags = "b";
	seen();
	ward_assert_eq(o_terminate(who, "b"), WARD_OTP_OK);
	ward_assert_str(seen(), "b! b-");
	ward_assert_str(reported(), "b:3:odd");
	o_end();
}

WARD_TEST(without_a_function_the_last_report_is_the_status_also_after_the_restart, "S115")
{
	const ward_otp_supervisor table = {.intensity = 9, .children = CHILDREN(PERMANENT("a"))};
	ward_actor_info info;
	ward_ref who;

	o_begin();
	who = o_start(&table);
	o_fail(who, "a");
	ward_assert(ward_kit_info(o.kit, who, &info));
	ward_assert_str(info.status,
			"restarted; last report: child \"a\" has ended: bad_luck: a had it");
	o.broken = "a";
	o.broken_for = 1;
	o_fail(who, "a");
	ward_assert(ward_kit_info(o.kit, who, &info));
	ward_assert_part(info.status, "restarted; last report: child \"a\" was not started: ");
	o_end();
}

WARD_TEST(text_says_what_was_wrong_with_an_end, "S115")
{
	static const char *const texts[] = {
		"child \"b\" did not end within 5000 ms and was killed",
		"child \"b\" ended with \"odd\", not \"shutdown\", when it was stopped",
		"child \"b\" ended with \"killed\", not \"shutdown\", when it was stopped",
	};
	const ward_otp_supervisor table = {.name = "top", .children = CHILDREN(PERMANENT("b"))};
	ward_ref who, b;

	o_begin();
	who = o_start(&table);
	o_tell(who, "b", .what = HOLD);
	ward_assert_eq(o_terminate(who, "b"), WARD_OTP_OK);
	ward_assert_eq(o_restart(who, "b"), WARD_OTP_OK);
	o_tell(who, "b", .what = HOLD);
	o.turn_flags = "b";
	ward_assert_eq(o_terminate(who, "b"), WARD_OTP_OK);
	o.turn_flags = NULL;
	ward_assert_eq(o_restart(who, "b"), WARD_OTP_OK);
	o_tell(who, "b", .what = HOLD);
	b = o_child(who, "b");
	O_ENDS(who);
	ward_kit_run(o.kit);
	ward_kit_tell(o.kit, b, ward_kill); /* of somebody else */
	ward_kit_run(o.kit);
	for (size_t i = 0; i < 3; i++)
		ward_assert_str(ward_kit_event(o.kit, WARD_EVENT_NOTE, "*/top", i)->text, texts[i]);
	o_end();
}

/* ---- who has unlinked -------------------------------------------------------------------- */

WARD_TEST(a_child_that_unlinked_itself_does_not_hold_it_up, "S115")
{
	ward_ref who;

	o_begin();
	who = o_start(&pair);
	o_tell(who, "b", .what = UNLINK);
	seen();
	ward_assert_eq(o_terminate(who, "b"), WARD_OTP_OK);
	ward_assert_eq(o_restart(who, "b"), WARD_OTP_OK);
	o_tell(who, "b", .what = UNLINK);
	O_ENDS(who);
	ward_assert_str(seen(), "b- b+ b- a-");
	ward_assert_str(reported(), "");
	ward_assert(!o_lives(who));
	o_end();
}

WARD_TEST(a_child_that_unlinked_itself_and_ends_is_missed_all_the_same, "S115")
{
	ward_ref who;

	o_begin();
	who = o_start(&pair);
	o_tell(who, "b", .what = UNLINK);
	seen();
	o_leave(who, "b", .kind = WARD_EXIT_NORMAL);
	ward_assert_str(seen(), "b- b+");
	ward_assert_str(reported(), "b:1:noproc");
	o_end();
}

WARD_TEST(of_a_child_that_unlinked_itself_and_fails_the_reason_is_known, "S115", "S112")
{
	const ward_otp_supervisor table = {
		.intensity = 9, .children = CHILDREN(TRANSIENT("a")), .report = hears};
	ward_ref who;

	o_begin();
	who = o_start(&table);
	o_tell(who, "a", .what = UNLINK);
	o_fail(who, "a");
	o_tell(who, "a", .what = UNLINK);
	ward_kit_tell(o.kit, o_child(who, "a"), ward_kill);
	ward_assert_str(seen(), "a+ a- a+ a- a+");
	ward_assert_str(reported(), "a:1:bad_luck: a had it a:1:killed");
	o_end();
}

/* ---- all at the same time ---------------------------------------------------------------- */

WARD_TEST(simple_ends_all_its_children_at_the_same_time, "S111", "S115")
{
	const ward_otp_supervisor table = {
		.strategy = WARD_OTP_SIMPLE_ONE_FOR_ONE,
		.children = CHILDREN(PERMANENT("t")),
		.report = hears,
	};
	const char *log;
	ward_ref who;

	o_begin();
	who = o_start(&table);
	for (int i = 0; i < 4; i++)
		ward_kit_tell(o.kit, o_more(who, "a"), act, .what = i == 2 ? LET_GO : HOLD);
	(void)o_more(who, "b");
	seen();
	O_ENDS(who);
	log = seen();
	ward_assert_eq(times(log, "a!"), 3);
	ward_assert_eq(times(log, "b-"), 1);
	ward_kit_advance(o.kit, 4999);
	ward_assert_str(seen(), "");
	ward_kit_advance(o.kit, 1);
	ward_assert_eq(times(seen(), "a-"), 3);
	ward_assert_eq(times(reported(), ":3:killed"), 3);
	ward_assert(!o_lives(who));
	o_end();
}

WARD_TEST(simple_without_children_ends, "S111", "S115")
{
	const ward_otp_supervisor table = {
		.strategy = WARD_OTP_SIMPLE_ONE_FOR_ONE,
		.children = CHILDREN(PERMANENT("t")),
	};
	ward_ref who;

	o_begin();
	who = o_start(&table);
	ward_assert_ok(ward_otp_stop(o_system(), who, WARD_SECOND));
	o_end();
}

/* ---- what ends it ------------------------------------------------------------------------ */

WARD_TEST(shutdown_of_the_system_ends_its_children_in_order, "S115")
{
	const ward_otp_supervisor four = {
		.children =
			CHILDREN(PERMANENT("a"), PERMANENT("b"), PERMANENT("c"), PERMANENT("d")),
	};

	WARD_TEST_SEEDS(20)
	{
		o_begin_at(ward_test_seed());
		(void)o_start(&four);
		seen();
		ward_system_shutdown(o_system(), NULL);
		ward_assert_str(seen(), "d- c- b- a-");
		o_end();
	}
}

static void tells_its_child_to_end(ward_self *self, void *arg)
{
	const ward_exit_reason reason = {.kind = WARD_EXIT_SHUTDOWN, .text = "no work"};

	ward_assert_ok(ward_exit(self, *(ward_ref *)arg, &reason));
}

WARD_TEST(an_exit_signal_of_its_parent_ends_it_in_order_with_that_reason, "S115")
{
	const ward_otp_supervisor four = {
		.children =
			CHILDREN(PERMANENT("a"), PERMANENT("b"), PERMANENT("c"), PERMANENT("d")),
	};

	WARD_TEST_SEEDS(20)
	{
		ward_ref who;

		o_begin_at(ward_test_seed());
		who = ward_probe_spawn(o.probe, &ward_otp_behavior,
				       .args = {WARD_COPY(ward_otp_supervisor, &four)});
		seen();
		ward_probe_do(o.probe, tells_its_child_to_end, &who);
		ward_assert_str(seen(), "d- c- b- a-");
		ward_assert(!o_lives(who));
		o_end();
	}
}

WARD_TEST(an_order_to_end_comes_after_what_it_does, "S115")
{
	ward_ref who;

	o_begin();
	who = o_start(&pair);
	o_tell(who, "a", .what = HOLD);
	seen();
	ward_probe_tell(o.probe, who, ward_otp_terminate_child, .id = "a");
	ward_probe_tell(o.probe, who, ward_otp_shut_down);
	ward_assert_str(seen(), "a!");
	ward_kit_advance(o.kit, 5000);
	ward_assert_str(seen(), "a- b-");
	ward_assert_eq(ward_expect(o.probe, 0, ward_otp_done)->code, WARD_OTP_OK);
	ward_assert(!o_lives(who));
	o_end();
}

/* ---- meanwhile --------------------------------------------------------------------------- */

WARD_TEST(what_is_asked_while_a_child_ends_waits_its_turn, "S115", "S116")
{
	ward_ref who;

	o_begin();
	who = o_start(&pair);
	o_tell(who, "a", .what = HOLD);
	seen();
	ward_probe_tell(o.probe, who, ward_otp_terminate_child, .id = "a");
	ward_probe_tell(o.probe, who, ward_otp_terminate_child, .id = "b");
	ward_probe_tell(o.probe, who, ward_otp_restart_child, .id = "a");
	ward_probe_tell(o.probe, who, ward_otp_count_children);
	ward_expect_none(o.probe, 4999);
	ward_kit_advance(o.kit, 1);
	ward_assert_str(seen(), "a! a- b- a+");
	for (int i = 0; i < 3; i++)
		ward_assert_eq(ward_expect(o.probe, 0, ward_otp_done)->code, WARD_OTP_OK);
	ward_assert_eq(ward_expect(o.probe, 0, ward_otp_counts)->active, 1);
	o_end();
}

WARD_TEST(a_child_that_ends_while_another_one_does_is_restarted_then, "S115", "S111")
{
	ward_ref who, b;

	o_begin();
	who = o_start(&pair);
	b = o_child(who, "b");
	o_tell(who, "a", .what = HOLD);
	seen();
	ward_probe_tell(o.probe, who, ward_otp_terminate_child, .id = "a");
	ward_kit_run(o.kit);
	ward_kit_tell(o.kit, b, act, .what = FAIL);
	ward_assert_str(seen(), "a! b-");
	ward_kit_advance(o.kit, 5000);
	ward_assert_str(seen(), "a- b+");
	ward_assert_eq(ward_expect(o.probe, 0, ward_otp_done)->code, WARD_OTP_OK);
	o_end();
}

WARD_TEST(a_child_that_ended_before_its_turn_to_end_is_not_waited_for, "S115")
{
	ward_ref who, a;

	o_begin();
	who = o_start(&pair);
	a = o_child(who, "a");
	o_tell(who, "b", .what = HOLD);
	seen();
	O_ENDS(who);
	ward_kit_run(o.kit);
	ward_kit_tell(o.kit, a, act, .what = FAIL);
	ward_assert_str(seen(), "b! a-");
	ward_kit_advance(o.kit, 5000);
	ward_assert_str(seen(), "b-");
	ward_assert_str(reported(), "b:3:killed a:3:bad_luck: a had it");
	ward_assert(!o_lives(who));
	o_end();
}

WARD_TEST_MAIN
