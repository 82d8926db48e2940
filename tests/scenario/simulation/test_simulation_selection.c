/* SPDX-License-Identifier: MIT
 *
 * test_simulation_selection.c - a simulation loses and delays what is sent to a path, as other
 * sends.
 *
 * Method: a driven simulation; pupils at the top send words to each other by path and by ref.
 */
#include <pthread.h>

#include "scripted_driver.h"

static ward_result select_word(ward_self *self, ward_ref to)
{
	(void)to;
	ward_select_tell(self, "../b", word, "path");
	return WARD_DONE;
}

static ward_result tell_word(ward_self *self, ward_ref to)
{
	ward_tell(self, to, word, "ref");
	return WARD_DONE;
}

WARD_TEST(selected_message_is_lost_like_another_and_its_sender_is_asked_about, "S58")
{
	driven_start((struct strike){WARD_POINT_SEND, "a", "word", 2, {WARD_FAULT_LOSE, 0}, 0});
	ward_ref a = start_pupil("a");
	start_pupil("b");
	for (int i = 0; i < 3; i++)
		let(a, select_word, a);
	run_all();
	ward_assert_eq(driven.strikes[0].seen, 3);
	ward_assert_eq(driven.reasons[WARD_REASON_LOST], 1);
	ward_assert_str(driven.dead_words, "path;");
	ward_assert_str(driven.journal, "a:init;b:init;b:path;b:path;");
	ward_assert_part(driven.trace, "!send a word;");
	driven_finish();
}

WARD_TEST(delayed_selection_is_not_overtaken_by_the_same_sender, "S58", "S4")
{
	driven_start(
		(struct strike){WARD_POINT_SEND, "a", "word", 1, {WARD_FAULT_DELAY, 5 * MS}, 0});
	ward_ref a = start_pupil("a");
	ward_ref b = start_pupil("b");
	let(a, select_word, a);
	run_all();
	let(a, tell_word, b);
	run_all();
	ward_assert_str(driven.journal, "a:init;b:init;");
	run_out();
	ward_assert_str(driven.journal, "a:init;b:init;b:path;b:ref;");
	driven_finish();
}

WARD_TEST(selection_from_outside_is_told_as_one_from_outside, "S58")
{
	driven_start(
		(struct strike){WARD_POINT_SEND, "outside", "word", 1, {WARD_FAULT_LOSE, 0}, 0});
	start_pupil("b");
	ward_system_select_tell(driven.system, "/user/b", word, "lost");
	ward_system_select_tell(driven.system, "/user/b", word, "got");
	ward_ref ref;
	ward_assert_ok(ward_system_resolve(driven.system, "/user/b", WARD_SECOND, &ref));
	ward_assert_str(driven.journal, "b:init;b:got;");
	ward_assert_eq(driven.reasons[WARD_REASON_LOST], 1);
	ward_assert_part(driven.trace, "send outside ward_identify;");
	driven_finish();
}

/* `to` passes it on, and whoever else gets it notes that. */
static ward_result pass_on(ward_self *self, ward_ref to)
{
	if (ward_ref_equal(ward_self_ref(self), to))
		ward_select_forward(self, "../b");
	else
		write_journal(self, "passed on");
	return WARD_DONE;
}

WARD_TEST(actor_that_passes_on_is_the_one_that_sends, "S58")
{
	/* its message is from outside */
	driven_start((struct strike){WARD_POINT_SEND, "a", "act", 2, {WARD_FAULT_LOSE, 0}, 0});
	ward_ref a = start_pupil("a");
	start_pupil("b");
	for (int i = 0; i < 3; i++)
		let(a, pass_on, a);
	run_all();
	ward_assert_eq(driven.strikes[0].seen, 3);
	ward_assert_eq(driven.reasons[WARD_REASON_LOST], 1);
	ward_assert_str(driven.journal, "a:init;b:init;b:passed on;b:passed on;");
	driven_finish();
}

WARD_TEST(delayed_message_that_was_passed_on_is_not_overtaken, "S58", "S4")
{
	driven_start(
		(struct strike){WARD_POINT_SEND, "a", "act", 1, {WARD_FAULT_DELAY, 5 * MS}, 0});
	ward_ref a = start_pupil("a");
	ward_ref b = start_pupil("b");
	let(a, pass_on, a);
	run_all();
	let(a, tell_word, b);
	run_all();
	ward_assert_str(driven.journal, "a:init;b:init;");
	run_out();
	ward_assert_str(driven.journal, "a:init;b:init;b:passed on;b:ref;");
	driven_finish();
}

static int tries;

static void *foreign_send(void *arg)
{
	(void)arg;
	ward_system_select_tell(driven.system, "/user/b", word, "from afar");
	tries++;
	return NULL;
}

WARD_TEST(selection_by_another_thread_than_the_simulations_is_refused, "S58")
{
	pthread_t thread;
	driven_start((struct strike){0});
	start_pupil("b");
	ward_assert_eq(pthread_create(&thread, NULL, foreign_send, NULL), 0);
	pthread_join(thread, NULL);
	run_all();
	ward_assert_eq(tries, 1);
	ward_assert_eq(driven.reasons[WARD_REASON_THREAD], 1);
	ward_assert_str(driven.journal, "b:init;");
	driven_finish();
}

WARD_TEST_MAIN
