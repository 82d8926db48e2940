/* SPDX-License-Identifier: MIT
 *
 * test_orders.c - orders to a child that has not failed: restart, suspend, resume (S185, S186).
 *
 * Method: p, which is told to, gives orders to a; the seeds mix them with mail and failures.
 */
#include <ward/extend.h>

#include "postponed_decision.h"

enum { ROUNDS = 40 };

static const ward_failure_class moved = {.name = "moved", .parent = &ward_exception};
WARD_TEST_FAILURE_CLASSES(&moved);

static ward_result restart_it(ward_self *self, void *arg)
{
	const struct script *child = arg;
	ward_assert_ok(ward_restart_child(self, child->ref, &moved, "for another's sake"));
	return WARD_DONE;
}

static ward_result suspend_it(ward_self *self, void *arg)
{
	const struct script *child = arg;
	ward_assert_ok(ward_suspend_child(self, child->ref));
	return WARD_DONE;
}

static ward_result resume_it(ward_self *self, void *arg)
{
	const struct script *child = arg;
	ward_assert_ok(ward_resume_child(self, child->ref));
	return WARD_DONE;
}

static ward_result look_at_cause(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)self;
	ward_assert(msg == NULL);
	ward_assert(ward_failure_is(why, &moved));
	ward_assert_str(ward_failure_text(why), "for another's sake");
	return WARD_DONE;
}

WARD_TEST(ordered_restart_is_one_without_a_failure_or_an_event, "S185")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.a.pre_restart = look_at_cause;
		family_start(&f);
		script_do(f.kit, f.p.ref, restart_it, &f.a);
		script_say(f.kit, f.a.ref, "mail");
		ward_kit_run(f.kit);
		ward_assert_eq(f.a.calls[SCRIPT_PRE_RESTART], 1);
		ward_assert_eq(f.a.calls[SCRIPT_POST_RESTART], 1);
		ward_assert_part(journal_of("a"), "mail");
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 0);
		ward_assert_eq(f.b.calls[SCRIPT_PRE_RESTART], 0);
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

WARD_TEST(ordered_restart_answers_a_failure_that_waits, "S185")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_LATER;
		family_start(&f);
		script_break(f.kit, f.a.ref, &ward_exception);
		ward_kit_run(f.kit);
		check_waits(&f, &f.a, 1);
		script_do(f.kit, f.p.ref, restart_it, &f.a);
		ward_kit_run(f.kit);
		ward_assert_eq(f.a.calls[SCRIPT_POST_RESTART], 1);
		check_well(f.kit, &f.a);
		try_to_decide(&f, &f.a, WARD_RESTART, WARD_ENOENT);
		script_finish(f.kit);
	}
}

WARD_TEST(suspended_child_handles_nothing_and_may_be_restarted, "S186")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.a.children[0] = &d;
		f.a.keeps_children = true;
		family_start(&f);
		script_do(f.kit, f.p.ref, suspend_it, &f.a);
		ward_kit_run(f.kit);
		script_say(f.kit, f.a.ref, "late");
		script_say(f.kit, d.ref, "low");
		script_do(f.kit, f.p.ref, restart_it, &f.a);
		ward_kit_run(f.kit);
		assert_journal_of("d", "pre_restart;post_stop;init;post_restart;pre_start");
		check_waits(&f, &f.a, 1);
		ward_assert_eq(f.a.calls[SCRIPT_POST_RESTART], 1);
		script_do(f.kit, f.p.ref, resume_it, &f.a);
		ward_kit_run(f.kit);
		ward_assert_part(journal_of("a"), "late");
		ward_assert_part(journal_of("d"), "low");
		check_well(f.kit, &f.a);
		check_well(f.kit, &d);
		script_finish(f.kit);
	}
}

WARD_TEST(suspension_by_the_parent_adds_to_that_of_a_failure, "S186")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_LATER;
		family_start(&f);
		script_break(f.kit, f.a.ref, &ward_exception);
		script_say(f.kit, f.a.ref, "late");
		ward_kit_run(f.kit);
		script_do(f.kit, f.p.ref, suspend_it, &f.a);
		ward_kit_run(f.kit);
		check_waits(&f, &f.a, 2);
		decide(&f, &f.a, WARD_RESUME);
		check_waits(&f, &f.a, 1);
		script_do(f.kit, f.p.ref, resume_it, &f.a);
		ward_kit_run(f.kit);
		ward_assert_part(journal_of("a"), "late");
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

static ward_result refused_orders(ward_self *self, void *arg)
{
	const struct family *f = arg;
	static const ward_failure_class wrong = {.name = "wrong"};
	ward_assert_err(ward_restart_child(self, f->g.ref, &moved, ""), WARD_ENOENT);
	ward_assert_err(ward_suspend_child(self, ward_nobody()), WARD_ENOENT);
	ward_assert_err(ward_resume_child(self, f->g.ref), WARD_ENOENT);
	ward_assert_err(ward_restart_child(self, f->a.ref, &wrong, ""), WARD_EINVAL);
	ward_assert_err(ward_restart_child(self, f->a.ref, NULL, ""), WARD_EINVAL);
	ward_stop(self, f->a.ref);
	ward_assert_err(ward_restart_child(self, f->a.ref, &moved, ""), WARD_ESTOPPING);
	ward_assert_err(ward_suspend_child(self, f->a.ref), WARD_ESTOPPING);
	return WARD_DONE;
}

WARD_TEST(order_to_a_stranger_or_a_dying_child_is_refused, "S185", "S186")
{
	struct family f = FAMILY;
	family_start(&f);
	script_do(f.kit, f.p.ref, refused_orders, &f);
	ward_kit_run(f.kit);
	ward_assert_eq(f.a.calls[SCRIPT_POST_RESTART], 0);
	script_finish(f.kit);
}

WARD_TEST_MAIN
