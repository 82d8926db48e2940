/* SPDX-License-Identifier: MIT
 *
 * test_timers.c - timers of actors: once, fixed delay, fixed rate; cancelled, replaced, and gone
 * with the incarnation (S44, S87).
 *
 * Method: virtual time. pass() lets time pass without a turn of any actor, so that ticks wait in
 * the mailbox or are missed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cell/system.h"
#include "support/script.h"

enum { NS_PER_MS = 1000 * 1000, KEY = 7, OTHER = 8 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

struct scene {
	ward_kit *kit;
	struct script a;
};

static int64_t now_ms(const ward_kit *kit)
{
	return ward_kit_now_ns(kit) / NS_PER_MS;
}

/* Time passes, timers fire, and nobody has a turn. */
static void pass(ward_kit *kit, int64_t ms)
{
	int64_t until_ns = ward_kit_now_ns(kit) + ms * NS_PER_MS;
	while (ward_simulation_advance(ward_kit_system(kit), until_ns))
		;
}

/* The same in one jump: what is due meanwhile fires late. */
static void jump(ward_kit *kit, int64_t ms)
{
	int64_t to_ns = ward_kit_now_ns(kit) + ms * NS_PER_MS;
	wardi_clock_step_to(&ward_kit_system(kit)->clock, to_ns);
	while (ward_simulation_advance(ward_kit_system(kit), to_ns))
		;
}

static ward_err start_word(ward_self *self, const ward_timer *timer, const char *text)
{
	struct script_word word = script_word(text, &(struct script_word){0});
	return ward_try_timer_start(self, timer, &ward_type_script_word, &word, sizeof(word));
}

/* What the next start_timer() starts. */
static ward_timer wanted;
static const ward_type *wanted_type;

static ward_result start_timer(ward_self *self, void *arg)
{
	ward_assert_ok(start_word(self, &wanted, arg));
	ward_assert(ward_timer_open(self, wanted.key));
	return WARD_DONE;
}

static ward_result cancel_timer(ward_self *self, void *arg)
{
	(void)arg;
	ward_timer_cancel(self, KEY);
	ward_assert(!ward_timer_open(self, KEY));
	return WARD_DONE;
}

static ward_kit *the_kit;

static ward_result note_tick(ward_self *self, const ward_msg *msg)
{
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	if (word == NULL || word->text[0] == '\0' || word->breaks != NULL)
		return WARD_UNHANDLED;
	ward_assert(ward_ref_equal(ward_msg_sender(msg), ward_self_ref(self)));
	journal_note("%s*%d at %d%s", word->text, (int)ward_timer_periods(self),
		     (int)now_ms(the_kit), ward_timer_open(self, KEY) ? "" : ", over");
	return WARD_DONE;
}

static void start(struct scene *scene)
{
	scene->a.name = "a";
	if (scene->a.receive == NULL)
		scene->a.receive = note_tick;
	scene->kit = script_start(NULL);
	the_kit = scene->kit;
	/* Begin at a round time, so that notes can be read. */
	ward_kit_advance(scene->kit, WARD_SECOND - now_ms(scene->kit));
	script_spawn(scene->kit, &scene->a);
	journal_clear();
}

static void begin(struct scene *scene, ward_timer timer, const char *text)
{
	wanted = timer;
	script_do(scene->kit, scene->a.ref, start_timer, (void *)(uintptr_t)text);
	ward_kit_run(scene->kit);
}

/* ---- the three modes --------------------------------------------------------------------- */

WARD_TEST(timer_once_ticks_once_and_is_over, "S87")
{
	struct scene scene = {0};
	start(&scene);
	begin(&scene, (ward_timer){.key = KEY, .after_ms = 10}, "tick");
	ward_kit_advance(scene.kit, 9);
	assert_journal("");
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 1);
	ward_kit_advance(scene.kit, 100);
	assert_journal("tick*1 at 1010, over");
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	script_finish(scene.kit);
}

WARD_TEST(timer_of_no_time_ticks_after_what_waits_already, "S87")
{
	struct scene scene = {0};
	start(&scene);
	begin(&scene, (ward_timer){.key = KEY}, "tick");
	ward_kit_advance(scene.kit, 0);
	assert_journal("tick*1 at 1000, over");
	script_finish(scene.kit);
}

WARD_TEST(timer_with_a_fixed_delay_repeats, "S87")
{
	struct scene scene = {0};
	start(&scene);
	begin(&scene,
	      (ward_timer){
		      .key = KEY, .mode = WARD_TIMER_FIXED_DELAY, .after_ms = 5, .every_ms = 20},
	      "tick");
	ward_kit_advance(scene.kit, 50);
	assert_journal("tick*1 at 1005;tick*1 at 1025;tick*1 at 1045");
	script_finish(scene.kit);
}

WARD_TEST(fixed_rate_keeps_to_the_clock_and_fixed_delay_to_the_last_tick, "S87")
{
	/* The clock jumps over three due times at once. */
	const struct {
		ward_timer_mode mode;
		const char *wanted;
	} cases[] = {
		{WARD_TIMER_FIXED_RATE, "tick*3 at 1035;tick*1 at 1040;tick*1 at 1050"},
		{WARD_TIMER_FIXED_DELAY, "tick*1 at 1035;tick*1 at 1045;tick*1 at 1055"},
	};
	for (int i = 0; i < 2; i++) {
		struct scene scene = {0};
		start(&scene);
		begin(&scene, (ward_timer){.key = KEY, .mode = cases[i].mode, .after_ms = 10},
		      "tick");
		jump(scene.kit, 35);
		ward_kit_run(scene.kit);
		ward_kit_advance(scene.kit, i == 0 ? 15 : 20);
		assert_journal(cases[i].wanted);
		script_finish(scene.kit);
	}
}

WARD_TEST(missed_ticks_are_one_with_a_count, "S87")
{
	struct scene scene = {0};
	start(&scene);
	begin(&scene, (ward_timer){.key = KEY, .mode = WARD_TIMER_FIXED_RATE, .after_ms = 10},
	      "tick");
	pass(scene.kit, 45);
	ward_kit_run(scene.kit);
	ward_kit_advance(scene.kit, 10);
	assert_journal("tick*4 at 1045;tick*1 at 1050");
	script_finish(scene.kit);
}

static ward_result note_periods(ward_self *self, void *arg)
{
	(void)arg;
	journal_note("periods %d", (int)ward_timer_periods(self));
	return WARD_DONE;
}

WARD_TEST(periods_are_told_while_a_tick_is_handled_only, "S87")
{
	struct scene scene = {0};
	start(&scene);
	begin(&scene, (ward_timer){.key = KEY, .mode = WARD_TIMER_FIXED_RATE, .after_ms = 10},
	      "tick");
	pass(scene.kit, 25);
	script_do(scene.kit, scene.a.ref, note_periods, NULL);
	ward_kit_run(scene.kit);
	assert_journal("tick*2 at 1025;periods 0");
	script_finish(scene.kit);
}

/* ---- cancelled, replaced ----------------------------------------------------------------- */

WARD_TEST(cancelled_timer_is_never_seen, "S87")
{
	for (ward_timer_mode mode = WARD_TIMER_ONCE; mode <= WARD_TIMER_FIXED_RATE; mode++) {
		struct scene scene = {0};
		start(&scene);
		begin(&scene, (ward_timer){.key = KEY, .mode = mode, .after_ms = 10}, "tick");
		/* The order to cancel is read first, with the tick behind it in the mailbox. */
		script_do(scene.kit, scene.a.ref, cancel_timer, NULL);
		pass(scene.kit, 15);
		ward_kit_run(scene.kit);
		ward_kit_advance(scene.kit, 100);
		assert_journal("");
		ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
		ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
		script_finish(scene.kit);
	}
}

WARD_TEST(replaced_timer_is_never_seen_and_the_new_one_is, "S87")
{
	for (ward_timer_mode mode = WARD_TIMER_ONCE; mode <= WARD_TIMER_FIXED_RATE; mode++) {
		struct scene scene = {0};
		start(&scene);
		begin(&scene, (ward_timer){.key = KEY, .mode = mode, .after_ms = 10}, "old");
		wanted = (ward_timer){.key = KEY, .after_ms = 10};
		script_do(scene.kit, scene.a.ref, start_timer, "new");
		pass(scene.kit, 15);
		ward_kit_run(scene.kit);
		ward_kit_advance(scene.kit, 100);
		assert_journal("new*1 at 1025, over");
		script_finish(scene.kit);
	}
}

WARD_TEST(timer_started_again_by_its_own_tick, "S87")
{
	struct scene scene = {0};
	start(&scene);
	for (int i = 0; i < 3; i++) {
		begin(&scene, (ward_timer){.key = KEY, .after_ms = 10}, "tick");
		ward_kit_advance(scene.kit, 10);
	}
	assert_journal("tick*1 at 1010, over;tick*1 at 1020, over;tick*1 at 1030, over");
	script_finish(scene.kit);
}

WARD_TEST(keys_are_independent_of_each_other, "S87")
{
	struct scene scene = {0};
	start(&scene);
	begin(&scene, (ward_timer){.key = KEY, .after_ms = 10}, "one");
	begin(&scene, (ward_timer){.key = OTHER, .after_ms = 20}, "two");
	script_do(scene.kit, scene.a.ref, cancel_timer, NULL);
	ward_kit_advance(scene.kit, 100);
	assert_journal("two*1 at 1020, over");
	script_finish(scene.kit);
}

/* ---- with the incarnation ---------------------------------------------------------------- */

static ward_result look_at_timers(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	(void)msg;
	journal_note("timer is %s", ward_timer_open(self, KEY) ? "on" : "off");
	return WARD_DONE;
}

WARD_TEST(timers_end_before_pre_restart_and_waiting_ticks_with_them, "S87", "S44")
{
	struct scene scene = {.a = {.pre_restart = look_at_timers}};
	start(&scene);
	begin(&scene, (ward_timer){.key = KEY, .mode = WARD_TIMER_FIXED_RATE, .after_ms = 10},
	      "tick");
	script_break(scene.kit, scene.a.ref, &bad_luck);
	pass(scene.kit, 15); /* a tick waits behind the word that breaks */
	ward_kit_run(scene.kit);
	ward_kit_advance(scene.kit, 100);
	assert_journal("a:break;a:pre_restart;timer is off;a:post_stop;a:init;a:post_restart;"
		       "a:pre_start");
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	script_finish(scene.kit);
}

WARD_TEST(timers_end_at_a_stop_without_dead_letters, "S87")
{
	struct scene scene = {0};
	start(&scene);
	begin(&scene, (ward_timer){.key = KEY, .mode = WARD_TIMER_FIXED_RATE, .after_ms = 10},
	      "tick");
	begin(&scene, (ward_timer){.key = OTHER, .after_ms = 1000}, "late");
	pass(scene.kit, 15);
	ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
	ward_kit_run(scene.kit);
	assert_journal("a:post_stop");
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
	script_finish(scene.kit);
}

static ward_result start_in_post_stop(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(start_word(self, &(ward_timer){.key = KEY, .after_ms = 10}, "never"));
	return WARD_DONE;
}

WARD_TEST(timer_started_in_post_stop_goes_with_the_actor, "S87")
{
	/* At a stop, and at a restart, where the default hook runs post_stop. */
	for (int stops = 0; stops < 2; stops++) {
		struct scene scene = {.a = {.post_stop = start_in_post_stop}};
		start(&scene);
		if (stops)
			ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
		else
			script_break(scene.kit, scene.a.ref, &bad_luck);
		ward_kit_run(scene.kit);
		ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
		journal_clear();
		ward_kit_advance(scene.kit, 100);
		assert_journal("");
		script_finish(scene.kit);
	}
}

WARD_TEST(timer_goes_on_over_a_resume, "S87", "S22")
{
	static const ward_strategy resuming = {.otherwise = WARD_RESUME};
	struct scene scene = {.a = {.name = "a", .receive = note_tick}};
	scene.kit = script_start(&(ward_kit_options){.system.user_strategy = &resuming});
	the_kit = scene.kit;
	script_spawn(scene.kit, &scene.a);
	begin(&scene, (ward_timer){.key = KEY, .mode = WARD_TIMER_FIXED_RATE, .after_ms = 10},
	      "tick");
	script_break(scene.kit, scene.a.ref, &bad_luck);
	ward_kit_run(scene.kit);
	journal_clear();
	ward_kit_advance(scene.kit, 20);
	ward_assert_part(journal_text(), "tick*1");
	script_finish(scene.kit);
}

/* ---- what it refuses, what it owns ------------------------------------------------------- */

struct moved_only {
	int *drops;
};

static void drop_moved_only(struct moved_only *body)
{
	if (body->drops != NULL)
		++*body->drops;
}
WARD_MESSAGE_DROP(moved_only, drop_moved_only);

static ward_result start_wrong_timers(ward_self *self, void *arg)
{
	int *drops = arg;
	struct moved_only body = {drops};
	ward_assert_err(
		ward_try_timer_start(self, NULL, &ward_type_moved_only, &body, sizeof(body)),
		WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "a timer: it is NULL");
	ward_assert_err(start_word(self, &(ward_timer){.after_ms = -1}, "x"), WARD_EINVAL);
	ward_assert_err(
		start_word(self, &(ward_timer){.mode = WARD_TIMER_FIXED_RATE, .every_ms = -1}, "x"),
		WARD_EINVAL);
	ward_assert_err(start_word(self, &(ward_timer){.mode = WARD_TIMER_FIXED_RATE}, "x"),
			WARD_EINVAL);
	ward_assert_err(start_word(self, &(ward_timer){.mode = WARD_TIMER_FIXED_DELAY}, "x"),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "a timer: it repeats, so .every_ms must be above 0");
	ward_assert_err(start_word(self, &(ward_timer){.after_ms = 1, .every_ms = 1}, "x"),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), ".every_ms is set, so .mode must be one that repeats");
	ward_assert_err(start_word(self, &(ward_timer){.mode = (ward_timer_mode)3}, "x"),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "a timer: .mode is 3, which is not");
	ward_assert_err(start_word(self, &(ward_timer){.reserved = {1}}, "x"), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "reserved");
	ward_assert_err(ward_try_timer_start(self, &(ward_timer){.after_ms = 1}, NULL, NULL, 0),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "needs a type, this one is NULL");
	ward_assert_err(ward_try_timer_start(self, &(ward_timer){.after_ms = 1},
					     &ward_type_moved_only, &body, 1),
			WARD_ESIZE);
	ward_assert_part(ward_err_detail(), "message \"moved_only\": 1 bytes do not fit");
	/* Wrong in two ways: what does not fit its type is not dropped either. */
	ward_assert_err(ward_try_timer_start(self, NULL, &ward_type_moved_only, &body, 1),
			WARD_EINVAL);
	ward_assert_err(ward_try_timer_start(
				self, &(ward_timer){.mode = WARD_TIMER_FIXED_RATE, .every_ms = 1},
				&ward_type_moved_only, &body, sizeof(body)),
			WARD_EUNIQUE);
	ward_assert_part(ward_err_detail(), "\"moved_only\" owns things and has no clone");
	ward_assert_eq(*drops, 2); /* each that was refused, once */
	ward_timer_cancel(self, 12345);
	return WARD_DONE;
}

WARD_TEST(wrong_timers_are_refused_and_their_bodies_dropped)
{
	struct scene scene = {0};
	int drops = 0;
	start(&scene);
	script_do(scene.kit, scene.a.ref, start_wrong_timers, &drops);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert_eq(drops, 2);
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	script_finish(scene.kit);
}

static ward_result start_moved_only(ward_self *self, void *arg)
{
	struct moved_only body = {arg};
	ward_assert_ok(ward_try_timer_start(self, &(ward_timer){.key = KEY, .after_ms = 10},
					    &ward_type_moved_only, &body, sizeof(body)));
	return WARD_DONE;
}

WARD_TEST(body_of_a_timer_is_dropped_once_whatever_becomes_of_it)
{
	/* delivered, cancelled, replaced, stopped, restarted, due and stopped */
	for (int way = 0; way < 6; way++) {
		struct scene scene = {0};
		int drops = 0;
		start(&scene);
		script_do(scene.kit, scene.a.ref, start_moved_only, &drops);
		ward_kit_run(scene.kit);
		ward_assert_eq(drops, 0);
		if (way == 0)
			ward_kit_advance(scene.kit, 20);
		if (way == 1)
			script_do(scene.kit, scene.a.ref, cancel_timer, NULL);
		if (way == 2)
			begin(&scene, (ward_timer){.key = KEY, .after_ms = 10}, "");
		if (way == 3)
			ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
		if (way == 4)
			script_break(scene.kit, scene.a.ref, &bad_luck);
		if (way == 5) {
			pass(scene.kit, 20);
			ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
		}
		ward_kit_run(scene.kit);
		ward_assert_eq(drops, 1);
		script_finish(scene.kit);
		ward_assert_eq(drops, 1);
	}
}

static ward_result start_special(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_timer_start(self, &wanted, wanted_type, NULL, 0));
	return WARD_DONE;
}

/* A timer whose message is one that the runtime looks at. */
static void begin_special(struct scene *scene, const ward_type *type, ward_timer_mode mode)
{
	wanted = (ward_timer){.key = KEY, .mode = mode, .after_ms = 10};
	wanted_type = type;
	start(scene);
	script_do(scene->kit, scene->a.ref, start_special, NULL);
	ward_kit_advance(scene->kit, 35);
}

WARD_TEST(pill_and_kill_of_a_timer_act_as_such, "S87", "S50", "S90")
{
	const ward_type *types[] = {&ward_type_ward_poison_pill, &ward_type_ward_kill};
	for (ward_timer_mode mode = WARD_TIMER_ONCE; mode <= WARD_TIMER_FIXED_RATE; mode++) {
		for (int i = 0; i < 2; i++) {
			struct scene scene = {0};
			begin_special(&scene, types[i], mode);
			assert_journal("a:post_stop");
			ward_assert_state(scene.kit, scene.a.ref, WARD_STATE_GONE);
			ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), i == 1);
			ward_assert_eq(ward_kit_stats(scene.kit).unhandled, 0);
			script_finish(scene.kit);
		}
	}
}

WARD_TEST(timer_cannot_forge_what_only_the_runtime_sends, "S87", "S63", "S90")
{
	const ward_type *types[] = {&ward_type_ward_terminated, &ward_type_ward_fd_ready,
				    &ward_type_ward_receive_timeout};
	for (int i = 0; i < 3; i++) {
		struct scene scene = {0};
		begin_special(&scene, types[i], WARD_TIMER_FIXED_RATE);
		assert_journal("");
		ward_assert_eq(ward_kit_stats(scene.kit).unhandled, 0);
		ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
		script_finish(scene.kit);
	}
}

/* The sum of the counts that note_tick() noted. */
static int periods_noted(void)
{
	int sum = 0;
	for (const char *at = journal_text(); (at = strstr(at, "tick*")) != NULL; at++)
		sum += atoi(at + strlen("tick*"));
	return sum;
}

WARD_TEST(tick_that_finds_no_memory_fails_the_actor_or_comes_later, "S87")
{
	size_t failed = 0, went_on = 0;
	for (uint64_t nth = 1; nth < 12; nth++) {
		struct scene scene = {0};
		start(&scene);
		begin(&scene,
		      (ward_timer){.key = KEY, .mode = WARD_TIMER_FIXED_RATE, .after_ms = 10},
		      "tick");
		ward_kit_fail_allocation(scene.kit, nth);
		ward_kit_advance(scene.kit, 55);
		ward_kit_fail_allocation(scene.kit, 0);
		ward_kit_advance(scene.kit, 10);
		if (ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*") > 0) {
			ward_assert_str(ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0)
						->failure_class,
					"ward_out_of_memory");
			failed++;
		} else {
			ward_assert_eq(periods_noted(), 6);
			went_on++;
		}
		script_finish(scene.kit);
	}
	ward_assert(failed > 0);
	ward_assert(went_on > 0);
}

/* ---- very many --------------------------------------------------------------------------- */

/* So many that a search among all of them for each would not come to an end. Not many where the
 * case begins again for each allocation. */
enum { MANY = 100 * 1000, FEW = 20 };

static uint64_t timers_wanted(void)
{
	return ward_test_shortage() ? FEW : MANY;
}

/* Each is started twice, and every third is cancelled: from the middle outwards and back. */
static ward_result start_many(ward_self *self, void *arg)
{
	uint64_t count = timers_wanted();
	(void)arg;
	for (uint64_t i = 0; i < 2 * count; i++)
		if (start_word(self,
			       &(ward_timer){.key = 1 + i * 7919 % count,
					     .after_ms = (int64_t)(1000 + i % 100)},
			       "") != WARD_OK)
			return ward_failed(self, &bad_luck, "no timer");
	for (uint64_t i = 0; i < count; i += 3)
		ward_timer_cancel(self, 1 + i * 104729 % count);
	return WARD_DONE;
}

static uint64_t ticks;

static ward_result count_tick(ward_self *self, const ward_msg *msg)
{
	if (ward_msg_body(msg, &ward_type_script_word) == NULL ||
	    !ward_ref_equal(ward_msg_sender(msg), ward_self_ref(self)))
		return WARD_UNHANDLED;
	ticks++;
	return WARD_DONE;
}

WARD_TEST(very_many_timers_of_one_actor_are_each_found_by_key, "S87")
{
	struct script a = {.name = "a", .receive = count_tick};
	uint64_t count = timers_wanted();
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	ticks = 0;
	script_do(kit, a.ref, start_many, NULL);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).timers, count - (count + 2) / 3);
	ward_kit_advance(kit, 2 * WARD_SECOND);
	ward_assert_eq(ticks, count - (count + 2) / 3);
	ward_assert_eq(ward_kit_stats(kit).timers, 0);
	script_finish(kit);
}

WARD_TEST_MAIN
