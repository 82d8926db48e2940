/* SPDX-License-Identifier: MIT
 *
 * test_restart_failed.c - restarts and first starts that fail, and orders that come at the wrong
 * moment (S37-S39, S41, S42, S48).
 *
 * Method: traps in the hooks of one actor; the journal tells which hooks ran on which instance.
 */
#include <stdio.h>

#include "support/family_tree.h"

enum { ROUNDS = 40 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
static const ward_failure_class bad_day = {.name = "bad_day", .parent = &ward_exception};

/* ---- S37, S38: a restart that fails ------------------------------------------------------ */

/* Of the last failure that note_chain() saw. */
static char last_text[WARD_EVENT_TEXT];

static ward_directive note_chain(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)child;
	for (const ward_failure *at = failure; at != NULL; at = ward_failure_cause(at))
		journal_note("%s", ward_failure_class_of(at)->name);
	snprintf(last_text, sizeof(last_text), "%s", ward_failure_text(failure));
	journal_note("root %s", ward_failure_class_of(ward_failure_root(failure))->name);
	return script_of(self)->decides;
}

WARD_TEST(failed_restart_is_a_new_failure_with_both_causes, "S37")
{
	const enum script_hook hooks[] = {SCRIPT_INIT, SCRIPT_PRE_START, SCRIPT_POST_RESTART};
	for (int i = 0; i < 3; i++) {
		struct family f = FAMILY;
		f.p.decide = note_chain;
		f.a.traps[0] = (struct script_trap){
			hooks[i], .first = hooks[i] == SCRIPT_POST_RESTART ? 1 : 2,
			.failure_class = &bad_day};
		family_start(&f);
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run(f.kit);
		ward_assert_part(journal_text(), "p:decide a;bad_luck;root bad_luck;a:pre_restart");
		ward_assert_part(journal_text(),
				 "p:decide a;ward_post_restart;bad_day;bad_luck;root bad_luck");
		const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 1);
		ward_assert_str(event->failure_class, "ward_post_restart");
		/* The failure names the path; its event, which has the path, what went wrong
		 * (S30). */
		ward_assert_part(last_text, "sim/user/g/p/a: trap");
		ward_assert_part(event->text, "trap");
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

WARD_TEST(broken_instance_never_gets_pre_restart, "S37", "S38")
{
	struct family f = FAMILY;
	f.a.traps[0] = (struct script_trap){SCRIPT_INIT, .first = 2, .last = 4};
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	assert_journal_of("a", "break;pre_restart;post_stop;init;init;init;init;post_restart;"
			       "pre_start");
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

WARD_TEST(nested_failed_restarts_lead_to_the_first_cause, "S37")
{
	struct family f = FAMILY;
	f.p.decide = note_chain;
	f.a.traps[0] =
		(struct script_trap){SCRIPT_INIT, .first = 2, .last = 3, .failure_class = &bad_day};
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	ward_assert_part(journal_text(),
			 "ward_post_restart;bad_day;ward_post_restart;bad_day;bad_luck;"
			 "root bad_luck");
	script_finish(f.kit);
}

WARD_TEST(survivors_of_a_failed_restart_are_suspended_once, "S37")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_RESTART;
		f.p.keeps_children = true;
		f.p.traps[0] = (struct script_trap){SCRIPT_POST_RESTART, .first = 1};
		family_start(&f);
		script_break(f.kit, f.p.ref, &bad_luck);
		ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_RESTART_FAILED);
		while (ward_kit_state(f.kit, f.p.ref) == WARD_STATE_RESTART_FAILED) {
			ward_actor_info a;
			ward_assert(ward_kit_info(f.kit, f.a.ref, &a));
			ward_assert(a.suspended <= 1);
			seen += a.suspended == 1;
			ward_assert(ward_kit_step(f.kit));
		}
		ward_kit_run(f.kit);
		check_well(f.kit, &f.p);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

static ward_directive resume_second(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	return ward_failure_is(failure, &ward_post_restart) ? WARD_RESUME : WARD_RESTART;
}

WARD_TEST(resume_after_a_failed_restart_is_a_restart, "S38")
{
	struct family f = FAMILY;
	f.p.decide = resume_second;
	f.a.traps[0] = (struct script_trap){SCRIPT_POST_RESTART, .first = 1};
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	script_say(f.kit, f.a.ref, "later");
	ward_kit_run(f.kit);
	assert_journal_of("a", "break;pre_restart;post_stop;init;post_restart;pre_start;init;"
			       "post_restart;pre_start;later");
	const ward_event *note = ward_kit_event(f.kit, WARD_EVENT_NOTE, "*/p/a", 0);
	ward_assert_eq(note->level, WARD_LEVEL_SEVERE);
	ward_assert_part(note->text, "changing Resume into Restart");
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

WARD_TEST(successful_restart_makes_the_actor_whole_again, "S39")
{
	/* After a failed restart and a good one: pre_restart is run again, a resume is a resume,
	 * and a second failure while one is open is ignored. */
	struct family f = FAMILY;
	f.a.traps[0] = (struct script_trap){SCRIPT_INIT, .first = 2};
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	journal_clear();
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	assert_journal_of("a", "break;pre_restart;post_stop;init;post_restart;pre_start");
	journal_clear();
	ward_kit_forget_events(f.kit);
	f.p.decides = WARD_RESUME;
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	assert_journal("a:break;p:decide a");
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_NOTE, "*"), 0);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

/* Stops the actor in the parent's decision about its failed restart. */
static ward_directive stop_second(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	return ward_failure_is(failure, &ward_post_restart) ? WARD_STOP : WARD_RESTART;
}

WARD_TEST(post_stop_runs_at_most_once_for_each_instance, "S48")
{
	/* A factory that failed left no instance; one whose post_restart failed is one. */
	const struct {
		enum script_hook hook;
		uint32_t first;
		const char *wanted;
	} cases[] = {
		{SCRIPT_INIT, 2, "break;pre_restart;post_stop;init"},
		{SCRIPT_POST_RESTART, 1,
		 "break;pre_restart;post_stop;init;post_restart;pre_start;post_stop"},
	};
	for (int i = 0; i < 2; i++) {
		struct family f = FAMILY;
		f.p.decide = stop_second;
		f.a.traps[0] = (struct script_trap){cases[i].hook, .first = cases[i].first};
		family_start(&f);
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run(f.kit);
		ward_assert_str(journal_of("a"), cases[i].wanted);
		ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
		script_finish(f.kit);
	}
}

WARD_TEST(two_restarts_in_one_that_fail_leave_a_survivor_with_the_right_balance, "S26", "S37", "S9")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script s = {.name = "s"};
		f.p.strategy = &script_all;
		f.a.keeps_children = true;
		f.a.children[0] = &s;
		f.a.traps[0] = (struct script_trap){SCRIPT_POST_RESTART, .first = 1};
		family_start(&f);
		seen += family_break_both(&f);
		ward_kit_run(f.kit);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		check_well(f.kit, &s);
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(stop_during_a_restart_runs_post_stop_once, "S48", "S41")
{
	/* With the default hook post_stop has run; with one that keeps children it has not. */
	for (int keeps = 0; keeps < 2; keeps++) {
		WARD_TEST_SEEDS(ROUNDS)
		{
			struct family f = FAMILY;
			f.g.decides = WARD_RESTART;
			family_start(&f);
			script_break(f.kit, f.p.ref, &bad_luck);
			if (keeps) {
				f.p.keeps_children = true;
				ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_FAILED);
			} else {
				ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_RESTARTING);
			}
			ward_system_stop(ward_kit_system(f.kit), f.p.ref);
			ward_kit_run(f.kit);
			size_t stops = 0;
			const char *at = journal_of("p");
			while ((at = strstr(at, "post_stop")) != NULL) {
				stops++;
				at++;
			}
			ward_assert_eq(stops, 1);
			ward_assert_state(f.kit, f.p.ref, WARD_STATE_GONE);
			script_finish(f.kit);
		}
	}
}

/* ---- S41: orders that come too late ------------------------------------------------------ */

WARD_TEST(stopping_actor_is_not_restarted_and_keeps_its_balance, "S41", "S5")
{
	/* c waits for its own child to end when a's failure restarts all. */
	size_t seen = 0;
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.p.strategy = &script_all;
		f.c.children[0] = &d;
		family_start(&f);
		ward_system_stop(ward_kit_system(f.kit), f.c.ref);
		script_break(f.kit, f.a.ref, &bad_luck);
		while (strstr(journal_text(), "p:decide a") == NULL)
			ward_assert(ward_kit_step(f.kit));
		while (ward_kit_state(f.kit, f.c.ref) == WARD_STATE_STOPPING) {
			ward_actor_info c;
			ward_assert(ward_kit_info(f.kit, f.c.ref, &c));
			seen++;
			ward_assert(c.suspended >= 1);
			ward_assert(ward_kit_step(f.kit));
		}
		ward_kit_run(f.kit);
		assert_journal_of("c", "post_stop");
		assert_journal_of("d", "post_stop");
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(restart_that_waits_is_not_started_twice, "S41", "S5")
{
	/* b's failure restarts a group of which c still waits for its child in the first
	 * restart. */
	size_t seen = 0;
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.p.strategy = &script_all;
		f.c.children[0] = &d;
		family_start(&f);
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run_until_state(f.kit, f.c.ref, WARD_STATE_RESTARTING);
		if (ward_kit_state(f.kit, f.b.ref) == WARD_STATE_RUNNING) {
			script_break(f.kit, f.b.ref, &bad_luck);
			while (strstr(journal_text(), "p:decide b") == NULL && ward_kit_step(f.kit))
				;
			seen += ward_kit_state(f.kit, f.c.ref) == WARD_STATE_RESTARTING;
		}
		ward_kit_run(f.kit);
		ward_actor_info c;
		ward_assert(ward_kit_info(f.kit, f.c.ref, &c));
		ward_assert_eq(c.suspended, 0);
		check_well(f.kit, &f.c);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

/* ---- S42: a first start that fails ------------------------------------------------------- */

WARD_TEST(failed_start_is_one_of_initialization_and_names_the_path, "S42")
{
	const enum script_hook hooks[] = {SCRIPT_INIT, SCRIPT_PRE_START};
	for (int i = 0; i < 2; i++) {
		struct family f = FAMILY;
		f.p.decide = note_chain;
		f.p.decides = WARD_STOP;
		f.a.traps[0] =
			(struct script_trap){hooks[i], .first = 1, .failure_class = &bad_day};
		f.p.children[0] = &f.a;
		f.kit = script_start(NULL);
		script_spawn(f.kit, &f.p);
		ward_assert_part(journal_text(),
				 "p:decide a;ward_initialization;bad_day;root bad_day");
		const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0);
		ward_assert_str(event->failure_class, "ward_initialization");
		ward_assert_part(last_text, "sim/user/p/a: trap");
		ward_assert_part(event->text, "trap");
		/* It never was an actor, so nothing stops it. */
		ward_assert_str(journal_of("a"), i == 0 ? "init" : "init;pre_start");
		ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
		script_finish(f.kit);
	}
}

WARD_TEST(restart_and_resume_of_a_failed_start_try_again, "S42")
{
	for (ward_directive directive = WARD_RESUME; directive <= WARD_RESTART; directive++) {
		struct family f = FAMILY;
		f.p.decides = directive;
		f.a.traps[0] = (struct script_trap){SCRIPT_PRE_START, .first = 1, .last = 2};
		f.p.children[0] = &f.a;
		f.kit = script_start(NULL);
		script_spawn(f.kit, &f.p);
		/* pre_start and not post_restart, also the last time. */
		assert_journal_of("a", "init;pre_start;init;pre_start;init;pre_start");
		const ward_event *note = ward_kit_event(f.kit, WARD_EVENT_NOTE, "*/p/a", 0);
		ward_assert_part(note->text, directive == WARD_RESUME
						     ? "changing Resume into Create"
						     : "changing Restart into Create");
		ward_assert_eq(ward_kit_stats(f.kit).restarts, 0);
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

/* Spawns d under a fixed name in pre_start, before the trap. */
static ward_result spawn_d(ward_self *self, void *arg)
{
	ward_assert_ok(script_spawn_child(self, arg));
	return WARD_DONE;
}

WARD_TEST(new_try_stops_and_awaits_the_children_of_the_failed_one, "S42")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"}, e = {.name = "e"};
		d.children[0] = &e;
		f.a.pre_start = spawn_d;
		f.a.arg = &d;
		f.a.traps[0] = (struct script_trap){SCRIPT_PRE_START, .first = 1};
		f.p.children[0] = &f.a;
		f.kit = script_start(NULL);
		script_spawn(f.kit, &f.p);
		assert_journal_of("a", "init;pre_start;init;pre_start");
		/* Where the first d came to live at all, it ended before the second try. */
		if (d.calls[SCRIPT_INIT] == 2) {
			const char *second = strstr(strstr(journal_text(), "a:init") + 1, "a:init");
			const char *end = strstr(journal_text(), "d:post_stop");
			ward_assert(end != NULL && end < second);
		}
		ward_assert_state(f.kit, d.ref, WARD_STATE_RUNNING);
		check_well(f.kit, &e);
		script_finish(f.kit);
	}
}

static const ward_strategy two_restarts = {.otherwise = WARD_RESTART, .restarts_max = 2};

WARD_TEST(tries_are_charged_to_the_limit, "S42", "S71")
{
	struct family f = FAMILY;
	f.p.strategy = &two_restarts;
	f.a.traps[0] = (struct script_trap){SCRIPT_PRE_START, .first = 1, .last = SCRIPT_ALWAYS};
	f.p.children[0] = &f.a;
	f.kit = script_start(NULL);
	script_spawn(f.kit, &f.p);
	ward_assert_eq(f.a.calls[SCRIPT_PRE_START], 3);
	ward_assert_eq(f.a.calls[SCRIPT_POST_STOP], 0);
	ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
	script_finish(f.kit);
}

static void note_release(void *arg)
{
	journal_note("%s", (const char *)arg);
}

static ward_result own_something(ward_self *self, void *arg)
{
	ward_defer(self, note_release, arg);
	return WARD_DONE;
}

WARD_TEST(what_a_failed_start_owned_is_released, "S42", "S35")
{
	/* At a new try, and at a stop without post_stop. */
	for (ward_directive directive = WARD_RESTART; directive <= WARD_STOP; directive++) {
		struct family f = FAMILY;
		f.p.decides = directive;
		f.a.init = own_something;
		f.a.arg = "a:released";
		f.a.traps[0] = (struct script_trap){SCRIPT_INIT, .first = 1};
		f.p.children[0] = &f.a;
		f.kit = script_start(NULL);
		script_spawn(f.kit, &f.p);
		assert_journal_of("a", directive == WARD_STOP ? "init;released"
							      : "init;released;init;pre_start");
		script_finish(f.kit);
	}
}

WARD_TEST(mail_waits_for_a_start_that_succeeds, "S42", "S44")
{
	struct family f = FAMILY;
	f.a.traps[0] = (struct script_trap){SCRIPT_INIT, .first = 1};
	f.p.children[0] = &f.a;
	f.kit = script_start(NULL);
	ward_kit_spawn_props(f.kit, script_props(&f.p));
	while (strstr(journal_text(), "a:init") == NULL) {
		ward_assert(ward_kit_step(f.kit));
		if (!ward_ref_is_nobody(f.a.ref))
			break;
	}
	script_say(f.kit, f.a.ref, "hello");
	ward_kit_run(f.kit);
	assert_journal_of("a", "init;init;pre_start;hello");
	script_finish(f.kit);
}

WARD_TEST(survivors_of_one_that_was_not_suspended_wait_with_it, "S38")
{
	struct family f = FAMILY;
	struct script d = {.name = "d"};
	f.p.strategy = &script_all;
	f.b.children[0] = &d;
	f.b.keeps_children = true;
	f.b.traps[0] = (struct script_trap){.hook = SCRIPT_POST_RESTART, .first = 1};
	family_start(&f);
	/* a fails, and b, which has not, is restarted with it; then b fails at that. */
	script_break(f.kit, f.a.ref, &ward_exception);
	ward_kit_run(f.kit);
	ward_assert_eq(f.b.calls[SCRIPT_POST_RESTART], 2);
	check_well(f.kit, &f.b);
	check_well(f.kit, &d);
	script_finish(f.kit);
}

WARD_TEST_MAIN
