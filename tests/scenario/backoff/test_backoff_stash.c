/* SPDX-License-Identifier: MIT
 *
 * test_backoff_stash.c - what waits in a back-off supervisor with a stash, until a child has
 * started (S101): it outlives those that fail in init or pre_start.
 *
 * Method: as in test_backoff.c; the first few children fail in pre_start, and say before that what
 * is to reach the supervisor while it does not know yet whether they have started.
 */
#include <ward/extend.h>

#include "supervisor_between_probes.h"

static struct {
	int failures; /* so many starts fail from now on */
	void (*first_words)(ward_self *self);
} starts;

static ward_result late_start(ward_self *self, void *state)
{
	ward_result result = pupil_start(self, state);

	if (starts.first_words != NULL)
		starts.first_words(self);
	if (starts.failures == 0)
		return result;
	starts.failures--;
	return ward_failed(self, &bad_luck, "not yet");
}

static const ward_behavior late_pupil = {
	.name = "pupil",
	.receive = pupil_receive,
	.pre_start = late_start,
	.post_stop = pupil_stop,
	.pre_restart = pupil_restart,
};

static struct ward_backoff stash_options(uint32_t stash_max)
{
	struct ward_backoff options = nest_options();

	memset(&starts, 0, sizeof starts);
	options.child.behavior = &late_pupil;
	options.stash_max = stash_max;
	return options;
}

/* From the child, but as if the client had sent it. */
static void say_as_client(ward_self *self, const ward_type *type, const void *body, size_t size)
{
	void *kept = ward_make_body(self, type, size);

	if (kept == NULL)
		return;
	if (size > 0)
		memcpy(kept, body, size);
	ward_give_body_from(self, ward_probe_ref(nest.client), ward_parent(self), type, kept);
}

static void expect_no_dead_mail(void)
{
	ward_assert_eq(nest_dead(WARD_REASON_DEAD) + nest_dead(WARD_REASON_DOWN) +
			       nest_dead(WARD_REASON_NO_MEMORY),
		       0);
}

/* ---- children that cannot start ---------------------------------------------------------- */

WARD_TEST(mail_that_waits_outlives_children_that_cannot_start, "S101")
{
	struct ward_backoff options = stash_options(5);

	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	starts.failures = 2;
	nest_tell(task, .number = 1);
	nest_advance(3000);
	nest_tell(task, .number = 2);
	nest_advance(6000);
	nest_tell(task, .number = 3);
	ward_assert_str(nest_log(), "+0 0 - +3000 +9000");
	nest_advance(12000);
	ward_assert_str(nest_log(), "+21000 1 2 3");
	ward_assert_eq(nest_count(), 3);
	nest_tell(task, .number = 4);
	ward_assert_str(nest_log(), "4");
	expect_no_dead_mail();
	nest_end();
}

WARD_TEST(mail_outlives_the_first_child_that_cannot_start, "S101")
{
	struct ward_backoff options = stash_options(5);
	ward_props props =
		*WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &options)});

	nest_begin();
	starts.failures = 1;
	props.name = "nest";
	nest.supervisor = ward_probe_spawn_props(nest.parent, &props);
	ward_probe_tell(nest.client, nest.supervisor, task, .number = 1);
	ward_probe_tell(nest.client, nest.supervisor, task, .number = 2);
	ward_kit_run(nest.kit);
	nest_advance(3000);
	ward_assert_str(nest_log(), "+0 +3000 1 2");
	expect_no_dead_mail();
	nest_end();
}

WARD_TEST(mail_outlives_a_child_on_failure_that_cannot_start, "S101")
{
	static const ward_strategy again = {.otherwise = WARD_RESTART};
	struct ward_backoff options = stash_options(5);

	options.strategy = &again;
	nest_on_failure(&options);
	nest_fail();
	nest_tell(task, .number = 1);
	starts.failures = 1;
	nest_advance(3000);
	nest_tell(task, .number = 2);
	nest_advance(6000);
	ward_assert_part(nest_log(), "+3000 +9000 1 2");
	expect_no_dead_mail();
	nest_end();
}

WARD_TEST(mail_waits_for_a_child_whose_start_is_tried_again_at_once, "S101")
{
	static const ward_strategy at_once = {.otherwise = WARD_RESTART};
	struct ward_backoff options = stash_options(5);

	options.strategy = &at_once;
	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_tell(task, .number = 1);
	starts.failures = 2;
	nest_advance(3000);
	ward_assert_str(nest_log(), "+0 0 - +3000 R R 1");
	ward_assert_eq(nest_count(), 1);
	expect_no_dead_mail();
	nest_end();
}

/* ---- while the child starts -------------------------------------------------------------- */

static void ask_and_say_three(ward_self *self)
{
	say_as_client(self, WARD_BODY(ward_get_current_child));
	say_as_client(self, WARD_BODY(task, .number = 3));
}

WARD_TEST(mail_while_the_child_starts_comes_after_what_waits, "S99", "S101")
{
	struct ward_backoff options = stash_options(3);

	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_tell(task, .number = 1);
	nest_tell(task, .number = 2);
	starts.first_words = ask_and_say_three;
	nest_advance(3000);
	ward_assert_str(nest_log(), "+0 0 - +3000 1 2 3");
	ward_assert(
		ward_ref_equal(ward_expect(nest.client, 0, ward_current_child)->child, nest.child));
	expect_no_dead_mail();
	nest_end();
}

WARD_TEST(mail_that_finds_no_room_while_the_child_starts_goes_the_other_way, "S101")
{
	struct ward_backoff options = stash_options(2);

	options.reply_while_stopped = (ward_constant){WARD_BODY(task_done, .number = 77)};
	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_tell(task, .number = 1);
	nest_tell(task, .number = 2);
	starts.first_words = ask_and_say_three;
	nest_advance(3000);
	ward_assert_str(nest_log(), "+0 0 - +3000 1 2");
	(void)ward_expect(nest.client, 0, ward_current_child);
	ward_assert_eq(ward_expect(nest.client, 0, task_done)->number, 77);
	nest_end();
}

static void tell_the_parent(ward_self *self)
{
	ward_tell(self, ward_parent(self), task_done, .number = 5);
}

WARD_TEST(mail_of_a_child_that_starts_goes_to_the_parent, "S100")
{
	struct ward_backoff options = stash_options(1);

	options.child.behavior = &late_pupil;
	starts.first_words = tell_the_parent;
	nest_on_stop(&options);
	ward_assert_eq(ward_expect(nest.parent, 0, task_done)->number, 5);
	ward_assert_eq(ward_probe_count(nest.parent), 0); /* its answer is not passed on */
	nest_end();
}

WARD_TEST(supervisor_that_is_resumed_keeps_what_waits, "S101")
{
	struct ward_backoff options = stash_options(3);

	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_tell(task, .number = 1);
	ward_probe_decide_always(nest.parent, WARD_RESUME);
	nest_tell(ward_kill);
	starts.failures = 1;
	nest_advance(3000);
	nest_tell(ward_kill);
	nest_advance(6000);
	ward_assert_str(nest_log(), "+0 0 - +3000 +9000 1");
	expect_no_dead_mail();
	nest_end();
}

WARD_TEST(supervisor_that_is_restarted_keeps_what_waits_for_a_start, "S101")
{
	struct ward_backoff options = stash_options(3);

	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_tell(task, .number = 1);
	nest_tell(task, .number = 2);
	starts.failures = 1;
	ward_probe_decide_always(nest.parent, WARD_RESTART);
	nest_tell(ward_kill);
	nest_tell(task, .number = 3);
	nest_advance(3000);
	ward_assert_str(nest_log(), "+0 0 - +0 +3000 1 2 3");
	expect_no_dead_mail();
	nest_end();
}

/* ---- S102: the final message ------------------------------------------------------------- */

static bool is_three(const ward_msg *msg)
{
	const struct task *task = ward_match(msg, task);

	return task != NULL && task->number == 3;
}

static void say_three(ward_self *self)
{
	say_as_client(self, WARD_BODY(task, .number = 3));
}

/* Two messages wait; then the final one comes while the child starts. */
static void meet_the_final_message(uint32_t stash_max, int failures)
{
	struct ward_backoff options = stash_options(stash_max);

	options.final_stop = is_three;
	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_tell(task, .number = 1);
	nest_tell(task, .number = 2);
	starts.first_words = say_three;
	starts.failures = failures;
	nest_advance(3000);
	starts.first_words = NULL;
}

WARD_TEST(final_message_while_the_child_starts_is_its_last_but_not_at_once, "S102")
{
	meet_the_final_message(3, 0);
	ward_assert_str(nest_log(), "+0 0 - +3000 1 2 3");
	nest_tell(task, .deed = END_WITH_IT);
	nest_expect_end();
	nest_end();
}

WARD_TEST(final_message_for_a_child_that_cannot_start_ends_the_supervisor, "S102")
{
	meet_the_final_message(3, 1);
	ward_assert_str(nest_log(), "+0 0 - +3000");
	nest_expect_end();
	ward_assert_eq(nest_dead(WARD_REASON_DEAD), 3);
	nest_end();
}

WARD_TEST(final_message_that_was_turned_away_while_the_child_starts_is_none, "S102")
{
	meet_the_final_message(2, 0);
	ward_assert_str(nest_log(), "+0 0 - +3000 1 2");
	ward_assert_eq(nest_dead(WARD_REASON_DOWN), 1);
	nest_expect_start(6000, END_WITH_IT);
	nest_end();
}

/* ---- short of memory --------------------------------------------------------------------- */

/* What waited was handled in order, once; but for one that found no memory on its way to the child,
 * which is told. */
static void expect_what_waited(void)
{
	const char *log = nest_log();
	size_t refused = nest_dead(WARD_REASON_NO_MEMORY);

	ward_assert_eq(nest_dead(WARD_REASON_DEAD) + nest_dead(WARD_REASON_DOWN), 0);
	if (refused == 0)
		ward_assert_str(strstr(log, " 1"), " 1 2");
	else
		ward_assert_eq(refused + (strchr(log, '1') != NULL) + (strchr(log, '2') != NULL),
			       2);
}

/* Two messages wait. The reset is manual: no timer is to be of help. */
static void wait_with_two(void)
{
	struct ward_backoff options = stash_options(3);

	options.manual_reset = true;
	options.auto_reset_ms = 0;
	nest_on_stop(&options);
	nest_tell(task, .deed = END_WITH_IT);
	nest_tell(task, .number = 1);
	nest_tell(task, .number = 2);
	(void)nest_log();
}

static void start_without(uint64_t failing_allocation)
{
	ward_kit_fail_allocation(nest.kit, failing_allocation);
	nest_advance(3000);
	ward_kit_fail_allocation(nest.kit, 0);
}

/* False: nothing was refused. Where something was, no other message has to come. */
static bool start_meets_a_shortage(uint64_t failing_allocation, ward_directive directive)
{
	uint64_t shortages;
	bool met;

	wait_with_two();
	ward_probe_decide_always(nest.parent, directive);
	shortages = ward_kit_stats(nest.kit).shortages;
	start_without(failing_allocation);
	met = ward_kit_stats(nest.kit).shortages > shortages;
	nest_advance(WARD_SECOND * 50);
	expect_what_waited();
	ward_assert_eq(ward_kit_stats(nest.kit).timers, 0);
	nest_end();
	return met;
}

WARD_TEST(mail_that_waits_outlives_a_start_without_memory, "S101")
{
	static const ward_directive directives[] = {WARD_RESTART, WARD_RESUME};

	for (int i = 0; i < 2; i++) {
		uint64_t failing = 1;

		while (start_meets_a_shortage(failing, directives[i]))
			failing++;
		ward_assert(failing > 3); /* the child, its watch, the question, its answer */
	}
}

/* True: it was the child's answer that found no memory. */
static bool start_is_not_heard_of(uint64_t failing_allocation)
{
	wait_with_two();
	ward_probe_decide_always(nest.parent, WARD_RESTART);
	start_without(failing_allocation);
	if (strcmp(nest.log, "+3000") == 0)
		return true;
	nest_end();
	return false;
}

WARD_TEST(next_message_asks_a_child_again_whose_answer_found_no_memory, "S101")
{
	uint64_t failing = 1;

	while (!start_is_not_heard_of(failing))
		failing++;
	nest_tell(task, .number = 3);
	ward_assert_str(nest_log(), "+3000 1 2 3");
	nest_end();
}

WARD_TEST(child_whose_answer_cannot_even_be_missed_is_asked_again_in_the_end, "S101")
{
	ward_actor_info info;

	wait_with_two();
	nest_advance(2999);
	ward_probe_tell(nest.client, nest.supervisor, ward_backoff_start);
	do
		ward_assert(ward_kit_step(nest.kit));
	while (ward_kit_info(nest.kit, nest.supervisor, &info) && info.status[0] != '\0');
	ward_assert_str(nest.log, ""); /* the child is next */
	ward_kit_fail_all_allocations(nest.kit, true);
	ward_kit_run(nest.kit);
	ward_kit_fail_all_allocations(nest.kit, false);
	nest_tell(task, .number = 3);
	ward_assert_str(nest_log(), "+2999");
	nest_advance(WARD_MINUTE + 3000);
	ward_assert_str(nest_log(), "1 2 3");
	expect_no_dead_mail();
	nest_end();
}

WARD_TEST_MAIN
