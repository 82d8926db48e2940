/* SPDX-License-Identifier: MIT
 *
 * test_simulation_time.c - a simulation's delays, stalls and jumps, and the ties of timers: what is
 * late comes late, in order, and all the same.
 *
 * Method: a driver with chosen strikes, see scripted_driver.h; the clock is stepped.
 */
#include "scripted_driver.h"

#include <stdlib.h>

static int64_t now_ms(void)
{
	return ward_simulation_now_ns(driven.system) / MS;
}

static struct strike delay(const char *who, const char *type, int nth, int64_t ms)
{
	return (struct strike){WARD_POINT_SEND, who, type, nth, {WARD_FAULT_DELAY, ms * MS}, 0};
}

static bool advance_to_ms(int64_t ms)
{
	return ward_simulation_advance(driven.system, ms * MS);
}

/* ---- delays ------------------------------------------------------------------------------ */

WARD_TEST(delayed_message_holds_back_what_follows_it_but_not_other_pairs)
{
	driven_start(delay("outside", "word", 1, 5));
	ward_ref a = start_pupil("a"), b = start_pupil("b");
	driven.journal[0] = '\0';
	say(a, "late");
	say(a, "behind");
	say(b, "free");
	ward_system_tell(driven.system, a, ward_poison_pill);
	run_all();
	ward_assert_str(driven.journal, "b:free;");
	ward_assert(!advance_to_ms(4));
	ward_assert_str(driven.journal, "b:free;");
	ward_assert(advance_to_ms(10));
	ward_assert_eq(now_ms(), 5);
	run_all();
	ward_assert_str(driven.journal, "b:free;a:late;a:behind;");
	ward_assert(!ward_system_is_alive(driven.system, a));
	driven_finish();
}

WARD_TEST(second_delay_of_a_pair_is_never_due_before_the_first)
{
	driven_start(delay("outside", "word", 1, 9));
	driven.strikes[1] = delay("outside", "word", 1, 5); /* of those that the first one left */
	driven.strikes[2] = delay("outside", "word", 1, 15);
	ward_ref a = start_pupil("a");
	driven.journal[0] = '\0';
	say(a, "nine");
	say(a, "five");
	say(a, "fifteen");
	say(a, "behind");
	ward_assert(advance_to_ms(100));
	ward_assert_eq(now_ms(), 9);
	run_all();
	ward_assert_str(driven.journal, "a:nine;a:five;");
	ward_assert(advance_to_ms(100));
	ward_assert_eq(now_ms(), 15);
	run_all();
	ward_assert_str(driven.journal, "a:nine;a:five;a:fifteen;a:behind;");
	say(a, "free again");
	run_all();
	ward_assert_part(driven.journal, "a:free again;");
	driven_finish();
}

static ward_result say_and_stop(ward_self *self, ward_ref to)
{
	ward_tell(self, to, word, .text = "last words");
	ward_tell(self, to, word, .text = "indeed");
	ward_stop_self(self);
	return WARD_DONE;
}

static ward_result watch_it(ward_self *self, ward_ref to)
{
	ward_assert_ok(ward_try_watch(self, to));
	return WARD_DONE;
}

WARD_TEST(notice_of_a_death_does_not_overtake_what_was_delayed, "S60")
{
	WARD_TEST_SEEDS(20)
	{
		driven_start(delay("a", "word", 1, 1000));
		ward_ref a = start_pupil("a"), b = start_pupil("b");
		driven.journal[0] = '\0';
		let(b, watch_it, a);
		run_all();
		let(a, say_and_stop, b);
		run_all();
		ward_assert_str(driven.journal, "b:last words;b:indeed;b:terminated;");
		ward_assert_eq(now_ms(), 0);
		driven_finish();
	}
}

WARD_TEST(delayed_message_for_one_that_is_gone_by_then_is_a_dead_letter)
{
	driven_start(delay("outside", "parcel", 1, 5));
	ward_ref a = start_pupil("a");
	ward_system_tell(driven.system, a, parcel, .number = 1);
	ward_system_stop(driven.system, a);
	run_all();
	ward_assert_eq(driven.reasons[WARD_REASON_DEAD], 0);
	run_out();
	ward_assert_eq(driven.reasons[WARD_REASON_DEAD], 1);
	ward_assert_eq(driven.dropped, 1);
	driven_finish();
}

WARD_TEST(longest_delay_ends_just_before_the_end_of_time)
{
	driven_start((struct strike){WARD_POINT_SEND, "outside", "word", 2,
				     .fault = {WARD_FAULT_DELAY, INT64_MAX}});
	ward_ref a = start_pupil("a");
	ward_kit_advance(driven.kit, 1);
	say(a, "now");
	say(a, "late");
	run_all();
	ward_assert_str(driven.journal, "a:init;a:now;");
	ward_assert(!ward_simulation_advance(driven.system, INT64_MAX - 2));
	run_out();
	ward_assert_str(driven.journal, "a:init;a:now;a:late;");
	ward_assert_eq(ward_simulation_now_ns(driven.system), INT64_MAX - 1);
	driven_finish();
}

WARD_TEST(nothing_delayed_outlives_the_system)
{
	driven_start(delay("outside", "parcel", 0, 3600 * 1000));
	ward_ref a = start_pupil("a");
	ward_system_tell(driven.system, a, parcel, .number = 1);
	ward_system_tell(driven.system, a, parcel, .number = 2);
	ward_stats stats;
	ward_system_stats(driven.system, &stats);
	ward_assert_eq(stats.payloads, 2);
	ward_system_shutdown(driven.system, NULL);
	ward_assert_ok(ward_system_wait(driven.system, WARD_FOREVER));
	ward_assert_eq(driven.dropped, 2);
	ward_system_tell(driven.system, a, parcel, .number = 3); /* too late to be late */
	ward_assert_eq(driven.dropped, 3);
	driven_finish();
	ward_assert_eq(driven.reasons[WARD_REASON_DEAD], 3);
}

/* ---- no memory, no fault ----------------------------------------------------------------- */

WARD_TEST(without_memory_for_it_there_is_no_delay_and_no_stall)
{
	driven_start(
		(struct strike){WARD_POINT_TURN, "a", NULL, 0, {WARD_FAULT_STALL, 1000 * MS}, 0});
	driven.strikes[0].fault.kind = WARD_FAULT_NONE;
	ward_ref a = start_pupil("a");
	say(a, "warm");
	run_all();
	driven.strikes[0].fault.kind = WARD_FAULT_STALL;
	driven.strikes[1] = delay("outside", "word", 0, 5);
	ward_kit_fail_allocation(driven.kit, 2); /* after the message itself */
	say(a, "at once");
	ward_assert_eq(ward_simulation_count(driven.system), 1);
	ward_kit_fail_allocation(driven.kit, 1);
	ward_assert(ward_simulation_step(driven.system));
	ward_assert_part(driven.journal, "a:at once;");
	ward_kit_fail_allocation(driven.kit, 0);
	driven.strikes[0].fault.kind = driven.strikes[1].fault.kind = WARD_FAULT_NONE;
	driven_finish();
}

/* ---- stalls and jumps -------------------------------------------------------------------- */

WARD_TEST(stalled_actor_has_no_turn_while_others_have_theirs)
{
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref a = start_pupil("a"), b = start_pupil("b");
	driven.journal[0] = '\0';
	driven.strikes[0] =
		(struct strike){WARD_POINT_TURN, "a", NULL, 1, {WARD_FAULT_STALL, 5 * MS}, 0};
	say(a, "one");
	say(a, "two");
	say(b, "one");
	run_all();
	ward_assert_str(driven.journal, "b:one;");
	say(a, "three");
	ward_system_stop(driven.system, b); /* system messages move the others only */
	run_all();
	ward_assert_eq(ward_simulation_count(driven.system), 0);
	ward_assert(advance_to_ms(1000));
	ward_assert_eq(now_ms(), 5);
	ward_assert_eq(ward_simulation_count(driven.system), 1);
	run_all();
	ward_assert_str(driven.journal, "b:one;a:one;a:two;a:three;");
	driven_finish();
}

WARD_TEST(waiting_goes_on_while_somebody_is_stalled)
{
	driven_start(
		(struct strike){WARD_POINT_TURN, "a", NULL, 1, {WARD_FAULT_STALL, 5000 * MS}, 0});
	ward_ref a;
	ward_assert_ok(ward_system_spawn(driven.system, WARD_PROPS(&pupil, .name = "a"), &a));
	ward_system_stop(driven.system, a);
	ward_assert_err(ward_system_wait_for(driven.system, a, 100), WARD_ETIMEDOUT);
	ward_assert_eq(now_ms(), 100);
	ward_assert_ok(ward_system_wait_for(driven.system, a, WARD_FOREVER));
	ward_assert_eq(now_ms(), 5000);
	driven_finish();
}

static ward_result start_timers(ward_self *self, ward_ref to)
{
	(void)to;
	ward_after(self, 1, 10, word, .text = "ten");
	ward_after(self, 2, 20, word, .text = "twenty");
	ward_after(self, 3, 90, word, .text = "ninety");
	return WARD_DONE;
}

WARD_TEST(jump_of_the_clock_makes_timers_and_delays_late)
{
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref a = start_pupil("a"), b = start_pupil("b");
	let(a, start_timers, a);
	run_all();
	driven.journal[0] = '\0';
	driven.strikes[1] = delay("outside", "word", 1, 30);
	say(a, "thirty");
	driven.strikes[0] =
		(struct strike){WARD_POINT_TURN, "b", NULL, 1, {WARD_FAULT_JUMP, 50 * MS}, 0};
	say(b, "jump");
	ward_assert(ward_simulation_step(driven.system));
	ward_assert_str(driven.journal, "b:jump;");
	ward_assert_eq(now_ms(), 50);
	run_all();
	ward_assert_str(driven.journal, "b:jump;a:ten;a:twenty;a:thirty;");
	ward_assert_eq(now_ms(), 50);
	run_out();
	ward_assert_part(driven.journal, "a:ninety;");
	ward_assert_eq(now_ms(), 90);
	driven_finish();
}

static ward_result again(ward_self *self, ward_ref to)
{
	ward_tell(self, ward_self_ref(self), act, .fn = again, .to = to);
	return WARD_DONE;
}

WARD_TEST(jump_past_the_end_of_a_wait_ends_it)
{
	driven_start(
		(struct strike){WARD_POINT_TURN, "a", NULL, 100, {WARD_FAULT_JUMP, 2000 * MS}, 0});
	ward_ref a = start_pupil("a");
	let(a, again, a);
	ward_assert_err(ward_system_wait_for(driven.system, a, 1000), WARD_ETIMEDOUT);
	ward_system_stop(driven.system, a);
	driven_finish();
}

/* ---- ties -------------------------------------------------------------------------------- */

static ward_result two_timers(ward_self *self, ward_ref to)
{
	(void)to;
	ward_after(self, 1, 10, word, .text = "first");
	ward_after(self, 2, 10, word, .text = "second");
	return WARD_DONE;
}

/* The first of the ready is the one whose timer fired first. */
static size_t take_first(void *arg, ward_system *system, size_t count)
{
	(void)arg;
	(void)system;
	(void)count;
	return 0;
}

WARD_TEST(timers_of_two_actors_tie_by_the_seed_those_of_one_keep_their_order)
{
	int a_first = 0, b_first = 0;
	char of_seed_3[2][sizeof driven.journal] = {"", ""};
	for (uint64_t round = ward_test_shortage() ? 30 : 0; round < 32; round++) {
		driven_start_with((ward_kit_options){.seed = round < 30 ? round + 1 : 3},
				  take_first, (struct strike){.fault = {WARD_FAULT_NONE, 0}});
		ward_ref a = start_pupil("a"), b = start_pupil("b");
		let(a, two_timers, a);
		let(b, two_timers, b);
		run_all();
		driven.journal[0] = '\0';
		run_out();
		a_first += driven.journal[0] == 'a';
		b_first += driven.journal[0] == 'b';
		ward_assert(strstr(driven.journal, "a:first") < strstr(driven.journal, "a:second"));
		ward_assert(strstr(driven.journal, "b:first") < strstr(driven.journal, "b:second"));
		if (round >= 30)
			memcpy(of_seed_3[round - 30], driven.journal, sizeof driven.journal);
		driven_finish();
	}
	ward_assert(a_first > 0 || ward_test_shortage());
	ward_assert(b_first > 0 || ward_test_shortage());
	ward_assert_str(of_seed_3[1], of_seed_3[0]);
}

WARD_TEST_MAIN
