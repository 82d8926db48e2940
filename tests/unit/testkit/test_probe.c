/* SPDX-License-Identifier: MIT
 *
 * test_probe.c - a probe expects, answers, passes on, watches; and says what did not come.
 *
 * Method: each case runs simulated and on threads. What must fail the test is caught.
 */
#include "bank.h"

#define REAL                                                                                       \
	&(ward_kit_options)                                                                        \
	{                                                                                          \
		.real_threads = real                                                               \
	}

/* ---- expecting --------------------------------------------------------------------------- */

BOTH(expect_gives_messages_in_order_with_their_sender)
{
	struct scene s = scene_start(REAL);
	for (int i = 1; i <= 3; i++)
		ward_probe_tell(s.probe, s.bank, deposit, .cents = i);
	for (int i = 1; i <= 3; i++) {
		ward_assert_eq(ward_expect(s.probe, WARD_MINUTE, balance)->cents, i * (i + 1) / 2);
		ward_assert(ward_ref_equal(ward_probe_sender(s.probe), s.bank));
	}
	ward_system_tell(ward_kit_system(s.kit), ward_probe_ref(s.probe), hello);
	ward_assert(ward_expect(s.probe, WARD_MINUTE, hello) != NULL);
	ward_assert(ward_ref_is_nobody(ward_probe_sender(s.probe)));
	ward_kit_finish(s.kit);
}

static bool is_rich(void *arg, const void *body)
{
	return ((const struct balance *)body)->cents >= *(int64_t *)arg;
}

BOTH(expect_takes_a_message_of_any_type_and_one_that_matches)
{
	struct scene s = scene_start(REAL);
	int64_t enough = 5;
	ward_probe_tell(s.probe, s.bank, deposit, .cents = 5);
	ward_assert_eq(ward_expect_where(s.probe, WARD_MINUTE, balance, is_rich, &enough)->cents,
		       5);
	ward_probe_tell(s.probe, s.bank, deposit, .cents = 1);
	const struct balance *any =
		ward_probe_expect(s.probe, WARD_MINUTE, &(ward_expectation){.type = NULL});
	ward_assert_eq(any->cents, 6);
	ward_probe_tell(s.probe, s.bank, deposit, .cents = -2);
	CAUGHT(ward_expect_where(s.probe, WARD_MINUTE, balance, is_rich, &enough),
	       "expected balance that matches, got balance from sim/user/bank, 8 bytes: "
	       "04 00 00 00 00 00 00 00");
	ward_kit_finish(s.kit);
}

BOTH(fish_drops_what_comes_before)
{
	struct scene s = scene_start(REAL);
	int64_t enough = 3;
	for (int i = 0; i < 5; i++)
		ward_probe_tell(s.probe, s.bank, deposit, .cents = 1);
	ward_assert_eq(ward_fish(s.probe, WARD_MINUTE, balance, is_rich, &enough)->cents, 3);
	ward_assert_eq(ward_fish(s.probe, WARD_MINUTE, balance, NULL, NULL)->cents, 4);
	enough = 6;
	CAUGHT(ward_fish(s.probe, 1, balance, is_rich, &enough),
	       "expected balance that matches among others, it did not come within 1 ms");
	ward_kit_finish(s.kit);
}

BOTH(expectation_of_what_does_not_come_says_how_long_it_waited)
{
	struct scene s = scene_start(REAL);
	CAUGHT(ward_expect(s.probe, 7, balance),
	       "sim/user/probe: expected balance, nothing came within 7 ms");
	CAUGHT(ward_expect(s.probe, 0, balance), "nothing came within 0 ms");
	CAUGHT(ward_expect_terminated(s.probe, 3, s.bank),
	       "expected the end of sim/user/bank, nothing came within 3 ms; it does not watch it");
	ward_kit_stop(s.kit, s.bank);
	ward_kit_run_until_state(s.kit, s.bank, WARD_STATE_GONE);
	CAUGHT(ward_expect_terminated(s.probe, 0, s.bank), "expected the end of sim/user/bank, ");
	if (!real)
		ward_assert_part(caught.text, "time     0.010 s");
	ward_kit_finish(s.kit);
}

BOTH(expectation_of_another_message_says_what_came_and_what_waits)
{
	struct scene s = scene_start(REAL);
	ward_probe_tell(s.probe, s.bank, deposit, .cents = 1);
	wait_for(&s, 1);
	ward_system_tell(ward_kit_system(s.kit), ward_probe_ref(s.probe), hello);
	ward_system_tell(ward_kit_system(s.kit), ward_probe_ref(s.probe), deposit, .cents = 1);
	wait_for(&s, 3);
	int line = __LINE__ + 1;
	CAUGHT(ward_expect(s.probe, WARD_MINUTE, hello),
	       "expected hello, got balance from sim/user/bank, 8 bytes: 01 00");
	ward_assert_eq(caught.line, line);
	ward_assert_part(caught.text, "\n  then     hello from nobody, deposit from nobody\n");
	ward_expect(s.probe, WARD_MINUTE, hello);
	CAUGHT(ward_expect(s.probe, WARD_MINUTE, balance), /* which has the same size */
	       "expected balance, got deposit from nobody, 8 bytes: 01 00");
	ward_system_tell(ward_kit_system(s.kit), ward_probe_ref(s.probe), hello);
	wait_for(&s, 1);
	ward_kit_finish(s.kit); /* an expectation that did not hold is enough */
}

/* ---- nothing ----------------------------------------------------------------------------- */

BOTH(expect_none_holds_while_nothing_comes)
{
	struct scene s = scene_start(REAL);
	int64_t before_ns = ward_kit_now_ns(s.kit);
	ward_expect_none(s.probe, 5);
	ward_assert(ward_kit_now_ns(s.kit) - before_ns >= 5 * INT64_C(1000000));
	ward_probe_tell(s.probe, s.bank, deposit, .cents = 1);
	CAUGHT(ward_expect_none(s.probe, WARD_MINUTE),
	       "expected nothing for 60000 ms, got balance from sim/user/bank");
	ward_kit_finish(s.kit);
}

WARD_TEST(expect_none_for_an_hour_is_an_hour_of_virtual_time)
{
	struct scene s = scene_start(NULL);
	ward_expect_none(s.probe, WARD_HOUR);
	ward_assert_eq(ward_kit_now_ns(s.kit), INT64_C(3600) * 1000000000);
	ward_kit_finish(s.kit);
}

/* ---- watching ---------------------------------------------------------------------------- */

BOTH(end_of_a_watched_actor_is_expected)
{
	struct scene s = scene_start(REAL);
	ward_ref other = ward_kit_spawn(s.kit, &bank_behavior);
	ward_probe_watch(s.probe, s.bank);
	ward_probe_tell(s.probe, s.bank, deposit, .cents = 1);
	ward_expect(s.probe, WARD_MINUTE, balance);
	ward_system_stop(ward_kit_system(s.kit), s.bank);
	const struct ward_terminated *gone = ward_expect_terminated(s.probe, WARD_MINUTE, s.bank);
	ward_assert(gone->end != WARD_END_UNKNOWN);
	ward_probe_watch(s.probe, s.bank);
	CAUGHT(ward_expect_terminated(s.probe, WARD_MINUTE, other),
	       "expected the end of sim/user/bank$1, got ward_terminated about sim/user/bank");
	ward_kit_finish(s.kit);
}

WARD_TEST(body_that_is_read_after_the_next_take_is_poisoned)
{
	struct scene s = scene_start(NULL);
	for (int i = 0; i < 2; i++)
		ward_probe_tell(s.probe, s.bank, deposit, .cents = 1);
	wait_for(&s, 2);
	const struct balance *first = ward_expect(s.probe, 0, balance);
	ward_assert_eq(first->cents, 1);
	ward_expect(s.probe, 0, balance); /* which waits already: nobody has a turn */
	ward_assert(first->cents != 1);
	ward_kit_finish(s.kit);
}

BOTH(short_forms_do_what_the_long_ones_do)
{
	struct scene s = scene_start(REAL);
	ward_probe_watch(s.probe, s.bank);
	CAUGHT(ward_expect_terminated(s.probe, 0, s.bank), "nothing came within 0 ms\n");
	ward_kit_tell(s.kit, ward_probe_ref(s.probe), deposit, .cents = 3);
	ward_assert_eq(ward_expect(s.probe, WARD_MINUTE, deposit)->cents, 3);
	ward_assert(ward_ref_is_nobody(ward_probe_sender(s.probe)));
	ward_kit_stop(s.kit, s.bank);
	ward_expect_terminated(s.probe, WARD_MINUTE, s.bank);
	if (!real) {
		ward_kit_advance(s.kit, 7);
		ward_assert_eq(ward_kit_now_ms(s.kit), 7);
	}
	ward_kit_finish(s.kit);
}

BOTH(notice_that_waits_is_not_seen_after_an_unwatch)
{
	struct scene s = scene_start(REAL);
	ward_probe_watch(s.probe, s.bank);
	ward_probe_tell(s.probe, s.bank, deposit, .cents = 1);
	wait_for(&s, 1);
	ward_system_stop(ward_kit_system(s.kit), s.bank);
	wait_for(&s, 2);
	ward_probe_unwatch(s.probe, s.bank);
	ward_kit_run(s.kit);
	ward_expect(s.probe, WARD_MINUTE, balance);
	ward_assert_eq(ward_probe_count(s.probe), 0);
	ward_kit_finish(s.kit);
}

/* ---- passing on -------------------------------------------------------------------------- */

BOTH(reply_and_forward_reach_the_sender_and_the_third)
{
	struct scene s = scene_start(REAL);
	ward_probe *client = ward_probe_start(s.kit, "client");
	ward_probe_tell(client, ward_probe_ref(s.probe), deposit, .cents = 5);
	ward_assert_eq(ward_expect(s.probe, WARD_MINUTE, deposit)->cents, 5);
	ward_probe_reply(s.probe, hello);
	ward_probe_forward(s.probe, s.bank);
	ward_expect(client, WARD_MINUTE, hello);
	ward_assert(ward_ref_equal(ward_probe_sender(client), ward_probe_ref(s.probe)));
	ward_assert_eq(ward_expect(client, WARD_MINUTE, balance)->cents, 5);
	ward_assert(ward_ref_equal(ward_probe_sender(client), s.bank));
	CAUGHT(ward_probe_forward(s.probe, s.bank), "nothing to forward");
	ward_kit_finish(s.kit);
}

static void ask(ward_self *self, void *arg)
{
	ward_tell(self, *(ward_ref *)arg, deposit, .cents = 9);
}

BOTH(do_acts_as_the_probe)
{
	struct scene s = scene_start(REAL);
	ward_probe_do(s.probe, ask, &s.bank);
	ward_assert_eq(ward_expect(s.probe, WARD_MINUTE, balance)->cents, 9);
	ward_kit_finish(s.kit);
}

/* ---- on arrival -------------------------------------------------------------------------- */

BOTH(ignored_type_does_not_arrive)
{
	struct scene s = scene_start(REAL);
	ward_ignore(s.probe, balance);
	ward_probe_tell(s.probe, s.bank, deposit, .cents = 1);
	ward_probe_tell(s.probe, s.bank, parcel, NULL, 1);
	ward_assert_eq(ward_expect(s.probe, WARD_MINUTE, parcel)->number, 1);
	ward_kit_run(s.kit);
	ward_assert_eq(ward_probe_count(s.probe), 0);
	ward_kit_finish(s.kit);
}

struct plan {
	ward_pilot answers[4];
	int asked;
};

static ward_pilot fly(ward_self *self, void *arg, const ward_msg *msg)
{
	struct plan *plan = arg;
	if (ward_match(msg, deposit))
		ward_reply(self, msg, balance, .cents = plan->asked);
	return plan->answers[plan->asked++];
}

BOTH(pilot_sees_each_message_until_it_ends)
{
	struct scene s = scene_start(REAL);
	ward_probe *client = ward_probe_start(s.kit, "client");
	struct plan plan = {{WARD_PILOT_KEEP, WARD_PILOT_EAT, WARD_PILOT_END}, 0};
	ward_probe_set_pilot(s.probe, fly, &plan);
	for (int i = 0; i < 4; i++)
		ward_probe_tell(client, ward_probe_ref(s.probe), deposit, .cents = i);
	for (int i = 0; i < 3; i++)
		ward_assert_eq(ward_expect(client, WARD_MINUTE, balance)->cents, i);
	ward_assert_eq(ward_expect(s.probe, WARD_MINUTE, deposit)->cents, 0);
	ward_assert_eq(ward_expect(s.probe, WARD_MINUTE, deposit)->cents, 2);
	ward_assert_eq(ward_expect(s.probe, WARD_MINUTE, deposit)->cents, 3);
	ward_assert_eq(plan.asked, 3);
	ward_kit_finish(s.kit);
}

BOTH(pilot_that_is_taken_back_is_not_asked)
{
	struct scene s = scene_start(REAL);
	struct plan plan = {{WARD_PILOT_EAT, WARD_PILOT_EAT}, 0};
	ward_probe_set_pilot(s.probe, fly, &plan);
	ward_probe_set_pilot(s.probe, NULL, NULL);
	ward_probe_tell(s.probe, s.bank, deposit, .cents = 1);
	ward_expect(s.probe, WARD_MINUTE, balance);
	ward_assert_eq(plan.asked, 0);
	ward_kit_finish(s.kit);
}

static ward_pilot pass_on(ward_self *self, void *arg, const ward_msg *msg)
{
	(void)msg;
	ward_forward(self, *(ward_ref *)arg);
	return WARD_PILOT_KEEP;
}

BOTH(message_that_the_pilot_forwards_does_not_wait)
{
	struct scene s = scene_start(REAL);
	ward_probe *client = ward_probe_start(s.kit, "client");
	ward_probe_set_pilot(s.probe, pass_on, &s.bank);
	ward_probe_tell(client, ward_probe_ref(s.probe), deposit, .cents = 2);
	ward_assert_eq(ward_expect(client, WARD_MINUTE, balance)->cents, 2);
	ward_assert_eq(ward_probe_count(s.probe), 0);
	ward_kit_finish(s.kit);
}

WARD_TEST_MAIN
