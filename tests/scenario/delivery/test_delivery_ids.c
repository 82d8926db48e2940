/* SPDX-License-Identifier: MIT
 *
 * test_delivery_ids.c - at-least-once delivery: messages with the same id, a second start, and
 * what is kept in a full mailbox.
 *
 * Method: as job_delivery.h says. Time is virtual and exact.
 */
#include "job_delivery.h"

/* ---- what another life left -------------------------------------------------------------- */

static void take(void)
{
	script_do(scene.kit, scene.a.ref, do_take, NULL);
	ward_kit_run(scene.kit);
}

static void live_again(void)
{
	ward_kit_stop(scene.kit, scene.a.ref);
	ward_kit_run(scene.kit);
	script_spawn(scene.kit, &scene.a);
	ward_kit_run(scene.kit);
}

static ward_result do_restore_clash(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_err(ward_try_delivery_restore(self, &out, taken), WARD_EEXIST);
	return WARD_DONE;
}

static ward_result do_restore_refused(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_err(ward_try_delivery_restore(self, &out, taken), WARD_EEXIST);
	ward_assert_part(ward_err_detail(), "the id 1 of the state");
	return WARD_DONE;
}

WARD_TEST(state_of_another_life_is_refused_where_one_of_its_ids_is_taken)
{
	options = plain;
	begin();
	scene.silent = true;
	deliver(3);
	take();
	live_again();
	deliver(2);
	confirm(1);
	script_do(scene.kit, scene.a.ref, do_restore_refused, NULL);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert_eq(ward_delivery_count(&out), 1); /* nothing has changed */
	ward_assert_eq(ward_delivery_next(&out), 3);
	confirm(2);
	script_do(scene.kit, scene.a.ref, do_restore_refused, NULL); /* 2 is confirmed */
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_delivery_count(&out), 0);
	live_again();
	restore();
	ward_assert_eq(ward_delivery_count(&out), 3);
	ward_delivery_state_drop(taken);
	finish();
}

static ward_result do_restore_unstarted(ward_self *self, void *arg)
{
	struct ward_delivery none = {0};
	(void)arg;
	ward_assert_err(ward_try_delivery_restore(self, &none, taken), WARD_EINVAL);
	ward_assert(!ward_delivery_confirm(self, &none, 1));
	ward_assert_eq(ward_delivery_count(&none), 0);
	return WARD_DONE;
}

WARD_TEST(state_is_refused_before_a_start)
{
	options = plain;
	begin();
	scene.silent = true;
	deliver(1);
	take();
	script_do(scene.kit, scene.a.ref, do_restore_unstarted, NULL);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_delivery_state_drop(taken);
	finish();
}

WARD_TEST(state_may_come_again_also_when_some_of_it_is_confirmed)
{
	options = plain;
	begin();
	scene.silent = true;
	deliver(2);
	take();
	live_again();
	restore();
	deliver(1);
	confirm(1);
	restore();
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert_eq(ward_delivery_count(&out), 3);
	ward_delivery_state_drop(taken);
	finish();
}

WARD_TEST(state_of_what_was_kept_too_changes_nothing)
{
	options = plain;
	begin();
	scene.silent = scene.keeps = true;
	deliver(3);
	take();
	fail_a();
	restore();
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*/a"), 1);
	ward_assert_eq(ward_delivery_count(&out), 3);
	ward_delivery_state_drop(taken);
	finish();
}

static void restore_when_warned(ward_self *self, void *state, const ward_undelivered *what)
{
	static bool within;
	ward_assert(!within);
	note_warning(self, state, what);
	within = true;
	(void)!ward_try_delivery_restore(self, &out, taken);
	within = false;
}

WARD_TEST(state_that_is_restored_in_a_warning_brings_no_other_into_it)
{
	options = plain;
	options.warn_after = 1;
	options.warn = restore_when_warned;
	begin();
	scene.silent = true;
	deliver(3);
	take();
	confirm(1);
	journal_clear();
	ward_kit_advance(scene.kit, 100);
	assert_journal("warned of 2 after 1;warned of 3 after 1;1 at 100;2 at 100;3 at 100");
	ward_delivery_state_drop(taken);
	taken = NULL;
	finish();
}

static ward_result start_and_restore(ward_self *self, void *arg)
{
	if (start(self, arg) == WARD_FAILED)
		return WARD_FAILED;
	return do_restore(self, arg);
}

WARD_TEST(kept_message_whose_id_is_taken_is_told_once)
{
	options = plain;
	begin();
	scene.silent = true;
	deliver(1);
	take();
	live_again();
	deliver(1);
	scene.keeps = true;
	scene.a.init = start_and_restore; /* before what is kept comes, which has the same id */
	fail_a();
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*/a"), 2);
	ward_assert_str(ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*/a", 1)->failure_class,
			"ward_misuse");
	ward_assert_eq(ward_delivery_count(&out), 1);
	ward_delivery_state_drop(taken);
	taken = NULL; /* there is another restart where memory is short */
	finish();
}

/* ---- one that takes up what another left -------------------------------------------------- */

static struct script y; /* the other */

/* What a has left unconfirmed goes to y. */
static void move_to_y(void)
{
	take();
	ward_kit_stop(scene.kit, scene.a.ref);
	ward_kit_run(scene.kit);
	y = (struct script){.name = "y", .init = start, .receive = note_rest, .pre_restart = keep};
	script_spawn(scene.kit, &y);
	ward_kit_run(scene.kit);
	script_do(scene.kit, y.ref, do_restore, NULL);
	ward_kit_run(scene.kit);
	ward_delivery_state_drop(taken);
	taken = NULL;
}

static void begin_with_ids_of_a_later_life(void)
{
	options = plain;
	begin();
	scene.silent = scene.keeps = true;
	fail_a();
	deliver(2);
	move_to_y();
}

static void fail_y_and_deliver_at_once(void)
{
	script_break(scene.kit, y.ref, &ward_exception);
	script_do(scene.kit, y.ref, do_deliver, (void *)1); /* before what is kept is here */
	ward_kit_run(scene.kit);
}

WARD_TEST(ids_after_a_restart_are_above_those_that_were_taken_up)
{
	uint64_t before;
	begin_with_ids_of_a_later_life();
	script_do(scene.kit, y.ref, do_deliver, (void *)1);
	ward_kit_run(scene.kit);
	for (int life = 2; life < 5; life++) {
		before = ward_delivery_next(&out);
		fail_y_and_deliver_at_once();
		ward_assert(ward_delivery_next(&out) > before + (UINT64_C(1) << 39));
		ward_assert_eq(ward_delivery_count(&out), life + 2);
	}
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*/y"), 3);
	finish();
}

WARD_TEST(late_confirmation_of_what_was_taken_up_confirms_nothing_new)
{
	uint64_t late;
	begin_with_ids_of_a_later_life();
	late = ward_delivery_next(&out) - 2;
	scene.silent = false;
	ward_kit_advance(scene.kit, 200);
	ward_assert_eq(ward_delivery_count(&out), 0);
	scene.silent = true;
	fail_y_and_deliver_at_once();
	ward_kit_tell(scene.kit, y.ref, ward_delivered, .id = late);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_delivery_count(&out), 1);
	finish();
}

WARD_TEST(ids_of_a_first_life_begin_at_one_whatever_others_took_up)
{
	begin_with_ids_of_a_later_life();
	ward_kit_stop(scene.kit, y.ref);
	ward_kit_run(scene.kit);
	script_spawn(scene.kit, &scene.a);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_delivery_next(&out), 1);
	finish();
}

WARD_TEST(ids_of_who_took_up_nothing_are_those_of_its_incarnation)
{
	options = plain;
	begin();
	scene.silent = scene.keeps = true;
	deliver(1);
	fail_a();
	fail_a(); /* what it keeps itself changes nothing */
	ward_assert_eq(ward_delivery_next(&out), (UINT64_C(2) << 40) + 1);
	finish();
}

/* `count` messages of another life, whose ids begin above those that are confirmed. */
static ward_delivery_state *state_of_other_life(int confirmed, int count)
{
	live_again();
	deliver(confirmed + count);
	for (int id = 1; id <= confirmed; id++)
		confirm((uint64_t)id);
	take();
	return taken;
}

static void expect_refused(ward_delivery_state *state)
{
	size_t before = ward_delivery_count(&out);
	taken = state;
	script_do(scene.kit, scene.a.ref, do_restore_clash, NULL);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert_eq(ward_delivery_count(&out), before);
}

static void take_up(ward_delivery_state *state)
{
	taken = state;
	restore();
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
}

WARD_TEST(state_is_refused_where_one_of_its_ids_came_with_another_and_is_confirmed)
{
	ward_delivery_state *one, *other;
	options = plain;
	begin();
	scene.silent = true;
	one = state_of_other_life(0, 1);
	other = state_of_other_life(0, 1);
	live_again();
	take_up(one);
	expect_refused(other);
	confirm(1);
	expect_refused(other);
	take_up(one); /* the same message may come again */
	ward_assert_eq(ward_delivery_count(&out), 1);
	ward_delivery_state_drop(one);
	ward_delivery_state_drop(other);
	taken = NULL;
	finish();
}

WARD_TEST(state_is_taken_up_where_its_ids_were_passed_over)
{
	ward_delivery_state *second, *low, *high;
	options = plain;
	begin();
	scene.silent = true;
	second = state_of_other_life(1, 1);
	low = state_of_other_life(2, 1);
	high = state_of_other_life(4, 1);
	live_again();
	deliver(2);
	confirm(2);
	take_up(high);
	deliver(1);
	ward_assert_eq(ward_delivery_next(&out), 7);
	take_up(low); /* 3, which no message had here */
	ward_assert_eq(ward_delivery_count(&out), 4);
	expect_refused(second); /* 2 */
	ward_delivery_state_drop(low);
	ward_delivery_state_drop(high);
	ward_delivery_state_drop(second);
	taken = NULL;
	finish();
}

/* ---- shortages in a row ------------------------------------------------------------------ */

static bool scarce_once, is_scarce; /* memory, while what was kept is taken up */
static uint64_t nth;                /* the allocation after that which finds none, too */

static void scarce_drop(void *body)
{
	job_drop(body);
}

static ward_err scarce_clone(void *to, const void *from)
{
	if (!is_scarce)
		return job_clone(to, from);
	is_scarce = false;
	ward_kit_fail_allocation(scene.kit, nth);
	return WARD_ENOMEM;
}

static const ward_type scarce = {
	.name = "scarce", .size = sizeof(struct job), .drop = scarce_drop, .clone = scarce_clone};

static ward_result take_up_short(ward_self *self, const ward_msg *msg)
{
	ward_result result;
	if (strcmp(ward_msg_type(msg)->name, "ward.delivery_kept") == 0) {
		is_scarce = scarce_once;
		scarce_once = false;
	}
	result = ward_delivery_receive(self, &out, msg);
	is_scarce = false;
	return result;
}

static ward_result do_deliver_scarce(ward_self *self, void *arg)
{
	struct job job = {.block = new_block()};
	(void)arg;
	if (ward_try_deliver_send(self, &out, scene.b.ref, &scarce, &job, sizeof job))
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	return WARD_DONE;
}

static void keep_with_a_shortage(ward_directive directive, uint64_t of_passing_on)
{
	const ward_strategy strategy = {.rules = {{&ward_out_of_memory, directive}},
					.otherwise = WARD_RESTART};
	struct script parent = {.name = "p", .strategy = &strategy, .children = {&scene.a}};
	options = plain;
	begin();
	scene.silent = scene.keeps = true;
	scene.a.receive = take_up_short;
	ward_kit_stop(scene.kit, scene.a.ref);
	ward_kit_run(scene.kit);
	script_spawn(scene.kit, &parent);
	ward_kit_run(scene.kit);
	script_do(scene.kit, scene.a.ref, do_deliver_scarce, NULL);
	ward_kit_run(scene.kit);
	scarce_once = true;
	nth = of_passing_on;
	fail_a();
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*/a"), 2);
	ward_assert_str(ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*/a", 1)->failure_class,
			"ward_out_of_memory");
	ward_assert_eq(ward_delivery_count(&out), 1);
	confirm(1);
	finish();
}

WARD_TEST(what_is_kept_comes_again_when_there_is_no_memory_to_take_it_up)
{
	keep_with_a_shortage(WARD_RESTART, 0);
}

WARD_TEST(what_is_kept_comes_again_to_an_actor_that_is_resumed)
{
	keep_with_a_shortage(WARD_RESUME, 0);
}

WARD_TEST(what_is_kept_is_not_lost_with_two_shortages_in_a_row)
{
	for (uint64_t n = 1; n <= 2; n++) /* one of them is that of passing it on */
		keep_with_a_shortage(WARD_RESTART, n);
}

/* ---- a second start ---------------------------------------------------------------------- */

static ward_result do_start(ward_self *self, void *arg)
{
	(void)arg;
	return ward_delivery_init(self, &out, &options);
}

static void start_again(void)
{
	script_do(scene.kit, scene.a.ref, do_start, NULL);
	ward_kit_run(scene.kit);
}

static void confirm_from_outside(uint64_t id)
{
	ward_kit_tell(scene.kit, scene.a.ref, ward_delivered, .id = id);
	ward_kit_run(scene.kit);
}

WARD_TEST(late_confirmation_of_before_a_second_start_confirms_nothing_new)
{
	options = plain;
	begin();
	scene.silent = true;
	deliver(1);
	ward_kit_advance(scene.kit, 150); /* sent twice */
	confirm_from_outside(1);
	start_again();
	deliver(1);
	confirm_from_outside(1);
	ward_assert_eq(ward_delivery_count(&out), 1);
	assert_journal("1 at 0;1 at 100;2 at 150");
	finish();
}

WARD_TEST(second_start_counts_in_a_new_window)
{
	options = plain;
	options.burst_max = 1;
	begin();
	deliver(1);
	start_again();
	deliver(2);
	assert_journal("1 at 0;2 at 0");
	finish();
}

WARD_TEST(second_start_while_messages_are_unconfirmed_fails_the_actor)
{
	options = plain;
	begin();
	scene.silent = scene.keeps = true;
	deliver(1);
	start_again();
	ward_assert_part(ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*/a", 0)->text,
			 "while messages are unconfirmed");
	ward_assert_eq(ward_delivery_count(&out), 1);
	finish();
}

static ward_result do_start_often(ward_self *self, void *arg)
{
	(void)arg;
	for (int i = 0; i < (ward_test_shortage() ? 2 : 100); i++) {
		uint64_t id = ward_delivery_next(&out);
		if (deliver_to(self, scene.b.ref) != WARD_OK)
			return ward_failed(self, &ward_exception, "%s", ward_err_detail());
		ward_assert(ward_delivery_confirm(self, &out, id));
		if (ward_delivery_init(self, &out, &options) == WARD_FAILED)
			return WARD_FAILED;
	}
	return WARD_DONE;
}

static uint64_t bytes_after_starts(void)
{
	script_do(scene.kit, scene.a.ref, do_start_often, NULL);
	ward_kit_run(scene.kit);
	journal_clear();
	return ward_kit_bytes(scene.kit);
}

WARD_TEST(second_start_leaves_nothing_behind)
{
	uint64_t bytes;
	options = plain;
	begin();
	scene.silent = true;
	bytes = bytes_after_starts();
	for (int i = 0; i < (ward_test_shortage() ? 1 : 5); i++)
		ward_assert(bytes_after_starts() <= bytes + 10000);
	finish();
}

/* ---- a full mailbox ---------------------------------------------------------------------- */

static ward_result keep_or_take(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	ward_err err = ward_try_delivery_keep(self, &out, msg);
	(void)why;
	journal_note("kept: %s", ward_err_text(err));
	if (err == WARD_EFULL)
		return do_take(self, NULL);
	return WARD_DONE;
}

static ward_result do_fill_and_fail(ward_self *self, void *arg)
{
	(void)arg;
	for (int i = 0; i < 3; i++)
		script_tell(self, ward_self_ref(self), "");
	return ward_failed(self, &ward_exception, "now");
}

WARD_TEST(full_mailbox_refuses_what_is_to_be_kept_and_nothing_is_left_of_it)
{
	options = plain;
	begin();
	scene.silent = true;
	scene.a.mailbox.messages_max = 2;
	scene.a.pre_restart = keep_or_take;
	live_again();
	deliver(1);
	journal_clear();
	script_do(scene.kit, scene.a.ref, do_fill_and_fail, NULL);
	ward_kit_run(scene.kit);
	ward_assert_part(journal_text(), ward_err_text(WARD_EFULL));
	ward_assert_eq(ward_delivery_count(&out), 0);
	ward_assert_eq(blocks, 1); /* the copy that was taken */
	restore();
	ward_delivery_state_drop(taken);
	ward_assert_eq(ward_delivery_count(&out), 1);
	finish();
}

static ward_result keep_all(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	ward_delivery_keep(self, &out, msg);
	journal_note("went on");
	return WARD_DONE;
}

WARD_TEST(what_cannot_be_kept_is_a_failure_of_the_hook_and_not_of_the_restart, "S33")
{
	const ward_event *event;
	options = plain;
	begin();
	scene.silent = true;
	scene.a.mailbox.messages_max = 2;
	scene.a.pre_restart = keep_all;
	live_again();
	deliver(1);
	script_do(scene.kit, scene.a.ref, do_fill_and_fail, NULL);
	ward_kit_run(scene.kit);
	ward_assert_part(journal_text(), "went on");
	event = ward_kit_event(scene.kit, WARD_EVENT_HOOK_FAILURE, "*", 0);
	ward_assert_part(event->text, "in pre_restart: ");
	ward_assert_part(event->text, "full");
	ward_assert_eq(scene.a.calls[SCRIPT_POST_RESTART], 1);
	finish();
}

WARD_TEST_MAIN
