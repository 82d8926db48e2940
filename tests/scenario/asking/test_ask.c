/* SPDX-License-Identifier: MIT
 *
 * test_ask.c - a question of an actor ends in exactly one message: the answer, the timeout, or the
 * end of the asked actor.
 *
 * Method: virtual time. pass() lets time pass without a turn of any actor, so that several ends of
 * one question wait in the asker's mailbox at once.
 */
#include "support/asking_actors.h"

/* ---- the three ends ---------------------------------------------------------------------- */

WARD_TEST(ask_is_answered_in_receive_with_its_tag_and_sender, "S44")
{
	struct office office = {0};
	open_office(&office, ANSWER);
	ask_b(&office);
	assert_journal("7: 5 of b");
	ward_kit_advance(office.kit, 1000);
	assert_journal("7: 5 of b");
	ward_assert_eq(ward_kit_stats(office.kit).dead_letters, 0);
	close_office(&office);
}

WARD_TEST(ask_without_an_answer_is_late_and_says_whom_what_and_how_long)
{
	struct office office = {0};
	open_office(&office, SILENT);
	ask_b(&office);
	ward_kit_advance(office.kit, 99);
	assert_journal("");
	ward_kit_advance(office.kit, 1);
	assert_journal("7: late of b");
	ward_assert_str(last_text, "sim/user/b did not answer \"question\" within 100 ms");
	ward_assert_eq(last_reason, WARD_REASON_NONE);
	ward_kit_advance(office.kit, 1000);
	assert_journal("7: late of b");
	close_office(&office);
}

WARD_TEST(ask_of_one_that_ends_with_the_question_in_hand_is_told_at_once)
{
	struct office office = {0};
	open_office(&office, DIE);
	ask_b(&office);
	assert_journal("b:post_stop;7: gone of b");
	ward_assert_str(last_text, "sim/user/b did not answer \"question\": it is gone");
	close_office(&office);
}

WARD_TEST(ask_of_one_that_ends_later_is_told_then)
{
	struct office office = {0};
	open_office(&office, SILENT);
	order(&office, (ward_question){.to = office.b.ref, .timeout_ms = WARD_FOREVER, .tag = TAG});
	ward_kit_run(office.kit);
	ward_assert_eq(ward_kit_stats(office.kit).timers, 0);
	assert_journal("");
	ward_system_stop(ward_kit_system(office.kit), office.b.ref);
	ward_kit_run(office.kit);
	assert_journal("b:post_stop;7: gone of b");
	close_office(&office);
}

WARD_TEST(answer_sent_before_the_end_wins_over_it)
{
	WARD_TEST_SEEDS(20)
	{
		struct office office = {0};
		open_office(&office, ANSWER_DIE);
		ask_b(&office);
		ward_assert_str(journal_of("7"), " 5 of b");
		ward_assert_eq(ward_kit_stats(office.kit).dead_letters, 0);
		close_office(&office);
	}
}

WARD_TEST(restart_of_the_asked_is_no_end)
{
	struct office office = {0};
	open_office(&office, BREAK);
	ask_b(&office);
	ward_assert(strstr(journal_text(), "7:") == NULL);
	ward_kit_advance(office.kit, 100);
	ward_assert_part(journal_text(), "7: late of b");
	close_office(&office);
}

WARD_TEST(first_end_in_the_mailbox_is_the_one_that_counts)
{
	/* The asker has no turn while two or three ends of its question come to its mailbox. */
	struct office office = {0};
	open_office(&office, LATER);
	ask_b(&office);
	ward_ref question = office.clerk_b.asker;
	pass(&office, 200); /* late */
	ward_system_tell(ward_kit_system(office.kit), question, answer, .number = 6);
	ward_system_stop(ward_kit_system(office.kit), office.b.ref);
	ward_kit_run(office.kit);
	assert_journal_of("7", " late of b");
	ward_assert_eq(ward_kit_stats(office.kit).dead_letters, 1);
	close_office(&office);
}

/* ---- answers ----------------------------------------------------------------------------- */

WARD_TEST(second_answer_is_a_dead_letter_and_stale)
{
	struct office office = {0};
	open_office(&office, TWICE);
	ask_b(&office);
	assert_journal("7: 5 of b");
	ward_assert_eq(letters(&office, WARD_REASON_STALE), 1);
	close_office(&office);
}

WARD_TEST(answer_that_comes_too_late_is_a_dead_letter_and_stale)
{
	struct office office = {0};
	open_office(&office, LATER);
	ask_b(&office);
	ward_kit_advance(office.kit, 100);
	assert_journal("7: late of b");
	ward_system_tell(ward_kit_system(office.kit), office.clerk_b.asker, answer, .number = 6);
	ward_kit_run(office.kit);
	assert_journal("7: late of b");
	ward_assert_eq(letters(&office, WARD_REASON_STALE), 1);
	close_office(&office);
}

WARD_TEST(question_passed_on_is_answered_by_the_other)
{
	struct office office = {0};
	open_office(&office, PASS_ON);
	ask_b(&office);
	assert_journal("7: 5 of c");
	close_office(&office);
}

WARD_TEST(answer_that_owns_something_arrives_with_it)
{
	struct office office = {0};
	open_office(&office, SEND_WORD);
	ask_b(&office);
	assert_journal("7: script_word;a:word");
	close_office(&office);
}

WARD_TEST(pill_and_kill_reach_the_asker_and_are_no_answer, "S50")
{
	struct office office = {0};
	open_office(&office, SEND_PILL);
	ask_b(&office);
	assert_journal("a:post_stop");
	ward_assert(!ward_kit_is_alive(office.kit, office.a.ref));
	close_office(&office);

	office = (struct office){0};
	open_office(&office, SEND_KILL);
	ask_b(&office);
	assert_journal("a:post_stop");
	ward_assert_eq(ward_kit_stats(office.kit).failures, 1);
	close_office(&office);
}

WARD_TEST(stale_pill_does_not_reach_who_lives_in_the_askers_cell_now, "S57")
{
	struct office office = {0};
	struct script d = {.name = "d", .receive = note_ends};
	open_office(&office, LATER);
	ask_b(&office);
	ward_ref question = office.clerk_b.asker;
	ward_system_stop(ward_kit_system(office.kit), office.a.ref);
	ward_kit_run(office.kit);
	script_spawn(office.kit, &d);
	ward_assert_eq((uint32_t)d.ref.uid, (uint32_t)office.a.ref.uid);
	ward_system_tell(ward_kit_system(office.kit), question, ward_poison_pill);
	ward_system_tell(ward_kit_system(office.kit), question, answer, .number = 1);
	ward_kit_run(office.kit);
	ward_assert(ward_kit_is_alive(office.kit, d.ref));
	ward_assert_eq(ward_kit_stats(office.kit).dead_letters, 2);
	ward_assert_eq(ward_kit_stats(office.kit).unhandled, 0);
	close_office(&office);
}

WARD_TEST(forged_notice_is_no_answer, "S63")
{
	struct office office = {0};
	open_office(&office, SEND_FORGED);
	ask_b(&office);
	assert_journal("7: 5 of b");
	close_office(&office);
}

/* ---- questions that do not get there ----------------------------------------------------- */

WARD_TEST(question_to_the_dead_fails_at_once_by_a_message)
{
	struct office office = {0};
	open_office(&office, ANSWER);
	ward_system_stop(ward_kit_system(office.kit), office.b.ref);
	ward_kit_run(office.kit);
	journal_clear();
	ask_b(&office);
	assert_journal("7: gone of b");
	ward_assert_eq(letters(&office, WARD_REASON_DEAD), 1);
	close_office(&office);
}

WARD_TEST(question_passed_on_to_the_dead_fails_at_once)
{
	struct office office = {0};
	open_office(&office, PASS_ON);
	ward_system_stop(ward_kit_system(office.kit), office.c.ref);
	ward_kit_run(office.kit);
	journal_clear();
	ask_b(&office);
	assert_journal("7: gone of b");
	close_office(&office);
}

WARD_TEST(question_that_a_full_mailbox_does_not_take_or_keep_fails_at_once)
{
	/* refused; dropped on arrival; dropped for what came after it */
	for (ward_overflow overflow = WARD_OVERFLOW_REFUSE; overflow <= WARD_OVERFLOW_DROP_OLDEST;
	     overflow++) {
		struct office office = {
			.b = {.mailbox = {.messages_max = 1, .overflow = overflow}}};
		open_office(&office, ANSWER);
		wanted.before = overflow == WARD_OVERFLOW_DROP_OLDEST ? NULL : "word";
		wanted.after = overflow == WARD_OVERFLOW_DROP_OLDEST ? "word" : NULL;
		ask_b(&office);
		assert_journal_of("7", " full of b");
		ward_assert_str(last_text,
				"sim/user/b did not answer \"question\": its mailbox is full");
		ward_assert_eq(last_reason, WARD_REASON_FULL);
		ward_assert_eq(letters(&office, WARD_REASON_FULL), 1);
		close_office(&office);
	}
}

WARD_TEST(ends_of_questions_are_not_counted_by_the_askers_bounded_mailbox)
{
	/* The answer, the timeout, and the death come to a mailbox that is full. */
	for (int end = 0; end < 3; end++) {
		struct office office = {.a = {.mailbox = {.messages_max = 1}}};
		open_office(&office, end == 0 ? ANSWER : SILENT);
		order(&office, (ward_question){.to = office.b.ref, .timeout_ms = 100, .tag = TAG});
		ward_assert(ward_kit_step(office.kit)); /* a asks */
		script_say(office.kit, office.a.ref, "fills it");
		if (end == 1)
			pass(&office, 100);
		if (end == 2)
			ward_system_stop(ward_kit_system(office.kit), office.b.ref);
		ward_kit_run(office.kit);
		const char *const ends[] = {" 5 of b", " late of b", " gone of b"};
		ward_assert_str(journal_of("7"), ends[end]);
		assert_journal_of("a", "fills it");
		close_office(&office);
	}
}

WARD_TEST_MAIN
