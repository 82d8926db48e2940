/* SPDX-License-Identifier: MIT
 *
 * test_backoff_event.c - what the event of a failure says of the start that follows it (S30), and
 * what a question ends with that comes before the start (S101).
 *
 * Method: as in test_backoff.c.
 */
#include "supervisor_between_probes.h"

/* The last event of a failure of the child. */
static const ward_event *last_failure(void)
{
	size_t count = ward_kit_count(nest.kit, WARD_EVENT_FAILURE, "*/nest/pupil");

	ward_assert(count > 0);
	return ward_kit_event(nest.kit, WARD_EVENT_FAILURE, "*/nest/pupil", count - 1);
}

static void expect_event(ward_level level, const char *follows)
{
	ward_assert_eq(last_failure()->level, level);
	ward_assert_str(last_failure()->follows, follows);
}

WARD_TEST(failure_that_a_start_follows_is_a_warning_that_says_when, "S30")
{
	struct ward_backoff options = nest_options();
	char text[640];

	options.random = NULL;
	options.retries_max = 2;
	nest_on_failure(&options);
	nest_fail();
	expect_event(WARD_LEVEL_WARNING, "starting a new one in 3.0 s, 1st time of 2");
	ward_event_format(last_failure(), text, sizeof text);
	ward_assert_str(strstr(text, " -> "), " -> starting a new one in 3.0 s, 1st time of 2");
	nest_advance(3000);
	nest_fail();
	expect_event(WARD_LEVEL_WARNING, "starting a new one in 6.0 s, 2nd time of 2");
	nest_advance(6000);
	nest_fail();
	expect_event(WARD_LEVEL_SEVERE, "stop, and its supervisor with it");
	nest_expect_end();
	nest_end();
}

WARD_TEST(delay_in_the_event_is_the_one_that_is_waited, "S30", "S93")
{
	struct ward_backoff options = nest_options();
	char follows[WARD_DECISION_TEXT];

	options.min_backoff_ms = options.max_backoff_ms = options.auto_reset_ms = 61000;
	options.random = NULL;
	options.random_factor = 1;
	nest_on_failure(&options);
	nest_fail();
	snprintf(follows, sizeof follows, "%s", last_failure()->follows);
	ward_assert_part(follows, "starting a new one in ");
	ward_assert_part(follows, " min ");
	/* The status counts down from the same length of time. */
	int minutes, seconds, status_minutes, status_seconds;
	ward_assert_eq(sscanf(follows, "starting a new one in %d min %d s", &minutes, &seconds), 2);
	ward_assert_eq(
		sscanf(nest_status(), "new child in %d min %d s", &status_minutes, &status_seconds),
		2);
	ward_assert_eq(minutes * 60 + seconds, status_minutes * 60 + status_seconds);
	nest_end();
}

WARD_TEST(delay_below_a_second_is_shown_exactly, "S30")
{
	static const struct {
		int64_t ms;
		const char *follows;
	} delays[] = {{5, "starting a new one in 0.005 s, 1st time"},
		      {50, "starting a new one in 0.05 s, 1st time"},
		      {115, "starting a new one in 0.115 s, 1st time"},
		      {200, "starting a new one in 0.2 s, 1st time"},
		      {999, "starting a new one in 0.999 s, 1st time"},
		      {1000, "starting a new one in 1.0 s, 1st time"},
		      {1115, "starting a new one in 1.2 s, 1st time"}};

	for (size_t i = 0; i < sizeof delays / sizeof delays[0]; i++) {
		struct ward_backoff options = nest_options();

		options.min_backoff_ms = options.auto_reset_ms = delays[i].ms;
		nest_on_failure(&options);
		nest_fail();
		expect_event(WARD_LEVEL_WARNING, delays[i].follows);
		nest_end();
	}
}

WARD_TEST(stop_that_ends_the_supervisor_says_so, "S30")
{
	struct ward_backoff options = nest_options();

	nest_begin();
	nest.broken = true; /* by default a start that fails is a stop */
	nest_spawn(
		*WARD_PROPS(&ward_backoff_on_failure, .args = {WARD_COPY(ward_backoff, &options)}));
	expect_event(WARD_LEVEL_SEVERE, "stop, and its supervisor with it");
	nest_expect_end();
	nest_end();
}

WARD_TEST(last_stop_on_stop_says_that_it_ends_the_supervisor, "S30")
{
	struct ward_backoff options = nest_options();

	options.default_stopping_strategy = true;
	options.retries_max = 1;
	nest_on_stop(&options);
	nest_fail();
	expect_event(WARD_LEVEL_WARNING, "starting a new one in 3.0 s, 1st time of 1");
	nest_advance(3000);
	nest_fail();
	expect_event(WARD_LEVEL_SEVERE, "stop, and its supervisor with it");
	nest_expect_end();
	nest_end();
}

WARD_TEST(generator_of_the_program_is_not_asked_for_an_event, "S30")
{
	struct ward_backoff options = nest_options();

	options.random_factor = 0.2;
	nest.random = UINT64_MAX;
	nest_on_failure(&options);
	nest_fail();
	expect_event(WARD_LEVEL_WARNING, "starting a new one in at least 3.0 s, 1st time");
	nest_end();
}

WARD_TEST(stop_that_a_start_follows_is_a_warning, "S30", "S95")
{
	struct ward_backoff options = nest_options();

	options.random = NULL;
	nest_begin();
	nest.broken = true;
	nest_spawn(*WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &options)}));
	expect_event(WARD_LEVEL_WARNING, "starting a new one in 3.0 s, 1st time");
	nest.broken = false;
	nest_advance(3000);
	nest_fail();
	expect_event(WARD_LEVEL_WARNING, ""); /* at once */
	nest_end();
}

WARD_TEST(levels_are_those_of_the_strategy_of_the_options, "S30")
{
	static const ward_strategy levels = {.rules = {{&odd_luck, WARD_STOP}},
					     .restart_level = WARD_LEVEL_INFO,
					     .stop_level = WARD_LEVEL_WARNING};
	struct ward_backoff options = nest_options();

	options.strategy = &levels;
	nest_on_failure(&options);
	nest_fail();
	expect_event(WARD_LEVEL_INFO, "starting a new one in 3.0 s, 1st time");
	nest_advance(3000);
	nest_tell(task, .deed = FAIL_OF_IT, .why = &odd_luck);
	expect_event(WARD_LEVEL_WARNING, "stop, and its supervisor with it");
	nest_expect_end();
	nest_end();
}

/* ---- questions while the child is down -------------------------------------------------- */

static void ask_the_supervisor(ward_self *self, void *arg)
{
	(void)arg;
	ward_ask(self, nest.supervisor, 1, WARD_FOREVER, task, .deed = ANSWER_IT);
}

/* The dead letter of a question names its asker. */
static void expect_dead_letter_from_the_client(void)
{
	char path[WARD_EVENT_PATH];

	ward_system_path(ward_kit_system(nest.kit), ward_probe_ref(nest.client), path, sizeof path);
	ward_assert_str(ward_kit_event(nest.kit, WARD_EVENT_DEAD_LETTER, "*/nest", 0)->sender_path,
			path);
}

WARD_TEST(question_while_the_child_is_down_ends_with_that_reason, "S44", "S101")
{
	struct ward_backoff options = nest_options();
	const struct ward_ask_failed *failed;

	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	ward_probe_do(nest.client, ask_the_supervisor, NULL);
	failed = ward_expect(nest.client, 0, ward_ask_failed);
	ward_assert_eq(failed->why, WARD_EDEAD);
	ward_assert_eq(failed->reason, WARD_REASON_DOWN);
	ward_assert_part(failed->text,
			 "/nest did not answer \"task\": the child is down, or has not "
			 "started yet");
	expect_dead_letter_from_the_client();
	nest_end();
}

static void break_the_child_and_ask(ward_self *self, void *arg)
{
	ward_tell(self, nest.supervisor, task, .deed = FAIL_OF_IT);
	ask_the_supervisor(self, arg);
}

WARD_TEST(question_that_is_lost_with_the_child_says_that_it_was_passed_on, "S44")
{
	struct ward_backoff options = nest_options();
	const struct ward_ask_failed *failed;

	nest_on_failure(&options);
	ward_probe_do(nest.client, break_the_child_and_ask, NULL);
	failed = ward_expect(nest.client, 0, ward_ask_failed);
	ward_assert_eq(failed->why, WARD_EDEAD);
	ward_assert_eq(failed->reason, WARD_REASON_DEAD);
	ward_assert_part(failed->text, "/nest did not answer \"task\": it passed it on to an actor "
				       "that is gone");
	nest_end();
}

WARD_TEST(question_from_outside_while_the_child_is_down_says_so, "S101")
{
	struct ward_backoff options = nest_options();
	struct task_done done;

	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	ward_assert_err(ward_system_ask(ward_kit_system(nest.kit), nest.supervisor, WARD_MINUTE,
					&done, task, .deed = ANSWER_IT),
			WARD_EDEAD);
	ward_assert_part(ward_err_detail(), "/nest did not answer \"task\": the child is down");
	nest_end();
}

WARD_TEST_MAIN
