/* SPDX-License-Identifier: MIT
 *
 * test_delivery_state.c - at-least-once delivery over restarts and stops, what is refused, and
 * shortages of memory.
 *
 * Method: as job_delivery.h says. Time is virtual and exact.
 */
#include "job_delivery.h"

#define SECOND_LIFE ((UINT64_C(1) << 40) + 1) /* the first id of the second incarnation */

/* ---- restart and stop -------------------------------------------------------------------- */

WARD_TEST(what_is_unconfirmed_goes_with_the_incarnation_unless_it_is_kept, "S44", "S87")
{
	for (int round = 0; round < 2; round++) {
		options = plain;
		begin();
		scene.silent = true;
		deliver(3);
		if (round == 0)
			fail_a();
		else
			ward_kit_stop(scene.kit, scene.a.ref);
		ward_kit_run(scene.kit);
		ward_assert_eq(blocks, 0);
		ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
		journal_clear();
		ward_kit_advance(scene.kit, 1000);
		assert_journal("");
		memset(&out, 0, sizeof out); /* it is gone with its actor */
		finish();
	}
}

WARD_TEST(ids_of_a_later_incarnation_are_above_those_before)
{
	options = plain;
	begin();
	scene.silent = true;
	deliver(2);
	fail_a();
	ward_assert_eq(ward_delivery_next(&out), SECOND_LIFE);
	deliver(1);
	ward_kit_tell(scene.kit, scene.a.ref, ward_delivered, .id = 1); /* of before */
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_delivery_count(&out), 1);
	finish();
}

WARD_TEST(what_is_kept_is_sent_again_by_the_new_incarnation_in_order)
{
	options = plain;
	options.burst_max = 3;
	begin();
	scene.silent = scene.keeps = true;
	deliver(4);
	ward_kit_advance(scene.kit, 50);
	confirm(2);
	journal_clear();
	fail_a();
	ward_assert_part(journal_text(), "1 at 50;3 at 50;4 at 50");
	journal_clear();
	scene.silent = false;
	ward_kit_advance(scene.kit, 100);
	assert_journal("1 at 150;3 at 150;4 at 150");
	ward_assert_eq(ward_delivery_count(&out), 0);
	finish();
}

static ward_result fail_of_it(ward_self *self, const ward_msg *msg)
{
	if (strcmp(ward_msg_type(msg)->name, "ward.delivery_kept") != 0 || scene.gives_up)
		return ward_delivery_receive(self, &out, msg);
	scene.gives_up = true; /* the second time it does */
	return ward_failed(self, &ward_exception, "before it took them up");
}

WARD_TEST(what_is_kept_comes_again_when_its_incarnation_fails_of_it)
{
	options = plain;
	begin();
	scene.silent = scene.keeps = true;
	scene.a.receive = fail_of_it;
	deliver(2);
	fail_a();
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*/a"), 2);
	ward_assert_eq(ward_delivery_count(&out), 2);
	finish();
}

WARD_TEST(what_is_kept_is_dropped_when_nobody_takes_it_up)
{
	options = plain;
	begin();
	scene.silent = scene.keeps = true;
	deliver(2);
	script_break(scene.kit, scene.a.ref, &ward_exception);
	while (strstr(journal_text(), "pre_restart") == NULL)
		ward_assert(ward_kit_step(scene.kit));
	ward_kit_stop(scene.kit, scene.a.ref);
	ward_kit_run(scene.kit);
	ward_assert_eq(blocks, 0);
	memset(&out, 0, sizeof out);
	finish();
}

static struct ward_delivery second;
static const ward_delivery_options *of_second;

static ward_result start_both(ward_self *self, void *arg)
{
	if (start(self, arg) == WARD_FAILED)
		return WARD_FAILED;
	memset(&second, 0, sizeof second);
	return ward_delivery_init(self, &second, of_second);
}

static ward_result receive_for_both(ward_self *self, const ward_msg *msg)
{
	const struct ward_delivered *delivered = ward_match(msg, ward_delivered);
	ward_result result;
	if (delivered != NULL)
		return ward_delivery_confirm(self, &out, delivered->id) ? WARD_DONE
									: WARD_UNHANDLED;
	result = ward_delivery_receive(self, &second, msg);
	return result != WARD_UNHANDLED ? result : ward_delivery_receive(self, &out, msg);
}

static ward_result keep_both(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	if (ward_try_delivery_keep(self, &second, msg) != WARD_OK)
		journal_note("not kept");
	return keep(self, why, msg);
}

static ward_result do_deliver_second(ward_self *self, void *arg)
{
	(void)arg;
	ward_deliver(self, &second, scene.b.ref, job, .id = 77, .block = new_block());
	return WARD_DONE;
}

static ward_result do_confirm_second(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert(ward_delivery_confirm(self, &second, SECOND_LIFE));
	return WARD_DONE;
}

static void keep_two_apart(const ward_delivery_options *options_of_second)
{
	of_second = options_of_second;
	options = plain;
	begin();
	scene.silent = scene.keeps = true;
	scene.a.init = start_both;
	scene.a.receive = receive_for_both;
	scene.a.pre_restart = keep_both;
	fail_a();
	deliver(2);
	script_do(scene.kit, scene.a.ref, do_deliver_second, NULL);
	ward_kit_run(scene.kit);
	fail_a();
	ward_assert_eq(ward_delivery_count(&out), 2);
	ward_assert_eq(ward_delivery_count(&second), 1);
	journal_clear();
	ward_kit_advance(scene.kit, 100);
	ward_assert_part(journal_text(), "77 at 100");
	ward_assert_part(journal_text(), "1099511627777 at 100;1099511627778 at 100");
	script_do(scene.kit, scene.a.ref, do_confirm_second, NULL);
	ward_kit_run(scene.kit);
	finish();
}

WARD_TEST(two_of_one_actor_are_kept_apart)
{
	static const ward_delivery_options others = {.redeliver_ms = 100};
	keep_two_apart(&others);
}

WARD_TEST(two_of_one_actor_with_the_same_options_are_kept_apart)
{
	keep_two_apart(&options);
}

/* ---- a state of one's own ---------------------------------------------------------------- */

WARD_TEST(state_that_was_taken_goes_before_what_waits_and_what_is_here_stays)
{
	options = plain;
	options.burst_max = 2;
	begin();
	scene.silent = true;
	deliver(4);
	script_do(scene.kit, scene.a.ref, do_take, NULL);
	ward_kit_run(scene.kit);
	confirm(1);
	confirm(3);
	confirm(2);
	deliver(1);
	journal_clear();
	restore(); /* 4 is here; 1, 2 and 3 come before it */
	ward_assert_eq(ward_delivery_count(&out), 5);
	ward_kit_advance(scene.kit, 200);
	assert_journal("1 at 100;2 at 100;3 at 200;4 at 200");
	ward_assert_eq(ward_delivery_next(&out), 6);
	ward_delivery_state_drop(taken);
	finish();
}

WARD_TEST(state_brings_its_next_id_and_outlives_its_actor)
{
	options = plain;
	begin();
	scene.silent = true;
	deliver(3);
	script_do(scene.kit, scene.a.ref, do_take, NULL);
	ward_kit_run(scene.kit);
	ward_kit_stop(scene.kit, scene.a.ref);
	ward_kit_run(scene.kit);
	script_spawn(scene.kit, &scene.a);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_delivery_next(&out), 1);
	journal_clear();
	restore();
	ward_delivery_state_drop(taken);
	assert_journal("1 at 0;2 at 0;3 at 0");
	ward_assert_eq(ward_delivery_next(&out), 4);
	finish();
}

WARD_TEST(state_is_in_order_of_ids_whatever_was_sent_last)
{
	options = plain;
	options.burst_max = 2;
	begin();
	scene.silent = true;
	deliver(3);
	ward_kit_advance(scene.kit, 100); /* 3, and 1 again */
	script_do(scene.kit, scene.a.ref, do_take, NULL);
	ward_kit_run(scene.kit);
	options.burst_max = 0;
	fail_a();
	journal_clear();
	restore();
	ward_delivery_state_drop(taken);
	assert_journal("1 at 100;2 at 100;3 at 100");
	finish();
}

/* With one allocation after the other that finds no memory, until none is left that could. */
static ward_result do_restore_short(ward_self *self, void *arg)
{
	int before = blocks, refused = 0;
	ward_err err = WARD_ENOMEM;
	for (uint64_t n = 1; err == WARD_ENOMEM; n++) {
		ward_kit_fail_allocation(arg, n);
		err = ward_try_delivery_restore(self, &out, taken);
		ward_kit_fail_allocation(arg, 0);
		if (err == WARD_OK)
			break;
		refused++;
		ward_assert_eq(blocks, before);
		ward_assert_eq(ward_kit_stats(arg).timers, 0);
		ward_assert_eq(ward_delivery_count(&out), 0);
	}
	ward_assert(err == WARD_OK && refused > 5);
	return WARD_DONE;
}

WARD_TEST(state_that_finds_no_memory_changes_nothing)
{
	options = plain;
	begin();
	scene.silent = true;
	deliver(3);
	script_do(scene.kit, scene.a.ref, do_take, NULL);
	ward_kit_run(scene.kit);
	fail_a();
	script_do(scene.kit, scene.a.ref, do_restore_short, scene.kit);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_delivery_count(&out), 3);
	ward_delivery_state_drop(taken);
	finish();
}

WARD_TEST(empty_state_and_none_are_fine)
{
	options = plain;
	begin();
	script_do(scene.kit, scene.a.ref, do_take, NULL);
	ward_kit_run(scene.kit);
	restore();
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	ward_delivery_state_drop(taken);
	taken = NULL;
	restore();
	ward_delivery_state_drop(NULL);
	finish();
}

/* ---- what is refused --------------------------------------------------------------------- */

static void free_block(void *body)
{
	job_drop(body);
}

static const ward_type unique = {.name = "unique", .size = sizeof(struct job), .drop = free_block};

static int dropped;

static void count_drop(void *body)
{
	(void)body;
	dropped++;
}

static ward_err clone_nothing(void *to, const void *from)
{
	(void)to, (void)from;
	return WARD_OK;
}

static const ward_type counted = {
	.name = "counted", .size = 64, .drop = count_drop, .clone = clone_nothing};

static ward_result do_wrong_size(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_err(ward_try_deliver_send(self, &out, scene.b.ref, &counted, "", 1),
			WARD_ESIZE);
	return WARD_DONE;
}

WARD_TEST(body_of_a_wrong_size_is_not_dropped)
{
	options = plain;
	begin();
	dropped = 0;
	script_do(scene.kit, scene.a.ref, do_wrong_size, NULL);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert_eq(dropped, 0);
	finish();
}

static ward_result do_wrong(ward_self *self, void *arg)
{
	struct ward_delivery none = {0};
	struct job job = {.block = new_block()};
	(void)arg;
	ward_assert_err(
		ward_try_deliver_send(self, &none, scene.b.ref, &ward_type_job, &job, sizeof job),
		WARD_EINVAL);
	job.block = new_block();
	ward_assert_err(
		ward_try_deliver_send(self, &out, ward_nobody(), &ward_type_job, &job, sizeof job),
		WARD_EINVAL);
	ward_assert_eq(blocks, 0);
	ward_assert_err(ward_try_deliver_send(self, &out, scene.b.ref, NULL, &job, sizeof job),
			WARD_EINVAL);
	job.block = new_block();
	ward_assert_err(ward_try_deliver_send(self, &out, scene.b.ref, &unique, &job, sizeof job),
			WARD_EUNIQUE);
	ward_assert_eq(blocks, 0);
	ward_assert_err(
		ward_try_deliver_send(self, &out, scene.b.ref, &ward_type_ward_delivered, "", 1),
		WARD_ESIZE);
	ward_assert_err(
		ward_try_deliver_send(self, &out, scene.b.ref, &ward_type_ward_delivered, NULL, 8),
		WARD_ESIZE);
	ward_assert_eq(ward_delivery_next(&out), 1);
	return WARD_DONE;
}

WARD_TEST(wrong_message_is_refused_and_dropped)
{
	options = plain;
	begin();
	script_do(scene.kit, scene.a.ref, do_wrong, NULL);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	finish();
}

static ward_result do_deliver_zeroes(ward_self *self, void *arg)
{
	(void)arg;
	ward_deliver(self, &out, scene.a.ref, ward_delivered);
	return WARD_DONE;
}

WARD_TEST(message_of_zeroes_needs_no_body)
{
	options = plain;
	begin();
	script_do(scene.kit, scene.a.ref, do_deliver_zeroes, NULL);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_delivery_count(&out), 1);
	confirm(1);
	finish();
}

WARD_TEST(wrong_options_fail_the_actor)
{
	static const struct {
		ward_delivery_options options;
		const char *text;
	} wrong[] = {
		{{.redeliver_ms = -1}, ".redeliver_ms is -1: it must not be negative"},
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

static ward_result do_deliver_short(ward_self *self, void *arg)
{
	ward_kit_fail_all_allocations(scene.kit, true);
	ward_assert_err(deliver_to(self, scene.b.ref), WARD_ENOMEM);
	ward_kit_fail_all_allocations(scene.kit, false);
	return do_deliver(self, arg);
}

WARD_TEST(message_without_memory_is_refused_and_has_no_id)
{
	options = plain;
	begin();
	script_do(scene.kit, scene.a.ref, do_deliver_short, (void *)(uintptr_t)1);
	ward_kit_run(scene.kit);
	assert_journal("1 at 0");
	finish();
}

static ward_result do_deliver_short_at(ward_self *self, void *arg)
{
	ward_err err = WARD_ENOMEM;
	int refused = 0;
	for (uint64_t n = 1; err == WARD_ENOMEM; n++) {
		ward_kit_fail_allocation(arg, n);
		err = deliver_to(self, scene.b.ref);
		ward_kit_fail_allocation(arg, 0);
		if (err == WARD_OK)
			break;
		refused++;
		ward_assert_eq(ward_kit_stats(arg).timers, 0);
		ward_assert_eq(blocks, 0);
	}
	ward_assert(err == WARD_OK && refused > 3);
	return WARD_DONE;
}

WARD_TEST(message_that_finds_no_memory_in_between_leaves_nothing)
{
	options = plain;
	begin();
	script_do(scene.kit, scene.a.ref, do_deliver_short_at, scene.kit);
	ward_kit_advance(scene.kit, 100); /* the first sending may have found none */
	ward_assert_part(journal_text(), "1 at ");
	finish();
}

/* Time passes, and nobody has a turn. */
static void pass(int64_t ms)
{
	int64_t until_ns = ward_kit_now_ns(scene.kit) + ms * NS_PER_MS;
	while (ward_simulation_advance(ward_kit_system(scene.kit), until_ns))
		;
}

WARD_TEST(timer_without_memory_fails_the_actor_and_what_is_kept_is_not_lost)
{
	options = plain;
	begin();
	scene.silent = scene.keeps = true;
	deliver(2);
	pass(100);
	ward_kit_fail_all_allocations(scene.kit, true);
	while (ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*/a") == 0)
		ward_assert(ward_kit_step(scene.kit));
	ward_kit_fail_all_allocations(scene.kit, false);
	ward_assert_str(ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*/a", 0)->failure_class,
			"ward_out_of_memory");
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_delivery_count(&out), 2);
	finish();
}

WARD_TEST(resumed_actor_without_a_timer_goes_on_with_its_next_message)
{
	struct script parent;
	options = plain;
	begin_resumed(&parent);
	scene.silent = true;
	deliver(2);
	pass(100);
	ward_kit_fail_all_allocations(scene.kit, true);
	while (ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*/a") == 0)
		ward_assert(ward_kit_step(scene.kit));
	ward_kit_fail_all_allocations(scene.kit, false);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	script_say(scene.kit, scene.a.ref, "word");
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 1);
	finish();
}

/* How often a failed, when the n-th allocation of its restart found no memory; -1: it could not
 * keep them, or its restart failed. */
static int restart_short(uint64_t n)
{
	int failures = -1;
	begin();
	scene.silent = scene.keeps = true;
	deliver(2);
	script_break(scene.kit, scene.a.ref, &ward_exception);
	ward_kit_fail_allocation(scene.kit, n);
	ward_kit_run(scene.kit);
	ward_kit_fail_allocation(scene.kit, 0);
	ward_kit_run(scene.kit);
	if (strstr(journal_text(), "not kept") == NULL &&
	    ward_kit_state(scene.kit, scene.a.ref) == WARD_STATE_RUNNING) {
		ward_assert_eq(ward_delivery_count(&out), 2);
		failures = (int)ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*/a");
		finish();
	} else {
		ward_kit_stop(scene.kit, scene.a.ref);
		ward_kit_run(scene.kit);
		script_finish(scene.kit);
	}
	return failures;
}

WARD_TEST(what_is_kept_comes_again_when_there_was_no_memory_to_take_it_up)
{
	int again = 0;
	options = plain;
	for (uint64_t n = 1; n <= 30; n++)
		again += restart_short(n) == 2;
	ward_assert(again > 0);
}

WARD_TEST_MAIN
