/* SPDX-License-Identifier: MIT
 *
 * test_object_manager.c - the manager of active objects: strategies, callbacks of restarts, objects
 * that are temporary, the end, and where objects are found.
 *
 * Method: as account_objects.h says.
 */
#include "account_objects.h"

static const ward_strategy all_three_times = {.scope = WARD_ALL_FOR_ONE,
					      .rules = {{&ward_exception, WARD_RESTART}},
					      .restarts_max = 3,
					      .window_ms = 5000};

/* ---- strategies -------------------------------------------------------------------------- */

WARD_TEST(one_for_one_makes_the_failed_one_anew, "S124")
{
	open_bank(NULL, two_accounts);
	deposit(&bank.acc, 1);
	deposit(&bank.other, 2);
	ward_kit_run(bank.kit);
	make_fail(&bank.acc, BY_RETURN);
	assert_journal("a:fail;a:pre 11 overdrawn;a:destroy;a:create;a:post 10 overdrawn");
	assert_balance(&bank.acc, 10);
	assert_balance(&bank.other, 22);
	close_bank();
}

WARD_TEST(all_for_one_makes_all_anew, "S124")
{
	open_bank(&all_three_times, two_accounts);
	deposit(&bank.acc, 1);
	deposit(&bank.other, 2);
	ward_kit_run(bank.kit);
	make_fail(&bank.acc, BY_JUMP);
	assert_journal_of("a", "fail;pre 11 overdrawn;destroy;create;post 10 overdrawn");
	assert_journal_of("b", "pre 22 overdrawn;destroy;create;post 20 overdrawn");
	assert_balance(&bank.acc, 10);
	assert_balance(&bank.other, 20);
	close_bank();
}

WARD_TEST(limit_of_the_strategy_ends_all_for_one, "S124")
{
	int64_t cents;

	open_bank(&all_three_times, two_accounts);
	for (int i = 0; i < 3; i++)
		make_fail(&bank.acc, BY_RETURN);
	assert_balance(&bank.other, 20);
	make_fail(&bank.acc, BY_RETURN);
	ward_assert_err(balance_of(&bank.other, &cents), WARD_EDEAD);
	ward_assert_err(ward_objects_get(bank.objects, &account, "b", &bank.other), WARD_EDEAD);
	ward_assert(ward_ref_is_nobody(ward_objects_ref(bank.objects)));
	close_bank();
}

static ward_directive later(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self, (void)child, (void)failure;
	return WARD_LATER;
}

WARD_TEST(what_the_strategy_does_not_decide_fails_the_supervisor_which_begins_anew, "S124")
{
	static const ward_strategy strategies[] = {{.rules = {{&ward_exception, WARD_RESTART}}},
						   {.decide = later},
						   {.rules = {{&ruined, WARD_ESCALATE}}}};

	for (size_t i = 0; i < 3; i++) {
		ward_strategy user = {.otherwise = WARD_RESTART};

		open_bank_under(&user, &strategies[i], two_accounts);
		deposit(&bank.acc, 1);
		ward_kit_run(bank.kit);
		make_fail(&bank.acc, BY_RETURN_RUINED);
		/* Others than before, by the same names. */
		ward_assert(!ward_system_is_alive(bank.system, bank.acc.ref));
		ward_assert_ok(ward_objects_get(bank.objects, NULL, "a", &bank.acc));
		assert_balance(&bank.acc, 10);
		close_bank();
	}
}

WARD_TEST(what_no_rule_traps_fails_the_supervisor, "S124")
{
	/* By default an exception is a restart of the object: rules trap, and the rest is not. */
	static const ward_strategy traps = {.rules = {{&ruined, WARD_RESTART}}};
	ward_strategy user = {.otherwise = WARD_RESTART};

	open_bank_under(&user, &traps, two_accounts);
	make_fail(&bank.acc, BY_RETURN);
	ward_assert(!ward_system_is_alive(bank.system, bank.acc.ref));
	close_bank();
}

static ward_directive fail_to_decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)child, (void)failure;
	ward_fail(self, &ruined, "no idea");
}

/* The supervisor fails, and goes on. */
WARD_TEST(caller_is_told_also_where_the_decision_fails, "S124")
{
	static const ward_strategy hopeless = {.decide = fail_to_decide};
	ward_strategy user = {.otherwise = WARD_RESUME};

	open_bank_under(&user, &hopeless, two_accounts);
	ward_assert_err(withdraw(&bank.acc, 1, BY_RETURN), WARD_EFAILED);
	close_bank();
}

/* ---- callbacks --------------------------------------------------------------------------- */

static ward_result note_pre(ward_self *self, void *object, const ward_failure *why)
{
	(void)self, (void)why;
	NOTE((struct account *)object, "own pre");
	return WARD_DONE;
}

static ward_result fail_pre(ward_self *self, void *object, const ward_failure *why)
{
	(void)object, (void)why;
	return fail(self, BY_RETURN);
}

WARD_TEST(callbacks_are_given_by_pointer_or_by_the_name_of_a_method, "S124")
{
	static const ward_component components[] = {{.object_class = &account,
						     .id = "a",
						     .args = {&cents_type, &ten, sizeof ten},
						     .pre_restart = note_pre,
						     .post_restart_method = "rinse"},
						    {.object_class = &account,
						     .id = "b",
						     .args = {&cents_type, &ten, sizeof ten},
						     .pre_restart_method = "rinse",
						     .post_restart = note_pre},
						    {0}};

	open_bank(&all_three_times, components);
	make_fail(&bank.acc, BY_RETURN);
	assert_journal_of("a", "fail;own pre;destroy;create;rinse");
	assert_journal_of("b", "rinse;destroy;create;own pre");
	close_bank();
}

WARD_TEST(error_in_the_callback_before_is_reported_and_the_restart_goes_on, "S124")
{
	ward_component broken[] = {{.object_class = &account,
				    .id = "a",
				    .args = {&cents_type, &ten, sizeof ten},
				    .pre_restart = fail_pre},
				   {0}};

	open_bank(NULL, broken);
	make_fail(&bank.acc, BY_RETURN);
	assert_journal("a:fail;a:destroy;a:create;a:post 10 overdrawn");
	ward_assert_eq(ward_kit_count(bank.kit, WARD_EVENT_HOOK_FAILURE, "*"), 1);
	assert_balance(&bank.acc, 10);
	close_bank();
}

WARD_TEST(error_in_the_callback_after_is_another_failure, "S124")
{
	open_bank(NULL, two_accounts);
	bank.broken_post = true;
	make_fail(&bank.acc, BY_RETURN);
	/* By default what fails in a start is stopped. */
	ward_assert(!ward_system_is_alive(bank.system, bank.acc.ref));
	assert_balance(&bank.other, 20);
	close_bank();
}

/* ---- temporary --------------------------------------------------------------------------- */

static const ward_component one_temporary[] = {
	{.object_class = &account, .id = "a", .args = {&cents_type, &ten, sizeof ten}},
	{.object_class = &account,
	 .id = "b",
	 .args = {&cents_type, &ten, sizeof ten},
	 .temporary = true},
	{0}};

WARD_TEST(temporary_object_is_stopped_in_place_of_a_restart, "S124")
{
	open_bank(NULL, one_temporary);
	make_fail(&bank.other, BY_RETURN);
	assert_journal("b:fail;b:destroy");
	ward_assert_err(ward_objects_get(bank.objects, NULL, "b", &bank.other), WARD_EDEAD);
	assert_balance(&bank.acc, 10);
	close_bank();
}

WARD_TEST(temporary_object_is_not_restarted_with_the_others, "S124")
{
	/* The one that failed, and one beside it. */
	for (int i = 0; i < 2; i++) {
		open_bank(&all_three_times, one_temporary);
		deposit(&bank.acc, 1);
		ward_kit_run(bank.kit);
		make_fail(i == 0 ? &bank.other : &bank.acc, BY_RETURN);
		assert_journal_of("b", i == 0 ? "fail;destroy" : "destroy");
		ward_assert_err(ward_objects_get(bank.objects, NULL, "b", &bank.other), WARD_EDEAD);
		assert_balance(&bank.acc, 10);
		make_fail(&bank.acc, BY_RETURN);
		assert_balance(&bank.acc, 10);
		close_bank();
	}
}

WARD_TEST(supervisor_ends_with_the_last_of_its_objects, "S124")
{
	ward_ref supervisor;

	open_bank(NULL, one_temporary);
	supervisor = ward_objects_ref(bank.objects);
	ward_assert(ward_system_is_alive(bank.system, supervisor));
	make_fail(&bank.other, BY_RETURN);
	ward_assert(ward_system_is_alive(bank.system, supervisor));
	ward_kit_stop(bank.kit, bank.acc.ref);
	ward_kit_run(bank.kit);
	ward_assert(!ward_system_is_alive(bank.system, supervisor));
	/* They may begin anew then. */
	ward_assert_ok(ward_objects_supervise(bank.objects, bank.system, WARD_SECOND));
	ward_assert_ok(ward_objects_get(bank.objects, NULL, "b", &bank.other));
	assert_balance(&bank.other, 10);
	close_bank();
}

/* ---- where they are found ---------------------------------------------------------------- */

static const ward_object_class vault = {.name = "vault",
					.methods = account_methods,
					.methods_count = METHODS,
					.state_size = sizeof(struct account),
					.args = &cents_type,
					.create = account_create};

static const ward_component three[] = {
	{.object_class = &account, .id = "a", .args = {&cents_type, &ten, sizeof ten}},
	{.object_class = &account, .id = "b", .args = {&cents_type, &ten, sizeof ten}},
	{.object_class = &vault, .args = {&cents_type, &twenty, sizeof twenty}},
	{0}};

WARD_TEST(object_is_found_by_class_or_id, "S124")
{
	ward_object found;

	open_bank(NULL, three);
	ward_assert_ok(ward_objects_get(bank.objects, &vault, NULL, &found));
	assert_balance(&found, 20);
	ward_assert_ok(ward_objects_get(bank.objects, NULL, "vault", &found));
	assert_balance(&found, 20);
	ward_assert_ok(ward_objects_get(bank.objects, &account, "b", &found));
	ward_assert(ward_ref_equal(found.ref, bank.other.ref));
	ward_assert_eq(found.timeout_ms, 5000);
	close_bank();
}

WARD_TEST(object_that_is_not_there_is_not_found, "S124")
{
	static const ward_object_class none = {.name = "none"};
	ward_object found = {0};

	open_bank(NULL, three);
	ward_assert_err(ward_objects_get(bank.objects, NULL, "c", &found), WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "no component is \"c\"");
	ward_assert_err(ward_objects_get(bank.objects, &none, NULL, &found), WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "of class none");
	ward_assert_err(ward_objects_get(bank.objects, &vault, "b", &found), WARD_ETYPE);
	ward_assert_part(ward_err_detail(), "\"b\" is of class account, not vault");
	ward_assert_err(ward_objects_get(bank.objects, &account, NULL, &found), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "\"a\" and \"b\" are both of class account");
	ward_assert_err(ward_objects_get(bank.objects, NULL, NULL, &found), WARD_EINVAL);
	ward_assert_err(ward_objects_get(bank.objects, NULL, "a", NULL), WARD_EINVAL);
	ward_assert_err(ward_objects_get(NULL, NULL, "a", &found), WARD_EINVAL);
	ward_assert(ward_ref_is_nobody(found.ref));
	ward_assert(ward_ref_is_nobody(ward_objects_ref(NULL)));
	close_bank();
}

/* ---- in an actor ------------------------------------------------------------------------- */

static ward_result spawn_objects(ward_self *self, void *arg)
{
	ward_spawn(self, &ward_objects_supervisor, .name = arg,
		   .args = WARD_ARGS(ward_supervised, .objects = bank.objects));
	return WARD_DONE;
}

WARD_TEST(actor_may_be_the_parent_of_the_supervisor, "S124")
{
	struct script parent = {.name = "parent"};
	char path[WARD_EVENT_PATH];

	open_bank_to_start();
	ward_assert_ok(ward_objects_configure(NULL, two_accounts, &bank.objects));
	ward_assert_err(ward_objects_get(bank.objects, NULL, "a", &bank.acc), WARD_EDEAD);
	script_spawn(bank.kit, &parent);
	script_do(bank.kit, parent.ref, spawn_objects, "bank");
	ward_kit_run(bank.kit);
	ward_assert_ok(ward_objects_get(bank.objects, NULL, "a", &bank.acc));
	assert_balance(&bank.acc, 10);
	ward_kit_path(bank.kit, bank.acc.ref, path);
	ward_assert_str(path, "sim/user/parent/bank/a");
	/* A second one of the same. */
	script_do(bank.kit, parent.ref, spawn_objects, "second");
	ward_kit_run(bank.kit);
	ward_assert_eq(ward_kit_count(bank.kit, WARD_EVENT_FAILURE, "*/second"), 1);
	assert_balance(&bank.acc, 10);
	/* The program needs it no more; what it made lives on. */
	ward_objects_release(bank.objects);
	bank.objects = NULL;
	make_fail(&bank.acc, BY_RETURN);
	assert_balance(&bank.acc, 10);
	close_bank();
}

WARD_TEST(supervisor_understands_nothing_else, "S124")
{
	open_bank(NULL, two_accounts);
	script_say(bank.kit, ward_objects_ref(bank.objects), "word");
	ward_kit_run(bank.kit);
	ward_assert_eq(ward_kit_count(bank.kit, WARD_EVENT_UNHANDLED, "*"), 1);
	close_bank();
}

WARD_TEST_MAIN
