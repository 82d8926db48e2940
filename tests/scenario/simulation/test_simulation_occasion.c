/* SPDX-License-Identifier: MIT
 *
 * test_simulation_occasion.c - what the driver of a simulation gets to know about an occasion,
 * and what it may not call meanwhile.
 *
 * Method: the driver of scripted_driver.h, with one of its functions replaced by one that looks.
 */
#include <ward/simulation.h>

#include "scripted_driver.h"

static struct {
	ward_ref who;
	uint64_t all_turns;
	uint32_t turns[4]; /* told, by the incarnation that they were of */
	char asked[64];    /* of a word: the bytes that were to be lost or not */
	uint32_t sends;    /* told, without bytes */
	uint32_t failed;   /* of these */
	ward_err refused;
	size_t beyond; /* how far behind the last index the chooser points */
	uint32_t choices;
} looked;

static ward_fault look_at_words(void *arg, ward_system *system, const ward_occasion *it)
{
	(void)arg;
	(void)system;
	if (it->point == WARD_POINT_SEND && it->type == &ward_type_word) {
		ward_assert_eq(it->body_size, sizeof(struct word));
		snprintf(looked.asked, sizeof looked.asked, "%s",
			 ((const struct word *)it->body)->text);
	}
	return (ward_fault){WARD_FAULT_NONE, 0};
}

static void count_turns(void *arg, ward_system *system, const ward_occasion *it)
{
	(void)arg;
	(void)system;
	looked.all_turns += it->point == WARD_POINT_TURN;
	if (it->point == WARD_POINT_TURN && ward_ref_equal(it->who, looked.who)) {
		ward_assert(it->incarnation < 4);
		looked.turns[it->incarnation]++;
	}
	if (it->point == WARD_POINT_SEND && it->type == &ward_type_word) {
		ward_assert(it->body == NULL);
		looked.sends++;
		looked.failed += it->failed;
	}
}

static ward_result fail(ward_self *self, ward_ref to)
{
	(void)to;
	return ward_failed(self, &ward_exception, "for the next incarnation");
}

WARD_TEST(turn_is_told_with_the_incarnation_that_had_it)
{
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	looked.who = start_pupil("a");
	driven.driver.done = count_turns;
	say(looked.who, "one");
	run_all();
	ward_assert_eq(looked.turns[1], 1);
	let(looked.who, fail, looked.who);
	run_all();
	say(looked.who, "two");
	run_all();
	ward_assert(looked.turns[2] > 0);
	ward_assert_eq(looked.turns[0], 0);
	ward_assert_eq(looked.turns[3], 0);
	driven_finish();
}

WARD_TEST(simulation_with_a_reserved_word_is_refused)
{
	ward_simulation simulation = {.reserved = {0, 1}};
	ward_system *system = NULL;

	ward_assert_err(ward_system_create(&(ward_options){.name = "s", .simulation = &simulation},
					   &system),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "reserved word of options.simulation");
	ward_assert(system == NULL);
}

WARD_TEST(turns_that_are_told_are_those_that_are_counted)
{
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref a = start_pupil("a"), b = start_pupil("b");
	uint64_t before = ward_kit_stats(driven.kit).turns;
	driven.driver.done = count_turns;
	for (int i = 0; i < 5; i++) {
		say(a, "x");
		say(b, "x");
	}
	run_all();
	ward_assert(looked.all_turns >= 10);
	ward_assert_eq(ward_kit_stats(driven.kit).turns - before, looked.all_turns);
	driven_finish();
}

WARD_TEST(bytes_of_a_message_are_shown_before_it_is_sent_and_not_after)
{
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref a = start_pupil("a");
	driven.driver.fault = look_at_words;
	driven.driver.done = count_turns;
	say(a, "shown");
	ward_assert_str(looked.asked, "shown");
	ward_assert_eq(looked.sends, 1);
	ward_assert_eq(looked.failed, 0);
	run_all();
	ward_system_stop(driven.system, a);
	run_all();
	say(a, "too late");
	ward_assert_eq(looked.sends, 2);
	ward_assert_eq(looked.failed, 1);
	driven_finish();
}

static size_t choose_beyond(void *arg, ward_system *system, size_t count)
{
	(void)arg;
	(void)system;
	looked.choices++;
	return count + looked.beyond;
}

static size_t choose_last(void *arg, ward_system *system, size_t count)
{
	(void)arg;
	(void)system;
	return count - 1;
}

static void run_three(size_t (*choose)(void *arg, ward_system *system, size_t count), char *journal)
{
	driven_start_by(choose_last, (struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref pupils[] = {start_pupil("a"), start_pupil("b"), start_pupil("c")};
	driven.driver.choose = choose;
	for (size_t i = 0; i < 6; i++)
		say(pupils[i % 3], "x");
	run_all();
	memcpy(journal, driven.journal, sizeof driven.journal);
	driven_finish();
}

WARD_TEST(index_beyond_the_last_stands_for_the_last)
{
	char wanted[sizeof driven.journal], got[sizeof driven.journal];

	run_three(choose_last, wanted);
	ward_assert_part(wanted, "c:x;");
	for (looked.beyond = 0; looked.beyond < 3; looked.beyond++) {
		run_three(choose_beyond, got);
		ward_assert_str(got, wanted);
	}
	ward_assert(looked.choices > 0);
}

static size_t choose_and_send(void *arg, ward_system *system, size_t count)
{
	(void)arg;
	(void)count;
	looked.refused = ward_system_try_tell(system, looked.who, word, .text = "never");
	return 0;
}

static int refusals;

static void await_in_done(void *arg, ward_system *system, const ward_occasion *it)
{
	(void)arg;
	if (it->point != WARD_POINT_RECEIVE)
		return;
	ward_assert_err(ward_system_wait_for(system, it->who, 0), WARD_ETHREAD);
	ward_assert_part(ward_err_detail(), "function of options.simulation");
	refusals++;
}

WARD_TEST(who_is_told_what_was_done_cannot_call)
{
	refusals = 0;
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref a = start_pupil("a");
	driven.driver.done = await_in_done;
	say(a, "x");
	run_all();
	ward_assert_eq(refusals, 1);
	/* And who made it can, after that. */
	ward_assert_err(ward_system_wait_for(driven.system, a, 0), WARD_ETIMEDOUT);
	driven_finish();
}

WARD_TEST(chooser_cannot_send)
{
	driven_start_by(choose_last, (struct strike){.fault = {WARD_FAULT_NONE, 0}});
	looked.who = start_pupil("a");
	ward_ref b = start_pupil("b");
	driven.driver.choose = choose_and_send;
	say(looked.who, "one");
	say(b, "two");
	run_all();
	ward_assert_err(looked.refused, WARD_ETHREAD);
	ward_assert_part(driven.journal, "a:one;");
	ward_assert(strstr(driven.journal, "never") == NULL);
	driven_finish();
}

WARD_TEST_MAIN
