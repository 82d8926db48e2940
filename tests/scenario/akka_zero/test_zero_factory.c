/* SPDX-License-Identifier: MIT
 *
 * test_zero_factory.c - a supervision tree of one table: all of it starts, or nothing; what becomes
 * of its components; who is found in it (S118-S123).
 *
 * Method: workers note what happens to them. Most supervisors are children of a probe, which
 * decides about what is passed on.
 */
#include "supervisors_and_workers.h"

static const ward_zero_strategy one = WARD_ZERO_STRATEGY(WARD_ONE_FOR_ONE, 2, 1000, &bad_luck);
static const ward_zero_strategy all = WARD_ZERO_STRATEGY(WARD_ALL_FOR_ONE, 2, 1000, &bad_luck);

static ward_err try_start(const ward_zero_factory *factory, ward_ref *ret_who)
{
	return ward_zero_start(z_system(), factory, WARD_SECOND, ret_who);
}

static ward_ref start_below_probe(const ward_zero_factory *factory)
{
	ward_ref who = ward_probe_spawn(z.probe, &ward_zero_supervisor, .name = factory->name,
					.args = {WARD_COPY(ward_zero_factory, factory)});

	ward_probe_watch(z.probe, who);
	ward_kit_run(z.kit);
	return who;
}

static ward_ref worker_of(ward_ref supervisor, const ward_behavior *behavior)
{
	ward_ref who = ward_nobody();

	ward_assert_ok(ward_zero_actor(z_system(), supervisor, behavior, WARD_SECOND, &who));
	return who;
}

/* A worker by name, however deep. */
struct sought {
	const char *name;
	ward_ref who;
};

static void look_at(void *arg, const ward_actor_info *info)
{
	struct sought *sought = arg;
	const char *slash = strrchr(info->path, '/');

	if (slash != NULL && strcmp(slash + 1, sought->name) == 0)
		sought->who = info->ref;
}

static ward_ref called(const char *name)
{
	struct sought sought = {name, ward_nobody()};

	(void)ward_system_actors(z_system(), look_at, &sought);
	return sought.who;
}

/* ---- starting ---------------------------------------------------------------------------- */

static const ward_zero_factory cellar = {
	.name = "cellar",
	.strategy = &one,
	.components = TABLE(PERMANENT("c"), COMPONENT_OF(helper, "d", .life = WARD_ZERO_PERMANENT)),
};
static const ward_zero_factory house = {
	.name = "house",
	.strategy = &all,
	.components = TABLE(PERMANENT("a"), {.nested = &cellar}, PERMANENT("b")),
};

WARD_TEST(factory_starts_all_in_order_before_it_answers, "S123", "S118")
{
	ward_ref who;

	z_begin();
	ward_assert_ok(try_start(&house, &who));
	ward_assert_str(z.log, "a+ c+ d+ b+");
	ward_system_stop(z_system(), who);
	ward_kit_run(z.kit);
	ward_assert(!z_lives(who));
	seen();
	z_end();
}

WARD_TEST(factory_as_a_child_answers_when_all_run, "S123")
{
	ward_ref who;

	z_begin();
	who = start_below_probe(&house);
	ward_probe_tell(z.probe, who, ward_zero_ready);
	ward_assert_eq(ward_expect(z.probe, 0, ward_zero_started)->err, WARD_OK);
	ward_assert_str(seen(), "a+ c+ d+ b+");
	z_end();
}

WARD_TEST(stop_of_a_supervisor_stops_all, "S123")
{
	const char *log;
	ward_ref who;

	z_begin();
	who = start_below_probe(&house);
	ward_assert_str(seen(), "a+ c+ d+ b+");
	ward_kit_stop(z.kit, who);
	log = seen();
	ward_assert_eq(times(log, "-"), 4);
	ward_expect_terminated(z.probe, 0, who);
	z_end();
}

/* Nobody of the tree is alive, and its name is free. */
static void check_nothing_is_left(const char *name)
{
	ward_kit_run(z.kit);
	ward_assert(ward_ref_is_nobody(called(name)));
	ward_assert(ward_ref_is_nobody(called("a")));
	ward_assert(ward_ref_is_nobody(called("c")));
}

WARD_TEST(factory_of_which_one_cannot_start_starts_nothing, "S123")
{
	ward_ref who = ward_nobody();
	const char *log;

	z_begin();
	z.broken = 'b'; /* the last one */
	ward_assert_err(try_start(&house, &who), WARD_EDEAD);
	ward_assert_part(ward_err_detail(), "b cannot start");
	ward_assert(ward_ref_is_nobody(who));
	check_nothing_is_left("house");
	log = seen(); /* whoever was there has ended in order */
	ward_assert_part(log, "a+ c+ d+");
	ward_assert_eq(times(log, "-"), 3);
	z_end();
}

WARD_TEST(factory_of_which_one_below_cannot_start_starts_nothing, "S123")
{
	ward_ref who;

	z_begin();
	z.broken = 'd';
	ward_assert_err(try_start(&house, &who), WARD_EDEAD);
	ward_assert_part(ward_err_detail(), "user/house/cellar/d failed");
	ward_assert_part(ward_err_detail(), "d cannot start");
	check_nothing_is_left("house");
	ward_assert_eq(times(seen(), "b"), 0);
	z.broken = 0;
	ward_assert_ok(try_start(&house, &who)); /* all names are free */
	z_end();
}

WARD_TEST(supervisor_that_is_restarted_for_its_start_is_stopped_all_the_same, "S123")
{
	static const ward_strategy again = {.otherwise = WARD_RESTART};
	ward_ref who;

	memset(&z, 0, sizeof z);
	z.kit = ward_kit_start(&(ward_kit_options){.system.user_strategy = &again});
	z.broken = 'b';
	ward_assert_err(try_start(&house, &who), WARD_EDEAD);
	check_nothing_is_left("house");
	seen();
	z_end();
}

WARD_TEST(factory_with_a_name_that_is_refused_starts_nothing, "S123")
{
	const ward_zero_factory wrong = {
		.name = "wrong",
		.components = TABLE(PERMANENT("a"), PERMANENT("no way")),
	};
	ward_ref who;

	z_begin();
	ward_assert_err(try_start(&wrong, &who), WARD_ENAME);
	ward_assert_part(ward_err_detail(), "component 2");
	check_nothing_is_left("wrong");
	z_end();
}

WARD_TEST(factory_with_a_name_below_that_is_refused_starts_nothing, "S123")
{
	const ward_zero_factory wrong = {.name = "wrong", .components = TABLE(PERMANENT("no way"))};
	const ward_zero_factory above = {.name = "above",
					 .components = TABLE(PERMANENT("a"), {.nested = &wrong})};
	ward_ref who;

	z_begin();
	ward_assert(try_start(&above, &who) != WARD_OK);
	ward_assert_part(ward_err_detail(), "no way");
	check_nothing_is_left("above");
	ward_assert_str(seen(), "a+ a-");
	z_end();
}

WARD_TEST(start_without_time_starts_nothing_that_stays, "S123")
{
	ward_ref who;

	z_begin();
	ward_assert_err(ward_zero_start(z_system(), &house, 0, &who), WARD_EINVAL);
	check_nothing_is_left("house");
	seen();
	z_end();
}

WARD_TEST(child_that_is_a_factory_fails_when_one_cannot_start, "S123")
{
	ward_ref who;

	z_begin();
	z.broken = 'd';
	who = start_below_probe(&house);
	(void)ward_expect_failure(z.probe, 0, who, &ward_initialization);
	ward_probe_decide(z.probe, who, WARD_STOP);
	ward_kit_run(z.kit);
	ward_expect_terminated(z.probe, 0, who);
	check_nothing_is_left("house");
	z_end();
}

WARD_TEST(remote_address_is_refused_at_the_start, "S123")
{
	const ward_zero_factory wide = {
		.name = "wide",
		.components = TABLE(PERMANENT("a"),
				    COMPONENT_OF(worker, "far", .remote = {"localhost", 9999})),
	};
	const ward_zero_factory above = {.components = TABLE({.nested = &wide})};
	ward_ref who;

	z_begin();
	ward_assert_err(ward_zero_check(&wide), WARD_ENOENT);
	ward_assert_err(try_start(&above, &who), WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "\"far\"");
	ward_assert_part(ward_err_detail(), "localhost:9999");
	ward_assert_str(seen(), "");
	z_end();
}

WARD_TEST(tables_that_make_no_sense_are_refused, "S123", "S119")
{
	static const ward_zero_strategy no_handler = {.trap_exit = {&bad_luck}};
	static const ward_zero_strategy odd_limit =
		WARD_ZERO_STRATEGY(WARD_ONE_FOR_ONE, 0, 1000, &bad_luck);
	static ward_zero_component snake_table[2];
	static const ward_zero_factory snake = {.components = snake_table};
	const ward_zero_factory twins = {.components = TABLE(PERMANENT("a"), PERMANENT("a"))};
	const ward_zero_factory both = {
		.components = TABLE({.props = {.behavior = &worker}, .nested = &cellar})};
	const ward_zero_factory untamed = {.strategy = &no_handler,
					   .components = TABLE(PERMANENT("a"))};
	const ward_zero_factory endless = {.strategy = &odd_limit,
					   .components = TABLE(PERMANENT("a"))};
	const ward_zero_factory life = {
		.components = TABLE(COMPONENT_OF(worker, "a", .life = (ward_zero_life)7))};

	const ward_zero_factory later = {.components = TABLE(PERMANENT("a")), .reserved = {0, 1}};
	const ward_zero_factory later_below = {
		.components = TABLE(COMPONENT_OF(worker, "a", .reserved = {1}))};

	snake_table[0].nested = &snake;
	ward_assert_err(ward_zero_check(NULL), WARD_EINVAL);
	ward_assert_err(ward_zero_check(&(ward_zero_factory){0}), WARD_EINVAL);
	ward_assert_err(ward_zero_check(&twins), WARD_EEXIST);
	ward_assert_err(ward_zero_check(&both), WARD_EINVAL);
	ward_assert_err(ward_zero_check(&untamed), WARD_EINVAL);
	ward_assert_err(ward_zero_check(&endless), WARD_EINVAL);
	ward_assert_err(ward_zero_check(&life), WARD_EINVAL);
	ward_assert_err(ward_zero_check(&snake), WARD_EINVAL);
	ward_assert_err(ward_zero_check(&later), WARD_EINVAL);
	ward_assert_err(ward_zero_check(&later_below), WARD_EINVAL);
	ward_assert_ok(ward_zero_check(&house));
}

WARD_TEST(tables_may_be_nested_as_deep_as_it_says, "S123")
{
	ward_zero_component tables[WARD_ZERO_DEPTH_MAX + 1][2] = {0};
	ward_zero_factory factories[WARD_ZERO_DEPTH_MAX + 1] = {0};
	ward_ref who;

	for (size_t i = 0; i <= WARD_ZERO_DEPTH_MAX; i++) {
		factories[i].components = tables[i];
		if (i > 0)
			tables[i][0].nested = &factories[i - 1];
	}
	tables[0][0] = (ward_zero_component)PERMANENT("a");
	ward_assert_ok(ward_zero_check(&factories[WARD_ZERO_DEPTH_MAX - 1]));
	ward_assert_err(ward_zero_check(&factories[WARD_ZERO_DEPTH_MAX]), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "nested more than 16 deep");
	z_begin();
	ward_assert_ok(try_start(&factories[WARD_ZERO_DEPTH_MAX - 1], &who));
	ward_assert_str(seen(), "a+");
	ward_kit_stop(z.kit, who);
	ward_assert_str(seen(), "a-");
	z_end();
}

/* Its failure comes first, and is waved through; what it has answered before is still to come. */
WARD_TEST(answer_of_a_factory_below_that_could_not_start_is_no_start, "S123")
{
	const ward_zero_factory wrong = {
		.name = "wrong",
		.components = TABLE(PERMANENT("c"), PERMANENT("no way")),
	};
	const ward_zero_factory above = {.name = "above", .components = TABLE({.nested = &wrong})};
	ward_ref who;

	z_begin();
	who = start_below_probe(&above);
	(void)ward_expect_failure(z.probe, 0, who, &ward_zero_not_started);
	ward_probe_decide(z.probe, who, WARD_RESUME);
	ward_assert_part(ward_expect_failure(z.probe, 0, who, &ward_zero_not_started)->text,
			 "component 1 cannot be started: component 2 cannot be started");
	ward_probe_decide(z.probe, who, WARD_RESUME);
	ward_probe_tell(z.probe, who, ward_zero_ready); /* it will not be */
	ward_assert_eq(ward_expect(z.probe, 0, ward_zero_started)->err, WARD_ENAME);
	ward_kit_stop(z.kit, who);
	ward_expect_terminated(z.probe, 0, who);
	check_nothing_is_left("above");
	seen();
	z_end();
}

/* It fails of its first message, which it sends itself. */
static ward_result hasty_start(ward_self *self, void *state)
{
	(void)worker_start(self, state);
	ward_tell(self, ward_self_ref(self), mishap, .why = &bad_luck);
	return WARD_DONE;
}
static const ward_behavior hasty = {.name = "hasty",
				    .args = &ward_type_name,
				    .receive = worker_receive,
				    .pre_start = hasty_start,
				    .post_stop = worker_stop};

WARD_TEST(supervisor_does_not_go_with_a_temporary_before_all_are_there, "S120", "S123")
{
	const ward_zero_component table[] = {
		COMPONENT_OF(hasty, "t", .life = WARD_ZERO_TEMPORARY), PERMANENT("b"), {0}};
	ward_zero_factory factory = {.name = "two", .components = table};
	ward_ref who;

	for (uint64_t seed = 0; seed < (ward_test_shortage() ? 2 : 40); seed++) {
		z_begin_at(seed);
		factory.strategy = seed % 2 == 0 ? &one : &all;
		ward_assert_ok(try_start(&factory, &who));
		ward_kit_run(z.kit);
		ward_assert(z_lives(who) && z_lives(called("b")));
		ward_assert_eq(times(seen(), "t-"), 1);
		z_end();
	}
}

WARD_TEST(supervisor_goes_with_its_last_temporary_also_when_that_fails_early, "S120")
{
	const ward_zero_factory factory = {
		.name = "one",
		.strategy = &one,
		.components = TABLE(COMPONENT_OF(hasty, "t", .life = WARD_ZERO_TEMPORARY))};

	for (uint64_t seed = 0; seed < (ward_test_shortage() ? 2 : 40); seed++) {
		ward_ref who;

		z_begin_at(seed);
		who = start_below_probe(&factory);
		ward_assert(!z_lives(who));
		ward_assert_str(seen(), "t+ t-");
		ward_expect_terminated(z.probe, 0, who);
		z_end();
	}
}

/* ---- who is found ------------------------------------------------------------------------ */

WARD_TEST(actor_is_found_by_its_type_also_below, "S123")
{
	ward_ref who, none;

	z_begin();
	ward_assert_ok(try_start(&house, &who));
	ward_assert(ward_ref_equal(worker_of(who, &worker), called("a")));
	ward_assert(ward_ref_equal(worker_of(who, &helper), called("d")));
	ward_assert_err(ward_zero_actor(z_system(), who, &ward_zero_orphanage, WARD_SECOND, &none),
			WARD_ENOENT);
	ward_kit_stop(z.kit, called("a"));
	ward_kit_run(z.kit);
	ward_assert(ward_ref_equal(worker_of(who, &worker), called("b")));
	ward_kit_stop(z.kit, called("b"));
	ward_kit_run(z.kit);
	ward_assert(ward_ref_equal(worker_of(who, &worker), called("c")));
	z_end();
}

WARD_TEST(message_of_the_user_is_an_error_of_the_supervisor, "S123")
{
	ward_ref who;

	z_begin();
	who = start_below_probe(&house);
	seen();
	ward_probe_tell(z.probe, who, number, .value = 1);
	(void)ward_expect_failure(z.probe, 0, who, &ward_misuse);
	ward_probe_decide(z.probe, who, WARD_RESTART);
	ward_assert_part(seen(), "a+ c+ d+ b+"); /* those of before were stopped */
	ward_probe_tell(z.probe, who, ward_zero_ready);
	ward_assert_eq(ward_expect(z.probe, 0, ward_zero_started)->err, WARD_OK);
	z_end();
}

/* ---- failures ---------------------------------------------------------------------------- */

static const ward_zero_factory each = {
	.name = "each",
	.strategy = &one,
	.components = TABLE(PERMANENT("a"), TEMPORARY("t"), TEMPORARY("u"), PERMANENT("b")),
};
static const ward_zero_factory group = {
	.name = "group",
	.strategy = &all,
	.components = TABLE(PERMANENT("a"), TEMPORARY("t"), TEMPORARY("u"), PERMANENT("b")),
};
static const ward_zero_factory crowd = {
	.name = "crowd",
	.strategy = &all,
	.components = TABLE(TEMPORARY("t"), TEMPORARY("u")),
};
static const ward_zero_factory couple = {
	.name = "couple",
	.strategy = &one,
	.components = TABLE(TEMPORARY("t"), TEMPORARY("u")),
};

WARD_TEST(permanent_is_restarted_and_temporary_stopped, "S119", "S120")
{
	ward_ref who;

	z_begin();
	who = start_below_probe(&each);
	seen();
	z_fail(called("a"), &bad_luck);
	ward_assert_str(seen(), "a! aR");
	z_fail(called("t"), &bad_luck);
	ward_assert_str(seen(), "t-");
	z_fail(called("u"), &bad_luck);
	ward_assert_str(seen(), "u-");
	ward_assert(z_lives(who)); /* a and b are linked still */
	z_end();
}

WARD_TEST(all_for_one_restarts_what_is_permanent_and_stops_the_rest, "S120", "S122")
{
	const char *log;
	ward_ref who;

	z_begin();
	who = start_below_probe(&group);
	seen();
	z_fail(called("a"), &bad_luck);
	log = seen();
	ward_assert_eq(times(log, "a! "), 1);
	ward_assert_eq(times(log, "aR"), 1);
	ward_assert_eq(times(log, "bR"), 1);
	ward_assert_eq(times(log, "t-"), 1);
	ward_assert_eq(times(log, "u-"), 1);
	ward_assert_eq(times(log, "tR") + times(log, "uR") + times(log, "a-"), 0);
	ward_assert(z_lives(who));
	z_end();
}

WARD_TEST(all_for_one_stops_a_temporary_that_fails_and_restarts_the_rest, "S120")
{
	const char *log;

	z_begin();
	start_below_probe(&group);
	seen();
	z_fail(called("t"), &bad_luck);
	log = seen();
	ward_assert_eq(times(log, "aR"), 1);
	ward_assert_eq(times(log, "bR"), 1);
	ward_assert_eq(times(log, "t-"), 1);
	ward_assert_eq(times(log, "u-"), 1);
	ward_assert_eq(times(log, "tR") + times(log, "uR"), 0);
	ward_kit_tell(z.kit, called("b"), number, .value = 1);
	ward_assert_str(seen(), "b1");
	z_end();
}

WARD_TEST(supervisor_ends_with_its_last_temporary_component, "S120")
{
	ward_ref who;

	z_begin();
	who = start_below_probe(&couple);
	seen();
	z_fail(called("t"), &bad_luck);
	ward_assert(z_lives(who));
	z_fail(called("u"), &bad_luck);
	ward_assert_str(seen(), "t- u-");
	ward_expect_terminated(z.probe, 0, who);
	who = start_below_probe(&crowd);
	seen();
	z_fail(called("t"), &bad_luck);
	ward_assert_eq(times(seen(), "-"), 2);
	ward_expect_terminated(z.probe, 0, who);
	z_end();
}

WARD_TEST(what_is_not_trapped_is_passed_on_as_it_is, "S119")
{
	const ward_probe_failure *failure;
	ward_ref who;

	z_begin();
	who = start_below_probe(&each);
	seen();
	z_fail(called("a"), &odd_luck);
	failure = ward_expect_failure(z.probe, 0, who, &odd_luck);
	ward_assert_str(failure->text, "a had it");
	ward_assert_str(seen(), "");
	ward_probe_decide(z.probe, who, WARD_STOP);
	ward_assert_eq(times(seen(), "-"), 4);
	ward_expect_terminated(z.probe, 0, who);
	z_end();
}

WARD_TEST(supervisor_without_a_strategy_passes_everything_on, "S119")
{
	const ward_zero_factory plain = {.name = "plain", .components = TABLE(TEMPORARY("a"))};
	ward_ref who;

	z_begin();
	who = start_below_probe(&plain);
	z_fail(called("a"), &bad_luck);
	(void)ward_expect_failure(z.probe, 0, who, &bad_luck);
	ward_probe_decide(z.probe, who, WARD_RESUME);
	ward_kit_tell(z.kit, called("a"), number, .value = 1);
	ward_assert_str(seen(), "a+ a1");
	z_end();
}

WARD_TEST(nested_supervisor_passes_on_to_the_one_above, "S119", "S123")
{
	static const ward_zero_strategy turn_flags =
		WARD_ZERO_STRATEGY(WARD_ONE_FOR_ONE, 0, 0, &odd_luck);
	const ward_zero_factory top = {.name = "top",
				       .strategy = &turn_flags,
				       .components = TABLE({.nested = &cellar}, PERMANENT("a"))};
	const char *log;

	z_begin();
	start_below_probe(&top);
	seen();
	z_fail(called("c"), &odd_luck);
	log = seen(); /* the supervisor was restarted, and all below it is new */
	ward_assert_eq(times(log, "c-"), 1);
	ward_assert_eq(times(log, "d-"), 1);
	ward_assert_part(log, "c+ d+");
	ward_assert_eq(times(log, "a"), 0);
	z_end();
}

WARD_TEST(limit_is_that_of_the_actor_that_fails_and_stops_it, "S121")
{
	ward_ref a, b;

	z_begin();
	start_below_probe(&each);
	a = called("a");
	b = called("b");
	z_fail(a, &bad_luck);
	z_fail(a, &bad_luck);
	z_fail(b, &bad_luck);
	ward_assert(z_lives(a) && z_lives(b));
	z_fail(a, &bad_luck);
	ward_assert(!z_lives(a) && z_lives(b));
	ward_kit_advance(z.kit, 1001);
	z_fail(b, &bad_luck);
	z_fail(b, &bad_luck);
	ward_assert(z_lives(b));
	z_end();
}

WARD_TEST_MAIN
