/* SPDX-License-Identifier: MIT
 *
 * test_postponed_decision_meanwhile.c - what may happen to a child while a decision about it is
 * due: stops, restarts of its parent or of all, the end of the system.
 *
 * Method: a family whose p has put a failure of a off. In the end nobody is suspended, and
 * script_finish() misses nothing: not the failure that was kept, not a cell.
 */
#include "postponed_decision.h"

#define RESTARTED "pre_restart;post_stop;init;post_restart;pre_start"

enum { ROUNDS = 40 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
WARD_TEST_FAILURE_CLASSES(&bad_luck);

static void break_and_run(struct family *f, const struct script *who)
{
	script_break(f->kit, who->ref, &bad_luck);
	ward_kit_run(f->kit);
}

/* Only a is put off. */
static ward_directive put_a_off(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)failure;
	return strcmp(script_name(child), "a") == 0 ? WARD_LATER : script_of(self)->decides;
}

static ward_directive put_b_off(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)failure;
	return strcmp(script_name(child), "b") == 0 ? WARD_LATER : script_of(self)->decides;
}

static void start_and_put_off(struct family *f)
{
	f->p.decide = put_a_off;
	family_start(f);
	break_and_run(f, &f->a);
	ward_assert_state(f->kit, f->a.ref, WARD_STATE_FAILED);
	journal_clear();
}

static void check_all_well(struct family *f)
{
	check_well(f->kit, &f->p);
	check_well(f->kit, &f->a);
	check_well(f->kit, &f->b);
	check_well(f->kit, &f->c);
}

/* ---- the child ----------------------------------------------------------------------------- */

static ward_result stop_and_decide(ward_self *self, void *arg)
{
	const struct script *child = arg;
	ward_stop(self, child->ref);
	ward_assert_err(ward_decide(self, child->ref, WARD_RESTART), WARD_ESTOPPING);
	ward_assert_part(ward_err_detail(), "told to stop");
	return WARD_DONE;
}

WARD_TEST(stop_by_the_parent_wins_and_the_failure_is_forgotten, "S41", "S45")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		start_and_put_off(&f);
		ward_kit_forget_events(f.kit);
		script_do(f.kit, f.p.ref, stop_and_decide, &f.a);
		ward_kit_run(f.kit);
		assert_journal("a:post_stop");
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 0);
		try_to_decide(&f, &f.a, WARD_RESTART, WARD_ENOENT);
		script_finish(f.kit);
	}
}

static ward_result decide_if_it_is_there(ward_self *self, void *arg)
{
	const struct script *child = arg;
	ward_err err = ward_decide(self, child->ref, WARD_RESTART);
	ward_assert(err == WARD_OK || err == WARD_ENOENT);
	journal_note(err == WARD_OK ? "decided" : "too late");
	return WARD_DONE;
}

WARD_TEST(stop_by_somebody_else_wins_too, "S41", "S45")
{
	size_t decided = 0, too_late = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		start_and_put_off(&f);
		ward_system_stop(ward_kit_system(f.kit), f.a.ref);
		script_do(f.kit, f.p.ref, decide_if_it_is_there, &f.a);
		ward_kit_run(f.kit);
		assert_journal_of("a", "post_stop");
		ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
		decided += strstr(journal_text(), "decided") != NULL;
		too_late += strstr(journal_text(), "too late") != NULL;
		script_finish(f.kit);
	}
	ward_assert_seen(decided);
	ward_assert_seen(too_late);
}

static ward_result spawn(ward_self *self, void *arg)
{
	ward_assert_ok(script_spawn_child(self, arg));
	return WARD_DONE;
}

WARD_TEST(next_life_of_the_cell_has_no_failure_that_waits)
{
	struct family f = FAMILY;
	struct script d = {.name = "d"};
	start_and_put_off(&f);
	ward_system_stop(ward_kit_system(f.kit), f.a.ref);
	ward_kit_run(f.kit);
	script_do(f.kit, f.p.ref, spawn, &d);
	ward_kit_run(f.kit);
	ward_assert_eq((uint32_t)d.ref.uid, (uint32_t)f.a.ref.uid); /* the same slot */
	try_to_decide(&f, &d, WARD_RESTART, WARD_ENOENT);
	break_and_run(&f, &d);
	check_well(f.kit, &d);
	script_finish(f.kit);
}

WARD_TEST(child_that_waits_cannot_fail_again, "S13")
{
	struct family f = FAMILY;
	start_and_put_off(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	break_and_run(&f, &f.a);
	assert_journal("");
	decide(&f, &f.a, WARD_RESUME); /* and the next one in its mailbox fails */
	assert_journal("a:break;p:decide a");
	decide(&f, &f.a, WARD_RESUME);
	assert_journal("a:break;p:decide a;a:break;p:decide a");
	decide(&f, &f.a, WARD_RESUME);
	check_all_well(&f);
	script_finish(f.kit);
}

WARD_TEST(grandchild_fails_and_is_decided_about_when_the_child_goes_on, "S7")
{
	static const ward_directive directives[] = {WARD_RESUME, WARD_RESTART};
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.a.strategy = &script_one;
		f.a.decides = WARD_RESTART;
		f.a.keeps_children = true;
		f.a.children[0] = &d;
		f.p.decide = put_a_off;
		family_start(&f);
		script_break(f.kit, d.ref, &bad_luck);
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run(f.kit);
		decide(&f, &f.a, directives[ward_test_seed() % 2]);
		ward_assert_part(journal_text(), "a:decide d");
		check_all_well(&f);
		check_well(f.kit, &d);
		script_finish(f.kit);
	}
}

/* ---- siblings, all for one ----------------------------------------------------------------- */

WARD_TEST(restart_of_all_answers_a_failure_that_waits, "S24", "S9")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.strategy = &script_all;
		start_and_put_off(&f);
		break_and_run(&f, &f.b);
		assert_journal_of("a", RESTARTED);
		try_to_decide(&f, &f.a, WARD_RESTART, WARD_ENOENT);
		check_all_well(&f);
		break_and_run(&f, &f.a); /* and the next one waits as the first did */
		check_waits(&f, &f.a, 1);
		decide(&f, &f.a, WARD_RESTART);
		check_all_well(&f);
		script_finish(f.kit);
	}
}

static const ward_strategy all_once = {
	.scope = WARD_ALL_FOR_ONE, .decide = script_decide, .restarts_max = 1};

/* The restart was ordered before its failure was put off. It waits all the same, and another one
 * would exceed the limit. */
WARD_TEST(restart_decided_later_is_none_where_a_sibling_has_brought_it, "S26")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.leaves_mail = true; /* where they did not fail at once */
		f.p.strategy = &all_once;
		f.p.decide = put_b_off;
		family_start(&f);
		if (family_break_both(&f)) {
			seen++;
			ward_kit_run(f.kit);
			assert_journal_of("p", "decide a;decide b");
			assert_journal_of("b", "break;" RESTARTED);
			check_waits(&f, &f.b, 1);
			decide(&f, &f.b, WARD_RESTART);
			assert_journal("b:mail");
			try_to_decide(&f, &f.b, WARD_RESTART, WARD_ENOENT);
			check_all_well(&f);
		}
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(resume_of_a_sibling_leaves_it_waiting, "S22")
{
	struct family f = FAMILY;
	f.p.strategy = &script_all;
	f.p.decides = WARD_RESUME;
	start_and_put_off(&f);
	break_and_run(&f, &f.b);
	check_waits(&f, &f.a, 1);
	decide(&f, &f.a, WARD_RESUME);
	check_all_well(&f);
	script_finish(f.kit);
}

WARD_TEST(stop_of_all_stops_it, "S25")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.strategy = &script_all;
		f.p.decides = WARD_STOP;
		start_and_put_off(&f);
		break_and_run(&f, &f.b);
		ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
		check_well(f.kit, &f.p);
		script_finish(f.kit);
	}
}

/* ---- the parent ---------------------------------------------------------------------------- */

WARD_TEST(resume_of_the_parent_leaves_it_waiting, "S29")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		start_and_put_off(&f);
		break_and_run(&f, &f.p);
		check_waits(&f, &f.a, 1);
		decide(&f, &f.a, ward_test_seed() % 2 ? WARD_RESUME : WARD_RESTART);
		check_all_well(&f);
		script_finish(f.kit);
	}
}

WARD_TEST(escalation_of_a_sibling_leaves_it_waiting, "S29", "S28")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_ESCALATE;
		start_and_put_off(&f);
		break_and_run(&f, &f.b);
		check_waits(&f, &f.a, 1);
		decide(&f, &f.a, WARD_RESUME);
		check_all_well(&f);
		script_finish(f.kit);
	}
}

WARD_TEST(restart_of_the_parent_stops_it_by_default, "S32")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_RESTART;
		start_and_put_off(&f);
		struct script old = f.a;
		break_and_run(&f, &f.p);
		ward_assert_state(f.kit, old.ref, WARD_STATE_GONE);
		assert_journal_of("a", "post_stop;init;pre_start");
		check_all_well(&f);
		script_finish(f.kit);
	}
}

WARD_TEST(restart_of_a_parent_that_keeps_it_answers_its_failure, "S35", "S43", "S9")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.g.decides = WARD_RESTART;
		f.p.keeps_children = f.a.keeps_children = true;
		f.a.children[0] = &d;
		start_and_put_off(&f);
		break_and_run(&f, &f.p);
		assert_journal_of("a", "pre_restart;init;post_restart;pre_start");
		assert_journal_of("d", RESTARTED);
		try_to_decide(&f, &f.a, WARD_RESUME, WARD_ENOENT);
		check_all_well(&f);
		check_well(f.kit, &d);
		script_finish(f.kit);
	}
}

WARD_TEST(failed_restart_of_the_parent_does_not_lose_it, "S37", "S9")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_RESTART;
		f.p.keeps_children = true;
		f.p.traps[0] = (struct script_trap){SCRIPT_POST_RESTART, .first = 1, .last = 2};
		start_and_put_off(&f);
		break_and_run(&f, &f.p);
		assert_journal_of("a", RESTARTED);
		check_all_well(&f);
		script_finish(f.kit);
	}
}

/* The parent decides in a hook of its own restart, in the old instance or in the new one. */
static ward_result decide_in_hook(ward_self *self)
{
	ward_directive directive = *(const ward_directive *)script_of(self)->arg;
	ward_assert_ok(ward_decide(self, ward_child(self, "a"), directive));
	ward_assert_err(ward_decide(self, ward_child(self, "a"), directive),
			directive == WARD_STOP ? WARD_ESTOPPING : WARD_ENOENT);
	return WARD_DONE;
}

static ward_result decide_in_pre_restart(ward_self *self, const ward_failure *why,
					 const ward_msg *msg)
{
	(void)why;
	(void)msg;
	return decide_in_hook(self);
}

static ward_result decide_in_post_restart(ward_self *self, const ward_failure *why)
{
	(void)why;
	return decide_in_hook(self);
}

WARD_TEST(parent_may_decide_while_it_is_restarted, "S35", "S43", "S9")
{
	const ward_strategy *strategies[] = {&script_one, &script_all};
	WARD_TEST_SEEDS(ROUNDS)
	{
		for (ward_directive directive = WARD_RESUME; directive <= WARD_STOP; directive++) {
			struct family f = FAMILY;
			struct script old;
			f.g.decides = WARD_RESTART;
			f.p.keeps_children = true;
			f.p.arg = &directive;
			f.p.strategy = strategies[ward_test_seed() / 2 % 2];
			if (ward_test_seed() % 2 == 0)
				f.p.pre_restart = decide_in_pre_restart;
			else
				f.p.post_restart = decide_in_post_restart;
			start_and_put_off(&f);
			old = f.a;
			break_and_run(&f, &f.p);
			if (directive == WARD_STOP)
				ward_assert_state(f.kit, old.ref, WARD_STATE_GONE);
			else
				check_all_well(&f);
			check_well(f.kit, &f.p);
			script_finish(f.kit);
		}
	}
}

WARD_TEST(stop_of_the_parent_takes_it_along, "S45", "S46")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		start_and_put_off(&f);
		ward_system_stop(ward_kit_system(f.kit), f.p.ref);
		ward_kit_run(f.kit);
		ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
		ward_assert_state(f.kit, f.p.ref, WARD_STATE_GONE);
		script_finish(f.kit);
	}
}

WARD_TEST(system_ends_while_a_decision_is_due, "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		start_and_put_off(&f);
		ward_system_shutdown(ward_kit_system(f.kit), NULL);
		script_finish(f.kit);
	}
}

WARD_TEST_MAIN
