/* SPDX-License-Identifier: MIT
 *
 * test_retry.c - questions that are asked again: when, how often, and that they end once.
 *
 * Method: as retried_question.h says. Time is virtual and exact.
 */
#include <ward/extend.h>

#include "retried_question.h"

/* ---- trying again ------------------------------------------------------------------------ */

WARD_TEST(question_that_is_answered_is_asked_once)
{
	options = plain;
	begin(0, ANSWER);
	ask(TAG);
	assert_journal("asked at 0;after 1;7: 7 of b");
	finish();
}

WARD_TEST(question_is_asked_again_after_delays_that_grow_until_it_is_answered)
{
	options = plain;
	begin(3, ANSWER);
	ask(TAG);
	ward_kit_advance(office.kit, 1000);
	assert_journal("asked at 0;asked at 110;asked at 230;asked at 370;after 4;7: 7 of b");
	finish();
}

WARD_TEST(question_that_is_never_answered_ends_with_its_last_try_and_once)
{
	options = plain;
	begin(9, ANSWER);
	ask(TAG);
	ward_kit_advance(office.kit, 619);
	assert_journal("asked at 0;asked at 110;asked at 230;asked at 370;asked at 520");
	ward_assert_eq(ward_kit_stats(office.kit).timers, 1);
	journal_clear();
	ward_kit_advance(office.kit, 1);
	assert_journal("after 5;7: late of b");
	ward_assert_part(last_text, "within 100 ms");
	finish();
}

WARD_TEST(delay_has_its_factor_and_chance_comes_on_top_of_the_maximum)
{
	options = plain;
	options.factor = 3;
	options.random_factor = 0.5;
	begin(4, ANSWER);
	chance = UINT64_C(1) << 63; /* a half: a quarter on top */
	ask(TAG);
	ward_kit_advance(office.kit, 1000);
	/* 12, 37, 62, 62 */
	assert_journal("asked at 0;asked at 112;asked at 249;asked at 411;asked at 573;"
		       "after 5;7: 7 of b");
	finish();
}

WARD_TEST(options_of_zero_are_those_that_are_told)
{
	options = (ward_retry_options){.random = no_chance};
	begin(9, ANSWER);
	ask(TAG);
	ward_kit_advance(office.kit, WARD_MINUTE);
	assert_journal("asked at 0;asked at 5100;asked at 10300;asked at 15700;asked at 21500;"
		       "after 5;7: late of b");
	finish();
}

static ward_result ask_timed(ward_self *self, void *arg)
{
	struct question body = {5};
	ward_retry_ask_send(self, &retry, arg, &ward_type_question, &body, sizeof body);
	return WARD_DONE;
}

WARD_TEST(question_may_have_a_timeout_of_its_own)
{
	ward_question question = {.tag = TAG, .timeout_ms = 30};
	options = plain;
	begin(1, ANSWER);
	question.to = asked;
	script_do(office.kit, office.a.ref, ask_timed, &question);
	ward_kit_advance(office.kit, 1000);
	assert_journal("asked at 0;asked at 40;after 2;7: 5 of b");
	finish();
}

WARD_TEST(no_try_begins_after_the_time_for_all_and_the_last_one_ends_then)
{
	options = plain;
	options.within_ms = 240;
	begin(9, ANSWER);
	ask(TAG);
	ward_kit_advance(office.kit, 239);
	assert_journal("asked at 0;asked at 110;asked at 230");
	ward_kit_advance(office.kit, 1);
	assert_journal("asked at 0;asked at 110;asked at 230;after 3;7: late of b");
	finish();
	options.within_ms = 230; /* the delay would end there */
	begin(9, ANSWER);
	ask(TAG);
	ward_kit_advance(office.kit, 210);
	assert_journal("asked at 0;asked at 110;after 2;7: late of b");
	finish();
}

WARD_TEST(try_whose_delay_ends_too_late_has_an_end_all_the_same)
{
	options = plain;
	options.within_ms = 115;
	begin(9, ANSWER);
	ask(TAG);
	ward_kit_advance(office.kit, 100);
	journal_clear();
	/* The tick waits in the mailbox, while nobody has a turn, until the time is over. */
	pass(&office, 10);
	(void)!ward_simulation_advance(ward_kit_system(office.kit),
				       ward_kit_now_ns(office.kit) + 10 * NS_PER_MS);
	ward_kit_run(office.kit);
	ward_kit_advance(office.kit, 1);
	assert_journal("asked at 120;after 2;7: late of b");
	finish();
}

/* ---- what is tried again ----------------------------------------------------------------- */

WARD_TEST(question_to_one_who_is_gone_is_not_asked_again)
{
	options = plain;
	begin(0, DIE);
	ask(TAG);
	assert_journal_of("asked at 0", "");
	ward_assert_part(journal_text(), "after 1;7: gone of b");
	finish();
}

static ward_result be_late_once(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, question) == NULL)
		return WARD_UNHANDLED;
	journal_note("asked at %d", now_ms());
	if (silent-- > 0)
		return ward_dead_letter(self, ward_self_ref(self), WARD_REASON_NO_ROUTEE),
		       WARD_DONE;
	return clerk_receive(self, msg);
}

WARD_TEST(question_that_became_a_dead_letter_is_asked_again_of_one_who_lives)
{
	options = plain;
	begin(2, ANSWER);
	office.b.receive = be_late_once;
	ask(TAG);
	ward_kit_advance(office.kit, 1000);
	assert_journal("asked at 0;asked at 10;asked at 30;after 3;7: 7 of b");
	finish();
}

static bool is_below_ten(const ward_msg *msg)
{
	const struct answer *answer = ward_match(msg, answer);
	return answer != NULL && answer->number < 10;
}

static ward_result count_up(ward_self *self, const ward_msg *msg)
{
	static int number;
	if (ward_match(msg, question) == NULL)
		return WARD_UNHANDLED;
	number = silent-- > 0 ? 9 : 10;
	ward_answer(self, msg, question, .number = number);
	return WARD_DONE;
}

WARD_TEST(program_says_which_ends_are_tried_again)
{
	options = plain;
	options.again = is_below_ten;
	begin(2, ANSWER);
	office.b.receive = count_up;
	ask(TAG);
	ward_kit_advance(office.kit, 1000);
	assert_journal("after 3;7: 10 of b");
	silent = 9; /* the last answer is the end, whatever it is */
	ask(TAG);
	ward_kit_advance(office.kit, 1000);
	assert_journal("after 3;7: 10 of b;after 5;7: 9 of b");
	journal_clear();
	office.b.receive = note_question;
	ask(TAG); /* no answer is an end here */
	ward_kit_advance(office.kit, 1000);
	ward_assert_part(journal_text(), "after 1;7: late of b");
	finish();
}

WARD_TEST(answer_to_a_try_that_is_over_comes_too_late)
{
	options = plain;
	begin(0, LATER);
	ask(TAG);
	ward_kit_advance(office.kit, 105);
	ward_kit_tell(office.kit, office.clerk_b.asker, answer, .number = 1);
	ward_kit_run(office.kit);
	assert_journal("asked at 0");
	ward_assert_eq(letters(&office, WARD_REASON_STALE), 1);
	office.clerk_b.manner = ANSWER;
	ward_kit_advance(office.kit, 1000);
	assert_journal("asked at 0;asked at 110;after 2;7: 7 of b");
	finish();
}

WARD_TEST(many_questions_at_once_end_once_each)
{
	enum { QUESTIONS = 50 };
	options = plain;
	begin(2 * QUESTIONS, ANSWER);
	for (uint64_t i = 1; i <= QUESTIONS; i++)
		script_do(office.kit, office.a.ref, do_retry_ask, (void *)(uintptr_t)i);
	ward_kit_advance(office.kit, 1000);
	for (int i = 1; i <= QUESTIONS; i++) {
		char wanted_end[40];
		const char *at;
		snprintf(wanted_end, sizeof wanted_end, "after 3;%d: %d of b", i, i);
		at = strstr(journal_text(), wanted_end);
		ward_assert(at != NULL && strstr(at + 1, wanted_end) == NULL);
	}
	close_office(&office);
}

static struct ward_retry other;

static ward_result note_both(ward_self *self, const ward_msg *msg)
{
	ward_result result = ward_retry_receive(self, &other, msg);
	return result != WARD_UNHANDLED ? result : note_last(self, msg);
}

static ward_result ask_both(ward_self *self, void *arg)
{
	(void)arg;
	memset(&other, 0, sizeof other);
	ward_retry_init(self, &other, &options);
	ward_retry_ask(self, &other, asked, OTHER, question, .number = 1);
	ward_retry_ask(self, &retry, asked, TAG, question, .number = 2);
	return WARD_DONE;
}

WARD_TEST(an_actor_may_have_two_and_each_has_its_own)
{
	options = plain;
	begin(4, ANSWER);
	office.a.receive = note_both;
	script_do(office.kit, office.a.ref, ask_both, NULL);
	ward_kit_advance(office.kit, 1000);
	ward_assert_part(journal_text(), "8: 1 of b");
	ward_assert_part(journal_text(), "after 3;7: 2 of b");
	ward_assert_eq(ward_retry_tries(&other), 3);
	finish();
}

/* ---- taking back, restart, stop ---------------------------------------------------------- */

WARD_TEST(cancelled_question_is_neither_answered_nor_asked_again)
{
	for (int round = 0; round < 2; round++) {
		options = plain;
		begin(9, ANSWER);
		ask(TAG);
		ward_kit_advance(office.kit, round == 0 ? 50 : 105); /* a try, or a delay */
		cancel(OTHER);
		cancel(TAG);
		cancel(TAG);
		ward_assert_eq(ward_kit_stats(office.kit).timers, 0);
		assert_journal("asked at 0");
		silent = 0;
		ask(TAG); /* the tag is free */
		ward_assert_part(journal_text(), "after 1;7: 7 of b");
		finish();
	}
}

WARD_TEST(tag_of_a_try_that_was_cancelled_without_it_is_free)
{
	options = plain;
	begin(1, ANSWER);
	ask(TAG);
	script_do(office.kit, office.a.ref, do_cancel, NULL);
	ask(TAG);
	ward_assert_eq(ward_kit_count(office.kit, WARD_EVENT_FAILURE, "*"), 0);
	assert_journal("asked at 0;asked at 0;after 1;7: 7 of b");
	ward_kit_advance(office.kit, 1000);
	finish();
}

/* ---- a second start ---------------------------------------------------------------------- */

static ward_result do_start(ward_self *self, void *arg)
{
	(void)arg;
	return ward_retry_init(self, &retry, &options);
}

WARD_TEST(question_that_is_open_at_a_second_start_goes_on)
{
	for (int round = 0; round < 2; round++) {
		options = plain;
		begin(9, ANSWER);
		ask(TAG);
		ward_kit_advance(office.kit, round == 0 ? 50 : 105); /* a try, or a delay */
		options.tries_max = 2;
		script_do(office.kit, office.a.ref, do_start, NULL);
		ward_kit_advance(office.kit, 1000);
		assert_journal("asked at 0;asked at 110;after 2;7: late of b");
		finish();
	}
}

static ward_result do_start_often(ward_self *self, void *arg)
{
	(void)arg;
	for (int i = 0; i < (ward_test_shortage() ? 2 : 100); i++) {
		ward_retry_ask(self, &retry, asked, TAG, question, .number = 1);
		ward_retry_cancel(self, &retry, TAG);
		ward_retry_init(self, &retry, &options);
	}
	return WARD_DONE;
}

static uint64_t bytes_after_starts(void)
{
	script_do(office.kit, office.a.ref, do_start_often, NULL);
	ward_kit_run(office.kit);
	journal_clear();
	return ward_kit_bytes(office.kit);
}

WARD_TEST(second_start_leaves_nothing_behind)
{
	uint64_t bytes;
	options = plain;
	begin(1000, ANSWER);
	bytes = bytes_after_starts();
	for (int i = 0; i < (ward_test_shortage() ? 1 : 5); i++)
		ward_assert(bytes_after_starts() <= bytes + 10000);
	finish();
}

WARD_TEST(nothing_comes_of_a_question_after_a_restart_or_a_stop, "S44", "S87")
{
	for (int round = 0; round < 4; round++) {
		options = plain;
		begin(9, ANSWER);
		ask(TAG);
		ward_kit_advance(office.kit, round < 2 ? 50 : 105);
		if (round % 2 == 0)
			script_break(office.kit, office.a.ref, &ward_exception);
		else
			ward_kit_stop(office.kit, office.a.ref);
		ward_kit_run(office.kit);
		ward_assert_eq(ward_kit_stats(office.kit).timers, 0);
		if (round % 2 == 1)
			retry.questions = NULL; /* it is gone with its actor */
		journal_clear();
		finish();
	}
}

WARD_TEST_MAIN
