/* SPDX-License-Identifier: MIT
 *
 * test_probe_end.c - what a probe holds is dropped once, and what it left unread fails the test.
 *
 * Method: parcels own memory and are counted. A probe sends them to the bank, which sends them
 * back; then each way that one may take is walked, up to the end of the kit.
 */
#include <string.h>

#include <ward/simulation.h>

#include "bank.h"

static struct scene start(bool real, bool may_leave_mail)
{
	atomic_store_explicit(&parcels_left, 0, memory_order_relaxed);
	return scene_start(
		&(ward_kit_options){.real_threads = real, .may_leave_mail = may_leave_mail});
}

static void send_parcel(struct scene *s, int number)
{
	struct parcel made = parcel(number);
	ward_probe_send(s->probe, s->bank, WARD_COPY(parcel, &made));
}

static bool none_left(void *arg)
{
	(void)arg;
	return parcels() == 0;
}

static void check_dropped(struct scene *s)
{
	ward_assert(ward_kit_run_until(s->kit, WARD_MINUTE, none_left, NULL));
}

static void finish(struct scene *s)
{
	ward_kit_finish(s->kit);
	ward_assert_eq(parcels(), 0);
}

BOTH(expected_body_lives_until_the_next_expectation)
{
	struct scene s = start(real, false);
	send_parcel(&s, 1);
	const struct parcel *first = ward_expect(s.probe, WARD_MINUTE, parcel);
	ward_probe_tell(s.probe, s.bank, deposit, .cents = 1);
	wait_for(&s, 1);
	ward_kit_run(s.kit);
	ward_assert_eq(first->number, 1);
	ward_assert_eq(parcels(), 1);
	ward_expect(s.probe, WARD_MINUTE, balance);
	check_dropped(&s);
	finish(&s);
}

BOTH(body_that_was_expected_last_goes_with_the_kit)
{
	struct scene s = start(real, false);
	send_parcel(&s, 1);
	ward_expect(s.probe, WARD_MINUTE, parcel);
	ward_assert_eq(parcels(), 1);
	finish(&s);
}

BOTH(forwarded_and_fished_and_forgotten_bodies_are_dropped)
{
	struct scene s = start(real, false);
	send_parcel(&s, 1);
	ward_expect(s.probe, WARD_MINUTE, parcel);
	ward_probe_forward(s.probe, s.bank); /* whose answer goes to the bank, in a circle */
	ward_system_stop(ward_kit_system(s.kit), s.bank);
	check_dropped(&s);
	s.bank = ward_kit_spawn(s.kit, &bank_behavior);
	for (int i = 2; i < 6; i++)
		send_parcel(&s, i);
	ward_probe_tell(s.probe, s.bank, deposit, .cents = 1);
	ward_fish(s.probe, WARD_MINUTE, balance, NULL, NULL);
	check_dropped(&s);
	send_parcel(&s, 6);
	wait_for(&s, 1);
	ward_probe_forget(s.probe);
	ward_assert_eq(ward_probe_count(s.probe), 0);
	check_dropped(&s);
	finish(&s);
}

BOTH(body_that_was_never_sent_is_dropped)
{
	struct scene s = start(real, true);
	send_parcel(&s, 1); /* simulated, the probe has no turn before the end */
	finish(&s);
}

BOTH(body_for_a_probe_that_is_gone_is_dropped)
{
	struct scene s = start(real, false);
	struct parcel made = parcel(1);
	ward_system_stop(ward_kit_system(s.kit), ward_probe_ref(s.probe));
	ward_kit_run_until_state(s.kit, ward_probe_ref(s.probe), WARD_STATE_GONE);
	CAUGHT(ward_probe_send(s.probe, s.bank, WARD_COPY(parcel, &made)),
	       "it is gone, and can act no more");
	CAUGHT(ward_expect(s.probe, WARD_MINUTE, parcel), "it is gone itself");
	CAUGHT(ward_expect_none(s.probe, WARD_MINUTE), "the probe has ended");
	finish(&s);
}

/* ---- unread ------------------------------------------------------------------------------ */

BOTH(unread_message_fails_the_end)
{
	struct scene s = start(real, false);
	for (int i = 0; i < 2; i++)
		send_parcel(&s, i);
	ward_probe_tell(s.probe, s.bank, deposit, .cents = 1);
	wait_for(&s, 3);
	ward_expect(s.probe, WARD_MINUTE, parcel);
	CAUGHT(ward_kit_finish(s.kit), "sim/user/probe has messages that were never expected: 2, "
				       "parcel from sim/user/bank, balance from sim/user/bank");
	ward_assert_eq(parcels(), 0);
}

BOTH(unread_message_of_a_probe_that_stopped_fails_the_end)
{
	struct scene s = start(real, false);
	send_parcel(&s, 1);
	wait_for(&s, 1);
	ward_system_stop(ward_kit_system(s.kit), ward_probe_ref(s.probe));
	ward_kit_run_until_state(s.kit, ward_probe_ref(s.probe), WARD_STATE_GONE);
	CAUGHT(ward_kit_finish(s.kit), "never expected: 1, parcel from sim/user/bank");
}

BOTH(unread_message_may_be_left_where_that_is_said)
{
	struct scene s = start(real, true);
	send_parcel(&s, 1);
	wait_for(&s, 1);
	finish(&s);
}

/* ---- without memory ---------------------------------------------------------------------- */

BOTH(order_without_memory_is_carried_out_when_there_is_some)
{
	struct scene s = start(real, false);
	ward_kit_run(s.kit);
	ward_kit_fail_all_allocations(s.kit, true);
	ward_probe_tell(s.probe, s.bank, deposit, .cents = 3);
	ward_kit_run(s.kit);
	ward_kit_fail_all_allocations(s.kit, false);
	ward_assert_eq(ward_expect(s.probe, WARD_SECOND, balance)->cents, 3);
	finish(&s);
}

/* Simulated: the moment at which memory is out must be the same in each run. */

WARD_TEST(message_that_finds_no_memory_to_be_kept_is_reported_lost)
{
	struct scene s = start(false, false);
	ward_kit_run(s.kit);
	ward_system_tell(ward_kit_system(s.kit), ward_probe_ref(s.probe), deposit, .cents = 1);
	ward_kit_fail_all_allocations(s.kit, true);
	ward_kit_run(s.kit);
	ward_kit_fail_all_allocations(s.kit, false);
	CAUGHT(ward_expect(s.probe, WARD_SECOND, deposit), "lost     1, without memory");
	finish(&s);
}

WARD_TEST(each_allocation_may_fail_and_nothing_is_left)
{
	uint64_t nth = 1;
	for (bool failed = true; failed; nth++) {
		struct scene s = start(false, true);
		uint64_t before = ward_kit_allocations(s.kit);
		ward_kit_fail_allocation(s.kit, nth);
		send_parcel(&s, 1);
		ward_probe_watch(s.probe, s.bank);
		ward_system_stop(ward_kit_system(s.kit), s.bank);
		ward_probe_tell(s.probe, s.bank, deposit, .cents = 1);
		ward_kit_advance(s.kit, WARD_SECOND);
		ward_probe_forget(s.probe);
		ward_kit_run(s.kit);
		failed = ward_kit_allocations(s.kit) - before >= nth;
		finish(&s);
	}
	ward_assert(nth > 5);
}

/* ---- under faults ------------------------------------------------------------------------ */

/* Strikes once, at an occasion of that point and type. */
struct strike {
	ward_point point;
	ward_fault fault;
	int times;
};

static ward_fault strike(void *arg, ward_system *system, const ward_occasion *occasion)
{
	struct strike *strike = arg;
	(void)system;
	if (strike->times > 0 || occasion->point != strike->point || occasion->type == NULL ||
	    strcmp(occasion->type->name, "ward_probe_wake") != 0)
		return (ward_fault){WARD_FAULT_NONE, 0};
	strike->times++;
	return strike->fault;
}

static const ward_strategy resuming = {.otherwise = WARD_RESUME};

static void send_under(ward_point point, ward_fault_kind kind, const ward_strategy *strategy)
{
	struct strike once = {point, {kind, 1000000}, 0};
	const ward_simulation simulation = {.fault = strike, .arg = &once};
	struct scene s = scene_start(
		&(ward_kit_options){.simulation = &simulation, .system.user_strategy = strategy});
	send_parcel(&s, 7);
	if (strategy == NULL)
		wait_for(&s, 1); /* moves, and does nothing for the probe */
	ward_assert_eq(ward_expect(s.probe, WARD_SECOND, parcel)->number, 7);
	ward_assert_eq(once.times, 1);
	finish(&s);
}

WARD_TEST(orders_are_carried_out_whatever_strikes_the_message_that_tells_of_them)
{
	send_under(WARD_POINT_SEND, WARD_FAULT_DELAY, NULL);
	send_under(WARD_POINT_RECEIVE, WARD_FAULT_FAIL_BEFORE, NULL);
	send_under(WARD_POINT_RECEIVE, WARD_FAULT_FAIL_AFTER, NULL);
	/* These need somebody who waits for the probe. */
	send_under(WARD_POINT_SEND, WARD_FAULT_LOSE, &resuming);
	send_under(WARD_POINT_RECEIVE, WARD_FAULT_FAIL_BEFORE, &resuming);
}

WARD_TEST_MAIN
