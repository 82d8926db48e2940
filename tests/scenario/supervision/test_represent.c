/* SPDX-License-Identifier: MIT
 *
 * test_represent.c - an actor that stands in for another one tells its suspensions and its stop,
 * ends behind that one, and gets pills and kills (S187, S188).
 *
 * Method: a, a child of p, stands in for `other`, an actor at the top; `ear` notes what a tells.
 */
#include <ward/extend.h>

#include "postponed_decision.h"

enum { ROUNDS = 40 };

static struct script ear, other;

static ward_result hear(ward_self *self, const ward_msg *msg)
{
	static const char *const standings[] = {"runs", "suspended", "stops"};
	const struct ward_represented *told = ward_match(msg, ward_represented);
	(void)self;
	if (told == NULL)
		return WARD_UNHANDLED;
	journal_note("ear:%s %s", script_name(ward_msg_sender(msg)), standings[told->standing]);
	return WARD_DONE;
}

static ward_result represent(ward_self *self, void *arg)
{
	ward_err err = ward_try_represent(self, ear.ref, other.ref);
	(void)arg;
	if (err != WARD_OK)
		return ward_failed_err(self, err);
	return WARD_DONE;
}

/* A case that is cut short may have stopped a, which waits for it. */
static void let_go(void *arg)
{
	const struct family *f = arg;
	ward_system_stop(ward_kit_system(f->kit), other.ref);
}

static void start(struct family *f)
{
	ear = (struct script){.name = "ear", .receive = hear};
	other = (struct script){.name = "other"};
	family_start(f);
	script_spawn(f->kit, &ear);
	script_spawn(f->kit, &other);
	ward_kit_on_cut(f->kit, let_go, f);
	script_do(f->kit, f->a.ref, represent, NULL);
	ward_kit_run(f->kit);
	journal_clear();
}

WARD_TEST(own_failure_is_told_and_its_answer, "S187")
{
	static const ward_directive directives[] = {WARD_RESTART, WARD_RESUME};
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_LATER;
		start(&f);
		for (int i = 0; i < 2; i++) {
			journal_clear();
			script_break(f.kit, f.a.ref, &ward_exception);
			ward_kit_run(f.kit);
			assert_journal_of("ear", "a suspended");
			decide(&f, &f.a, directives[i]);
			assert_journal_of("ear", "a suspended;a runs");
			check_well(f.kit, &f.a);
		}
		script_finish(f.kit);
	}
}

WARD_TEST(failure_of_the_parent_is_told_and_its_end, "S187")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_LATER;
		f.p.keeps_children = true;
		start(&f);
		script_break(f.kit, f.p.ref, &ward_exception);
		ward_kit_run(f.kit);
		assert_journal_of("ear", "a suspended");
		struct answer a = {&f.p, WARD_RESTART, WARD_OK};
		script_do(f.kit, f.g.ref, answer, &a);
		ward_kit_run(f.kit);
		assert_journal_of("ear", "a suspended;a runs");
		ward_assert_eq(f.a.calls[SCRIPT_POST_RESTART], 1);
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

WARD_TEST(failed_restart_is_told, "S187")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_LATER;
		f.a.traps[0] = (struct script_trap){SCRIPT_POST_RESTART, .first = 1};
		start(&f);
		script_break(f.kit, f.a.ref, &ward_exception);
		ward_kit_run(f.kit);
		decide(&f, &f.a, WARD_RESTART);
		assert_journal_of("ear", "a suspended");
		decide(&f, &f.a, WARD_RESTART);
		assert_journal_of("ear", "a suspended;a runs");
		script_finish(f.kit);
	}
}

WARD_TEST(stop_is_told_and_waits_for_the_other_end, "S188")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		ward_actor_info info;
		f.a.children[0] = ward_test_seed() % 2 == 0 ? &d : NULL;
		f.p.watches_children = true;
		start(&f);
		ward_system_stop(ward_kit_system(f.kit), f.a.ref);
		script_say(f.kit, f.a.ref, "too late");
		ward_kit_run(f.kit);
		assert_journal_of("ear", "a stops");
		assert_journal_of("a", "");
		ward_assert(ward_kit_info(f.kit, f.a.ref, &info));
		ward_assert_str(info.state, "stopping");
		ward_system_stop(ward_kit_system(f.kit), other.ref);
		ward_kit_run(f.kit);
		assert_journal_of("a", "post_stop");
		ward_assert(noted_before("other:post_stop", "a:post_stop"));
		ward_assert(noted_before("a:post_stop", "p:gone a"));
		script_finish(f.kit);
	}
}

WARD_TEST(stop_waits_for_nobody_that_has_ended, "S188")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		start(&f);
		ward_system_stop(ward_kit_system(f.kit), other.ref);
		if (ward_test_seed() % 2 == 0)
			ward_kit_run(f.kit);
		ward_system_stop(ward_kit_system(f.kit), f.a.ref);
		ward_kit_run(f.kit);
		assert_journal_of("ear", "a stops");
		assert_journal_of("a", "post_stop");
		script_finish(f.kit);
	}
}

static ward_result pass_on(ward_self *self, const ward_msg *msg)
{
	const ward_type *type = ward_msg_type(msg);
	if (type != &ward_type_ward_poison_pill && type != &ward_type_ward_kill)
		return WARD_UNHANDLED;
	journal_note("a:%s", type->name);
	ward_forward(self, other.ref);
	return WARD_DONE;
}

WARD_TEST(pill_and_kill_are_passed_on, "S188")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.a.receive = pass_on;
		start(&f);
		ward_system_tell(ward_kit_system(f.kit), f.a.ref, ward_kill);
		ward_kit_run(f.kit);
		assert_journal_of("a", "ward_kill");
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*/other"), 1);
		check_well(f.kit, &f.a);
		journal_clear();
		script_say(f.kit, f.a.ref, "before");
		ward_system_tell(ward_kit_system(f.kit), f.a.ref, ward_poison_pill);
		ward_kit_run(f.kit);
		assert_journal_of("a", "before;ward_poison_pill");
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

static ward_result represent_nobody(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_err(ward_try_represent(self, ward_nobody(), other.ref), WARD_EINVAL);
	ward_assert_ok(ward_try_represent(self, ear.ref, ward_nobody()));
	return WARD_DONE;
}

WARD_TEST(represented_may_be_replaced, "S188")
{
	struct family f = FAMILY;
	start(&f);
	script_do(f.kit, f.a.ref, represent_nobody, NULL);
	ward_kit_run(f.kit);
	ward_system_stop(ward_kit_system(f.kit), f.a.ref);
	ward_kit_run(f.kit);
	assert_journal_of("ear", "a stops");
	assert_journal_of("a", "post_stop");
	script_finish(f.kit);
}

WARD_TEST_MAIN
