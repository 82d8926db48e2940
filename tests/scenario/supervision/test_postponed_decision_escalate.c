/* SPDX-License-Identifier: MIT
 *
 * test_postponed_decision_escalate.c - ward_decide() with WARD_ESCALATE: the supervisor fails with
 * a failure that it has put off, when the receive that says so is finished (S27, S28).
 *
 * Method: a family whose p puts failures off and escalates them when told; g decides about p.
 */
#include "postponed_decision.h"

#define RESTARTED "pre_restart;post_stop;init;post_restart;pre_start"

enum { ROUNDS = 40 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
static const ward_failure_class bad_day = {.name = "bad_day", .parent = &ward_exception};
WARD_TEST_FAILURE_CLASSES(&bad_luck, &bad_day);

static void break_and_run(struct family *f, const struct script *who)
{
	script_break(f->kit, who->ref, &bad_luck);
	ward_kit_run(f->kit);
}

static void start_and_put_off(struct family *f)
{
	f->p.decides = WARD_LATER;
	family_start(f);
	break_and_run(f, &f->a);
	journal_clear();
}

static ward_directive note_failure(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)child;
	journal_note("%s of %s: %s", ward_failure_class_of(failure)->name,
		     script_name(ward_failure_actor(failure)), ward_failure_text(failure));
	return script_of(self)->decides;
}

/* ---- what becomes of it -------------------------------------------------------------------- */

static ward_result escalate_and_go_on(ward_self *self, void *arg)
{
	struct family *f = arg;
	ward_assert_ok(ward_decide(self, f->a.ref, WARD_ESCALATE));
	ward_assert_state(f->kit, f->p.ref, WARD_STATE_RUNNING);
	journal_note("going on");
	return WARD_DONE;
}

WARD_TEST(escalation_waits_for_the_end_of_receive_and_is_the_identical_failure, "S27")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decide = note_failure;
		start_and_put_off(&f);
		ward_kit_forget_events(f.kit);
		script_do(f.kit, f.p.ref, escalate_and_go_on, &f);
		script_say(f.kit, f.p.ref, "next");
		ward_kit_run(f.kit);
		assert_journal("going on;g:decide p;bad_luck of a: break;p:next");
		/* Logged once, above, with who failed first. */
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 1);
		const ward_event *event =
			ward_kit_event(f.kit, WARD_EVENT_FAILURE, "sim/user/g/p", 0);
		ward_assert_eq(event->directive, WARD_RESUME);
		ward_assert_str(event->origin_path, "sim/user/g/p/a");
		ward_assert_str(event->message_type, "script_word");
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
}

static ward_result leave_unhandled(ward_self *self, const ward_msg *msg)
{
	const struct answer *a = script_of(self)->arg;
	if (a == NULL || ward_msg_body(msg, &ward_type_script_word) == NULL)
		return WARD_UNHANDLED;
	script_of(self)->arg = NULL;
	ward_assert_ok(ward_decide(self, a->child->ref, a->directive));
	script_of(self)->receive = NULL;
	return WARD_DONE;
}

static ward_result check_no_message(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)self;
	ward_assert(ward_failure_is(why, &bad_luck));
	ward_assert(msg == NULL);
	return WARD_DONE;
}

WARD_TEST(pre_restart_sees_no_message_after_an_escalation, "S31")
{
	struct family f = FAMILY;
	struct answer a = {&f.a, WARD_ESCALATE, WARD_OK};
	f.g.decides = WARD_RESTART;
	f.p.pre_restart = check_no_message;
	f.p.receive = leave_unhandled;
	start_and_put_off(&f);
	f.p.arg = &a;
	script_say(f.kit, f.p.ref, "escalate");
	ward_kit_run(f.kit);
	assert_journal_of("p", RESTARTED);
	script_finish(f.kit);
}

WARD_TEST(grandparent_decides_about_parent_and_child, "S28", "S29")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		for (ward_directive directive = WARD_RESUME; directive <= WARD_STOP; directive++) {
			struct family f = FAMILY;
			f.g.decides = directive;
			f.p.keeps_children = ward_test_seed() % 2 == 0;
			start_and_put_off(&f);
			decide(&f, &f.a, WARD_ESCALATE);
			if (directive == WARD_STOP) {
				ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
				ward_assert_state(f.kit, f.p.ref, WARD_STATE_GONE);
			} else {
				assert_journal_of("a", directive == WARD_RESUME ? ""
						       : f.p.keeps_children
							       ? RESTARTED
							       : "post_stop;init;pre_start");
				check_well(f.kit, &f.a);
				check_well(f.kit, &f.b);
				check_well(f.kit, &f.p);
			}
			script_finish(f.kit);
		}
	}
}

WARD_TEST(grandparent_may_put_it_off_again, "S28")
{
	struct family f = FAMILY;
	struct answer a = {&f.p, WARD_RESUME, WARD_OK};
	f.g.decides = WARD_LATER;
	start_and_put_off(&f);
	decide(&f, &f.a, WARD_ESCALATE);
	check_waits(&f, &f.p, 1);
	check_waits(&f, &f.a, 1);
	check_waits(&f, &f.b, 1);
	script_do(f.kit, f.g.ref, answer, &a);
	ward_kit_run(f.kit);
	check_well(f.kit, &f.p);
	check_well(f.kit, &f.a);
	check_well(f.kit, &f.b);
	script_finish(f.kit);
}

/* ---- a receive that escalates and fails ---------------------------------------------------- */

static ward_result escalate_and_return(ward_self *self, void *arg)
{
	const struct script *child = arg;
	ward_assert_ok(ward_decide(self, child->ref, WARD_ESCALATE));
	return ward_failed(self, &bad_day, "by itself");
}

static ward_result escalate_and_jump(ward_self *self, void *arg)
{
	const struct script *child = arg;
	ward_assert_ok(ward_decide(self, child->ref, WARD_ESCALATE));
	ward_fail(self, &bad_day, "by itself");
}

static ward_result fail_and_escalate(ward_self *self, void *arg)
{
	const struct script *child = arg;
	ward_result result = ward_failed(self, &bad_day, "by itself");
	ward_assert_ok(ward_decide(self, child->ref, WARD_ESCALATE));
	return result;
}

WARD_TEST(receive_that_escalates_and_fails_fails_with_its_own_failure, "S19", "S17")
{
	script_call *const calls[] = {escalate_and_return, escalate_and_jump, fail_and_escalate};
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		struct family f = FAMILY;
		f.g.decide = note_failure;
		start_and_put_off(&f);
		script_do(f.kit, f.p.ref, calls[i], &f.a);
		ward_kit_run(f.kit);
		assert_journal("g:decide p;bad_day of p: by itself");
		/* a is the perpetrator all the same, so the resume of p reaches it. */
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		try_to_decide(&f, &f.a, WARD_RESUME, WARD_ENOENT);
		script_finish(f.kit);
	}
}

static ward_result escalate_and_stop_it(ward_self *self, void *arg)
{
	const struct script *child = arg;
	ward_assert_ok(ward_decide(self, child->ref, WARD_ESCALATE));
	ward_stop(self, child->ref);
	return WARD_DONE;
}

WARD_TEST(child_may_be_stopped_after_its_failure_was_escalated, "S27")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decide = note_failure;
		start_and_put_off(&f);
		script_do(f.kit, f.p.ref, escalate_and_stop_it, &f.a);
		ward_kit_run(f.kit);
		assert_journal_of("a", "post_stop");
		ward_assert_part(journal_text(), "g:decide p;bad_luck of a: break");
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
}

static ward_result escalate_and_stop_self(ward_self *self, void *arg)
{
	const struct script *child = arg;
	ward_assert_ok(ward_decide(self, child->ref, WARD_ESCALATE));
	ward_stop_self(self);
	return WARD_DONE;
}

WARD_TEST(supervisor_may_stop_after_it_has_escalated, "S45")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		start_and_put_off(&f);
		script_do(f.kit, f.p.ref, escalate_and_stop_self, &f.a);
		ward_kit_run(f.kit);
		ward_assert_state(f.kit, f.p.ref, WARD_STATE_GONE);
		ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
		script_finish(f.kit);
	}
}

/* ---- what is refused ----------------------------------------------------------------------- */

static ward_result escalate_both(ward_self *self, void *arg)
{
	const struct family *f = arg;
	ward_assert_ok(ward_decide(self, f->a.ref, WARD_ESCALATE));
	ward_assert_err(ward_decide(self, f->a.ref, WARD_RESUME), WARD_ENOENT);
	ward_assert_err(ward_decide(self, f->b.ref, WARD_ESCALATE), WARD_EEXIST);
	ward_assert_ok(ward_decide(self, f->c.ref, WARD_RESTART));
	return WARD_DONE;
}

WARD_TEST(one_receive_escalates_one_failure, "S13")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		start_and_put_off(&f);
		break_and_run(&f, &f.b);
		break_and_run(&f, &f.c);
		script_do(f.kit, f.p.ref, escalate_both, &f);
		ward_kit_run(f.kit);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.c);
		check_waits(&f, &f.b, 1); /* it goes on waiting, over p's own failure */
		decide(&f, &f.b, WARD_ESCALATE);
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
}

static ward_directive escalate_another(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)failure;
	if (strcmp(script_name(child), "a") == 0)
		return WARD_LATER;
	ward_assert_err(ward_decide(self, ward_child(self, "a"), WARD_ESCALATE), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "only receive can escalate");
	return WARD_RESTART;
}

static ward_result escalate_in_pre_restart(ward_self *self, const ward_failure *why,
					   const ward_msg *msg)
{
	(void)why;
	(void)msg;
	ward_assert_err(ward_decide(self, ward_child(self, "a"), WARD_ESCALATE), WARD_EINVAL);
	return WARD_DONE;
}

WARD_TEST(only_receive_escalates_what_it_has_put_off)
{
	struct family f = FAMILY;
	f.g.decides = WARD_RESTART;
	f.p.decide = escalate_another;
	f.p.pre_restart = escalate_in_pre_restart;
	f.p.keeps_children = true;
	start_and_put_off(&f);
	break_and_run(&f, &f.b);
	check_waits(&f, &f.a, 1);
	check_well(f.kit, &f.b);
	break_and_run(&f, &f.p);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

WARD_TEST_MAIN
