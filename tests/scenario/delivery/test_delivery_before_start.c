/* SPDX-License-Identifier: MIT
 *
 * test_delivery_before_start.c - at-least-once delivery: what is kept comes before the start.
 *
 * Method: as job_delivery.h says. a starts its delivery with its first order.
 */
#include "job_delivery.h"

static ward_result init_without_start(ward_self *self, void *arg)
{
	(void)self, (void)arg;
	memset(&out, 0, sizeof out);
	return WARD_DONE;
}

static ward_result do_start(ward_self *self, void *arg)
{
	(void)arg;
	return ward_delivery_init(self, &out, &options);
}

static ward_result do_start_and_deliver(ward_self *self, void *arg)
{
	if (out.options == NULL && do_start(self, NULL) == WARD_FAILED)
		return WARD_FAILED;
	return do_deliver(self, arg);
}

static void begin_late(void)
{
	options = plain;
	begin();
	ward_kit_stop(scene.kit, scene.a.ref);
	ward_kit_run(scene.kit);
	scene.silent = scene.keeps = true;
	scene.a.init = init_without_start;
	script_spawn(scene.kit, &scene.a);
	ward_kit_run(scene.kit);
}

static void start_late(int count)
{
	script_do(scene.kit, scene.a.ref, do_start_and_deliver, (void *)(uintptr_t)count);
	ward_kit_run(scene.kit);
}

/* So that a row of failures ends. */
static void run_some(void)
{
	for (int i = 0; i < 500 && ward_kit_step(scene.kit); i++)
		;
}

static void fail_late(void)
{
	script_break(scene.kit, scene.a.ref, &ward_exception);
	run_some();
}

static size_t failures(void)
{
	return ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*/a");
}

WARD_TEST(failure_before_the_start_is_one_failure)
{
	begin_late();
	fail_late();
	ward_assert_eq(failures(), 1);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_UNHANDLED, "*"), 0);
	finish();
}

static ward_result note_kept(ward_self *self, const ward_msg *msg)
{
	if (strcmp(ward_msg_type(msg)->name, "ward.delivery_kept") == 0)
		journal_note("kept");
	return note_rest(self, msg);
}

WARD_TEST(nothing_is_kept_where_nothing_is_unconfirmed)
{
	options = plain;
	begin();
	scene.silent = scene.keeps = true;
	scene.a.receive = note_kept;
	fail_a();
	ward_assert_eq(failures(), 1);
	ward_assert(strstr(journal_text(), "kept") == NULL);
	deliver(1);
	fail_a();
	ward_assert_part(journal_text(), "kept");
	finish();
}

WARD_TEST(what_is_kept_waits_for_the_start_and_goes_first)
{
	begin_late();
	start_late(2);
	fail_late();
	ward_assert_eq(failures(), 1);
	ward_assert(out.options == NULL);
	ward_assert_eq(ward_delivery_count(&out), 2);
	ward_kit_advance(scene.kit, 300); /* nobody sends before the start */
	journal_clear();
	start_late(1);
	ward_assert_eq(ward_delivery_count(&out), 3);
	assert_journal("1 at 300;2 at 300;1099511627777 at 300");
	finish();
}

WARD_TEST(what_is_kept_goes_on_through_lives_that_never_start)
{
	begin_late();
	start_late(2);
	for (size_t life = 2; life < 5; life++) {
		fail_late();
		ward_assert_eq(failures(), life - 1);
		ward_assert_eq(ward_delivery_count(&out), 2);
	}
	start_late(0);
	ward_assert_eq(ward_delivery_count(&out), 2);
	finish();
}

WARD_TEST(what_is_kept_of_several_lives_is_taken_up_by_one_start)
{
	begin_late();
	start_late(1);
	scene.a.init = start;
	script_break(scene.kit, scene.a.ref, &ward_exception);
	script_do(scene.kit, scene.a.ref, do_deliver, (void *)1);
	script_break(scene.kit, scene.a.ref, &ward_exception);
	while (strstr(journal_text(), "1099511627777") == NULL)
		ward_assert(ward_kit_step(scene.kit));
	scene.a.init = init_without_start; /* of the third life */
	run_some();
	ward_assert(out.options == NULL);
	ward_assert_eq(failures(), 2);
	ward_assert_eq(ward_delivery_count(&out), 2);
	journal_clear();
	start_late(0);
	assert_journal("1 at 0;1099511627777 at 0");
	ward_assert_eq(ward_delivery_count(&out), 2);
	finish();
}

WARD_TEST(what_waits_for_the_start_is_in_a_state_too)
{
	begin_late();
	start_late(2);
	fail_late();
	script_do(scene.kit, scene.a.ref, do_take, NULL);
	ward_kit_run(scene.kit);
	ward_kit_stop(scene.kit, scene.a.ref);
	ward_kit_run(scene.kit);
	ward_assert_eq(blocks, 2); /* what was put by has gone with the actor */
	scene.a.init = start;
	script_spawn(scene.kit, &scene.a);
	ward_kit_run(scene.kit);
	restore();
	ward_delivery_state_drop(taken);
	taken = NULL;
	ward_assert_eq(ward_delivery_count(&out), 2);
	ward_assert_eq(ward_delivery_next(&out), 3);
	finish();
}

static ward_result start_in_first_lives(ward_self *self, void *arg)
{
	if (ward_incarnation(self) > 2)
		return init_without_start(self, arg);
	return start(self, arg) == WARD_FAILED ? WARD_FAILED : do_restore(self, arg);
}

WARD_TEST(what_was_kept_twice_is_once_in_a_state)
{
	begin_late();
	scene.a.init = start_in_first_lives;
	start_late(1);
	script_do(scene.kit, scene.a.ref, do_take, NULL);
	ward_kit_run(scene.kit);
	ward_kit_stop(scene.kit, scene.a.ref);
	ward_kit_run(scene.kit);
	script_spawn(scene.kit, &scene.a);
	script_break(scene.kit, scene.a.ref, &ward_exception);
	script_break(scene.kit, scene.a.ref, &ward_exception); /* before what is kept is here */
	ward_kit_run(scene.kit);
	ward_assert_eq(failures(), 2);
	ward_assert(out.options == NULL);
	ward_delivery_state_drop(taken);
	script_do(scene.kit, scene.a.ref, do_take, NULL);
	start_late(0);
	ward_assert_eq(ward_delivery_count(&out), 1);
	confirm(1);
	restore();
	ward_assert_eq(ward_delivery_count(&out), 1);
	ward_delivery_state_drop(taken);
	taken = NULL;
	finish();
}

static ward_result do_start_short(ward_self *self, void *arg)
{
	ward_result result;
	ward_kit_fail_all_allocations(scene.kit, true);
	result = do_start(self, arg);
	ward_kit_fail_all_allocations(scene.kit, false);
	return result;
}

static void start_short(void)
{
	script_do(scene.kit, scene.a.ref, do_start_short, NULL);
	ward_kit_run(scene.kit);
	ward_assert_str(ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*/a", 1)->failure_class,
			"ward_out_of_memory");
	ward_assert_eq(ward_delivery_count(&out), 2);
}

WARD_TEST(start_without_memory_for_what_is_kept_fails_and_the_next_life_has_it)
{
	begin_late();
	start_late(2);
	fail_late();
	start_short();
	start_late(0);
	ward_assert_eq(ward_delivery_count(&out), 2);
	finish();
}

WARD_TEST(resumed_after_a_start_without_memory_it_takes_it_up_with_its_next_message)
{
	static const ward_strategy strategy = {.rules = {{&ward_out_of_memory, WARD_RESUME}},
					       .otherwise = WARD_RESTART};
	struct script parent = {.name = "p", .strategy = &strategy, .children = {&scene.a}};
	begin_late();
	ward_kit_stop(scene.kit, scene.a.ref);
	ward_kit_run(scene.kit);
	script_spawn(scene.kit, &parent);
	ward_kit_run(scene.kit);
	start_late(2);
	fail_late();
	start_short();
	journal_clear();
	script_say(scene.kit, scene.a.ref, "word");
	ward_kit_run(scene.kit);
	ward_assert_part(journal_text(), "1 at 0;2 at 0");
	ward_assert_eq(ward_delivery_count(&out), 2);
	finish();
}

/* ---- without memory to pass it on -------------------------------------------------------- */

static ward_result fail_of_what_is_kept(ward_self *self, const ward_msg *msg)
{
	if (strcmp(ward_msg_type(msg)->name, "ward.delivery_kept") == 0)
		return ward_failed(self, &ward_exception, "before it took them up");
	return ward_delivery_receive(self, &out, msg);
}

static ward_result keep_short(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	ward_err err;
	bool again = scene.gives_up;
	(void)why;
	scene.gives_up = true;
	if (again)
		ward_kit_fail_all_allocations(scene.kit, true);
	err = ward_try_delivery_keep(self, &out, msg);
	ward_kit_fail_all_allocations(scene.kit, false);
	journal_note("kept: %s", ward_err_text(err));
	return WARD_DONE;
}

WARD_TEST(what_failed_and_cannot_be_passed_on_is_told)
{
	options = plain;
	begin();
	scene.silent = true;
	scene.a.receive = fail_of_what_is_kept;
	scene.a.pre_restart = keep_short;
	deliver(1);
	fail_a();
	ward_assert_part(journal_text(), ward_err_text(WARD_OK));
	ward_assert_part(journal_text(), ward_err_text(WARD_ENOMEM));
	ward_assert_eq(blocks, 0);
	finish();
}

WARD_TEST_MAIN
