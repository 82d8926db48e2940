/* SPDX-License-Identifier: MIT
 *
 * test_backoff_sender.c - a back-off sender: what it keeps, when it sends it again, in which order
 * (S106, S107).
 *
 * Method: the draws are the test's own and time is virtual, so each wait is exact. With the largest
 * draws the waits are 10, 30, 70, 150 ms.
 */
#include "sender_and_children.h"

/* ---- one message --------------------------------------------------------------------------- */

WARD_TEST(message_reaches_the_child_and_is_forgotten_when_it_is_done, "S106")
{
	rig_open(NULL);
	start_plain();
	ward_assert_eq(rig.made, 1);
	ward_probe *probe = ward_probe_start(rig.kit, "probe");
	ward_probe_tell(probe, rig.sender, job, .number = 7);
	const struct job_done *done = ward_expect(probe, 0, job_done);
	ward_assert_eq(done->number, 7);
	ward_assert(ward_ref_equal(sender_to(probe), rig.child));
	assert_got("1.7");
	ward_assert_eq(sending().pending, 0);
	ward_kit_advance(rig.kit, WARD_MINUTE);
	assert_got("1.7");
	rig_close();
}

WARD_TEST(message_that_is_not_done_is_kept, "S106")
{
	rig_open(NULL);
	start_plain();
	rig.mute = true;
	send_jobs(1, 3);
	ward_assert_eq(sending().pending, 3);
	ward_kit_tell(rig.kit, rig.sender, ward_sent, .id = 2);
	ward_assert_eq(sending().pending, 2);
	ward_kit_tell(rig.kit, rig.sender, ward_sent, .id = 3);
	ward_assert_eq(sending().pending, 1);
	rig.mute = false;
	send_jobs(4, 4); /* the last one is gone: it goes on behind the first */
	ward_assert_eq(sending().pending, 1);
	ward_kit_tell(rig.kit, rig.sender, ward_sent, .id = 1);
	ward_assert_eq(sending().pending, 0);
	ward_kit_advance(rig.kit, WARD_MINUTE);
	assert_got("1.1 1.2 1.3 1.4"); /* nothing failed, so nothing is sent again */
	rig_close();
}

WARD_TEST(messages_with_one_number_are_done_together, "S106")
{
	rig_open(NULL);
	start_plain();
	rig.mute = true;
	send_jobs(5, 6);
	send_jobs(5, 5);
	ward_assert_eq(sending().pending, 3);
	ward_kit_tell(rig.kit, rig.sender, ward_sent, .id = 5);
	ward_assert_eq(sending().pending, 1);
	rig_close();
}

WARD_TEST(message_without_a_number_is_unhandled)
{
	rig_open(NULL);
	start_plain();
	ward_kit_tell(rig.kit, rig.sender, stranger);
	ward_kit_run(rig.kit);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_UNHANDLED, "sim/user/sender"), 1);
	ward_assert_eq(sending().pending, 0);
	rig_close();
}

/* ---- the child fails ----------------------------------------------------------------------- */

WARD_TEST(child_that_fails_is_made_anew_at_once_and_gets_the_message_after_a_wait, "S106")
{
	rig_open(NULL);
	start_plain();
	rig.broken = true;
	send_jobs(1, 1);
	assert_got("1.1");
	ward_assert_eq(rig.made, 2);
	struct ward_sending now = sending();
	ward_assert(ward_ref_equal(now.child, rig.child));
	ward_assert(now.waiting);
	ward_assert_eq(now.wait_ms, 10);
	ward_assert_eq(now.slot_retries, 1);
	ward_assert_eq(now.retries, 1);
	rig.broken = false;
	ward_kit_advance(rig.kit, 9);
	assert_got("1.1");
	ward_kit_advance(rig.kit, 1);
	assert_got("1.1 2.1");
	now = sending();
	ward_assert_eq(now.pending, 0);
	ward_assert(!now.waiting);
	/* Done: so the waits begin anew. */
	ward_assert_eq(now.slot, 1);
	ward_assert_eq(now.slot_retries, 0);
	ward_assert_eq(now.retries, 0);
	ward_assert_eq(now.total_retries, 1);
	rig_close();
}

WARD_TEST(waits_grow_while_the_child_fails, "S106")
{
	rig_open(NULL);
	start_plain();
	rig.broken = true;
	send_jobs(1, 1);
	ward_kit_advance(rig.kit, 10 + 30 + 70 + 150);
	assert_got("1.1 2.1 3.1 4.1 5.1");
	assert_times(TIMES(0, 10, 40, 110, 260));
	rig.broken = false;
	ward_kit_advance(rig.kit, 310);
	assert_got("1.1 2.1 3.1 4.1 5.1 6.1");
	rig_close();
}

WARD_TEST(child_that_stops_by_itself_is_made_anew_too, "S106")
{
	rig_open(NULL);
	start_plain();
	rig.quits = true;
	send_jobs(1, 1);
	rig.quits = false;
	ward_kit_advance(rig.kit, 10);
	assert_got("1.1 2.1");
	rig_close();
}

WARD_TEST(message_after_a_failure_waits_for_the_tick_behind_the_others, "S106", "S107")
{
	rig_open(NULL);
	start_plain();
	rig.broken = true;
	send_jobs(1, 1);
	rig.broken = false;
	ward_kit_advance(rig.kit, 5);
	send_jobs(2, 3);
	assert_got("1.1");
	ward_kit_advance(rig.kit, 5);
	assert_got("1.1 2.1 2.2 2.3");
	assert_times(TIMES(0, 10, 10, 10));
	rig_close();
}

WARD_TEST(all_that_is_kept_is_sent_again_in_order_to_its_first_senders, "S106", "S107")
{
	rig_open(NULL);
	start_plain();
	ward_probe *a = ward_probe_start(rig.kit, "a"), *b = ward_probe_start(rig.kit, "b");
	rig.broken = true;
	ward_probe_tell(a, rig.sender, job, .number = 1);
	ward_kit_run(rig.kit);
	ward_probe_tell(b, rig.sender, job, .number = 2);
	ward_kit_run(rig.kit);
	ward_probe_tell(a, rig.sender, job, .number = 3);
	ward_kit_run(rig.kit);
	rig.broken = false;
	ward_kit_advance(rig.kit, 10);
	assert_got("1.1 2.1 2.2 2.3");
	ward_assert_eq(ward_expect(a, 0, job_done)->number, 1);
	ward_assert_eq(ward_expect(b, 0, job_done)->number, 2);
	ward_assert_eq(ward_expect(a, 0, job_done)->number, 3);
	ward_assert(ward_ref_equal(sender_to(a), rig.child));
	rig_close();
}

/* The first of two is done, the second is not: only that is sent again. */
WARD_TEST(what_is_done_is_not_sent_again, "S106")
{
	rig_open(NULL);
	start_plain();
	send_jobs(1, 1);
	rig.mute = true;
	send_jobs(2, 3);
	ward_kit_stop(rig.kit, rig.child);
	rig.mute = false;
	ward_kit_advance(rig.kit, 10);
	assert_got("1.1 1.2 1.3 2.2 2.3");
	rig_close();
}

/* ---- a live child, and a wait -------------------------------------------------------------- */

WARD_TEST(message_after_a_wait_without_an_answer_begins_another_and_all_is_sent_again, "S106",
	  "S107")
{
	rig_open(NULL);
	start_plain();
	rig.broken = true;
	send_jobs(1, 1);
	rig.broken = false;
	rig.mute = true;
	ward_kit_advance(rig.kit, 10);
	assert_got("1.1 2.1");
	ward_assert(!sending().waiting);
	send_jobs(2, 2);
	ward_assert(sending().waiting);
	assert_got("1.1 2.1");
	rig.mute = false;
	ward_kit_advance(rig.kit, 9);
	assert_got("1.1 2.1");
	ward_kit_advance(rig.kit, 1);
	assert_got("1.1 2.1 2.1 2.2"); /* at least once: the first one twice by the same child */
	ward_assert_eq(sending().pending, 0);
	rig_close();
}

WARD_TEST(word_that_something_is_done_begins_the_waits_anew_also_for_an_unknown_number, "S106")
{
	rig_open(NULL);
	start_plain();
	rig.broken = true;
	send_jobs(1, 1);
	rig.broken = false;
	ward_kit_tell(rig.kit, rig.sender, ward_sent, .id = 99);
	struct ward_sending now = sending();
	ward_assert_eq(now.pending, 1);
	ward_assert_eq(now.slot_retries, 0);
	ward_assert_eq(now.resets, 1);
	ward_assert(now.waiting); /* what is due stays due */
	send_jobs(2, 2);          /* and this one goes straight to the child */
	assert_got("1.1 2.2");
	ward_kit_advance(rig.kit, 10);
	assert_got("1.1 2.2 2.1");
	rig_close();
}

WARD_TEST(message_goes_past_what_waits_when_the_waits_have_begun_anew, "S106", "S107")
{
	rig_open(NULL);
	start_plain();
	rig.broken = true;
	send_jobs(1, 1);
	rig.broken = false;
	rig.mute = true;
	ward_kit_advance(rig.kit, 10);
	send_jobs(2, 2); /* waits for a tick */
	ward_kit_tell(rig.kit, rig.sender, ward_sent, .id = 1);
	ward_kit_run(rig.kit);
	ward_assert(sending().waiting);
	send_jobs(3, 3);
	assert_got("1.1 2.1 2.3");
	ward_kit_advance(rig.kit, 100);
	assert_got("1.1 2.1 2.3 2.2 2.3");
	rig_close();
}

WARD_TEST(new_message_goes_straight_through_after_the_ceiling, "S105", "S107")
{
	rig_open(NULL);
	start_sender(.back_off.ceiling = 2);
	rig.mute = true;
	send_jobs(1, 1);
	ward_kit_stop(rig.kit, rig.child);
	ward_kit_advance(rig.kit, 10);
	ward_assert_eq(sending().slot_retries, 1);
	ward_kit_stop(rig.kit, rig.child);
	ward_kit_run(rig.kit);
	/* No wait at the ceiling; but its tick is still to come. */
	assert_got("1.1 2.1");
	send_jobs(2, 2);
	assert_got("1.1 2.1 3.2");
	ward_kit_advance(rig.kit, 0);
	assert_got("1.1 2.1 3.2 3.1 3.2");
	ward_assert_eq(sending().slot_retries, 0);
	ward_assert_eq(sending().resets, 1);
	send_jobs(3, 3);
	assert_got("1.1 2.1 3.2 3.1 3.2 3.3");
	rig_close();
}

WARD_TEST(back_off_that_stays_at_its_ceiling_never_lets_one_through, "S105", "S107")
{
	rig_open(NULL);
	start_sender(.back_off.ceiling = 2, .back_off.stay_at_ceiling = true);
	rig.broken = true;
	send_jobs(1, 1);
	ward_kit_advance(rig.kit, 10 + 30 + 30 + 29);
	assert_times(TIMES(0, 10, 40, 70));
	send_jobs(2, 2);
	assert_times(TIMES(0, 10, 40, 70));
	rig.broken = false;
	ward_kit_advance(rig.kit, 1);
	assert_got("1.1 2.1 3.1 4.1 5.1 5.2");
	rig_close();
}

/* ---- questions ----------------------------------------------------------------------------- */

static void ask_for_two(ward_self *self, void *arg)
{
	(void)arg;
	for (int number = 1; number <= 2; number++)
		if (ward_try_ask(self, rig.sender, (uint64_t)number, WARD_MINUTE, job,
				 .number = number))
			return;
}

/* A limit that the header tells of. */
WARD_TEST(question_whose_copy_a_failing_child_leaves_unread_ends_though_it_is_sent_again)
{
	rig_open(NULL);
	start_plain();
	ward_probe *asker = ward_probe_start(rig.kit, "asker");
	ward_kit_stop(rig.kit, rig.child);
	ward_kit_run(rig.kit);
	ward_probe_do(asker, ask_for_two, NULL);
	rig.broken = true;
	ward_kit_advance(rig.kit, 10); /* both are sent, and the first is failed of */
	assert_got("2.1");
	ward_assert_eq(ward_expect(asker, 0, ward_ask_failed)->tag, 2);
	rig.broken = false;
	ward_kit_advance(rig.kit, 30);
	assert_got("2.1 3.1 3.2");
	ward_assert_eq(ward_expect(asker, 0, job_done)->number, 1);
	ward_expect_none(asker, WARD_MINUTE);
	rig_close();
}

/* ---- the sender itself --------------------------------------------------------------------- */

static const ward_strategy stopping = {.otherwise = WARD_STOP};

WARD_TEST(error_of_the_child_is_escalated)
{
	rig_open(&(ward_kit_options){.system.user_strategy = &stopping});
	start_plain();
	ward_kit_tell(rig.kit, rig.sender, job, .number = 1, .escalates = true);
	ward_kit_run(rig.kit);
	ward_assert_state(rig.kit, rig.sender, WARD_STATE_GONE);
	ward_assert_eq(rig.made, 1);
	ward_assert_eq(dead_letters(WARD_REASON_DEAD), 1); /* what it kept */
	rig_close();
}

static const ward_strategy restarting = {.otherwise = WARD_RESTART};

WARD_TEST(sender_that_is_restarted_sends_what_it_kept)
{
	rig_open(&(ward_kit_options){.system.user_strategy = &restarting});
	start_plain();
	ward_probe *probe = ward_probe_start(rig.kit, "probe");
	rig.mute = true;
	ward_probe_tell(probe, rig.sender, job, .number = 1);
	ward_kit_run(rig.kit);
	send_parcel(2);
	rig.mute = false;
	ward_kit_tell(rig.kit, rig.sender, ward_kill);
	ward_kit_run(rig.kit);
	assert_got("1.1 1.2 2.1 2.2");
	ward_assert_eq(ward_expect(probe, 0, job_done)->number, 1);
	ward_assert_eq(dead_letters(WARD_REASON_DEAD), 0);
	ward_assert_eq(sending().pending, 0);
	rig_close();
}

WARD_TEST(sender_that_stops_makes_dead_letters_of_what_it_kept)
{
	rig_open(NULL);
	start_plain();
	ward_probe *probe = ward_probe_start(rig.kit, "probe");
	rig.mute = true;
	ward_probe_tell(probe, rig.sender, job, .number = 1);
	ward_kit_run(rig.kit);
	send_parcel(2);
	ward_kit_tell(rig.kit, rig.sender, ward_poison_pill);
	ward_kit_run(rig.kit);
	ward_assert_eq(dead_letters(WARD_REASON_DEAD), 2);
	ward_assert_str(ward_kit_event(rig.kit, WARD_EVENT_DEAD_LETTER, "*", 0)->sender_path,
			"sim/user/probe");
	ward_assert_str(ward_kit_event(rig.kit, WARD_EVENT_DEAD_LETTER, "*", 1)->message_type,
			"parcel");
	rig_close();
}

WARD_TEST(sender_shows_when_it_sends_again)
{
	ward_actor_info info;

	rig_open(NULL);
	start_sender(.back_off.slot_time_ms = WARD_SECOND);
	rig.broken = true;
	send_jobs(1, 1);
	ward_assert(ward_kit_info(rig.kit, rig.sender, &info));
	ward_assert_str(info.status, "sends again in 1.0 s");
	rig.broken = false;
	ward_kit_advance(rig.kit, WARD_SECOND);
	ward_assert(ward_kit_info(rig.kit, rig.sender, &info));
	ward_assert_str(info.status, "");
	rig_close();
}

/* ---- a parent that restarts or resumes the sender ------------------------------------------ */

WARD_TEST(sender_with_a_small_mailbox_loses_nothing_silently_over_a_restart, "S106")
{
	enum { ALL = 8, FIT = 4 };
	const struct ward_backoff_sender args = filled((struct ward_backoff_sender){0});

	rig_open(NULL);
	ward_probe *parent = ward_probe_start(rig.kit, "parent");
	ward_probe_decide_always(parent, WARD_RESTART);
	rig.sender = ward_probe_spawn(parent, &ward_backoff_sender, .name = "sender",
				      .mailbox.messages_max = FIT,
				      .args = {WARD_COPY(ward_backoff_sender, &args)});
	rig.mute = true;
	for (int number = 1; number <= ALL; number++)
		send_jobs(number, number);
	ward_assert_eq(sending().pending, ALL);
	ward_kit_tell(rig.kit, rig.sender, ward_kill);
	ward_kit_run(rig.kit);
	ward_assert_eq(sending().pending, FIT);
	ward_assert_eq(dead_letters(WARD_REASON_FULL), ALL - FIT);
	rig_close();
}

/* Up to where it has failed, and nobody knows. The user guardian decides about the sender: without
 * any memory the parent must be near. */
static void break_a_child(ward_directive directive, uint32_t ceiling)
{
	static ward_strategy strategy;

	strategy = (ward_strategy){.otherwise = directive};
	rig_open(&(ward_kit_options){.system.user_strategy = &strategy});
	start_sender(.back_off.ceiling = ceiling);
	rig.broken = true;
	ward_kit_tell(rig.kit, rig.sender, job, .number = 1);
	while (rig.count == 0 && ward_kit_step(rig.kit))
		;
	ward_assert_eq(rig.count, 1);
	rig.broken = false;
}

/* One allocation of the end of a child finds no memory. */
static void lose_a_child(ward_directive directive, uint64_t nth)
{
	break_a_child(directive, 0);
	ward_kit_fail_allocation(rig.kit, nth);
	ward_kit_run(rig.kit);
	ward_kit_fail_allocation(rig.kit, 0);
	ward_kit_advance(rig.kit, WARD_MINUTE);
}

enum { ALLOCATIONS = 25 };

WARD_TEST(sender_that_is_resumed_after_a_shortage_goes_on, "S106")
{
	for (uint64_t nth = 1; nth <= ALLOCATIONS; nth++) {
		lose_a_child(WARD_RESUME, nth);
		ward_assert_eq(sending().pending, 0);
		rig_close();
	}
}

WARD_TEST(sender_that_is_resumed_without_any_memory_goes_on_with_the_next_message, "S106")
{
	break_a_child(WARD_RESUME, 0);
	ward_kit_fail_all_allocations(rig.kit, true);
	ward_kit_run(rig.kit);
	ward_kit_fail_all_allocations(rig.kit, false);
	ward_kit_advance(rig.kit, WARD_MINUTE);
	ward_assert_eq(sending().pending, 1);
	send_jobs(2, 2);
	ward_kit_advance(rig.kit, WARD_MINUTE);
	assert_got("1.1 2.1 2.2");
	ward_assert_eq(sending().pending, 0);
	rig_close();
}

/* The waits have begun anew meanwhile: at a ceiling, or by a ward_sent. */
WARD_TEST(sender_without_any_memory_whose_waits_begin_again_goes_on_with_the_next_message, "S106")
{
	for (uint32_t ceiling = 0; ceiling < 2; ceiling++) {
		break_a_child(WARD_RESUME, ceiling);
		ward_kit_fail_all_allocations(rig.kit, true);
		ward_kit_run(rig.kit);
		ward_kit_fail_all_allocations(rig.kit, false);
		if (ceiling == 0)
			ward_kit_tell(rig.kit, rig.sender, ward_sent, .id = 77);
		ward_kit_advance(rig.kit, WARD_MINUTE);
		send_jobs(2, 2);
		ward_kit_advance(rig.kit, WARD_MINUTE);
		assert_got("1.1 2.1 2.2");
		ward_assert_eq(sending().pending, 0);
		rig_close();
	}
}

WARD_TEST(sender_that_ends_of_a_shortage_leaves_no_dead_letters_but_what_it_kept, "S106")
{
	for (uint64_t nth = 1; nth <= ALLOCATIONS; nth++) {
		lose_a_child(WARD_STOP, nth);
		ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"),
			       dead_letters(WARD_REASON_DEAD));
		rig_close();
	}
}

WARD_TEST_MAIN
