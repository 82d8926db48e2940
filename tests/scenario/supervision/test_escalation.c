/* SPDX-License-Identifier: MIT
 *
 * test_escalation.c - a failure on its way up, and the decision on its way down (S27-S29).
 *
 * Method: a family whose p escalates and whose g decides; then what became of p, of the child that
 * failed, and of its sibling.
 */
#include <string.h>

#include <ward/codec.h>

#include "support/family_tree.h"

enum { ROUNDS = 40 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
WARD_TEST_FAILURE_CLASSES(&bad_luck);

/* ---- S27 --------------------------------------------------------------------------------- */

static ward_directive note_whole_failure(ward_self *self, ward_ref child,
					 const ward_failure *failure)
{
	(void)child;
	journal_note("%s of %s: %s", ward_failure_class_of(failure)->name,
		     script_name(ward_failure_actor(failure)), ward_failure_text(failure));
	ward_assert(ward_failure_class_of(failure) == &bad_luck);
	ward_assert(ward_failure_cause(failure) == NULL);
	ward_assert(ward_failure_root(failure) == failure);
	return script_of(self)->decides;
}

struct evidence {
	int number;
};
WARD_MESSAGE_FIELDS(evidence, 1, WARD_FIELD(INT, evidence, number));

static ward_result fail_with_evidence(ward_self *self, void *arg)
{
	(void)arg;
	return ward_failed_with(self, &bad_luck, evidence, .number = 42);
}

static ward_directive note_evidence(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	const struct evidence *body = ward_failure_body(failure, evidence);
	ward_assert(body != NULL);
	ward_assert(ward_failure_body_of(failure, &ward_type_script_word) == NULL);
	ward_assert_str(ward_failure_text(failure), "evidence");
	journal_note("evidence %d", body->number);
	return WARD_RESUME;
}

WARD_TEST(escalated_failure_is_the_identical_one, "S27")
{
	WARD_TEST_SEEDS(10)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_ESCALATE;
		f.g.decide = note_whole_failure;
		family_start(&f);
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run(f.kit);
		assert_journal("a:break;p:decide a;g:decide p;bad_luck of a: break");
		script_finish(f.kit);
	}
}

WARD_TEST(escalated_failure_keeps_its_body, "S27")
{
	struct family f = FAMILY;
	f.p.decides = WARD_ESCALATE;
	f.g.decide = note_evidence;
	family_start(&f);
	script_do(f.kit, f.a.ref, fail_with_evidence, NULL);
	ward_kit_run(f.kit);
	assert_journal("p:decide a;g:decide p;evidence 42");
	script_finish(f.kit);
}

WARD_TEST(escalation_is_logged_once_where_it_is_decided, "S27", "S30")
{
	struct family f = FAMILY;
	f.p.decides = WARD_ESCALATE;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 1);
	ward_assert_eq(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "sim/user/g/p", 0)->directive,
		       WARD_RESUME);
	script_finish(f.kit);
}

WARD_TEST(escalation_suspends_the_siblings_until_it_is_decided, "S27", "S12")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_ESCALATE;
		family_start(&f);
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_FAILED);
		script_say(f.kit, f.a.ref, "late");
		script_say(f.kit, f.b.ref, "late");
		while (strstr(journal_text(), "g:decide p") == NULL) {
			ward_actor_info info;
			ward_assert(ward_kit_info(f.kit, f.b.ref, &info));
			seen += info.suspended == 1;
			ward_assert(ward_kit_step(f.kit));
		}
		ward_kit_run(f.kit);
		ward_assert(noted_before("g:decide p", "a:late"));
		ward_assert(noted_before("g:decide p", "b:late"));
		assert_journal_of("a", "break;late");
		assert_journal_of("b", "late");
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

/* ---- S28: the outcomes ------------------------------------------------------------------- */

WARD_TEST(escalation_resumed_above_frees_parent_and_child, "S28", "S29")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_ESCALATE;
		family_start(&f);
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run(f.kit);
		assert_journal("a:break;p:decide a;g:decide p");
		check_well(f.kit, &f.p);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
}

WARD_TEST(escalation_restarted_above_replaces_the_children, "S28", "S32")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_ESCALATE;
		f.g.decides = WARD_RESTART;
		family_start(&f);
		ward_ref old = f.a.ref;
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run(f.kit);
		assert_journal_of("a", "break;post_stop;init;pre_start");
		assert_journal_of("b", "post_stop;init;pre_start");
		assert_journal_of("p",
				  "decide a;pre_restart;post_stop;init;post_restart;pre_start");
		ward_assert(!ward_kit_is_alive(f.kit, old));
		ward_assert(!ward_ref_equal(old, f.a.ref));
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

WARD_TEST(escalation_restarted_above_restarts_children_that_are_kept, "S28", "S43")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_ESCALATE;
		f.p.keeps_children = true;
		f.g.decides = WARD_RESTART;
		family_start(&f);
		ward_ref old = f.a.ref;
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run(f.kit);
		assert_journal_of("a", "break;pre_restart;post_stop;init;post_restart;pre_start");
		assert_journal_of("b", "pre_restart;post_stop;init;post_restart;pre_start");
		assert_journal_of("p", "decide a;pre_restart;init;post_restart;pre_start");
		ward_assert(ward_ref_equal(old, f.a.ref));
		check_well(f.kit, &f.p);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
}

WARD_TEST(escalation_stopped_above_stops_the_subtree, "S28")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_ESCALATE;
		f.g.decides = WARD_STOP;
		family_start(&f);
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run(f.kit);
		assert_journal_of("a", "break;post_stop");
		assert_journal_of("b", "post_stop");
		assert_journal_of("p", "decide a;post_stop");
		/* The children's last hook is before the parent's. */
		ward_assert_str(journal_text() + strlen(journal_text()) - strlen("p:post_stop"),
				"p:post_stop");
		check_well(f.kit, &f.g);
		script_finish(f.kit);
	}
}

WARD_TEST(escalation_escalated_above_goes_one_level_up, "S28", "S29")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script top = {.name = "top",
				     .strategy = &script_one,
				     .decides = WARD_RESUME,
				     .children = {&f.g}};
		f.g.children[0] = &f.p;
		f.p.children[0] = &f.a;
		f.p.children[1] = &f.b;
		f.g.decides = f.p.decides = WARD_ESCALATE;
		f.kit = script_start(NULL);
		script_spawn(f.kit, &top);
		journal_clear();
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run(f.kit);
		assert_journal("a:break;p:decide a;g:decide p;top:decide g");
		ward_assert_str(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*", 0)->path,
				"sim/user/top/g");
		check_well(f.kit, &f.g);
		check_well(f.kit, &f.p);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
}

/* ---- S29 --------------------------------------------------------------------------------- */

static ward_directive escalate_a_stop_b(ward_self *self, ward_ref child,
					const ward_failure *failure)
{
	(void)self;
	(void)failure;
	return strcmp(script_name(child), "a") == 0 ? WARD_ESCALATE : WARD_STOP;
}

WARD_TEST(resume_frees_the_perpetrator_and_leaves_the_other_failed_child_failed, "S29")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		f.p.decide = escalate_a_stop_b;
		family_start(&f);
		if (family_break_both(&f)) {
			seen++;
			script_say(f.kit, f.a.ref, "late");
			script_say(f.kit, f.b.ref, "late");
			while (strstr(journal_text(), "p:decide b") == NULL) {
				ward_assert_state(f.kit, f.b.ref, WARD_STATE_FAILED);
				ward_assert(ward_kit_step(f.kit));
			}
			ward_kit_run(f.kit);
			assert_journal_of("a", "break;late");
			assert_journal_of("b", "break;post_stop");
		}
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(resume_of_a_parent_that_failed_itself_frees_all_children, "S29")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.a.children[0] = &d;
		family_start(&f);
		script_break(f.kit, f.p.ref, &bad_luck);
		ward_kit_run(f.kit);
		assert_journal("p:break;g:decide p");
		check_well(f.kit, &f.p);
		check_well(f.kit, &f.a);
		check_well(f.kit, &d);
		script_finish(f.kit);
	}
}

WARD_TEST_MAIN
