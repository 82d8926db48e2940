/* SPDX-License-Identifier: MIT
 *
 * test_retry_refused.c - questions that are asked again: bodies that own things, what is refused,
 * and shortages of memory.
 *
 * Method: as retried_question.h says. Time is virtual and exact.
 */
#include <ward/extend.h>

#include "retried_question.h"

/* ---- bodies that own things -------------------------------------------------------------- */

static ward_result ask_word(ward_self *self, void *arg)
{
	const ward_question *question = arg;
	struct script_word word = script_word("word", &(struct script_word){0});
	ward_err err = ward_try_retry_ask_send(self, &retry, question, &ward_type_script_word,
					       &word, sizeof word);
	return err == WARD_OK ? WARD_DONE
			      : ward_failed(self, &ward_exception, "%s", ward_err_detail());
}

static void ask_a_word(void)
{
	static ward_question question;
	question = (ward_question){.to = asked, .tag = TAG};
	script_do(office.kit, office.a.ref, ask_word, &question);
	ward_kit_run(office.kit);
}

WARD_TEST(each_try_has_a_copy_of_what_it_owns_and_all_are_dropped)
{
	options = plain;
	begin(9, ANSWER);
	ask_a_word();
	ward_assert_eq(script_words_left(), 1); /* for the next try */
	ward_kit_advance(office.kit, 1000);
	assert_journal("b:word;b:word;b:word;b:word;b:word;after 5;7: late of b");
	ward_assert_eq(script_words_left(), 0);
	finish();
}

WARD_TEST(what_a_question_owns_is_dropped_when_it_is_cancelled_or_its_actor_ends)
{
	for (int round = 0; round < 3; round++) {
		options = plain;
		begin(9, ANSWER);
		ask_a_word();
		ward_kit_advance(office.kit, 105);
		if (round == 0)
			cancel(TAG);
		else if (round == 1)
			script_break(office.kit, office.a.ref, &ward_exception);
		else
			ward_kit_stop(office.kit, office.a.ref);
		ward_kit_run(office.kit);
		ward_assert_eq(script_words_left(), 0);
		close_office(&office);
	}
}

/* ---- a clone that refuses ---------------------------------------------------------------- */

struct shy {
	int held; /* 0: it owns nothing */
};

static int clones_left, shy_alive;

static void shy_drop(struct shy *shy)
{
	shy_alive -= shy->held;
}

static ward_err shy_clone(struct shy *to, const struct shy *from)
{
	to->held = 0;
	if (clones_left-- <= 0)
		return ward_refused(WARD_ELIMIT, "no copy of it any more");
	to->held = from->held;
	shy_alive += to->held;
	return WARD_OK;
}
WARD_MESSAGE_CLONE(shy, shy_drop, shy_clone);

static ward_result ask_shy(ward_self *self, void *arg)
{
	const ward_question question = {.to = asked, .tag = TAG};
	struct shy shy = {1};
	ward_err err;
	shy_alive++;
	err = ward_try_retry_ask_send(self, &retry, &question, &ward_type_shy, &shy, sizeof shy);
	if (err == WARD_ENOMEM)
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	ward_assert_eq(err, (uintptr_t)arg);
	ward_assert_eq(ward_retry_open(&retry, TAG), err == WARD_OK);
	return WARD_DONE;
}

WARD_TEST(question_whose_clone_refuses_is_refused_with_what_it_said)
{
	options = plain;
	begin(9, ANSWER);
	clones_left = shy_alive = 0;
	script_do(office.kit, office.a.ref, ask_shy, (void *)(uintptr_t)WARD_ELIMIT);
	ward_kit_run(office.kit);
	ward_assert_eq(shy_alive, 0);
	assert_journal("");
	finish();
}

WARD_TEST(question_whose_clone_refuses_a_later_try_fails_its_actor_and_is_no_shortage)
{
	const ward_event *failure;
	options = plain;
	begin(9, ANSWER);
	clones_left = 2; /* the one that is kept, and the second try */
	shy_alive = 0;
	script_do(office.kit, office.a.ref, ask_shy, (void *)(uintptr_t)WARD_OK);
	ward_kit_advance(office.kit, 100 + 10 + 100 + 20);
	failure = ward_kit_event(office.kit, WARD_EVENT_FAILURE, "*/a", 0);
	ward_assert_str(failure->failure_class, "ward_exception");
	ward_assert_part(failure->text, "question 7 could not be asked again");
	ward_assert_part(failure->text, ward_err_text(WARD_ELIMIT));
	ward_assert_part(failure->text, ": no copy of it any more");
	ward_assert_eq(shy_alive, 0);
	journal_clear();
	finish();
}

/* ---- what is refused --------------------------------------------------------------------- */

static int dropped;

static void count_drop(void *body)
{
	(void)body;
	dropped++;
}

static const ward_type unique = {.name = "unique", .size = 4, .drop = count_drop};

static ward_result do_wrong(ward_self *self, void *arg)
{
	struct question body = {5};
	ward_question wrong = {.to = asked, .answer_to = asked, .tag = TAG};
	const ward_question right = {.to = asked, .tag = TAG}, untagged = {.to = asked};
	struct ward_retry none = {0};
	(void)arg;
	ward_assert_err(ward_try_retry_ask_send(self, &none, &right, &ward_type_question, &body,
						sizeof body),
			WARD_EINVAL);
	ward_assert_err(ward_try_retry_ask_send(self, &retry, NULL, &unique, &body, 4),
			WARD_EINVAL);
	ward_assert_err(ward_try_retry_ask_send(self, &retry, &wrong, &unique, &body, 4),
			WARD_EINVAL);
	ward_assert_err(ward_try_retry_ask_send(self, &retry, &right, &unique, &body, 4),
			WARD_EUNIQUE);
	ward_assert_eq(dropped, 3);
	ward_assert_err(ward_try_retry_ask_send(self, &retry, &untagged, &ward_type_question, &body,
						sizeof body),
			WARD_EINVAL);
	ward_assert_err(ward_try_retry_ask_send(self, &retry, &right, NULL, &body, sizeof body),
			WARD_EINVAL);
	ward_assert_err(
		ward_try_retry_ask_send(self, &retry, &right, &ward_type_question, &body, 1),
		WARD_ESIZE);
	ward_assert(!ward_retry_open(&retry, TAG));
	ward_assert_ok(ward_try_retry_ask_send(self, &retry, &right, &ward_type_question, NULL, 0));
	ward_assert_err(ward_try_retry_ask_send(self, &retry, &right, &ward_type_question, &body,
						sizeof body),
			WARD_EEXIST);
	return WARD_DONE;
}

WARD_TEST(question_that_cannot_be_asked_is_refused)
{
	options = plain;
	begin(1, ANSWER);
	dropped = 0;
	script_do(office.kit, office.a.ref, do_wrong, NULL);
	ward_kit_advance(office.kit, 1000);
	assert_journal("asked at 0;asked at 110;after 2;7: 0 of b"); /* a body of zeroes */
	finish();
}

static ward_result use_before_start(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_err(ward_try_retry_ask(self, &retry, asked, TAG, question, .number = 1),
			WARD_EINVAL);
	ward_retry_cancel(self, &retry, TAG);
	ward_assert(!ward_retry_open(&retry, TAG));
	ward_assert_eq(ward_retry_tries(&retry), 0);
	journal_note("used");
	return WARD_DONE;
}

WARD_TEST(before_the_start_questions_are_refused_and_nothing_else_is_done)
{
	options = plain;
	begin(0, ANSWER);
	memset(&retry, 0, sizeof retry);
	script_do(office.kit, office.a.ref, use_before_start, NULL);
	ask_b(&office); /* past it, and seen by it */
	ward_kit_run(office.kit);
	assert_journal("used;asked at 0;after 0;7: 5 of b");
	close_office(&office);
}

static const ward_type longer = {.name = "longer", .size = 64, .drop = count_drop};

static ward_result do_wrong_size(ward_self *self, void *arg)
{
	const ward_question question = {.to = asked, .tag = TAG};
	struct question body = {5};
	(void)arg;
	ward_retry_ask_send(self, &retry, &question, &ward_type_question, &body, sizeof body);
	ward_assert(ward_try_retry_ask_send(self, &retry, &question, &longer, "", 1) != WARD_OK);
	ward_assert_err(
		ward_try_retry_ask_send(self, &retry,
					&(ward_question){.to = asked, .tag = 9, .timeout_ms = -7},
					&ward_type_question, &body, sizeof body),
		WARD_EINVAL);
	ward_assert_str(ward_err_detail(), "ward_retry_ask: the timeout is -7 ms: it must not be "
					   "negative; 0 means .try_timeout_ms");
	return WARD_DONE;
}

WARD_TEST(body_of_a_wrong_size_is_not_dropped)
{
	options = plain;
	begin(0, ANSWER);
	dropped = 0;
	script_do(office.kit, office.a.ref, do_wrong_size, NULL);
	ward_kit_run(office.kit);
	ward_assert_eq(dropped, 0);
	finish();
}

WARD_TEST(tag_of_a_delay_is_taken)
{
	options = plain;
	begin(9, ANSWER);
	ask(TAG);
	ward_kit_advance(office.kit, 105);
	ask(TAG);
	ward_kit_run(office.kit);
	ward_assert_part(ward_kit_event(office.kit, WARD_EVENT_FAILURE, "*/a", 0)->text,
			 "a question with tag 7 is open");
	finish();
}

static ward_result ask_past_it(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(
		ward_try_ask(self, asked, TAG, *(const int64_t *)arg, question, .number = 1));
	return WARD_DONE;
}

WARD_TEST(question_of_the_same_tag_past_it_is_not_its_own)
{
	int64_t timeout_ms = 3;
	options = plain;
	begin(9, ANSWER);
	ask(TAG);
	ward_kit_advance(office.kit, 105);
	script_do(office.kit, office.a.ref, ask_past_it, &timeout_ms);
	ward_kit_run(office.kit);
	journal_clear();
	past_it = true; /* it ends for the actor, and no try is lost */
	ward_kit_advance(office.kit, 3);
	assert_journal("7: late of b");
	past_it = false;
	silent = 0;
	ward_kit_advance(office.kit, 1000);
	assert_journal("7: late of b;asked at 110;after 2;7: 7 of b");
	finish();
}

WARD_TEST(question_of_the_same_tag_that_is_open_when_it_is_asked_again_is_misuse)
{
	int64_t timeout_ms = 100;
	options = plain;
	begin(9, ANSWER);
	ask(TAG);
	ward_kit_advance(office.kit, 105);
	script_do(office.kit, office.a.ref, ask_past_it, &timeout_ms);
	ward_kit_advance(office.kit, 5);
	ward_assert_str(ward_kit_event(office.kit, WARD_EVENT_FAILURE, "*/a", 0)->failure_class,
			"ward_misuse");
	journal_clear();
	finish();
}

WARD_TEST(wrong_options_fail_the_actor)
{
	static const struct {
		ward_retry_options options;
		const char *text;
	} wrong[] = {
		{{.within_ms = -1}, ".within_ms is -1: it must not be negative"},
		{{.try_timeout_ms = -1}, ".try_timeout_ms is -1: it must not be negative"},
		{{.delay_min_ms = -1}, ".delay_min_ms is -1: it must not be negative"},
		{{.delay_min_ms = 10, .delay_max_ms = 9},
		 ".delay_max_ms 9 is less than .delay_min_ms 10"},
		{{.delay_max_ms = 99}, ".delay_max_ms 99 is less than .delay_min_ms 100"},
		{{.factor = 0.5}, ".factor is 0.5: it must be at least 1"},
		{{.random_factor = 1.5}, ".random_factor is 1.5: it must be from 0 to 1"},
		{{.reserved = {0, 1}}, "reserved"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct script a = {.name = "a", .init = start};
		ward_kit *kit = script_start(NULL);
		options = wrong[i].options;
		script_spawn(kit, &a);
		ward_kit_run(kit);
		ward_assert_part(ward_kit_event(kit, WARD_EVENT_FAILURE, "*/a", 0)->text,
				 wrong[i].text);
		script_finish(kit);
	}
}

/* ---- without memory ---------------------------------------------------------------------- */

static ward_result do_ask_short(ward_self *self, void *arg)
{
	ward_kit_fail_all_allocations(arg, true);
	ward_assert_err(ward_try_retry_ask(self, &retry, asked, TAG, question, .number = 1),
			WARD_ENOMEM);
	ward_kit_fail_all_allocations(arg, false);
	ward_assert(!ward_retry_open(&retry, TAG));
	return WARD_DONE;
}

WARD_TEST(question_without_memory_is_refused)
{
	options = plain;
	begin(9, ANSWER);
	script_do(office.kit, office.a.ref, do_ask_short, office.kit);
	ward_kit_run(office.kit);
	assert_journal("");
	finish();
}

WARD_TEST(try_without_memory_for_the_delay_after_it_is_the_end)
{
	options = plain;
	begin(9, ANSWER);
	ask(TAG);
	pass(&office, 100); /* the end of the try waits for a */
	ward_kit_fail_all_allocations(office.kit, true);
	ward_kit_run(office.kit);
	ward_kit_fail_all_allocations(office.kit, false);
	assert_journal("asked at 0;after 1;7: late of b");
	ward_assert_eq(ward_kit_stats(office.kit).shortages, 1);
	finish();
}

/* All that a has to do now finds no memory; n is which of its allocations, or 0: all. */
static void run_short(uint64_t n)
{
	pass(&office, 10); /* the delay is over */
	if (n == 0)
		ward_kit_fail_all_allocations(office.kit, true);
	else
		ward_kit_fail_allocation(office.kit, n);
	ward_kit_run(office.kit);
	ward_kit_fail_all_allocations(office.kit, false);
	ward_kit_fail_allocation(office.kit, 0);
}

WARD_TEST(try_without_memory_is_one_that_failed)
{
	int again = 0;
	for (uint64_t n = 1; n <= 10; n++) {
		options = plain;
		begin(1, ANSWER);
		ask(TAG);
		ward_kit_advance(office.kit, 100);
		run_short(n);
		ward_kit_advance(office.kit, 1000);
		ward_assert_part(journal_text(), "7: 7 of b");
		ward_assert_eq(ward_kit_count(office.kit, WARD_EVENT_FAILURE, "*"), 0);
		again += strstr(journal_text(), "asked at 110") == NULL;
		finish();
	}
	ward_assert(again > 0);
}

/* How often b got the word, until now. */
static int words_of_b(void)
{
	int words = 0;
	for (const char *at = journal_text(); (at = strstr(at, "b:word")) != NULL; at++)
		words++;
	return words;
}

WARD_TEST(try_whose_copy_finds_no_memory_is_counted)
{
	int short_of_it = 0;
	for (uint64_t n = 1; n <= 10; n++) {
		bool without;
		options = plain;
		options.tries_max = 2;
		begin(9, ANSWER);
		ask_a_word();
		ward_kit_advance(office.kit, 100);
		run_short(n);
		without = words_of_b() == 1;
		short_of_it += without;
		/* No try is left, and no message to tell it by. */
		ward_assert_eq(ward_kit_count(office.kit, WARD_EVENT_FAILURE, "*"), without);
		ward_kit_advance(office.kit, 1000);
		journal_clear();
		finish();
	}
	ward_assert(short_of_it > 0);
}

static ward_result do_ask_ninth(ward_self *self, void *arg)
{
	ward_kit_fail_allocation(office.kit, *(const uint64_t *)arg);
	(void)!ward_try_retry_ask(self, &retry, asked, 9, question, .number = 9);
	ward_kit_fail_allocation(office.kit, 0);
	return WARD_DONE;
}

/* The lists of questions are longer than one then. */
WARD_TEST(question_needs_no_more_lists_if_there_are_some)
{
	int without = 0;
	for (uint64_t n = 1; n <= 10; n++) {
		options = plain;
		begin(9, ANSWER);
		for (uint64_t tag = 1; tag <= 8; tag++)
			ask(tag);
		script_do(office.kit, office.a.ref, do_ask_ninth, &n);
		ward_kit_run(office.kit);
		without += ward_retry_open(&retry, 9) && ward_kit_stats(office.kit).shortages == 1;
		ward_kit_advance(office.kit, 1000);
		for (uint64_t tag = 1; tag <= 9; tag++)
			ward_assert(!ward_retry_open(&retry, tag));
		close_office(&office);
	}
	ward_assert(without > 0);
}

WARD_TEST(question_without_memory_for_a_try_and_a_delay_fails_its_actor)
{
	options = plain;
	begin(9, ANSWER);
	ask(TAG);
	ward_kit_advance(office.kit, 100);
	run_short(0);
	ward_assert_str(ward_kit_event(office.kit, WARD_EVENT_FAILURE, "*/a", 0)->failure_class,
			"ward_out_of_memory");
	journal_clear();
	finish();
}

WARD_TEST_MAIN
