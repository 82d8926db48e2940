/* SPDX-License-Identifier: MIT
 *
 * test_object_start.c - how a manager of active objects starts: all or nothing, and what is wrong
 * in its components is refused with a text that names it.
 *
 * Method: as account_objects.h says.
 */
#include <stdlib.h>

#include <ward/extend.h>
#include <ward/simulation.h>

#include "account_objects.h"

/* ---- all or nothing ---------------------------------------------------------------------- */

static void configure(const ward_strategy *strategy)
{
	open_bank_to_start();
	ward_assert_ok(ward_objects_configure(strategy, two_accounts, &bank.objects));
}

WARD_TEST(constructor_that_fails_fails_the_start_and_nothing_is_left, "S124")
{
	for (int i = 0; i < 2; i++) {
		uint64_t actors;

		configure(i == 0 ? NULL : &ward_stopping_strategy);
		actors = ward_kit_stats(bank.kit).actors;
		bank.broken = 1;
		ward_assert_err(ward_objects_supervise(bank.objects, bank.system, WARD_SECOND),
				WARD_EFAILED);
		ward_assert_part(ward_err_detail(),
				 "did not start: overdrawn: no cents to begin with");
		ward_kit_run(bank.kit);
		ward_assert_eq(ward_kit_stats(bank.kit).actors, actors);
		ward_assert_err(ward_objects_get(bank.objects, NULL, "a", &bank.acc), WARD_EDEAD);
		/* Now it does not fail. */
		ward_assert_ok(ward_objects_supervise(bank.objects, bank.system, WARD_SECOND));
		ward_assert_ok(ward_objects_get(bank.objects, NULL, "a", &bank.acc));
		assert_balance(&bank.acc, 10);
		close_bank();
	}
}

WARD_TEST(constructor_that_is_tried_again_is_waited_for, "S124")
{
	static const ward_strategy again = {.rules = {{&ward_exception, WARD_RESTART}}};

	configure(&again);
	bank.broken = 3;
	ward_assert_ok(ward_objects_supervise(bank.objects, bank.system, WARD_SECOND));
	ward_assert_eq(bank.broken, 0);
	ward_assert_ok(ward_objects_get(bank.objects, NULL, "b", &bank.other));
	assert_balance(&bank.other, 20);
	close_bank();
}

WARD_TEST(start_that_escalates_fails_whatever_is_decided_above, "S124")
{
	static const ward_strategy up = {.rules = {{&ward_exception, WARD_ESCALATE}}};
	static const ward_strategy users[] = {{.otherwise = WARD_RESTART},
					      {.otherwise = WARD_STOP}};

	for (size_t i = 0; i < 2; i++) {
		open_bank_to_start_under(&users[i]);
		ward_assert_ok(ward_objects_configure(&up, two_accounts, &bank.objects));
		bank.broken = 1;
		ward_assert_err(ward_objects_supervise(bank.objects, bank.system, WARD_FOREVER),
				WARD_EFAILED);
		ward_assert_part(ward_err_detail(), "did not start: overdrawn");
		ward_kit_run(bank.kit);
		ward_assert(ward_ref_is_nobody(ward_objects_ref(bank.objects)));
		close_bank();
	}
}

WARD_TEST(start_by_an_actor_that_fails_is_a_failure_of_the_supervisor, "S124")
{
	ward_probe *parent;

	configure(NULL);
	parent = ward_probe_start(bank.kit, "parent");
	bank.broken = 1;
	ward_probe_spawn(parent, &ward_objects_supervisor, .name = "bank",
			 .args = WARD_ARGS(ward_supervised, .objects = bank.objects));
	ward_assert_part(
		ward_expect_failure(parent, WARD_SECOND, ward_nobody(), &ward_initialization)->text,
		"did not start: overdrawn");
	ward_probe_decide(parent, ward_objects_ref(bank.objects), WARD_STOP);
	close_bank();
}

/* Nothing of it is in the way of the next one. */
WARD_TEST(start_that_failed_may_be_tried_again_at_once, "S124")
{
	uint64_t actors;

	for (uint64_t seed = 1; seed <= (ward_test_shortage() ? 1 : 20); seed++) {
		open_bank_at(seed);
		ward_assert_ok(ward_objects_configure(NULL, two_accounts, &bank.objects));
		actors = ward_kit_stats(bank.kit).actors;
		bank.broken = 1;
		ward_assert_err(ward_objects_supervise(bank.objects, bank.system, WARD_SECOND),
				WARD_EFAILED);
		ward_assert_part(ward_err_detail(), "did not start: overdrawn");
		ward_assert(ward_kit_stats(bank.kit).actors <= actors + 1); /* /user has a look */
		ward_assert_ok(ward_objects_supervise(bank.objects, bank.system, WARD_SECOND));
		close_bank();
	}
}

static ward_err start_with(ward_component component)
{
	ward_component components[] = {component, {0}};
	ward_err err = ward_objects_configure(NULL, components, &bank.objects);

	if (err != WARD_OK)
		return err;
	err = ward_objects_supervise(bank.objects, bank.system, WARD_SECOND);
	ward_objects_release(bank.objects);
	bank.objects = NULL;
	return err;
}

WARD_TEST(what_the_spawn_of_an_object_refuses_fails_the_start, "S124")
{
	open_bank_to_start();
	ward_assert_err(start_with((ward_component){.object_class = &account,
						    .id = "no name",
						    .args = {&cents_type, &ten, sizeof ten}}),
			WARD_ENAME);
	ward_assert_err(start_with((ward_component){.object_class = &account,
						    .args = {&cents_type, &ten, sizeof ten},
						    .dispatcher = "none"}),
			WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "none");
	close_bank();
}

WARD_TEST(objects_are_supervised_once_at_a_time, "S124")
{
	open_bank(NULL, two_accounts);
	ward_assert_err(ward_objects_supervise(bank.objects, bank.system, WARD_SECOND),
			WARD_EEXIST);
	ward_assert_err(ward_objects_supervise(NULL, bank.system, WARD_SECOND), WARD_EINVAL);
	ward_assert_err(ward_objects_supervise(bank.objects, NULL, WARD_SECOND), WARD_EEXIST);
	ward_assert_err(ward_objects_supervise(bank.objects, bank.system, 0), WARD_EINVAL);
	assert_balance(&bank.acc, 10);
	close_bank();
}

/* Another supervisor was spawned before, and has not begun; whoever begins first has them. */
WARD_TEST(start_of_objects_that_somebody_else_starts_is_refused, "S124")
{
	size_t refused = 0;
	ward_ref first;

	for (uint64_t seed = 1; seed <= (ward_test_shortage() ? 1 : 20); seed++) {
		ward_err err;

		open_bank_at(seed);
		ward_assert_ok(ward_objects_configure(NULL, two_accounts, &bank.objects));
		first = ward_kit_spawn(bank.kit, &ward_objects_supervisor,
				       .args = WARD_ARGS(ward_supervised, .objects = bank.objects));
		err = ward_objects_supervise(bank.objects, bank.system, WARD_SECOND);
		if (ward_ref_equal(ward_objects_ref(bank.objects), first)) {
			ward_assert_err(err, WARD_EEXIST);
			ward_assert_part(ward_err_detail(), "already have a supervisor");
			refused++;
		} else {
			ward_assert_ok(err);
		}
		ward_kit_run(bank.kit);
		ward_assert_ok(ward_objects_get(bank.objects, NULL, "a", &bank.acc));
		assert_balance(&bank.acc, 10);
		close_bank();
	}
	ward_assert_seen(refused);
}

/* In a restart its old objects are on their way out. */
WARD_TEST(supervisor_keeps_its_objects_while_it_restarts, "S124")
{
	static const ward_strategy again = {.otherwise = WARD_RESTART};
	static const ward_strategy strategy = {
		.rules = {{&ruined, WARD_ESCALATE}, {&ward_exception, WARD_STOP}}};
	enum way way = BY_RETURN_RUINED;
	ward_ref supervisor;

	open_bank_under(&again, &strategy, two_accounts);
	supervisor = ward_objects_ref(bank.objects);
	ward_object_tell(&bank.acc, FAIL, &way, sizeof way);
	ward_kit_run_until_state(bank.kit, supervisor, WARD_STATE_RESTARTING);
	ward_assert_err(ward_objects_get(bank.objects, NULL, "a", &bank.acc), WARD_EDEAD);
	ward_assert_err(ward_objects_supervise(bank.objects, bank.system, WARD_SECOND),
			WARD_EEXIST);
	ward_kit_run(bank.kit);
	ward_assert(ward_ref_equal(ward_objects_ref(bank.objects), supervisor));
	ward_assert_ok(ward_objects_get(bank.objects, NULL, "a", &bank.acc));
	assert_balance(&bank.acc, 10);
	close_bank();
}

static ward_result supervise_inside(ward_self *self, void *arg)
{
	(void)self, (void)arg;
	ward_assert_err(ward_objects_supervise(bank.objects, bank.system, WARD_SECOND),
			WARD_ETHREAD);
	return WARD_DONE;
}

WARD_TEST(actor_cannot_wait_for_a_start, "S124")
{
	struct script actor = {.name = "actor"};

	configure(NULL);
	script_spawn(bank.kit, &actor);
	script_do(bank.kit, actor.ref, supervise_inside, NULL);
	ward_kit_run(bank.kit);
	ward_assert_eq(ward_kit_count(bank.kit, WARD_EVENT_FAILURE, "*"), 0);
	close_bank();
}

WARD_TEST(start_that_fails_in_a_restart_of_the_supervisor_is_a_failure_of_it, "S124")
{
	static const ward_strategy again = {.otherwise = WARD_RESTART};
	static const ward_strategy strategy = {
		.rules = {{&ruined, WARD_ESCALATE}, {&ward_exception, WARD_STOP}}};

	open_bank_under(&again, &strategy, two_accounts);
	bank.broken = 3;
	make_fail(&bank.acc, BY_RETURN_RUINED);
	ward_assert_eq(bank.broken, 0);
	ward_assert_ok(ward_objects_get(bank.objects, NULL, "a", &bank.acc));
	assert_balance(&bank.acc, 10);
	close_bank();
}

WARD_TEST(supervisor_of_no_objects_is_refused_at_the_spawn, "S124")
{
	struct ward_supervised later = {.reserved = {0, 1}};

	open_bank(NULL, two_accounts);
	ward_assert_err(ward_system_spawn(bank.system,
					  WARD_PROPS(&ward_objects_supervisor,
						     .args = WARD_ARGS(ward_supervised)),
					  NULL),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "no objects");
	later.objects = bank.objects;
	ward_assert_err(ward_system_spawn(bank.system,
					  WARD_PROPS(&ward_objects_supervisor,
						     .args = {WARD_COPY(ward_supervised, &later)}),
					  NULL),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "a reserved word is not zero");
	close_bank();
}

/* What is asked for in one system is not there in another. */
WARD_TEST(objects_are_of_one_system_at_a_time, "S124")
{
	ward_system *system = NULL;
	static const ward_simulation quiet = {0};
	ward_options options = {.name = "second", .simulation = &quiet, .seed = 1};
	ward_ref second;

	open_bank(NULL, two_accounts);
	ward_assert_ok(ward_system_create(&options, &system));
	ward_assert_ok(ward_system_spawn(
		system,
		WARD_PROPS(&ward_objects_supervisor,
			   .args = WARD_ARGS(ward_supervised, .objects = bank.objects)),
		&second));
	ward_assert_ok(ward_system_wait_for(system, second, WARD_SECOND));
	ward_assert_ok(ward_objects_get(bank.objects, NULL, "a", &bank.acc));
	assert_balance(&bank.acc, 10);
	ward_assert(ward_system_is_alive(bank.system, ward_objects_ref(bank.objects)));
	ward_assert_ok(ward_system_destroy(system, WARD_SECOND));
	close_bank();
}

/* ---- calls before all are there ---------------------------------------------------------- */

static ward_result call_the_other(ward_self *self, void *object, const void *args)
{
	ward_object other;

	(void)object, (void)args;
	if (ward_objects_get(bank.objects, NULL, "b", &other) != WARD_OK)
		return WARD_DONE;
	for (int i = 0; i < 3; i++)
		ward_object_tell_from(self, &other, DEPOSIT, &ten, sizeof ten);
	return WARD_DONE;
}

/* Its mailbox has room for one message, and drops the oldest. */
WARD_TEST(start_is_not_undone_by_calls_that_fill_a_mailbox, "S124")
{
	static const ward_object_class eager = {.name = "eager",
						.methods = account_methods,
						.methods_count = METHODS,
						.state_size = sizeof(struct account),
						.create = call_the_other};
	static const ward_component components[] = {
		{.object_class = &eager},
		{.object_class = &account,
		 .id = "b",
		 .args = {&cents_type, &ten, sizeof ten},
		 .mailbox = {.messages_max = 1, .overflow = WARD_OVERFLOW_DROP_OLDEST}},
		{0}};

	for (uint64_t seed = 1; seed <= (ward_test_shortage() ? 2 : 20); seed++) {
		open_bank_at(seed);
		ward_assert_ok(ward_objects_configure(NULL, components, &bank.objects));
		ward_assert_ok(ward_objects_supervise(bank.objects, bank.system, WARD_SECOND));
		ward_assert_ok(ward_objects_get(bank.objects, NULL, "b", &bank.other));
		ward_assert_ok(balance_of(&bank.other, &(int64_t){0}));
		close_bank();
	}
}

/* ---- what is wrong ----------------------------------------------------------------------- */

static ward_result nothing(ward_self *self, void *object, const ward_failure *why)
{
	(void)self, (void)object, (void)why;
	return WARD_DONE;
}

static void refused(ward_component component, ward_err wanted, const char *part)
{
	ward_component components[] = {component, {0}};
	ward_objects *objects = NULL;

	ward_assert_err(ward_objects_configure(NULL, components, &objects), wanted);
	ward_assert_part(ward_err_detail(), part);
	ward_assert(objects == NULL);
}

#define REFUSED(wanted, part, ...)                                                                 \
	refused((ward_component){.object_class = &account,                                         \
				 .args = {&cents_type, &ten, sizeof ten},                          \
				 __VA_ARGS__},                                                     \
		wanted, part)

WARD_TEST(component_that_does_not_fit_together_is_refused, "S124")
{
	static const ward_type other = {.name = "euros", .size = sizeof ten};

	REFUSED(WARD_EINVAL, ".timeout_ms is -1: it must not be negative", .timeout_ms = -1);
	REFUSED(WARD_EINVAL, "a reserved word is not zero", .reserved = {0, 0, 0, 1});
	REFUSED(WARD_ENOENT, ".pre_restart_method is \"wash\", but the class has no such method",
		.pre_restart_method = "wash");
	REFUSED(WARD_EINVAL, ".post_restart_method is \"balance\": a callback takes no arguments",
		.post_restart_method = "balance");
	REFUSED(WARD_EINVAL, ".post_restart_method is \"deposit\": a callback takes no arguments",
		.post_restart_method = "deposit");
	REFUSED(WARD_EINVAL, ".pre_restart and .pre_restart_method exclude each other",
		.pre_restart = nothing, .pre_restart_method = "rinse");
	refused((ward_component){.object_class = &account}, WARD_EINVAL,
		"account needs arguments: write .args = WARD_ARGS(cents, ...)");
	refused((ward_component){.object_class = &account, .args = {&cents_type, &ten, 4}},
		WARD_ESIZE, "arguments of 4 bytes are not a \"cents\", which has 8");
	refused((ward_component){.object_class = &account, .args = {&other, &ten, sizeof ten}},
		WARD_EINVAL, "takes arguments of type \"cents\", but got \"euros\"");
}

static void drop(void *body)
{
	(void)body;
}

static void class_refused(const ward_object_class *with, const char *part)
{
	refused((ward_component){.object_class = with}, WARD_EINVAL, part);
}

WARD_TEST(class_that_is_none_is_refused, "S124")
{
	static const ward_type unique = {.name = "unique", .size = 8, .drop = drop};
	ward_method methods[] = {{"m", 0, 0, account_rinse}, {"n", 0, 0, account_rinse}};
	ward_object_class with = {.name = "c", .methods = methods, .methods_count = 2};

	refused((ward_component){.object_class = &with, .args = {&cents_type, &ten, sizeof ten}},
		WARD_EINVAL, "takes no arguments, but got a \"cents\": leave .args out, or");
	methods[1].name = "m";
	class_refused(&with, "two methods have the name \"m\"");
	methods[1].name = NULL;
	class_refused(&with, "class c: method 1 has no name, or no function");
	methods[1] = (ward_method){"n", 0, 0, NULL};
	class_refused(&with, "class c: method 1 has no name, or no function");
	methods[1] = (ward_method){"n", WARD_METHOD_BYTES + 1, 0, account_rinse};
	class_refused(&with, "method \"n\" takes 4097 bytes");
	methods[1] = (ward_method){"n", 0, WARD_METHOD_BYTES + 1, account_rinse};
	class_refused(&with, "answers 4097: 4096 at most");
	with.methods_count = 0;
	class_refused(&with, "class c has no methods");
	with.methods_count = 1;
	with.reserved[3] = 1;
	class_refused(&with, "class c: a reserved word is not zero");
	with.reserved[3] = 0;
	with.name = NULL;
	class_refused(&with, "has no name");
	with.name = "c";
	with.args = &unique;
	refused((ward_component){.object_class = &with, .args = {&unique, &ten, sizeof ten}},
		WARD_EUNIQUE, "of type \"unique\", which owns things and has no clone");
}

WARD_TEST(components_are_told_apart_by_their_ids, "S124")
{
	ward_component twice[] = {
		{.object_class = &account, .args = {&cents_type, &ten, sizeof ten}},
		{.object_class = &account, .args = {&cents_type, &ten, sizeof ten}},
		{0}};
	static const ward_strategy no_number = {.window_ms = 1000};
	ward_objects *objects;

	ward_assert_err(ward_objects_configure(NULL, twice, &objects), WARD_EEXIST);
	ward_assert_part(ward_err_detail(), "two components have the id \"account\"");
	twice[1].id = "another";
	ward_assert_ok(ward_objects_configure(NULL, twice, &objects));
	ward_objects_release(objects);
	ward_objects_release(NULL);
	ward_assert_err(ward_objects_configure(NULL, &twice[2], &objects), WARD_EINVAL);
	ward_assert_err(ward_objects_configure(NULL, NULL, &objects), WARD_EINVAL);
	ward_assert_err(ward_objects_configure(NULL, twice, NULL), WARD_EINVAL);
	ward_assert_err(ward_objects_configure(&no_number, twice, &objects), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "there is no restarts_max");
}

/* ---- arguments --------------------------------------------------------------------------- */

static int dropped;

static void drop_box(void *body)
{
	free(*(char **)body);
	dropped++;
}

static ward_err clone_box(void *to, const void *from)
{
	char *const *text = from;

	if (strcmp(*text, "bad") == 0)
		return ward_refused(WARD_EINVAL, "a bad box");
	*(char **)to = strdup(*text);
	return WARD_OK;
}

static ward_result unpack(ward_self *self, void *object, const void *args)
{
	(void)self, (void)object;
	journal_note("%s", *(char *const *)args);
	return WARD_DONE;
}

WARD_TEST(arguments_are_copied_kept_over_restarts_and_dropped_once, "S124")
{
	static const ward_type box = {
		.name = "box", .size = sizeof(char *), .drop = drop_box, .clone = clone_box};
	static const ward_method methods[] = {{"fail", sizeof(enum way), 0, account_fail}};
	static const ward_object_class boxes = {.name = "a",
						.methods = methods,
						.methods_count = 1,
						.state_size = sizeof(struct account),
						.args = &box,
						.create = unpack};
	char text[8] = "full", *content = text;
	char dispatcher[] = WARD_PINNED;
	ward_component components[] = {{.object_class = &boxes,
					.args = {&box, &content, sizeof content},
					.dispatcher = dispatcher},
				       {0}};
	enum way way = BY_RETURN;

	dropped = 0;
	open_bank_to_start();
	ward_assert_ok(ward_objects_configure(NULL, components, &bank.objects));
	strcpy(text, "gone");
	strcpy(dispatcher, "gone");
	ward_assert_ok(ward_objects_supervise(bank.objects, bank.system, WARD_SECOND));
	ward_assert_ok(ward_objects_get(bank.objects, NULL, "a", &bank.acc));
	ward_object_tell(&bank.acc, 0, &way, sizeof way);
	ward_kit_run(bank.kit);
	ward_assert_part(journal_text(), "full;:fail;full");
	ward_assert_eq(dropped, 0);
	close_bank();
	ward_assert_eq(dropped, 1);
	strcpy(text, "bad");
	components[0].dispatcher = NULL;
	ward_assert_err(ward_objects_configure(NULL, components, &bank.objects), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "a bad box");
	ward_assert_eq(dropped, 1);
}

WARD_TEST_MAIN
