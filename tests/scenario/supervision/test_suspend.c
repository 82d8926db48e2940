/* SPDX-License-Identifier: MIT
 *
 * test_suspend.c - suspensions are counted, and nobody is left with one (S8-S10).
 *
 * Method: see test_deferred_system_messages.c; the counts are read between two turns.
 */
#include <string.h>

#include "support/family_tree.h"

enum { ROUNDS = 40 };

/* A pre_restart that stops only c, so that the restart waits for it, and keeps the rest. */
static ward_result stop_c(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	(void)msg;
	ward_stop(self, ward_child(self, "c"));
	return WARD_DONE;
}

WARD_TEST(failed_actor_runs_no_mail_until_it_is_decided, "S8")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_RESUME;
		family_start(&f);
		script_break(f.kit, f.a.ref, &ward_exception);
		ward_kit_run_until_state(f.kit, f.a.ref, WARD_STATE_FAILED);
		script_say(f.kit, f.a.ref, "late");
		ward_kit_run(f.kit);
		assert_journal("a:break;p:decide a;a:late");
		script_finish(f.kit);
	}
}

/* Where the n-th note of this text is, or the end of the journal. */
static const char *nth_note(const char *text, int n)
{
	const char *at = strstr(journal_text(), text);
	while (at != NULL && --n > 0)
		at = strstr(at + 1, text);
	return at != NULL ? at : journal_text() + strlen(journal_text());
}

WARD_TEST(two_suspensions_need_two_resumes, "S8", "S9", "S29")
{
	/* b has its own failure and p's suspension; d, below b, has b's twice. When p is resumed
	 * for the sake of a, each loses one; only the decision about b, which g makes, too, frees
	 * them. */
	size_t seen = 0, doubled = 0;
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.b.children[0] = &d;
		f.p.decides = WARD_ESCALATE;
		family_start(&f);
		if (family_break_both(&f)) {
			seen++;
			script_say(f.kit, f.b.ref, "late");
			bool told = false;
			do {
				ward_actor_info info;
				ward_assert(ward_kit_info(f.kit, d.ref, &info));
				doubled += info.suspended == 2;
				if (info.suspended > 0 && !told)
					script_say(f.kit, d.ref, "low");
				told = told || info.suspended > 0;
			} while (ward_kit_step(f.kit));
			ward_assert(nth_note("d:low", 1) > nth_note("g:decide p", 2) || !told);
			ward_assert(nth_note("b:late", 1) > nth_note("g:decide p", 2));
			assert_journal_of("b", "break;late");
			check_well(f.kit, &d);
		}
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
	ward_assert_seen(doubled);
}

WARD_TEST(suspended_is_once_for_a_failure_with_errors_in_its_wake, "S9", "S33")
{
	/* pre_restart and post_stop fail too: each is only reported, none suspends. */
	WARD_TEST_SEEDS(10)
	{
		struct family f = FAMILY;
		f.a.traps[0] = (struct script_trap){SCRIPT_POST_STOP, .first = 1, .last = 2};
		f.a.traps[1] = (struct script_trap){SCRIPT_PRE_RESTART, .first = 2, .jumps = true};
		family_start(&f);
		for (int i = 0; i < 2; i++) {
			script_break(f.kit, f.a.ref, &ward_exception);
			ward_kit_run_until_state(f.kit, f.a.ref, WARD_STATE_FAILED);
			ward_actor_info info;
			ward_assert(ward_kit_info(f.kit, f.a.ref, &info));
			ward_assert_eq(info.suspended, 1);
			ward_kit_run(f.kit);
			check_well(f.kit, &f.a);
		}
		ward_assert(ward_kit_count(f.kit, WARD_EVENT_HOOK_FAILURE, "*/p/a") >= 2);
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*/p/a"), 2);
		script_finish(f.kit);
	}
}

WARD_TEST(suspension_goes_down_to_grandchildren, "S10")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.a.children[0] = &d;
		family_start(&f);
		script_break(f.kit, f.p.ref, &ward_exception);
		ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_FAILED);
		ward_actor_info info = {0};
		while (strstr(journal_text(), "g:decide p") == NULL && info.suspended == 0) {
			ward_assert(ward_kit_step(f.kit));
			ward_assert(ward_kit_info(f.kit, d.ref, &info));
		}
		if (info.suspended > 0) {
			seen++;
			ward_assert_eq(info.suspended, 1);
			script_say(f.kit, d.ref, "low");
			ward_kit_run(f.kit);
			ward_assert(noted_before("g:decide p", "d:low"));
			assert_journal_of("d", "low");
		}
		ward_kit_run(f.kit);
		check_well(f.kit, &d);
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

/* A pre_restart with a new child; c is stopped so that the restart waits. */
static ward_result spawn_and_stop_c(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	struct script *child = script_of(self)->arg;
	ward_assert_ok(script_spawn_child(self, child));
	return stop_c(self, why, msg);
}

WARD_TEST(child_of_a_suspended_parent_starts_suspended, "S10")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.g.decides = WARD_RESTART;
		f.p.keeps_children = true;
		f.p.pre_restart = spawn_and_stop_c;
		f.p.arg = &d;
		family_start(&f);
		script_break(f.kit, f.p.ref, &ward_exception);
		ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_RESTARTING);
		ward_actor_info info;
		ward_assert(ward_kit_info(f.kit, d.ref, &info));
		ward_assert_eq(info.suspended, 1);
		script_say(f.kit, d.ref, "early");
		ward_kit_run(f.kit);
		ward_assert(noted_before("p:post_restart", "d:early"));
		ward_assert_part(journal_text(), "d:early");
		check_well(f.kit, &d);
		script_finish(f.kit);
	}
}

/* ---- all together ------------------------------------------------------------------------ */

static ward_directive random_directive(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)child;
	(void)failure;
	uint64_t draw = ward_random(self) % 8;
	return draw == 0 ? WARD_ESCALATE : draw < 4 ? WARD_RESUME : WARD_RESTART;
}

/* Looks at every actor that is left: none may be held back. */
static void check_free(void *arg, const ward_actor_info *info)
{
	size_t *count = arg;
	if (info->suspended != 0)
		journal_note("%s is suspended %u times;", info->path, info->suspended);
	++*count;
}

WARD_TEST(both_failures_of_a_child_that_escalate_are_answered, "S7", "S9")
{
	/* All three fail at once. While p escalates a's failure and then b's, c is restarted with p
	 * and fails again, so that p gets to two failures of c together and escalates both. Each
	 * has cost c a suspension, so each must wait for its own answer from above. */
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_ESCALATE;
		f.p.keeps_children = true;
		f.g.decides = WARD_RESTART;
		f.c.traps[0] = (struct script_trap){SCRIPT_POST_RESTART, .first = 1};
		family_start(&f);
		(void)script_break_at_once(f.kit, (ward_ref[]){f.a.ref, f.b.ref, f.c.ref}, 3);
		ward_kit_run(f.kit);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		check_well(f.kit, &f.c);
		script_finish(f.kit);
	}
}

static ward_directive restart_then_escalate(ward_self *self, ward_ref child,
					    const ward_failure *failure)
{
	(void)self;
	(void)child;
	return ward_failure_is(failure, &ward_post_restart) ? WARD_ESCALATE : WARD_RESTART;
}

WARD_TEST(resume_of_a_failed_restart_restarts_the_children_of_a_suspended_actor, "S38", "S43")
{
	/* c fails, and so does its restart; p escalates that, g resumes p, and then g fails itself:
	 * so what resumes c and what suspends it reach it together and cancel each other. The
	 * Resume, which becomes a restart, then lifts no suspension; it restarts d all the same. */
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.g.decides = WARD_RESUME;
		f.g.keeps_children = f.p.keeps_children = f.c.keeps_children = true;
		f.p.decide = restart_then_escalate;
		f.c.children[0] = &d;
		f.c.traps[0] = (struct script_trap){SCRIPT_POST_RESTART, .first = 1};
		static const ward_strategy resume = {.otherwise = WARD_RESUME};
		family_start_below(&f, &resume);
		script_break(f.kit, f.c.ref, &ward_exception);
		while (strstr(journal_text(), "g:decide p") == NULL)
			ward_assert(ward_kit_step(f.kit));
		script_break(f.kit, f.g.ref, &ward_exception);
		ward_kit_run(f.kit);
		ward_assert_eq(d.calls[SCRIPT_PRE_RESTART], 1);
		check_well(f.kit, &f.c);
		check_well(f.kit, &d);
		script_finish(f.kit);
	}
}

WARD_TEST(nobody_stays_suspended_after_a_storm_of_failures, "S8", "S9", "S26")
{
	static const ward_strategy one = {.decide = random_directive};
	static const ward_strategy all = {.scope = WARD_ALL_FOR_ONE, .decide = random_directive};
	WARD_TEST_SEEDS(100)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"}, e = {.name = "e"};
		struct script *everybody[] = {&f.g, &f.p, &f.a, &f.b, &f.c, &d, &e};
		f.g.strategy = &one;
		f.p.strategy = &all;
		f.a.strategy = &all;
		f.a.children[0] = &d;
		f.a.children[1] = &e;
		f.b.keeps_children = true;
		f.a.keeps_children = ward_test_seed() % 2 == 0;
		f.p.keeps_children = ward_test_seed() % 3 == 0;
		f.b.traps[0] = (struct script_trap){SCRIPT_PRE_RESTART, .first = 2, .last = 3};
		f.c.traps[0] = (struct script_trap){SCRIPT_POST_RESTART, .first = 2};
		d.traps[0] = (struct script_trap){SCRIPT_INIT, .first = 2};
		family_start(&f);
		uint64_t draw = ward_test_seed() * UINT64_C(0x9e3779b97f4a7c15);
		for (int i = 0; i < 60; i++) {
			draw = draw * UINT64_C(6364136223846793005) + 1442695040888963407U;
			script_break(f.kit, everybody[1 + (draw >> 33) % 6]->ref, &ward_exception);
			if ((draw >> 60) != 0)
				ward_kit_step(f.kit);
		}
		ward_kit_run(f.kit);
		journal_clear();
		size_t count = 0;
		ward_system_actors(ward_kit_system(f.kit), check_free, &count);
		assert_journal("");
		ward_assert(count >= 3);
		script_finish(f.kit);
	}
}

WARD_TEST_MAIN
