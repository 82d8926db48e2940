/* SPDX-License-Identifier: MIT
 *
 * test_delivery.c - at-least-once delivery: when messages are sent again, in which order, and how
 * many at most.
 *
 * Method: as job_delivery.h says. Time is virtual and exact.
 */
#include "base/clock.h"
#include "cell/system.h"
#include "job_delivery.h"

/* ---- again and again --------------------------------------------------------------------- */

WARD_TEST(message_that_is_confirmed_is_sent_once)
{
	options = plain;
	begin();
	deliver(2);
	ward_assert_eq(ward_delivery_count(&out), 0);
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	ward_kit_advance(scene.kit, 1000);
	assert_journal("1 at 0;2 at 0");
	finish();
}

WARD_TEST(message_is_sent_again_each_interval_until_it_is_confirmed)
{
	options = plain;
	begin();
	scene.silent = true;
	deliver(1);
	ward_kit_advance(scene.kit, 99);
	assert_journal("1 at 0");
	ward_kit_advance(scene.kit, 101);
	assert_journal("1 at 0;1 at 100;1 at 200");
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 1);
	confirm(1);
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	ward_kit_advance(scene.kit, 1000);
	assert_journal("1 at 0;1 at 100;1 at 200");
	finish();
}

WARD_TEST(each_message_has_its_own_interval)
{
	options = plain;
	begin();
	scene.silent = true;
	deliver(1);
	ward_kit_advance(scene.kit, 30);
	deliver(1);
	ward_kit_advance(scene.kit, 30);
	confirm(1); /* the timer is due too early now */
	ward_kit_advance(scene.kit, 200);
	assert_journal("1 at 0;2 at 30;2 at 130;2 at 230");
	finish();
}

WARD_TEST(confirmation_that_comes_late_counts_and_one_that_comes_again_does_nothing)
{
	options = plain;
	begin();
	scene.silent = true;
	deliver(1);
	ward_kit_advance(scene.kit, 100);
	ward_kit_tell(scene.kit, scene.a.ref, ward_delivered, .id = 1);
	ward_kit_tell(scene.kit, scene.a.ref, ward_delivered, .id = 1);
	ward_kit_tell(scene.kit, scene.a.ref, ward_delivered, .id = 9);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_delivery_count(&out), 0);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_UNHANDLED, "*"), 0);
	finish();
}

WARD_TEST(message_to_one_who_is_gone_is_a_dead_letter_each_time)
{
	options = plain;
	begin();
	ward_kit_stop(scene.kit, scene.b.ref);
	ward_kit_run(scene.kit);
	deliver(1);
	ward_kit_advance(scene.kit, 250);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER, "*"), 3);
	confirm(1);
	finish();
}

WARD_TEST(options_of_zero_are_those_that_are_told)
{
	options = (ward_delivery_options){.warn = note_warning};
	begin();
	scene.silent = true;
	deliver(1);
	ward_kit_advance(scene.kit, 25000);
	assert_journal("1 at 0;1 at 5000;1 at 10000;1 at 15000;1 at 20000;"
		       "warned of 1 after 5;1 at 25000");
	finish();
}

/* ---- order and bounds -------------------------------------------------------------------- */

WARD_TEST(no_more_are_sent_in_an_interval_than_may_be_and_the_first_time_in_order)
{
	options = plain;
	options.burst_max = 2;
	begin();
	deliver(5);
	assert_journal("1 at 0;2 at 0");
	ward_kit_advance(scene.kit, 99);
	ward_assert_eq(ward_delivery_count(&out), 3);
	ward_kit_advance(scene.kit, 1000);
	assert_journal("1 at 0;2 at 0;3 at 100;4 at 100;5 at 200");
	finish();
}

WARD_TEST(oldest_of_what_is_due_goes_first)
{
	options = plain;
	options.burst_max = 2;
	begin();
	scene.silent = true;
	deliver(3); /* 3 waits since 0, which is before 1 and 2 are due again */
	ward_kit_advance(scene.kit, 300);
	assert_journal("1 at 0;2 at 0;3 at 100;1 at 100;2 at 200;3 at 200;1 at 300;2 at 300");
	finish();
}

WARD_TEST(window_begins_with_what_is_sent_first_in_it)
{
	options = plain;
	options.burst_max = 2;
	begin();
	scene.silent = true;
	deliver(1);
	ward_kit_advance(scene.kit, 60);
	deliver(2);
	confirm(1);
	ward_kit_advance(scene.kit, 39);
	assert_journal("1 at 0;2 at 60");
	ward_kit_advance(scene.kit, 1);
	assert_journal("1 at 0;2 at 60;3 at 100");
	ward_kit_advance(scene.kit, 60);
	assert_journal("1 at 0;2 at 60;3 at 100;2 at 160");
	finish();
}

WARD_TEST(message_after_all_are_confirmed_waits_for_the_end_of_the_window_and_no_longer)
{
	options = plain;
	options.burst_max = 1;
	begin();
	deliver(1);
	ward_assert_eq(ward_delivery_count(&out), 0);
	ward_kit_advance(scene.kit, 50);
	deliver(1);
	ward_kit_advance(scene.kit, 1000);
	assert_journal("1 at 0;2 at 100");
	finish();
}

WARD_TEST(message_that_waits_may_be_confirmed_and_is_never_sent)
{
	options = plain;
	options.burst_max = 1;
	begin();
	deliver(4);
	confirm(2);
	confirm(4);
	ward_kit_advance(scene.kit, 1000);
	assert_journal("1 at 0;3 at 100");
	finish();
}

WARD_TEST(messages_above_the_maximum_are_refused_and_dropped)
{
	options = plain;
	options.unconfirmed_max = 3;
	begin();
	scene.silent = true;
	deliver(4);
	ward_assert_err(scene.refused, WARD_EFULL);
	ward_assert_eq(ward_delivery_count(&out), 3);
	confirm(2);
	scene.refused = WARD_OK;
	deliver(1);
	ward_assert_err(scene.refused, WARD_OK);
	assert_journal("1 at 0;2 at 0;3 at 0;4 at 0"); /* one that was refused had no id */
	finish();
}

WARD_TEST(many_messages_are_confirmed_one_by_one)
{
	options = plain;
	begin();
	scene.silent = true;
	deliver(JOBS_MAX);
	for (uint64_t id = 1; id <= JOBS_MAX; id += 2)
		confirm(id);
	ward_assert_eq(ward_delivery_count(&out), JOBS_MAX / 2);
	journal_clear();
	scene.silent = false;
	ward_kit_advance(scene.kit, 100);
	ward_assert_part(journal_text(), "2 at 100;4 at 100;6 at 100");
	ward_assert_part(journal_text(), "62 at 100;64 at 100");
	ward_assert(strstr(journal_text(), "63 at") == NULL);
	finish();
}

enum { SLOW = 4, ENOUGH = 1000 };

static int copies;
static bool is_slow; /* each copy takes a millisecond */

static void slow_drop(void *body)
{
	job_drop(body);
}

static ward_err slow_clone(void *to, const void *from)
{
	struct wardi_clock *clock = &ward_kit_system(scene.kit)->clock;
	copies++;
	if (is_slow && copies < ENOUGH) /* else it might never end */
		wardi_clock_step_to(clock, wardi_clock_now(clock) + NS_PER_MS);
	return job_clone(to, from);
}

static const ward_type slow = {
	.name = "slow", .size = sizeof(struct job), .drop = slow_drop, .clone = slow_clone};

static ward_result do_deliver_slow(ward_self *self, void *arg)
{
	(void)arg;
	for (int i = 0; i < SLOW; i++) {
		struct job job = {.block = new_block()};
		ward_deliver_send(self, &out, scene.b.ref, &slow, &job, sizeof job);
	}
	return WARD_DONE;
}

WARD_TEST(sendings_that_take_longer_than_the_interval_end)
{
	options = (ward_delivery_options){.redeliver_ms = 1};
	begin();
	script_do(scene.kit, scene.a.ref, do_deliver_slow, NULL);
	ward_kit_run(scene.kit);
	(void)!ward_simulation_advance(ward_kit_system(scene.kit),
				       ward_kit_now_ns(scene.kit) + NS_PER_MS);
	copies = 0;
	is_slow = true;
	while (copies == 0)
		ward_assert(ward_kit_step(scene.kit));
	is_slow = false;
	ward_assert_eq(copies, SLOW); /* all of this callback: each once */
	for (uint64_t id = 1; id <= SLOW; id++)
		confirm(id);
	finish();
}

WARD_TEST(to_deliver_sends_one_message_at_most)
{
	options = (ward_delivery_options){.redeliver_ms = 1};
	begin();
	copies = 0;
	is_slow = true;
	script_do(scene.kit, scene.a.ref, do_deliver_slow, NULL);
	while (copies == 0)
		ward_assert(ward_kit_step(scene.kit));
	is_slow = false;
	ward_assert(copies <= 2 * SLOW); /* one to keep, and one to send */
	ward_kit_run(scene.kit);
	for (uint64_t id = 1; id <= SLOW; id++)
		confirm(id);
	finish();
}

/* ---- warnings ---------------------------------------------------------------------------- */

WARD_TEST(owner_is_warned_once_after_so_many_sendings_and_it_goes_on)
{
	options = plain;
	options.warn_after = 2;
	begin();
	scene.silent = true;
	deliver(1);
	ward_kit_advance(scene.kit, 300);
	assert_journal("1 at 0;1 at 100;warned of 1 after 2;1 at 200;1 at 300");
	finish();
}

WARD_TEST(owner_gives_up_when_it_is_warned)
{
	options = plain;
	options.warn_after = 2;
	begin();
	scene.silent = scene.gives_up = true;
	deliver(2);
	ward_kit_advance(scene.kit, 1000);
	assert_journal("1 at 0;2 at 0;1 at 100;2 at 100;warned of 1 after 2;warned of 2 after 2");
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	finish();
}

WARD_TEST(owner_delivers_when_it_is_warned)
{
	options = plain;
	options.warn_after = 1;
	begin();
	scene.silent = scene.gives_up = scene.delivers = true;
	deliver(2);
	ward_kit_advance(scene.kit, 100);
	assert_journal("1 at 0;2 at 0;warned of 1 after 1;warned of 2 after 1;3 at 100;4 at 100");
	scene.delivers = false;
	finish();
}

static void confirm_and_look(ward_self *self, void *state, const ward_undelivered *what)
{
	const struct job *job = what->body;
	int before = blocks;
	(void)state;
	ward_assert(ward_delivery_confirm(self, &out, what->id));
	ward_assert(!ward_delivery_confirm(self, &out, what->id));
	ward_assert_eq(blocks, before); /* the body is lent until this returns */
	ward_assert_eq(job->id, what->id);
	journal_note("gives up %llu", (unsigned long long)job->id);
}

WARD_TEST(body_stays_until_the_warning_returns_that_confirms_it)
{
	options = plain;
	options.warn_after = 1;
	options.warn = confirm_and_look;
	begin();
	scene.silent = true;
	deliver(2);
	ward_kit_advance(scene.kit, 100);
	assert_journal("1 at 0;2 at 0;gives up 1;gives up 2");
	ward_assert_eq(blocks, 0);
	finish();
}

static void confirm_and_fail(ward_self *self, void *state, const ward_undelivered *what)
{
	(void)state;
	(void)!ward_delivery_confirm(self, &out, what->id);
	ward_fail(self, &ward_exception, "warned");
}

WARD_TEST(body_goes_when_the_warning_fails_that_confirmed_it)
{
	struct script parent;
	options = plain;
	options.warn_after = 1;
	options.warn = confirm_and_fail;
	begin_resumed(&parent);
	scene.silent = true;
	deliver(1);
	ward_kit_advance(scene.kit, 100);
	ward_assert_eq(ward_delivery_count(&out), 0);
	script_say(scene.kit, scene.a.ref, "word");
	ward_kit_run(scene.kit);
	ward_assert_eq(blocks, 0);
	finish();
}

static void fail_when_warned(ward_self *self, void *state, const ward_undelivered *what)
{
	(void)state;
	journal_note("fails of %llu", (unsigned long long)what->id);
	ward_fail(self, &ward_exception, "warned");
}

WARD_TEST(owner_that_fails_when_it_is_warned_and_is_resumed_goes_on)
{
	struct script parent;
	options = plain;
	options.warn_after = 1;
	options.warn = fail_when_warned;
	begin_resumed(&parent);
	scene.silent = true;
	deliver(1);
	ward_kit_advance(scene.kit, 100);
	assert_journal_of("fails of 1", "");
	ward_kit_advance(scene.kit, 50);
	deliver(1); /* after 1, which is due */
	ward_kit_advance(scene.kit, 150);
	assert_journal("1 at 0;fails of 1;1 at 200;2 at 200;fails of 2;1 at 300");
	finish();
}

WARD_TEST_MAIN
