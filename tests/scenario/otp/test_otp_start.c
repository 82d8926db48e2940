/* SPDX-License-Identifier: MIT
 *
 * test_otp_start.c - supervisors of the OTP profile: the order of the start, what does not start,
 * what has nothing to do, copies of tables (S110).
 *
 * Method: workers note what happens to them. Where it is a matter of order, over many seeds.
 */
#include <stdlib.h>

#include "support/otp_workers.h"

static const ward_otp_supervisor cellar = {
	.name = "cellar",
	.children = CHILDREN(PERMANENT("c"), PERMANENT("d")),
};
static const ward_otp_supervisor house = {
	.name = "house",
	.children =
		CHILDREN(PERMANENT("a"), {.id = "below", .supervisor = &cellar}, PERMANENT("b")),
};

/* ---- in order ---------------------------------------------------------------------------- */

WARD_TEST(children_start_in_order_before_it_answers, "S110")
{
	WARD_TEST_SEEDS(20)
	{
		ward_ref who;

		o_begin_at(ward_test_seed());
		who = o_start(&house);
		ward_assert_str(o.log, "a+ c+ d+ b+");
		ward_assert_str(o_which(who), "b+ below+ a+");
		o_end();
	}
}

WARD_TEST(stop_ends_children_from_the_last_to_the_first, "S110", "S115")
{
	WARD_TEST_SEEDS(20)
	{
		ward_ref who;

		o_begin_at(ward_test_seed());
		who = o_start(&house);
		seen();
		ward_assert_ok(ward_otp_stop(o_system(), who, WARD_SECOND));
		ward_assert_str(seen(), "b- d- c- a-");
		ward_assert(!o_lives(who));
		o_end();
	}
}

WARD_TEST(a_child_that_cannot_start_ends_those_before_it_in_reverse, "S110")
{
	WARD_TEST_SEEDS(20)
	{
		ward_ref who = ward_nobody();

		o_begin_at(ward_test_seed());
		o.broken = "b";
		ward_assert_err(ward_otp_start(o_system(), &house, WARD_SECOND, &who),
				WARD_EFAILED);
		ward_assert_part(ward_err_detail(), "child \"b\" cannot be started");
		ward_assert_part(ward_err_detail(), "bad_luck: b cannot start");
		ward_assert_str(seen(), "a+ c+ d+ bx d- c- a-");
		ward_assert(ward_ref_is_nobody(who));
		o_end();
	}
}

WARD_TEST(a_child_that_cannot_start_below_is_named, "S110")
{
	ward_ref who;

	o_begin();
	o.broken = "d";
	ward_assert_err(ward_otp_start(o_system(), &house, WARD_SECOND, &who), WARD_EFAILED);
	ward_assert_part(ward_err_detail(), "child \"below\" cannot be started");
	ward_assert_part(ward_err_detail(), "child \"d\" cannot be started");
	ward_assert_part(ward_err_detail(), "d cannot start");
	ward_assert_str(seen(), "a+ c+ dx c- a-");
	o.broken = NULL;
	(void)o_start(&house); /* the name is free */
	o_end();
}

WARD_TEST(supervisor_below_a_foreign_parent_fails_with_what_did_not_start, "S110")
{
	const ward_probe_failure *failure;
	ward_ref who;

	o_begin();
	o.broken = "b";
	who = ward_probe_spawn(o.probe, &ward_otp_behavior,
			       .args = {WARD_COPY(ward_otp_supervisor, &house)});
	failure = ward_expect_failure(o.probe, WARD_SECOND, who, &ward_otp_not_started);
	ward_assert_part(failure->text, "child \"b\" cannot be started");
	ward_assert_str(seen(), "a+ c+ d+ bx d- c- a-");
	ward_probe_decide(o.probe, who, WARD_STOP);
	ward_kit_run(o.kit);
	o_end();
}

/* It asks by a path, so maybe before the thread that starts it does. */
static ward_result curious_start(ward_self *self, void *state)
{
	ward_select_tell(self, "../house", ward_otp_ready);
	return worker_start(self, state);
}

static const ward_behavior curious = {
	.name = "curious",
	.args = &ward_type_name,
	.receive = worker_receive,
	.pre_start = curious_start,
};

WARD_TEST(who_starts_a_supervisor_hears_of_it_whoever_else_asks, "S110")
{
	const ward_props props = {.behavior = &curious, .args = WARD_ARGS(name, "z")};

	WARD_TEST_SEEDS(20)
	{
		ward_ref who;

		o_begin_at(ward_test_seed());
		o.broken = "b";
		ward_assert_ok(ward_system_spawn(o_system(), &props, NULL));
		ward_assert_err(ward_otp_start(o_system(), &house, WARD_SECOND, &who),
				WARD_EFAILED);
		ward_assert_part(ward_err_detail(), "b cannot start");
		o_end();
	}
}

WARD_TEST(supervisor_is_refused_at_the_spawn_when_its_table_is_wrong, "S110")
{
	o_begin();
	ward_assert_err(ward_system_spawn(
				o_system(),
				WARD_PROPS(&ward_otp_behavior,
					   .args = WARD_ARGS(ward_otp_supervisor, .intensity = -2)),
				NULL),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), ".intensity is -2");
	o_end();
}

/* One that did not start, and was resumed. */
static ward_ref o_resumed(void)
{
	ward_ref who;

	o.broken = "b";
	who = ward_probe_spawn(o.probe, &ward_otp_behavior,
			       .args = {WARD_COPY(ward_otp_supervisor, &house)});
	(void)ward_expect_failure(o.probe, WARD_SECOND, who, &ward_otp_not_started);
	ward_probe_decide(o.probe, who, WARD_RESUME);
	ward_kit_run(o.kit);
	ward_assert(o_lives(who));
	return who;
}

/* There is nothing that it could go on with, and nobody shall wait for an answer. */
WARD_TEST(supervisor_that_did_not_start_and_is_resumed_ends_when_it_is_asked, "S110")
{
	struct ward_otp_counts counts;
	struct ward_otp_started started;
	ward_ref who;

	o_begin();
	who = o_resumed();
	ward_assert_err(
		ward_system_ask(o_system(), who, WARD_MINUTE, &counts, ward_otp_count_children),
		WARD_EDEAD);
	ward_assert(!o_lives(who));
	who = o_resumed();
	ward_assert_err(ward_system_ask(o_system(), who, WARD_MINUTE, &started, ward_otp_ready),
			WARD_EDEAD);
	ward_assert(!o_lives(who));
	who = o_resumed();
	ward_assert_ok(ward_otp_stop(o_system(), who, WARD_MINUTE));
	o_end();
}

WARD_TEST(supervisor_below_a_foreign_parent_says_when_it_is_ready, "S110")
{
	ward_ref who;

	o_begin();
	who = ward_probe_spawn(o.probe, &ward_otp_behavior,
			       .args = {WARD_COPY(ward_otp_supervisor, &house)});
	ward_probe_tell(o.probe, who, ward_otp_ready);
	ward_assert_eq(ward_expect(o.probe, 0, ward_otp_started)->err, WARD_OK);
	ward_assert_str(o.log, "a+ c+ d+ b+");
	o_end();
}

WARD_TEST(supervisor_that_cannot_be_spawned_below_is_no_start, "S110")
{
	const ward_otp_supervisor table = {
		.children =
			CHILDREN(PERMANENT("a"), {.id = "b", NAMED("b"), .props.name = "no way"}),
	};
	ward_ref who;

	o_begin();
	ward_assert_err(ward_otp_start(o_system(), &table, WARD_SECOND, &who), WARD_EFAILED);
	ward_assert_part(ward_err_detail(), "child \"b\" cannot be started");
	ward_assert_str(seen(), "a+ a-");
	o_end();
}

/* ---- what stops before it has started ---------------------------------------------------- */

static ward_result quits(ward_self *self, void *state)
{
	(void)state;
	ward_stop_self(self);
	return WARD_DONE;
}
static const ward_behavior quitter = {
	.name = "quitter", .receive = worker_receive, .pre_start = quits};

WARD_TEST(a_child_that_ends_in_its_start_has_not_started, "S110")
{
	const ward_otp_supervisor table = {
		.children = CHILDREN(PERMANENT("a"), {.id = "q", .props = {.behavior = &quitter}}),
	};
	ward_ref who;

	o_begin();
	ward_assert_err(ward_otp_start(o_system(), &table, WARD_SECOND, &who), WARD_EFAILED);
	ward_assert_part(ward_err_detail(), "child \"q\" cannot be started");
	ward_assert_part(ward_err_detail(), "normal");
	ward_assert_str(seen(), "a+ a-");
	o_end();
}

/* ---- where memory is out ----------------------------------------------------------------- */

struct request {
	ward_ref supervisor;
	const ward_otp_child_spec *spec;
};

static void asks_for_it(ward_self *self, void *arg)
{
	const struct request *request = arg;
	const ward_question question = {
		.to = request->supervisor, .timeout_ms = WARD_MINUTE, .tag = 1};

	ward_otp_start_child_ask(self, &question, request->spec);
}

/* From the end of its start on nobody has memory: for its answer, nor for the word of that. */
static ward_result starves(ward_self *self, void *state)
{
	(void)self, (void)state;
	ward_kit_fail_all_allocations(o.kit, true);
	return WARD_DONE;
}
static const ward_behavior starving = {
	.name = "starving", .receive = worker_receive, .pre_start = starves};

WARD_TEST(an_answer_that_is_lost_is_asked_for_again, "S110")
{
	const ward_otp_supervisor table = {.children = CHILDREN(PERMANENT("a"))};
	const ward_otp_child_spec s = {.id = "s", .props = {.behavior = &starving}};
	struct ward_otp_done done;
	ward_ref who;

	o_begin();
	who = o_start(&table);
	ward_probe_do(o.probe, asks_for_it, &(struct request){who, &s});
	ward_kit_run(o.kit);
	ward_kit_fail_all_allocations(o.kit, false);
	ward_kit_advance(o.kit, 10 * WARD_SECOND);
	done = *ward_expect(o.probe, 0, ward_otp_done);
	ward_assert_eq(done.code, WARD_OTP_OK);
	ward_assert(o_lives(done.who));
	o_end();
}

/* ---- ignore ------------------------------------------------------------------------------ */

static const ward_otp_supervisor three = {
	.strategy = WARD_OTP_ONE_FOR_ALL,
	.intensity = 5,
	.children = CHILDREN(TRANSIENT("a"), TEMPORARY("b"), PERMANENT("c")),
};

WARD_TEST(a_child_with_nothing_to_do_keeps_its_specification, "S110")
{
	ward_ref who;

	o_begin();
	o.idle = "ab";
	who = o_start(&three);
	ward_assert_str(seen(), "a0 b0 c+");
	ward_assert_str(o_which(who), "c+ a-"); /* not that of a temporary one */
	o.idle = NULL;
	ward_assert_eq(o_restart(who, "a"), WARD_OTP_OK);
	ward_assert_str(o_which(who), "c+ a+");
	o_end();
}

WARD_TEST(a_child_with_nothing_to_do_in_a_restart_keeps_its_specification, "S110")
{
	ward_ref who;

	o_begin();
	who = o_start(&three);
	seen();
	o.idle = "c";
	o_fail(who, "c");
	ward_assert_str(seen(), "b- a- a+ c0");
	ward_assert_str(o_which(who), "c- a+");
	o_end();
}

/* ---- tables ------------------------------------------------------------------------------ */

WARD_TEST(props_count_of_a_supervisor_below_too, "S110")
{
	const ward_otp_supervisor table = {
		.children =
			CHILDREN({.id = "w", .supervisor = &cellar, .props.dispatcher = "nowhere"}),
	};
	ward_ref who;

	o_begin();
	ward_assert_err(ward_otp_start(o_system(), &table, WARD_MINUTE, &who), WARD_EFAILED);
	ward_assert_part(ward_err_detail(), "nowhere");
	o_end();
}

/* A table that is gone when the supervisor runs. */
WARD_TEST(table_is_copied_with_all_that_is_nested, "S110")
{
	ward_otp_child_spec *children = calloc(3, sizeof *children);
	ward_otp_supervisor *below = calloc(1, sizeof *below), *table = calloc(1, sizeof *table);
	struct name *args = calloc(1, sizeof *args);
	ward_ref who;

	o_begin();
	snprintf(args->text, sizeof args->text, "a");
	children[0] = (ward_otp_child_spec){
		.id = strdup("a"), .props = {.behavior = &worker, .args = {WARD_COPY(name, args)}}};
	*below = cellar;
	children[1] = (ward_otp_child_spec){.id = "below", .supervisor = below};
	*table = (ward_otp_supervisor){
		.name = strdup("house"), .children = children, .intensity = 3};
	who = o_start(table);
	free((void *)(uintptr_t)children[0].id);
	free((void *)(uintptr_t)table->name);
	memset(children, 0xFF, 3 * sizeof *children);
	memset(below, 0xFF, sizeof *below);
	memset(table, 0xFF, sizeof *table);
	free(children);
	free(below);
	free(table);
	free(args);
	seen();
	o_fail(who, "a");
	ward_kit_tell(o.kit, o_child(who, "below"), ward_otp_shut_down);
	ward_assert_str(seen(), "a- a+ d- c- c+ d+");
	o_end();
}

/* ---- names ------------------------------------------------------------------------------- */

WARD_TEST(a_child_has_its_id_for_a_name_where_it_can, "S110")
{
	const ward_otp_supervisor table = {
		.name = "house",
		.children = CHILDREN(PERMANENT("a"), PERMANENT("b c"),
				     {.id = "d", NAMED("d"), .props.name = "dora"},
				     {.id = "below", .supervisor = &cellar}),
	};
	char path[WARD_EVENT_PATH];
	ward_ref who;

	o_begin();
	who = o_start(&table);
	(void)ward_system_path(o_system(), o_child(who, "a"), path, sizeof path);
	ward_assert_str(path, "sim/user/house/a");
	(void)ward_system_path(o_system(), o_child(who, "d"), path, sizeof path);
	ward_assert_str(path, "sim/user/house/dora");
	(void)ward_system_path(o_system(), o_child(who, "below"), path, sizeof path);
	ward_assert_str(path, "sim/user/house/cellar"); /* from its table */
	ward_assert(o_lives(o_child(who, "b c")));
	seen();
	o_fail(who, "a"); /* the name is free again by then */
	ward_assert_str(seen(), "a- a+");
	(void)ward_system_path(o_system(), o_child(who, "a"), path, sizeof path);
	ward_assert_str(path, "sim/user/house/a");
	o_end();
}

/* ---- what it is not for ------------------------------------------------------------------ */

WARD_TEST(other_messages_are_unhandled, "S110")
{
	ward_ref who;

	o_begin();
	who = o_start(&house);
	ward_kit_tell(o.kit, who, act, .what = FAIL);
	ward_kit_run(o.kit);
	ward_assert_eq(ward_kit_stats(o.kit).unhandled, 1);
	ward_assert(o_lives(who));
	o_end();
}

WARD_TEST_MAIN
