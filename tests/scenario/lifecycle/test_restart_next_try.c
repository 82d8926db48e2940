/* SPDX-License-Identifier: MIT
 *
 * test_restart_next_try.c - the next try after a restart that failed: what the broken incarnation
 * made goes, what worked before it stays (S38, S42).
 *
 * Method: an actor that spawns under one name in post_restart, or in init, and fails after it, once
 * or more often; the journal tells who started and who ended.
 */
#include <stdio.h>

#include "support/family_tree.h"

enum { ROUNDS = 60 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

/* How often `what` was noted. */
static size_t noted(const char *what)
{
	size_t count = 0;
	for (const char *at = journal_text(); (at = strstr(at, what)) != NULL; at++)
		count++;
	return count;
}

/* Spawns the script that is its argument, under its one name, and watches it. */
static ward_result make(ward_self *self, void *arg)
{
	struct script *child = arg;
	ward_assert_ok(script_spawn_child(self, child));
	ward_assert_ok(ward_try_watch(self, child->ref));
	return WARD_DONE;
}

static ward_result make_again(ward_self *self, const ward_failure *why)
{
	(void)why;
	return make(self, script_of(self)->arg);
}

/* a makes d, above e, in its restarts and not at its first start, so that nothing of the one is in
 * the way of the other; the first `failing` tries fail after that. */
struct again {
	struct family f;
	struct script d, e;
};

static void again_start(struct again *t, uint32_t failing)
{
	*t = (struct again){.f = FAMILY, .d = {.name = "d"}, .e = {.name = "e"}};
	t->d.children[0] = &t->e;
	t->f.a.arg = &t->d;
	t->f.a.post_restart = make_again;
	t->f.a.traps[0] =
		(struct script_trap){SCRIPT_POST_RESTART, .first = failing != 0, .last = failing};
	family_start(&t->f);
}

static void check_made(struct again *t, uint32_t tries)
{
	ward_assert_eq(t->f.a.calls[SCRIPT_POST_RESTART], tries);
	check_well(t->f.kit, &t->f.a);
	check_well(t->f.kit, &t->d);
	check_well(t->f.kit, &t->e);
	ward_actor_info d;
	ward_assert(ward_kit_info(t->f.kit, t->d.ref, &d));
	ward_assert_eq(d.incarnation, 1); /* the last one's own, not a survivor */
}

WARD_TEST(next_try_stops_what_the_broken_incarnation_made, "S38")
{
	for (uint32_t failing = 0; failing <= 4; failing++) {
		WARD_TEST_SEEDS(ROUNDS)
		{
			struct again t;
			again_start(&t, failing);
			script_break(t.f.kit, t.f.a.ref, &bad_luck);
			ward_kit_run(t.f.kit);
			/* Each that came to live ended before the next try. */
			ward_assert_eq(noted("d:init"), noted("d:post_stop") + 1);
			ward_assert_eq(noted("e:init"), noted("e:post_stop") + 1);
			check_made(&t, failing + 1);
			script_finish(t.f.kit);
		}
	}
}

WARD_TEST(resume_that_became_a_restart_does_so_too, "S38")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct again t;
		again_start(&t, 2);
		script_break(t.f.kit, t.f.a.ref, &bad_luck);
		while (ward_kit_state(t.f.kit, t.f.a.ref) != WARD_STATE_RESTART_FAILED)
			ward_assert(ward_kit_step(t.f.kit));
		t.f.p.decides = WARD_RESUME;
		ward_kit_run(t.f.kit);
		check_made(&t, 3);
		script_finish(t.f.kit);
	}
}

static ward_directive resume_later(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	return ward_failure_is(failure, &ward_post_restart) ? WARD_RESUME : WARD_RESTART;
}

WARD_TEST(resume_after_each_failed_restart_stops_what_it_made, "S38")
{
	struct again t;
	again_start(&t, 3);
	t.f.p.decide = resume_later;
	script_break(t.f.kit, t.f.a.ref, &bad_luck);
	ward_kit_run(t.f.kit);
	ward_assert_eq(ward_kit_count(t.f.kit, WARD_EVENT_NOTE, "*/p/a"), 3);
	check_made(&t, 4);
	script_finish(t.f.kit);
}

WARD_TEST(init_that_fails_leaves_no_name_behind, "S38")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.a.init = make;
		f.a.arg = &d;
		f.a.traps[0] = (struct script_trap){SCRIPT_INIT, .first = 2, .last = 4};
		family_start(&f);
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run(f.kit);
		ward_assert_eq(f.a.calls[SCRIPT_INIT], 5);
		check_well(f.kit, &f.a);
		check_well(f.kit, &d);
		script_finish(f.kit);
	}
}

WARD_TEST(survivors_of_earlier_incarnations_stay, "S38", "S35")
{
	/* p keeps a, b and c, and makes d in each of its restarts, the first two of which fail. */
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.g.decides = WARD_RESTART;
		f.p.keeps_children = true;
		f.p.arg = &d;
		f.p.post_restart = make_again;
		f.p.traps[0] = (struct script_trap){SCRIPT_POST_RESTART, .first = 1, .last = 2};
		family_start(&f);
		ward_ref a = f.a.ref, b = f.b.ref;
		script_break(f.kit, f.p.ref, &bad_luck);
		ward_kit_run(f.kit);
		ward_assert(ward_ref_equal(a, f.a.ref) && ward_ref_equal(b, f.b.ref));
		ward_actor_info info;
		ward_assert(ward_kit_info(f.kit, a, &info));
		ward_assert_eq(info.incarnation, 2); /* once, when the restart came about */
		ward_assert(ward_kit_info(f.kit, d.ref, &info));
		ward_assert_eq(info.incarnation, 1);
		check_well(f.kit, &f.p);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		check_well(f.kit, &f.c);
		check_well(f.kit, &d);
		script_finish(f.kit);
	}
}

WARD_TEST(survivor_that_is_told_to_stop_is_awaited_with_them, "S38", "S34")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.g.decides = WARD_RESTART;
		f.p.keeps_children = true;
		f.p.arg = &d;
		f.p.post_restart = make_again;
		f.p.traps[0] = (struct script_trap){SCRIPT_POST_RESTART, .first = 1};
		family_start(&f);
		script_break(f.kit, f.p.ref, &bad_luck);
		ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_RESTART_FAILED);
		ward_ref b = f.b.ref;
		ward_system_stop(ward_kit_system(f.kit), b);
		while (ward_kit_step(f.kit))
			seen += ward_kit_state(f.kit, f.p.ref) == WARD_STATE_RESTARTING;
		ward_assert_state(f.kit, b, WARD_STATE_GONE);
		check_well(f.kit, &f.p);
		check_well(f.kit, &f.a);
		check_well(f.kit, &d);
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(stop_while_it_waits_for_them_wins, "S38", "S41")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct again t;
		again_start(&t, 100);
		script_break(t.f.kit, t.f.a.ref, &bad_luck);
		ward_kit_run_until_state(t.f.kit, t.f.a.ref, WARD_STATE_RESTART_FAILED);
		ward_kit_run_until_state(t.f.kit, t.f.a.ref, WARD_STATE_RESTARTING);
		uint32_t tries = t.f.a.calls[SCRIPT_POST_RESTART];
		ward_system_stop(ward_kit_system(t.f.kit), t.f.a.ref);
		seen += ward_kit_state(t.f.kit, t.f.a.ref) == WARD_STATE_RESTARTING;
		ward_kit_run(t.f.kit);
		ward_assert_eq(t.f.a.calls[SCRIPT_POST_RESTART], tries);
		ward_assert_state(t.f.kit, t.f.a.ref, WARD_STATE_GONE);
		ward_assert_state(t.f.kit, t.d.ref, WARD_STATE_GONE);
		ward_assert_eq(noted("d:init"), noted("d:post_stop"));
		check_well(t.f.kit, &t.f.b);
		script_finish(t.f.kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(restart_of_all_while_it_waits_for_them_comes_after, "S38", "S5")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(200)
	{
		struct again t;
		again_start(&t, 1);
		t.f.p.strategy = &script_all;
		script_break(t.f.kit, t.f.a.ref, &bad_luck);
		ward_kit_run_until_state(t.f.kit, t.f.a.ref, WARD_STATE_RESTART_FAILED);
		ward_kit_run_until_state(t.f.kit, t.f.a.ref, WARD_STATE_RESTARTING);
		script_break(t.f.kit, t.f.b.ref, &bad_luck);
		while (ward_kit_state(t.f.kit, t.f.a.ref) == WARD_STATE_RESTARTING &&
		       ward_kit_step(t.f.kit))
			seen += ward_kit_state(t.f.kit, t.f.b.ref) == WARD_STATE_FAILED;
		ward_kit_run(t.f.kit);
		check_well(t.f.kit, &t.f.a);
		check_well(t.f.kit, &t.f.b);
		check_well(t.f.kit, &t.d);
		script_finish(t.f.kit);
	}
	ward_assert_seen(seen);
}

/* A death that the next try does not know of must not be its death. */
static ward_result unhandled(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, ward_terminated) != NULL)
		journal_note("%s:terminated", script_of(self)->name);
	return WARD_UNHANDLED;
}

WARD_TEST(end_of_what_was_made_is_not_heard_by_the_next_try, "S38", "S42", "S67")
{
	for (int first_start = 0; first_start < 2; first_start++) {
		WARD_TEST_SEEDS(ROUNDS)
		{
			struct again t;
			if (first_start) {
				t = (struct again){
					.f = FAMILY, .d = {.name = "d"}, .e = {.name = "e"}};
				t.f.a.pre_start = make;
				t.f.a.arg = &t.d;
				t.f.a.receive = unhandled;
				t.f.a.traps[0] = (struct script_trap){SCRIPT_PRE_START, .first = 1,
								      .last = 2};
				t.f.p.children[0] = &t.f.a;
				t.f.kit = script_start(NULL);
				script_spawn(t.f.kit, &t.f.p);
				ward_kit_run(t.f.kit);
				ward_assert_eq(t.f.a.calls[SCRIPT_PRE_START], 3);
			} else {
				again_start(&t, 2);
				t.f.a.receive = unhandled;
				script_break(t.f.kit, t.f.a.ref, &bad_luck);
				ward_kit_run(t.f.kit);
				ward_assert_eq(t.f.a.calls[SCRIPT_POST_RESTART], 3);
			}
			ward_assert_eq(noted("a:terminated"), 0);
			check_well(t.f.kit, &t.f.a);
			check_well(t.f.kit, &t.d);
			script_finish(t.f.kit);
		}
	}
}

WARD_TEST_MAIN
