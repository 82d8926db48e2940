/* SPDX-License-Identifier: MIT
 *
 * test_breaker.c - circuit breakers: when they open, how long for, and which calls count.
 *
 * Method: as asker_with_breaker.h says. Time is virtual and exact.
 */
#include "asker_with_breaker.h"

/* ---- opening and closing ----------------------------------------------------------------- */

WARD_TEST(breaker_opens_at_the_last_failure_in_a_row_that_may_be)
{
	struct office office;
	options = plain;
	begin(&office, SILENT);
	fail_once(&office);
	fail_once(&office);
	office.clerk_b.manner = ANSWER;
	ask(&office, TAG); /* begins the count anew */
	fail_once(&office);
	fail_once(&office);
	assert_journal("7: late of b;7: late of b;7: 7 of b;7: late of b;7: late of b");
	journal_clear();
	fail_once(&office);
	assert_journal("closed>open;7: late of b");
	ask(&office, TAG);
	assert_journal("closed>open;7: late of b;refused");
	ward_assert_eq(ward_breaker_counted(&breaker).allowed, 6);
	ward_assert_eq(ward_breaker_counted(&breaker).refused, 1);
	ward_assert_eq(ward_breaker_counted(&breaker).failed, 5);
	ward_assert_eq(ward_breaker_counted(&breaker).succeeded, 1);
	ward_assert_eq(ward_breaker_counted(&breaker).opened, 1);
	ward_kit_advance(office.kit, 1000);
	close_office(&office);
}

WARD_TEST(open_breaker_is_half_open_after_the_reset_time_exactly)
{
	struct office office;
	options = plain;
	begin(&office, SILENT);
	open_it(&office);
	ward_kit_advance(office.kit, 999);
	assert_journal("");
	ask(&office, TAG);
	assert_journal("refused");
	ward_kit_advance(office.kit, 1);
	assert_journal("refused;open>half-open");
	close_office(&office);
}

WARD_TEST(half_open_breaker_lets_one_call_through_and_closes_when_it_succeeds)
{
	struct office office;
	options = plain;
	begin(&office, SILENT);
	open_it(&office);
	ward_kit_advance(office.kit, 1000);
	office.clerk_b.manner = LATER;
	ask(&office, TAG);
	ask(&office, OTHER);
	assert_journal("open>half-open;refused");
	ward_kit_tell(office.kit, office.clerk_b.asker, answer, .number = 1);
	ward_kit_run(office.kit);
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_CLOSED);
	ward_assert_part(journal_text(), "refused;half-open>closed;7: 1 of ");
	fail_once(&office);
	fail_once(&office); /* the count begins again */
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_CLOSED);
	close_office(&office);
}

WARD_TEST(half_open_breaker_opens_again_when_its_call_fails)
{
	struct office office;
	options = plain;
	begin(&office, SILENT);
	open_it(&office);
	ward_kit_advance(office.kit, 1000);
	fail_once(&office);
	ward_assert_part(journal_text(), "open>half-open;half-open>open");
	ward_assert_part(journal_text(), "7: late of b");
	journal_clear();
	ward_kit_advance(office.kit, 999);
	assert_journal("");
	ward_kit_advance(office.kit, 1);
	assert_journal("open>half-open");
	close_office(&office);
}

/* Opens, and notes how long each time takes until it is half-open, where it fails again. */
static void assert_resets(struct office *office, const int64_t *wanted_ms, size_t count)
{
	open_it(office);
	for (size_t i = 0; i < count; i++) {
		ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_OPEN);
		ward_kit_advance(office->kit, wanted_ms[i] - 1);
		ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_OPEN);
		ward_kit_advance(office->kit, 1);
		ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_HALF_OPEN);
		fail_once(office);
	}
}

WARD_TEST(reset_time_doubles_up_to_its_maximum_and_begins_anew_when_closed)
{
	static const int64_t wanted_ms[] = {1000, 2000, 4000, 5000, 5000};
	struct office office;
	options = plain;
	options.reset_max_ms = 5000;
	begin(&office, SILENT);
	assert_resets(&office, wanted_ms, 5);
	ward_kit_advance(office.kit, 5000);
	office.clerk_b.manner = ANSWER;
	ask(&office, TAG);
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_CLOSED);
	assert_resets(&office, wanted_ms, 2);
	ward_kit_advance(office.kit, WARD_MINUTE);
	close_office(&office);
}

WARD_TEST(reset_time_grows_by_its_factor_and_chance_comes_on_top)
{
	static const int64_t wanted_ms[] = {1100, 1650, 2200};
	struct office office;
	options = plain;
	options.reset_max_ms = 2000;
	options.reset_factor = 1.5;
	options.random_factor = 0.2;
	begin(&office, SILENT);
	chance = UINT64_C(1) << 63; /* a half */
	assert_resets(&office, wanted_ms, 3);
	ward_kit_advance(office.kit, WARD_MINUTE);
	close_office(&office);
}

WARD_TEST(breaker_without_options_has_those_that_are_told)
{
	struct office office;
	options = (ward_breaker_options){.moved = note_move};
	begin(&office, SILENT);
	for (int i = 0; i < 5; i++) {
		ask(&office, TAG);
		ward_kit_advance(office.kit, 9999);
		ward_assert_eq(ward_breaker_counted(&breaker).failed, i);
		ward_kit_advance(office.kit, 1);
	}
	ward_kit_advance(office.kit, 59999);
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_OPEN);
	ward_kit_advance(office.kit, 1);
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_HALF_OPEN);
	close_office(&office);
}

/* ---- which calls count ------------------------------------------------------------------- */

static bool is_odd(const ward_msg *msg)
{
	const struct answer *answer = ward_match(msg, answer);
	return answer != NULL && answer->number % 2 != 0;
}

WARD_TEST(program_says_which_answers_are_failures)
{
	struct office office;
	options = plain;
	options.failed = is_odd;
	begin(&office, ANSWER);
	for (int i = 0; i < 3; i++)
		ask(&office, 8);
	for (int i = 0; i < 4; i++)
		fail_once(&office); /* no answer is no failure here */
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_CLOSED);
	office.clerk_b.manner = ANSWER;
	for (int i = 0; i < 3; i++)
		ask(&office, 9);
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_OPEN);
	ward_assert_eq(ward_breaker_counted(&breaker).failed, 3);
	ward_kit_advance(office.kit, 1000);
	close_office(&office);
}

WARD_TEST(call_that_ends_after_a_change_of_state_counts_for_nothing)
{
	struct office office;
	options = plain;
	begin(&office, SILENT);
	fail_once(&office);
	fail_once(&office);
	ask(&office, TAG);
	ward_kit_advance(office.kit, 50);
	office.clerk_b.manner = LATER;
	ask(&office, OTHER); /* let through while it was closed */
	ward_kit_advance(office.kit, 50);
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_OPEN);
	journal_clear();
	ward_kit_tell(office.kit, office.clerk_b.asker, answer, .number = 1);
	ward_kit_run(office.kit);
	ward_assert_part(journal_text(), "8: 1 of ");
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_OPEN);
	ward_assert_eq(ward_breaker_counted(&breaker).succeeded, 0);
	ward_kit_advance(office.kit, 1000);
	close_office(&office);
}

static ward_result ask_timed(ward_self *self, void *arg)
{
	struct question body = {5};
	ward_assert_ok(ward_breaker_ask_send(self, &breaker, arg, &ward_type_question, &body,
					     sizeof body));
	return WARD_DONE;
}

WARD_TEST(question_may_take_less_than_the_call_timeout_but_not_more)
{
	static const int64_t asked_ms[] = {30, 300, WARD_FOREVER}, ends_ms[] = {30, 100, 100};
	for (int round = 0; round < 3; round++) {
		struct office office;
		ward_question question = {.tag = TAG, .timeout_ms = asked_ms[round]};
		options = plain;
		begin(&office, SILENT);
		question.to = asked;
		script_do(office.kit, office.a.ref, ask_timed, &question);
		ward_kit_run(office.kit);
		ward_kit_advance(office.kit, ends_ms[round] - 1);
		assert_journal("");
		ward_kit_advance(office.kit, 1);
		assert_journal("7: late of b");
		close_office(&office);
	}
}

WARD_TEST(call_of_the_half_open_state_is_made_in_moved)
{
	struct office office;
	options = plain;
	begin(&office, SILENT);
	probes = true;
	open_it(&office);
	office.clerk_b.manner = ANSWER;
	ward_kit_advance(office.kit, 1000);
	assert_journal("open>half-open;half-open>closed;8: 8 of b");
	close_office(&office);
}

WARD_TEST(many_calls_at_once_count_once_each)
{
	enum { CALLS = 100 };
	struct office office;
	options = plain;
	options.failures_max = CALLS;
	begin(&office, SILENT);
	for (uint64_t i = 1; i <= CALLS - 1; i++)
		ask(&office, i);
	ward_kit_advance(office.kit, 100);
	ward_assert_eq(ward_breaker_counted(&breaker).failed, CALLS - 1);
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_CLOSED);
	fail_once(&office);
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_OPEN);
	ward_kit_advance(office.kit, 1000);
	close_office(&office);
}

/* ---- taking back ------------------------------------------------------------------------- */

static ward_result do_breaker_cancel(ward_self *self, void *arg)
{
	ward_breaker_cancel(self, &breaker, (uint64_t)(uintptr_t)arg);
	return WARD_DONE;
}

WARD_TEST(cancelled_call_counts_for_nothing_and_half_open_another_takes_its_place)
{
	struct office office;
	options = plain;
	begin(&office, SILENT);
	open_it(&office);
	ward_kit_advance(office.kit, 1000);
	ask(&office, TAG);
	script_do(office.kit, office.a.ref, do_breaker_cancel, (void *)(uintptr_t)OTHER);
	ask(&office, OTHER);
	script_do(office.kit, office.a.ref, do_breaker_cancel, (void *)(uintptr_t)TAG);
	office.clerk_b.manner = ANSWER;
	ask(&office, OTHER);
	assert_journal("open>half-open;refused;half-open>closed;8: 8 of b");
	close_office(&office);
}

WARD_TEST(cancelled_call_of_half_open_is_never_too_late)
{
	struct office office;
	options = plain;
	begin(&office, SILENT);
	open_it(&office);
	ward_kit_advance(office.kit, 1000);
	ask(&office, TAG);
	script_do(office.kit, office.a.ref, do_breaker_cancel, (void *)(uintptr_t)TAG);
	ward_kit_advance(office.kit, 1000); /* longer than a call may take */
	office.clerk_b.manner = ANSWER;
	ask(&office, OTHER);
	assert_journal("open>half-open;half-open>closed;8: 8 of b");
	ward_assert_eq(ward_breaker_counted(&breaker).failed, 3);
	close_office(&office);
}

WARD_TEST(question_that_was_cancelled_without_the_breaker_is_a_failure_of_half_open)
{
	struct office office;
	options = plain;
	begin(&office, SILENT);
	open_it(&office);
	ward_kit_advance(office.kit, 1000);
	ask(&office, TAG);
	script_do(office.kit, office.a.ref, do_cancel, NULL);
	ward_kit_advance(office.kit, 99);
	assert_journal("open>half-open");
	ward_kit_advance(office.kit, 1);
	assert_journal("open>half-open;half-open>open");
	ward_kit_advance(office.kit, 1000);
	office.clerk_b.manner = ANSWER;
	ask(&office, TAG); /* the tag is free */
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_CLOSED);
	close_office(&office);
}

WARD_TEST(question_that_is_asked_past_the_breaker_counts_for_nothing)
{
	struct office office;
	options = plain;
	begin(&office, SILENT);
	ask(&office, TAG);
	script_do(office.kit, office.a.ref, do_cancel, NULL);
	fail_once(&office); /* takes the place of the one before */
	ward_assert_eq(ward_breaker_counted(&breaker).failed, 1);
	ask_b(&office);
	ward_kit_advance(office.kit, 100);
	assert_journal("7: late of b;7: late of b");
	ward_assert_eq(ward_breaker_counted(&breaker).failed, 1);
	close_office(&office);
}

WARD_TEST_MAIN
