/* SPDX-License-Identifier: MIT
 *
 * test_otp_admin.c - what a supervisor of the OTP profile is asked, and what it answers (S116).
 *
 * Method: questions of a thread outside, and of a probe.
 */
#include "support/otp_workers.h"

static const ward_otp_supervisor table = {
	.intensity = 9,
	.auto_shutdown = WARD_OTP_ANY_SIGNIFICANT,
	.children = CHILDREN(PERMANENT("a"), TRANSIENT("b"), TEMPORARY("c")),
};
static const ward_otp_supervisor simple = {
	.strategy = WARD_OTP_SIMPLE_ONE_FOR_ONE,
	.intensity = 9,
	.children = CHILDREN(CHILD("t", .restart = WARD_OTP_TRANSIENT, .shutdown_ms = 70)),
};

/* ---- start_child ------------------------------------------------------------------------- */

WARD_TEST(a_child_that_is_added_runs_when_it_is_answered_as_the_last_one, "S116")
{
	const ward_otp_child_spec d = PERMANENT("d");
	struct ward_otp_done done;
	ward_ref who;

	o_begin();
	who = o_start(&table);
	done = o_add(who, &d);
	ward_assert_eq(done.code, WARD_OTP_OK);
	ward_assert_str(o.log, "a+ b+ c+ d+");
	ward_assert(o_lives(done.who));
	ward_assert_str(o_which(who), "d+ c+ b+ a+");
	seen();
	o_fail(who, "d"); /* from its copy */
	ward_assert_str(seen(), "d- d+");
	o_end();
}

WARD_TEST(a_supervisor_can_be_added, "S116")
{
	const ward_otp_supervisor below = {.children = CHILDREN(PERMANENT("x"), PERMANENT("y"))};
	const ward_otp_child_spec d = {.id = "d", .supervisor = &below};
	ward_ref who;

	o_begin();
	who = o_start(&table);
	seen();
	ward_assert_eq(o_add(who, &d).code, WARD_OTP_OK);
	ward_assert_str(o.log, "x+ y+");
	ward_assert_eq(o_terminate(who, "d"), WARD_OTP_OK);
	ward_assert_eq(o_restart(who, "d"), WARD_OTP_OK);
	ward_assert_str(seen(), "x+ y+ y- x- x+ y+");
	o_end();
}

static void asks_for_one_more(ward_self *self, void *arg)
{
	const ward_otp_child_spec d = PERMANENT("d");
	const ward_question question = {
		.to = *(ward_ref *)arg, .timeout_ms = WARD_SECOND, .tag = 1};

	ward_otp_start_child_ask(self, &question, &d);
}

WARD_TEST(an_actor_can_ask_to_add_a_child, "S116")
{
	const struct ward_otp_done *done;
	ward_ref who;

	o_begin();
	who = o_start(&table);
	ward_probe_do(o.probe, asks_for_one_more, &who);
	done = ward_expect(o.probe, WARD_SECOND, ward_otp_done);
	ward_assert_eq(done->code, WARD_OTP_OK);
	ward_assert(ward_ref_equal(done->who, o_child(who, "d")));
	o_end();
}

static ward_result asks_for_nothing(ward_self *self, void *state, void *supervisor)
{
	const ward_question question = {
		.to = *(ward_ref *)supervisor, .timeout_ms = WARD_SECOND, .tag = 1};

	(void)state;
	ward_otp_start_child_ask(self, &question, NULL);
	return WARD_DONE;
}

WARD_TEST(an_actor_fails_of_a_question_that_is_refused, "S116")
{
	ward_ref who;

	o_begin();
	who = o_start(&table);
	ward_kit_inside(o.kit, o_child(who, "a"), asks_for_nothing, &who);
	ward_kit_run(o.kit);
	ward_assert_part(ward_kit_event(o.kit, WARD_EVENT_FAILURE, "*/a", 0)->text,
			 "no child specification");
	o_end();
}

WARD_TEST(an_id_that_is_taken_is_refused, "S116")
{
	const ward_otp_child_spec a = PERMANENT("a");
	struct ward_otp_done done;
	ward_ref who;

	o_begin();
	who = o_start(&table);
	done = o_add(who, &a);
	ward_assert_eq(done.code, WARD_OTP_ALREADY_STARTED);
	ward_assert(ward_ref_equal(done.who, o_child(who, "a")));
	ward_assert_eq(o_terminate(who, "a"), WARD_OTP_OK);
	done = o_add(who, &a);
	ward_assert_eq(done.code, WARD_OTP_ALREADY_PRESENT);
	ward_assert_str(o_which(who), "c+ b+ a-");
	o_end();
}

WARD_TEST(a_child_that_cannot_start_is_not_added, "S116")
{
	const ward_otp_child_spec d = PERMANENT("d");
	struct ward_otp_done done;
	ward_ref who;

	o_begin();
	who = o_start(&table);
	o.broken = "d";
	done = o_add(who, &d);
	ward_assert_eq(done.code, WARD_OTP_START_FAILED);
	ward_assert_part(done.text, "d cannot start");
	ward_assert_str(o_which(who), "c+ b+ a+");
	o_end();
}

WARD_TEST(a_specification_that_is_wrong_is_refused, "S116", "S114")
{
	const ward_otp_child_spec wrong[] = {
		{.id = "d"},
		{NAMED("d")},
		CHILD("d", .significant = true),
		CHILD("d", .shutdown_ms = -7),
	};
	static const char *const why[] = {
		"nothing to start", "without an id", "cannot be significant",
		".shutdown_ms is -7: it must not be negative, except WARD_OTP_BRUTAL"};
	struct ward_otp_done done = {0};
	ward_ref who;

	o_begin();
	who = o_start(&table);
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		done = o_add(who, &wrong[i]);
		ward_assert_eq(done.code, WARD_OTP_BAD_SPEC);
		ward_assert_part(done.text, why[i]);
	}
	ward_assert_err(ward_otp_start_child_wait(o_system(), who, WARD_SECOND, NULL, &done),
			WARD_EINVAL);
	ward_assert_str(o_which(who), "c+ b+ a+");
	o_end();
}

WARD_TEST(a_child_with_nothing_to_do_is_added_unless_it_is_temporary, "S116", "S110")
{
	const ward_otp_child_spec d = PERMANENT("d"), e = TEMPORARY("e");
	struct ward_otp_done done;
	ward_ref who;

	o_begin();
	who = o_start(&table);
	o.idle = "de";
	done = o_add(who, &d);
	ward_assert_eq(done.code, WARD_OTP_OK);
	ward_assert(ward_ref_is_nobody(done.who));
	ward_assert_eq(o_add(who, &e).code, WARD_OTP_OK);
	ward_assert_str(o_which(who), "d- c+ b+ a+");
	o_end();
}

/* ---- terminate, restart, delete ---------------------------------------------------------- */

WARD_TEST(a_terminated_child_keeps_its_specification_unless_it_is_temporary, "S116", "S112")
{
	ward_ref who;

	o_begin();
	who = o_start(&table);
	seen();
	ward_assert_eq(o_terminate(who, "a"), WARD_OTP_OK);
	ward_assert_eq(o_terminate(who, "c"), WARD_OTP_OK);
	ward_assert_str(seen(), "a- c-"); /* and is not restarted */
	ward_assert_str(o_which(who), "b+ a-");
	ward_assert_eq(o_terminate(who, "a"), WARD_OTP_OK);
	ward_assert_eq(o_terminate(who, "c"), WARD_OTP_NOT_FOUND);
	ward_assert_eq(o_restart(who, "a"), WARD_OTP_OK);
	ward_assert_str(o_which(who), "b+ a+");
	o_end();
}

WARD_TEST(only_a_child_that_is_off_is_restarted_or_deleted, "S116")
{
	ward_ref who;

	o_begin();
	who = o_start(&table);
	ward_assert_eq(o_restart(who, "a"), WARD_OTP_RUNNING);
	ward_assert_eq(o_delete(who, "a"), WARD_OTP_RUNNING);
	ward_assert_eq(o_restart(who, "z"), WARD_OTP_NOT_FOUND);
	ward_assert_eq(o_delete(who, "z"), WARD_OTP_NOT_FOUND);
	ward_assert_eq(o_terminate(who, "z"), WARD_OTP_NOT_FOUND);
	ward_assert_eq(o_terminate(who, "a"), WARD_OTP_OK);
	ward_assert_eq(o_delete(who, "a"), WARD_OTP_OK);
	ward_assert_eq(o_restart(who, "a"), WARD_OTP_NOT_FOUND);
	ward_assert_str(o_which(who), "c+ b+");
	o_end();
}

WARD_TEST(a_child_that_cannot_be_restarted_by_hand_stays_off, "S116")
{
	ward_ref who;

	o_begin();
	who = o_start(&table);
	ward_assert_eq(o_terminate(who, "a"), WARD_OTP_OK);
	o.broken = "a";
	o.broken_for = 1;
	seen();
	ward_assert_eq(o_restart(who, "a"), WARD_OTP_START_FAILED);
	ward_assert_str(seen(), "ax");
	ward_assert_str(o_which(who), "c+ b+ a-");
	o_end();
}

WARD_TEST(a_child_that_is_to_be_tried_again_is_restarting, "S116", "S113")
{
	const struct ward_otp_children *all;
	ward_ref who;

	o_begin();
	who = o_start(&table);
	o.broken = "a";
	o.broken_for = 1;
	o.pleas[0] = &ward_type_ward_otp_restart_child;
	o.pleas[1] = &ward_type_ward_otp_delete_child;
	o.pleas[2] = &ward_type_ward_otp_which_children;
	seen();
	o_fail(who, "a");
	ward_assert_str(seen(), "a- ax a+");
	ward_assert_eq(ward_expect(o.probe, 0, ward_otp_done)->code, WARD_OTP_RESTARTING);
	ward_assert_eq(ward_expect(o.probe, 0, ward_otp_done)->code, WARD_OTP_RESTARTING);
	all = ward_expect(o.probe, 0, ward_otp_children);
	ward_assert_eq(all->count, 3);
	ward_assert_str(all->rows[2].id, "a");
	ward_assert_eq(all->rows[2].state, WARD_OTP_CHILD_RESTARTING);
	ward_assert(ward_ref_is_nobody(all->rows[2].who));
	o_end();
}

/* Also when the supervisor is at another child's restart meanwhile. */
WARD_TEST(what_was_asked_during_a_start_comes_before_that_is_tried_again, "S116", "S113")
{
	const ward_otp_supervisor calm = {
		.intensity = 9,
		.window_ms = 9 * WARD_SECOND,
		.children = CHILDREN(PERMANENT("a"), PERMANENT("b"), PERMANENT("c")),
	};
	const struct act fail = {.what = FAIL};

	WARD_TEST_SEEDS(40)
	{
		ward_ref who, a, b;

		o_begin_at(ward_test_seed());
		who = o_start(&calm);
		a = o_child(who, "a");
		b = o_child(who, "b");
		o.broken = "a";
		o.broken_for = 1;
		o.pleas[0] = &ward_type_ward_otp_terminate_child;
		ward_system_send(o_system(), a, WARD_COPY(act, &fail));
		ward_system_send(o_system(), b, WARD_COPY(act, &fail));
		ward_kit_run(o.kit);
		ward_assert_eq(ward_expect(o.probe, 0, ward_otp_done)->code, WARD_OTP_OK);
		ward_assert_str(o_which(who), "c+ b+ a-");
		ward_assert_eq(times(seen(), "a+"), 1); /* the first time */
		o_end();
	}
}

/* ---- which, how many, how ---------------------------------------------------------------- */

WARD_TEST(count_tells_of_specifications_and_who_is_active, "S116")
{
	const ward_otp_supervisor below = {0};
	const ward_otp_child_spec d = {.id = "d", .supervisor = &below};
	const ward_otp_child_spec e = CHILD("e", .type = WARD_OTP_SUPERVISOR);
	const ward_otp_child_spec f = {.id = "f",
				       .props = {.behavior = &ward_otp_behavior,
						 .args = {WARD_COPY(ward_otp_supervisor, &below)}}};
	struct ward_otp_counts counts;
	ward_ref who;

	o_begin();
	who = o_start(&table);
	ward_assert_eq(o_add(who, &d).code, WARD_OTP_OK);
	ward_assert_eq(o_add(who, &e).code, WARD_OTP_OK);
	ward_assert_eq(o_add(who, &f).code, WARD_OTP_OK);
	ward_assert_eq(o_terminate(who, "b"), WARD_OTP_OK);
	ward_assert_ok(
		ward_system_ask(o_system(), who, WARD_SECOND, &counts, ward_otp_count_children));
	ward_assert_eq(counts.code, WARD_OTP_OK);
	ward_assert_eq(counts.specs, 6);
	ward_assert_eq(counts.active, 5);
	ward_assert_eq(counts.supervisors, 3);
	ward_assert_eq(counts.workers, 3);
	o_end();
}

WARD_TEST(a_specification_is_told_with_its_defaults, "S116", "S110")
{
	const ward_otp_child_spec d = CHILD("d", .restart = WARD_OTP_TRANSIENT, .significant = true,
					    .shutdown_ms = WARD_OTP_BRUTAL);
	const ward_otp_child_spec e = CHILD("e", .type = WARD_OTP_SUPERVISOR);
	struct ward_otp_childspec spec;
	ward_ref who;

	o_begin();
	who = o_start(&table);
	ward_assert_eq(o_add(who, &d).code, WARD_OTP_OK);
	ward_assert_eq(o_add(who, &e).code, WARD_OTP_OK);
	ward_assert_ok(ward_system_ask(o_system(), who, WARD_SECOND, &spec, ward_otp_get_childspec,
				       .id = "d"));
	ward_assert_eq(spec.code, WARD_OTP_OK);
	ward_assert_str(spec.id, "d");
	ward_assert_eq(spec.restart, WARD_OTP_TRANSIENT);
	ward_assert_eq(spec.shutdown_ms, WARD_OTP_BRUTAL);
	ward_assert(spec.significant && spec.behavior == &worker);
	ward_assert_ok(ward_system_ask(o_system(), who, WARD_SECOND, &spec, ward_otp_get_childspec,
				       .id = "a"));
	ward_assert_eq(spec.restart, WARD_OTP_PERMANENT);
	ward_assert_eq(spec.shutdown_ms, 5000);
	ward_assert_ok(ward_system_ask(o_system(), who, WARD_SECOND, &spec, ward_otp_get_childspec,
				       .id = "e"));
	ward_assert_eq(spec.type, WARD_OTP_SUPERVISOR);
	ward_assert(spec.shutdown_ms == WARD_OTP_INFINITY);
	ward_assert_ok(ward_system_ask(o_system(), who, WARD_SECOND, &spec, ward_otp_get_childspec,
				       .id = "z"));
	ward_assert_eq(spec.code, WARD_OTP_NOT_FOUND);
	o_end();
}

/* ---- simple_one_for_one ------------------------------------------------------------------ */

static ward_otp_code terminate_by_ref(ward_ref supervisor, ward_ref who)
{
	struct ward_otp_done done = {0};

	ward_assert_ok(ward_system_ask(o_system(), supervisor, WARD_SECOND, &done,
				       ward_otp_terminate_child, .who = who));
	return done.code;
}

WARD_TEST(simple_terminates_by_ref_only, "S116", "S111")
{
	ward_ref who, a;

	o_begin();
	who = o_start(&simple);
	a = o_more(who, "a");
	(void)o_more(who, "b");
	ward_assert_eq(o_terminate(who, "t"), WARD_OTP_SIMPLE);
	ward_assert_eq(o_restart(who, "t"), WARD_OTP_SIMPLE);
	ward_assert_eq(o_delete(who, "t"), WARD_OTP_SIMPLE);
	ward_assert_eq(terminate_by_ref(who, a), WARD_OTP_OK);
	ward_assert_eq(terminate_by_ref(who, a), WARD_OTP_OK); /* as in OTP: it is dead */
	ward_assert_eq(terminate_by_ref(who, ward_probe_ref(o.probe)), WARD_OTP_NOT_FOUND);
	ward_assert_str(seen(), "a+ b+ a-");
	ward_assert_str(o_which(who), "+");
	o_end();
}

WARD_TEST(simple_tells_of_its_one_specification_by_ref, "S116", "S111")
{
	struct ward_otp_childspec spec;
	struct ward_otp_counts counts;
	ward_ref who, a;

	o_begin();
	who = o_start(&simple);
	a = o_more(who, "a");
	(void)o_more(who, "b");
	ward_assert_ok(ward_system_ask(o_system(), who, WARD_SECOND, &spec, ward_otp_get_childspec,
				       .who = a));
	ward_assert_eq(spec.code, WARD_OTP_OK);
	ward_assert_str(spec.id, "t");
	ward_assert_eq(spec.shutdown_ms, 70);
	ward_assert_ok(
		ward_system_ask(o_system(), who, WARD_SECOND, &counts, ward_otp_count_children));
	ward_assert_eq(counts.specs, 1);
	ward_assert_eq(counts.active, 2);
	ward_assert_eq(counts.workers, 2);
	o_end();
}

static const ward_behavior other = {.name = "other", .receive = worker_receive};

WARD_TEST(simple_refuses_another_behaviour, "S116", "S111")
{
	ward_ref who;

	o_begin();
	who = o_start(&simple);
	ward_assert_eq(o_add(who, &(ward_otp_child_spec){.props = {.behavior = &other}}).code,
		       WARD_OTP_BAD_SPEC);
	ward_assert_err(ward_otp_start_child_wait(
				o_system(), who, WARD_MINUTE,
				&(ward_otp_child_spec){.props.args = WARD_ARGS(name, "b")},
				&(struct ward_otp_done){0}),
			WARD_EINVAL); /* which would be lost without a behaviour */
	ward_assert_str(o_which(who), "");
	o_end();
}

WARD_TEST(which_tells_of_thousands, "S116", "S111")
{
	const uint64_t count = ward_test_shortage() ? 3 : 2000;
	struct ward_otp_children all;
	ward_ref who;

	o_begin();
	who = o_start(&simple);
	for (uint64_t i = 0; i < count; i++) {
		ward_assert_eq(o_add(who, &(ward_otp_child_spec){0}).code, WARD_OTP_OK);
		o.log[0] = '\0';
	}
	ward_assert_ok(
		ward_system_ask(o_system(), who, WARD_SECOND, &all, ward_otp_which_children));
	ward_assert_eq(all.count, count);
	for (uint64_t i = 0; i < count; i++)
		ward_assert(o_lives(all.rows[i].who));
	ward_otp_children_drop(&all);
	o.idle = "t"; /* writes nothing */
	o_end();
}

/* ---- texts ------------------------------------------------------------------------------- */

WARD_TEST(codes_have_the_names_of_otp, "S116")
{
	ward_assert_str(ward_otp_code_text(WARD_OTP_OK), "ok");
	ward_assert_str(ward_otp_code_text(WARD_OTP_ALREADY_PRESENT), "already_present");
	ward_assert_str(ward_otp_code_text(WARD_OTP_NO_MEMORY), "no_memory");
	ward_assert_str(ward_otp_code_text((ward_otp_code)77), "unknown");
}

WARD_TEST_MAIN
