/* SPDX-License-Identifier: MIT
 *
 * test_backoff_sender_tick.c - the one tick of a back-off sender: what puts it off, and that
 * nothing brings it forward (S107).
 *
 * Method: as in test_backoff_sender.c.
 */
#include "sender_and_children.h"

WARD_TEST(child_that_ends_in_a_wait_moves_the_one_tick, "S107")
{
	rig_open(NULL);
	start_plain();
	rig.broken = true;
	send_jobs(1, 1);
	rig.broken = false;
	ward_kit_advance(rig.kit, 5);
	ward_assert_eq(ward_kit_stats(rig.kit).timers, 1);
	ward_kit_stop(rig.kit, rig.child); /* the second, which has got nothing */
	ward_kit_run(rig.kit);
	ward_assert_eq(ward_kit_stats(rig.kit).timers, 1);
	ward_kit_advance(rig.kit, 29); /* the first tick would have come meanwhile */
	assert_got("1.1");
	ward_kit_advance(rig.kit, 1);
	assert_got("1.1 3.1"); /* once */
	ward_kit_advance(rig.kit, WARD_MINUTE);
	assert_got("1.1 3.1");
	rig_close();
}

/* The wait goes on to its end, and the child comes then. */
WARD_TEST(no_wait_drawn_in_a_wait_does_not_shorten_it, "S107")
{
	rig_open(NULL);
	start_sender(.back_off.slot_time_ms = 1000);
	rig.broken = true;
	send_jobs(1, 1);
	rig.broken = false;
	ward_kit_advance(rig.kit, 400);
	rig.draw = 0;
	ward_kit_stop(rig.kit, rig.child);
	ward_kit_advance(rig.kit, 599);
	ward_assert_eq(rig.made, 2);
	ward_assert(ward_ref_is_nobody(sending().child));
	ward_assert_eq(sending().retries, 2);
	ward_assert_eq(ward_kit_stats(rig.kit).timers, 1);
	ward_kit_advance(rig.kit, 1);
	assert_got("1.1 3.1");
	assert_times(TIMES(0, 1000));
	rig_close();
}

WARD_TEST(ceiling_reached_in_a_wait_does_not_shorten_it, "S105", "S107")
{
	rig_open(NULL);
	start_sender(.back_off.ceiling = 2);
	rig.broken = true;
	send_jobs(1, 1);
	rig.broken = false;
	ward_kit_advance(rig.kit, 5);
	ward_kit_stop(rig.kit, rig.child);
	ward_kit_advance(rig.kit, 4);
	ward_assert_eq(sending().resets, 1);
	assert_got("1.1");
	ward_kit_advance(rig.kit, 1);
	assert_got("1.1 3.1");
	rig_close();
}

/* A slot time after which it would be tried again is no end of a longer wait either. */
WARD_TEST(full_mailbox_in_a_wait_does_not_shorten_it, "S107")
{
	rig_open(NULL);
	start_sender(.child = {.behavior = &danger, .mailbox = {.messages_max = 1}});
	rig.broken = true;
	send_jobs(1, 1);
	ward_kit_advance(rig.kit, 10); /* it fails again: from here a wait of 30 ms */
	rig.broken = false;
	ward_kit_tell(rig.kit, rig.sender, ward_sent, .id = 99); /* they go straight to it now */
	for (int number = 2; number <= 5; number++)
		ward_kit_tell(rig.kit, rig.sender, job, .number = number);
	ward_kit_advance(rig.kit, 29);
	ward_assert(sending().pending > 1); /* the first, and what was refused */
	ward_assert(strstr(rig.got, "3.1") == NULL);
	ward_kit_advance(rig.kit, 1);
	ward_assert_part(rig.got, "3.1");
	ward_kit_advance(rig.kit, WARD_MINUTE);
	ward_assert_eq(sending().pending, 0);
	rig_close();
}

WARD_TEST(child_that_cannot_start_is_made_anew_with_each_tick_and_not_between)
{
	rig_open(NULL);
	start_plain();
	rig.broken = rig.fails_to_start = true;
	send_jobs(1, 1);
	/* The second was made at once; the third comes with the tick, and so on. */
	ward_assert_eq(rig.made, 2);
	ward_assert(ward_ref_is_nobody(sending().child));
	ward_kit_advance(rig.kit, 29);
	ward_assert_eq(rig.made, 2);
	ward_kit_advance(rig.kit, 1);
	ward_assert_eq(rig.made, 4); /* by the tick; then at once, since no tick was pending */
	rig.broken = rig.fails_to_start = false;
	ward_kit_advance(rig.kit, WARD_MINUTE);
	ward_assert_eq(rig.count, 2);
	ward_assert_eq(sending().pending, 0);
	rig_close();
}

/* Each wait costs two: the end of the one that the tick made draws a wait, and that of the next,
 * which is made at once, draws none. */
WARD_TEST(child_that_cannot_start_uses_up_the_retries_over_all_the_waits, "S107", "S108")
{
	rig_open(NULL);
	ward_probe *owner = ward_probe_start(rig.kit, "owner");
	rig.fails_to_start = true;
	rig.every_second_is_no = true;
	start_sender(.retries_max = 8, .owner = ward_probe_ref(owner),
		     .back_off = {.slot_time_ms = 200, .ceiling = 5, .stay_at_ceiling = true});
	ward_kit_advance(rig.kit, 200 + 1400 + 6200 + 6199);
	ward_expect_none(owner, 0);
	ward_assert_eq(rig.made, 8);
	ward_assert_eq(sending().retries, 8);
	ward_kit_advance(rig.kit, 1);
	ward_assert_eq(ward_expect(owner, 0, ward_backoff_gave_up)->retries, 8);
	ward_assert_eq(rig.made, 9);
	rig_close();
}

WARD_TEST_MAIN
