/* SPDX-License-Identifier: MIT
 *
 * test_breaker_life.c - circuit breakers: around plain calls, and in the life of their actor.
 *
 * Method: as asker_with_breaker.h says. Time is virtual and exact.
 */
#include "asker_with_breaker.h"

/* ---- plain calls ------------------------------------------------------------------------- */

static ward_breaker_call out;
static ward_err allowed;

enum word { ALLOW, WELL, BADLY, START };

static ward_result do_call(ward_self *self, void *arg)
{
	switch ((enum word)(uintptr_t)arg) {
	case ALLOW:
		allowed = ward_breaker_allow(self, &breaker, &out);
		break;
	case WELL:
		ward_breaker_success(self, &breaker, out);
		break;
	case BADLY:
		ward_breaker_failure(self, &breaker, out);
		break;
	case START:
		return ward_breaker_init(self, &breaker, &options);
	}
	return WARD_DONE;
}

static void call(struct office *office, enum word word)
{
	script_do(office->kit, office->a.ref, do_call, (void *)(uintptr_t)word);
	ward_kit_run(office->kit);
}

WARD_TEST(plain_calls_count_like_questions)
{
	struct office office;
	options = plain;
	begin(&office, ANSWER);
	for (int i = 0; i < 3; i++) {
		call(&office, ALLOW);
		ward_assert_ok(allowed);
		call(&office, BADLY);
	}
	assert_journal("closed>open");
	call(&office, ALLOW);
	ward_assert_err(allowed, WARD_EOPEN);
	call(&office, BADLY); /* it was of another state */
	ward_assert_eq(ward_breaker_counted(&breaker).failed, 3);
	ward_kit_advance(office.kit, 1000);
	call(&office, ALLOW);
	ward_assert_ok(allowed);
	call(&office, WELL);
	call(&office, WELL);
	assert_journal("closed>open;open>half-open;half-open>closed");
	ward_assert_eq(ward_breaker_counted(&breaker).succeeded, 1);
	close_office(&office);
}

WARD_TEST(plain_call_that_takes_too_long_is_a_failure)
{
	struct office office;
	options = plain;
	begin(&office, ANSWER);
	call(&office, ALLOW);
	ward_kit_advance(office.kit, 99);
	call(&office, WELL);
	ward_assert_eq(ward_breaker_counted(&breaker).failed, 0);
	call(&office, ALLOW);
	ward_kit_advance(office.kit, 100);
	call(&office, WELL);
	ward_assert_eq(ward_breaker_counted(&breaker).failed, 1);
	ward_assert_eq(ward_breaker_counted(&breaker).succeeded, 1);
	close_office(&office);
}

WARD_TEST(half_open_call_of_which_nothing_is_said_is_a_failure)
{
	struct office office;
	options = plain;
	begin(&office, ANSWER);
	open_it(&office);
	ward_kit_advance(office.kit, 1000);
	call(&office, ALLOW);
	ward_kit_advance(office.kit, 99);
	assert_journal("open>half-open");
	ward_kit_advance(office.kit, 1);
	assert_journal("open>half-open;half-open>open");
	ward_assert_eq(ward_breaker_counted(&breaker).failed, 3 + 1);
	call(&office, WELL);
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_OPEN);
	ward_assert_eq(ward_breaker_counted(&breaker).failed, 3 + 1);
	ward_kit_advance(office.kit, 1000);
	close_office(&office);
}

/* ---- the life of its actor --------------------------------------------------------------- */

WARD_TEST(restart_begins_with_a_closed_breaker_and_nothing_comes_of_calls_before, "S44")
{
	struct office office;
	options = plain;
	begin(&office, SILENT);
	fail_once(&office);
	fail_once(&office);
	ask(&office, TAG);
	script_break(office.kit, office.a.ref, &ward_exception);
	ward_kit_run(office.kit);
	ward_assert_eq(ward_kit_stats(office.kit).timers, 0);
	journal_clear();
	ward_kit_advance(office.kit, WARD_MINUTE);
	assert_journal("");
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_CLOSED);
	open_it(&office); /* three again */
	ward_kit_advance(office.kit, 1000);
	close_office(&office);
}

/* A worker has it, and says later what came of it. */
WARD_TEST(plain_call_of_an_earlier_incarnation_counts_for_nothing, "S44")
{
	struct office office;
	options = plain;
	options.failures_max = 1;
	begin(&office, ANSWER);
	for (int restarts = 0; restarts < 3; restarts++) {
		call(&office, ALLOW);
		script_break(office.kit, office.a.ref, &ward_exception);
		ward_kit_run(office.kit);
		call(&office, WELL);
		call(&office, BADLY);
		ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_CLOSED);
		ward_assert_eq(ward_breaker_counted(&breaker).succeeded, 0);
		ward_assert_eq(ward_breaker_counted(&breaker).failed, 0);
	}
	close_office(&office);
}

WARD_TEST(open_breaker_of_an_actor_that_restarts_or_stops_leaves_no_timer, "S87")
{
	for (int round = 0; round < 2; round++) {
		struct office office;
		options = plain;
		begin(&office, SILENT);
		open_it(&office);
		ward_assert_eq(ward_kit_stats(office.kit).timers, 1);
		if (round == 0)
			script_break(office.kit, office.a.ref, &ward_exception);
		else
			ward_kit_stop(office.kit, office.a.ref);
		ward_kit_run(office.kit);
		journal_clear();
		ward_kit_advance(office.kit, WARD_MINUTE);
		assert_journal("");
		close_office(&office);
	}
}

/* ---- a second start ---------------------------------------------------------------------- */

WARD_TEST(call_of_before_a_second_start_counts_for_nothing)
{
	struct office office;
	options = plain;
	options.failures_max = 1;
	begin(&office, SILENT);
	ask(&office, TAG);
	call(&office, ALLOW);
	call(&office, START);
	call(&office, BADLY);
	ward_kit_advance(office.kit, 1000);
	assert_journal("7: late of b");
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_CLOSED);
	ward_assert_eq(ward_breaker_counted(&breaker).failed, 0);
	close_office(&office);
}

WARD_TEST(second_start_closes_an_open_breaker_and_ends_its_timer)
{
	struct office office;
	options = plain;
	begin(&office, SILENT);
	open_it(&office);
	call(&office, START);
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_CLOSED);
	ward_assert_eq(ward_kit_stats(office.kit).timers, 0);
	call(&office, ALLOW);
	ward_assert_eq(allowed, WARD_OK);
	close_office(&office);
}

static ward_result do_start_often(ward_self *self, void *arg)
{
	(void)arg;
	for (int i = 0; i < (ward_test_shortage() ? 2 : 100); i++) {
		if (ward_breaker_ask(self, &breaker, asked, TAG, question, .number = 1))
			return ward_failed(self, &ward_exception, "%s", ward_err_detail());
		ward_breaker_cancel(self, &breaker, TAG);
		if (ward_breaker_init(self, &breaker, &options) == WARD_FAILED)
			return WARD_FAILED;
	}
	return WARD_DONE;
}

static uint64_t bytes_after_starts(const struct office *office)
{
	script_do(office->kit, office->a.ref, do_start_often, NULL);
	ward_kit_run(office->kit);
	return ward_kit_bytes(office->kit);
}

WARD_TEST(second_start_leaves_nothing_behind)
{
	struct office office;
	uint64_t bytes;
	options = plain;
	begin(&office, SILENT);
	bytes = bytes_after_starts(&office);
	for (int i = 0; i < (ward_test_shortage() ? 1 : 5); i++)
		ward_assert(bytes_after_starts(&office) <= bytes + 10000);
	close_office(&office);
}

/* ---- a generator that fails -------------------------------------------------------------- */

static bool has_no_number;

static uint64_t number_or_none(ward_self *self)
{
	if (has_no_number)
		ward_fail(self, &ward_exception, "no number");
	return chance;
}

WARD_TEST(breaker_whose_generator_fails_is_open_for_as_long_as_without_chance)
{
	static const ward_strategy resume = {.otherwise = WARD_RESUME};
	struct script parent = {.name = "parent", .strategy = &resume};
	struct office office;
	options = plain;
	options.failures_max = 1;
	options.random_factor = 0.5;
	options.random = number_or_none;
	begin(&office, ANSWER);
	ward_kit_stop(office.kit, office.a.ref);
	ward_kit_run(office.kit);
	parent.children[0] = &office.a;
	script_spawn(office.kit, &parent);
	call(&office, ALLOW);
	has_no_number = true;
	call(&office, BADLY);
	has_no_number = false;
	journal_clear();
	ward_kit_advance(office.kit, 999);
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_OPEN);
	ward_kit_advance(office.kit, 1);
	assert_journal("open>half-open");
	ward_kit_stop(office.kit, parent.ref);
	close_office(&office);
}

/* ---- what is refused --------------------------------------------------------------------- */

static ward_result do_wrong(ward_self *self, void *arg)
{
	struct question body = {5};
	ward_question question = {.to = asked, .answer_to = asked};
	struct ward_breaker none = {0};
	(void)arg;
	ward_assert_err(ward_breaker_allow(self, &none, &out), WARD_EINVAL);
	ward_assert_err(ward_breaker_ask_send(self, &breaker, NULL, &ward_type_question, &body,
					      sizeof body),
			WARD_EINVAL);
	ward_assert_err(ward_breaker_ask_send(self, &breaker, &question, &ward_type_question, &body,
					      sizeof body),
			WARD_EINVAL);
	question = (ward_question){.to = asked, .tag = TAG, .timeout_ms = -7};
	ward_assert_err(ward_breaker_ask_send(self, &breaker, &question, &ward_type_question, &body,
					      sizeof body),
			WARD_EINVAL);
	ward_assert_str(ward_err_detail(), "ward_breaker_ask: the timeout is -7 ms: it must not be "
					   "negative; 0 means .call_timeout_ms");
	question = (ward_question){.to = asked, .tag = TAG};
	ward_assert_ok(ward_breaker_ask_send(self, &breaker, &question, &ward_type_question, &body,
					     sizeof body));
	ward_assert_err(ward_breaker_ask_send(self, &breaker, &question, &ward_type_question, &body,
					      sizeof body),
			WARD_EEXIST);
	return WARD_DONE;
}

WARD_TEST(question_that_cannot_be_asked_is_refused_and_counts_for_nothing)
{
	struct office office;
	options = plain;
	begin(&office, ANSWER);
	script_do(office.kit, office.a.ref, do_wrong, NULL);
	ward_kit_run(office.kit);
	assert_journal("7: 5 of b");
	ward_assert_eq(ward_breaker_counted(&breaker).allowed, 1);
	ward_assert_eq(ward_breaker_counted(&breaker).failed, 0);
	close_office(&office);
}

static ward_result ask_words(ward_self *self, void *arg)
{
	const ward_question question = {.to = asked, .tag = TAG};
	struct script_word word = script_word("word", &(struct script_word){0});
	(void)arg;
	ward_assert_err(ward_breaker_ask_send(self, &breaker, &question, &ward_type_script_word,
					      &word, sizeof word),
			WARD_EOPEN);
	word = script_word("word", &(struct script_word){0});
	ward_assert_err(ward_breaker_ask_send(self, &breaker, NULL, &ward_type_script_word, &word,
					      sizeof word),
			WARD_EINVAL);
	return WARD_DONE;
}

WARD_TEST(refused_question_drops_what_it_owns)
{
	struct office office;
	options = plain;
	begin(&office, SILENT);
	open_it(&office);
	script_do(office.kit, office.a.ref, ask_words, NULL);
	ward_kit_advance(office.kit, 1000);
	ward_assert_eq(script_words_left(), 0);
	close_office(&office);
}

static ward_result use_before_start(ward_self *self, void *arg)
{
	ward_breaker_call zero = {0};
	(void)arg;
	ward_assert_err(ward_breaker_allow(self, &breaker, &zero), WARD_EINVAL);
	ward_assert_err(ward_breaker_ask(self, &breaker, asked, TAG, question, .number = 1),
			WARD_EINVAL);
	ward_breaker_success(self, &breaker, zero);
	ward_breaker_failure(self, &breaker, zero);
	ward_breaker_cancel(self, &breaker, TAG);
	ward_assert_eq(ward_breaker_at(&breaker), WARD_BREAKER_CLOSED);
	ward_assert_eq(ward_breaker_left_ms(self, &breaker), 0);
	ward_assert_eq(ward_breaker_counted(&breaker).failed, 0);
	journal_note("used");
	return WARD_DONE;
}

WARD_TEST(breaker_before_its_start_refuses_calls_and_does_nothing_else)
{
	struct office office = {.a = {.receive = receive}};
	memset(&breaker, 0, sizeof breaker);
	open_office(&office, ANSWER);
	asked = office.b.ref;
	script_do(office.kit, office.a.ref, use_before_start, NULL);
	ask_b(&office);
	ward_kit_run(office.kit);
	assert_journal("used;7: 5 of b");
	close_office(&office);
}

static int dropped;

static void count_drop(void *body)
{
	(void)body;
	dropped++;
}

static const ward_type counted = {.name = "counted", .size = 64, .drop = count_drop};

static ward_result ask_wrong_sizes(ward_self *self, void *arg)
{
	const ward_question question = {.to = asked, .tag = TAG};
	ward_err wanted_err = (ward_err)(uintptr_t)arg;
	ward_assert_err(ward_breaker_ask_send(self, &breaker, &question, &counted, "", 1),
			wanted_err);
	return WARD_DONE;
}

WARD_TEST(body_of_a_wrong_size_is_not_dropped)
{
	struct office office;
	options = plain;
	begin(&office, SILENT);
	dropped = 0;
	script_do(office.kit, office.a.ref, ask_wrong_sizes, (void *)(uintptr_t)WARD_ESIZE);
	open_it(&office);
	script_do(office.kit, office.a.ref, ask_wrong_sizes, (void *)(uintptr_t)WARD_EOPEN);
	ward_kit_advance(office.kit, 1000);
	ward_assert_eq(ward_kit_count(office.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert_eq(dropped, 0);
	close_office(&office);
}

WARD_TEST(wrong_options_fail_the_actor)
{
	static const struct {
		ward_breaker_options options;
		const char *text;
	} wrong[] = {
		{{.reset_ms = -1}, ".reset_ms is -1: it must not be negative"},
		{{.call_timeout_ms = -1}, ".call_timeout_ms is -1: it must not be negative"},
		{{.reset_ms = 10, .reset_max_ms = 9}, ".reset_max_ms 9 is less than .reset_ms 10"},
		{{.reset_factor = 0.5}, ".reset_factor is 0.5: it must be at least 1"},
		{{.random_factor = 1.5}, ".random_factor is 1.5: it must be from 0 to 1"},
		{{.random_factor = -0.5}, ".random_factor is -0.5: it must be from 0 to 1"},
		{{.reserved = {1}}, "reserved"},
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
	ward_kit *kit = arg;
	ward_kit_fail_all_allocations(kit, true);
	ward_assert_err(ward_breaker_ask(self, &breaker, asked, TAG, question, .number = 1),
			WARD_ENOMEM);
	ward_kit_fail_all_allocations(kit, false);
	return WARD_DONE;
}

WARD_TEST(question_without_memory_is_refused_and_half_open_stays_free)
{
	struct office office;
	options = plain;
	begin(&office, SILENT);
	open_it(&office);
	ward_kit_advance(office.kit, 1000);
	script_do(office.kit, office.a.ref, do_ask_short, office.kit);
	office.clerk_b.manner = ANSWER;
	ask(&office, TAG);
	assert_journal("open>half-open;half-open>closed;7: 7 of b");
	close_office(&office);
}

static ward_result do_open_short(ward_self *self, void *arg)
{
	ward_kit *kit = arg;
	ward_breaker_call broken;
	ward_assert_ok(ward_breaker_allow(self, &breaker, &broken));
	ward_kit_fail_all_allocations(kit, true);
	for (int i = 0; i < 3; i++)
		ward_breaker_failure(self, &breaker, broken);
	ward_kit_fail_all_allocations(kit, false);
	return WARD_DONE;
}

WARD_TEST(breaker_without_memory_for_its_timer_is_half_open_with_the_next_call)
{
	struct office office;
	options = plain;
	begin(&office, ANSWER);
	script_do(office.kit, office.a.ref, do_open_short, office.kit);
	ward_kit_advance(office.kit, 999);
	assert_journal("closed>open");
	ask(&office, TAG);
	assert_journal("closed>open;refused");
	ward_kit_advance(office.kit, 1);
	ask(&office, TAG);
	assert_journal("closed>open;refused;open>half-open;half-open>closed;7: 7 of b");
	close_office(&office);
}

WARD_TEST_MAIN
