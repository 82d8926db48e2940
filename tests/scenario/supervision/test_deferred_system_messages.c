/* SPDX-License-Identifier: MIT
 *
 * test_deferred_system_messages.c - the gate that defers system messages of a suspended or waiting
 * actor (S5-S7).
 *
 * Method: two reports reach a parent in one turn when both children fail before it looks; the first
 * is escalated, so the second meets a closed gate. Or the parent spawns children that fail at their
 * start in the very call in which it fails itself.
 */
#include <stdio.h>
#include <string.h>

#include "support/family_tree.h"

enum { ROUNDS = 40 };

/* Spawns the children in the list, then fails: so these can fail while their parent is failed. */
static ward_result spawn_and_fail(ward_self *self, void *arg)
{
	for (struct script **child = arg; *child != NULL; child++)
		ward_assert_ok(script_spawn_child(self, *child));
	return ward_failed(self, &ward_exception, "with new children");
}

#define FAILS_AT_START                                                                             \
	{                                                                                          \
		{                                                                                  \
			SCRIPT_PRE_START, .first = 1                                               \
		}                                                                                  \
	}

WARD_TEST(suspended_parent_decides_only_after_it_is_resumed, "S5", "S7")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d", .traps = FAILS_AT_START};
		struct script *list[] = {&d, NULL};
		family_start(&f);
		script_do(f.kit, f.p.ref, spawn_and_fail, list);
		ward_kit_run(f.kit);
		ward_assert(noted_before("g:decide p", "p:decide d"));
		assert_journal_of("p", "decide d");
		assert_journal_of("d", "init;pre_start;init;pre_start");
		seen += noted_before("d:pre_start", "g:decide p");
		check_well(f.kit, &d);
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

static ward_directive escalate_a(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)failure;
	journal_note("p:is %u", ward_incarnation(self));
	return strcmp(script_name(child), "a") == 0 ? WARD_ESCALATE : WARD_RESTART;
}

WARD_TEST(failure_behind_an_escalated_one_waits_for_the_decision_above, "S5", "S7")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decide = escalate_a;
		family_start(&f);
		if (family_break_both(&f)) {
			seen++;
			ward_kit_run(f.kit);
			assert_journal(
				"a:break;b:break;p:decide a;p:is 1;g:decide p;"
				"p:decide b;p:is 1;"
				"b:pre_restart;b:post_stop;b:init;b:post_restart;b:pre_start");
		}
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(waiting_failure_is_decided_by_the_incarnation_then_in_place, "S7", "S5")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_RESTART;
		f.p.decide = escalate_a;
		f.p.keeps_children = true;
		family_start(&f);
		if (family_break_both(&f)) {
			seen++;
			ward_kit_run(f.kit);
			assert_journal_of("p", "decide a;is 1;pre_restart;init;post_restart;"
					       "pre_start;decide b;is 2");
			check_well(f.kit, &f.a);
			check_well(f.kit, &f.b);
		}
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

/* A pre_restart that stops only c, so that the restart waits for it, and keeps the rest. */
static ward_result stop_c(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	(void)msg;
	ward_stop(self, ward_child(self, "c"));
	return WARD_DONE;
}

WARD_TEST(restart_that_waits_for_children_defers_failures, "S5", "S7")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_RESTART;
		f.p.decide = escalate_a;
		f.p.keeps_children = true;
		f.p.pre_restart = stop_c;
		family_start(&f);
		if (family_break_both(&f)) {
			seen++;
			ward_kit_run(f.kit);
			ward_assert(noted_before("c:post_stop", "p:init"));
			assert_journal_of("p", "decide a;is 1;pre_restart;init;post_restart;"
					       "pre_start;decide b;is 2");
		}
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(restart_that_waits_for_children_defers_suspensions, "S5", "S9")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script top = {.name = "top",
				     .strategy = &script_one,
				     .decides = WARD_RESUME,
				     .children = {&f.g}};
		f.g.children[0] = &f.p;
		f.g.decides = WARD_RESTART;
		f.p.children[0] = &f.a;
		f.kit = script_start(NULL);
		script_spawn(f.kit, &top);
		journal_clear();

		script_break(f.kit, f.p.ref, &ward_exception);
		ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_RESTARTING);
		script_break(f.kit, f.g.ref, &ward_exception);
		ward_actor_info info;
		while (ward_kit_state(f.kit, f.p.ref) == WARD_STATE_RESTARTING) {
			ward_assert(ward_kit_info(f.kit, f.p.ref, &info));
			ward_assert_eq(info.suspended, 1);
			ward_assert(ward_kit_step(f.kit));
		}
		ward_kit_run(f.kit);
		assert_journal_of("top", "decide g");
		check_well(f.kit, &f.g);
		check_well(f.kit, &f.p);
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

WARD_TEST(restart_that_waits_for_children_does_not_defer_a_stop, "S5")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_RESTART;
		family_start(&f);
		script_break(f.kit, f.p.ref, &ward_exception);
		ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_RESTARTING);
		ward_system_stop(ward_kit_system(f.kit), f.p.ref);
		ward_kit_run(f.kit);
		/* post_stop ran in pre_restart, and the restart never came to a new instance. */
		assert_journal_of("p", "break;pre_restart;post_stop");
		ward_assert_state(f.kit, f.p.ref, WARD_STATE_GONE);
		script_finish(f.kit);
	}
}

WARD_TEST(deferred_failures_are_decided_in_order_of_arrival, "S6")
{
	/* d, e and c's replacement fail whenever their turn comes: before p is failed for good,
	 * while it waits, or after it was resumed; some of their reports are deferred, some are
	 * not. */
	size_t seen = 0;
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d", .traps = FAILS_AT_START};
		struct script e = {.name = "e", .traps = FAILS_AT_START};
		struct script h = {.name = "h", .traps = FAILS_AT_START};
		struct script *list[] = {&d, &e, &h, NULL};
		f.p.decides = WARD_STOP;
		family_start(&f);
		script_do(f.kit, f.p.ref, spawn_and_fail, list);
		ward_kit_run(f.kit);

		/* The order of failing is that of the pre_start notes. */
		char wanted[128] = "";
		for (const char *at = journal_text(); (at = strstr(at, ":pre_start")) != NULL;
		     at++) {
			size_t used = strlen(wanted);
			snprintf(wanted + used, sizeof(wanted) - used, "%sdecide %c",
				 used > 0 ? ";" : "", at[-1]);
		}
		ward_assert_str(journal_of("p"), wanted);
		seen += noted_before("pre_start", "g:decide p") &&
			noted_before("g:decide p", "h:pre_start");
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(replayed_failure_is_deferred_again_when_the_gate_closes_again, "S6")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_ESCALATE;
		family_start(&f);
		if (script_break_at_once(f.kit, (ward_ref[]){f.a.ref, f.b.ref, f.c.ref}, 3)) {
			seen++;
			ward_kit_run(f.kit);
			assert_journal("a:break;b:break;c:break;p:decide a;g:decide p;"
				       "p:decide b;g:decide p;p:decide c;g:decide p");
			check_well(f.kit, &f.a);
			check_well(f.kit, &f.b);
			check_well(f.kit, &f.c);
		}
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(deferred_failures_end_in_silence_when_the_parent_stops, "S6")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_STOP;
		f.p.decide = escalate_a;
		family_start(&f);
		if (family_break_both(&f)) {
			seen++;
			ward_kit_run(f.kit);
			assert_journal_of("p", "decide a;is 1;post_stop");
			ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*/p/b"), 0);
			ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
			ward_assert_state(f.kit, f.b.ref, WARD_STATE_GONE);
		}
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

static ward_result spawn(ward_self *self, void *arg)
{
	ward_assert_ok(script_spawn_child(self, arg));
	return WARD_DONE;
}

WARD_TEST(children_whose_failure_was_never_decided_leave_room_for_others, "S6")
{
	/* p is stopped with b's report in hand, again and again, in a system of few actors. */
	size_t seen = 0;
	struct family f = FAMILY;
	f.g.children[0] = &f.p;
	f.p.children[0] = &f.a;
	f.p.children[1] = &f.b;
	f.g.decides = WARD_STOP;
	f.p.decides = WARD_ESCALATE;
	f.kit = script_start(&(ward_kit_options){.system.actors_max = 12});
	script_spawn(f.kit, &f.g);
	for (int i = 0; seen <= 12; i++) {
		ward_assert(i < 1000);
		seen += family_break_both(&f);
		ward_kit_run(f.kit);
		ward_assert_state(f.kit, f.p.ref, WARD_STATE_GONE);
		script_do(f.kit, f.g.ref, spawn, &f.p);
		ward_kit_run(f.kit);
		ward_assert_state(f.kit, f.b.ref, WARD_STATE_RUNNING);
	}
	script_finish(f.kit);
}

WARD_TEST_MAIN
