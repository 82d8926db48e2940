/* SPDX-License-Identifier: MIT
 *
 * test_start.c - a tree of a file: all of it starts, in order, or nothing; and what becomes of it.
 *
 * Method: actors note their pre_start and post_stop; simulated kits, one seed mostly.
 */
#include "shop.h"

/* A text, checked and about to be started. */
static struct {
	ward_config *config;
	ward_kit *kit;
} t;

static void begin(const char *text)
{
	t.config = shop_good(text);
	t.kit = shop_kit(t.config);
}

static ward_err start(void)
{
	return ward_config_spawn(t.config, ward_kit_system(t.kit));
}

static void end(void)
{
	ward_kit_finish(t.kit);
	ward_config_close(t.config);
}

static void fail(const char *path, const ward_failure_class *failure_class)
{
	ward_system_tell(ward_kit_system(t.kit), shop_at(t.kit, path), fail_with,
			 .failure_class = failure_class);
	ward_kit_run(t.kit);
}

/* ---- the order of a start ---------------------------------------------------------------- */

static const char house[] =
	"services: { log: { behavior = \"plain\"; }; audit: { behavior = \"plain\"; }; };"
	"actors: {"
	" a: { behavior = \"plain\"; };"
	" tree: { children: {"
	"  b: { behavior = \"plain\"; };"
	"  twig: { children: { c: { behavior = \"plain\"; }; d: { behavior = \"plain\"; }; }; };"
	"  e: { behavior = \"plain\"; };"
	" }; };"
	" f: { behavior = \"plain\"; };"
	"};";

WARD_TEST(tree_starts_in_the_order_of_the_file)
{
	begin(house);
	ward_assert_ok(start());
	ward_assert_str(shop_seen(), "shop-starts shed-starts log+ audit+ a+ b+ c+ d+ e+ f+");
	ward_assert(!ward_ref_is_nobody(shop_at(t.kit, "/user/tree/twig/d")));
	ward_assert(!ward_ref_is_nobody(shop_at(t.kit, "/system/audit")));
	end();
	/* Services end after the actors, the last one first; then the modules. */
	ward_assert_part(shop_seen(), " audit- log- shed-stops shop-stops");
}

WARD_TEST(tree_of_which_one_fails_in_its_start_starts_nothing)
{
	begin("services: { log: { behavior = \"plain\"; }; };\nactors: {"
	      " a: { behavior = \"plain\"; };\n"
	      " tree: { children: { b: { behavior = \"plain\"; };\n"
	      "  bad: { behavior = \"broken\"; }; c: { behavior = \"plain\"; }; }; };\n"
	      " d: { behavior = \"plain\"; }; };");
	ward_assert_err(start(), WARD_EDEAD);
	ward_assert_str(ward_err_detail(),
			"t:3: actors.tree: failed during its start: sim/user/tree/bad: "
			"ward_initialization: jammed: no paper");
	ward_assert_str(shop_seen(), "shop-starts shed-starts log+ a+ b+ b- a- log- shed-stops "
				     "shop-stops");
	ward_assert(ward_ref_is_nobody(shop_at(t.kit, "/user/a")));
	ward_assert(ward_ref_is_nobody(shop_at(t.kit, "/user/tree")));
	ward_assert(ward_ref_is_nobody(shop_at(t.kit, "/system/log")));
	end();
	ward_assert_str(shop_seen(), ""); /* modules stop once */
}

/* That it is not looked at any more is seen by ASan. */
WARD_TEST(config_of_which_nothing_was_started_may_go_before_the_system)
{
	t.config = shop_good("actors: { bad: { behavior = \"broken\"; }; };");
	t.kit = ward_kit_start(&(ward_kit_options){0}); /* with nothing of the config's */
	ward_assert_err(start(), WARD_EDEAD);
	ward_config_close(t.config);
	ward_kit_finish(t.kit);
	ward_assert_str(shop_seen(), "shop-starts shed-starts shed-stops shop-stops");
}

/* In whatever order they run. */
WARD_TEST(tree_that_starts_leaves_no_letters)
{
	WARD_TEST_SEEDS(30)
	{
		begin(house);
		ward_assert_ok(start());
		ward_kit_run(t.kit);
		ward_assert_eq(ward_kit_count(t.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
		end();
	}
}

WARD_TEST(failures_are_heard_however_soon_they_come)
{
	WARD_TEST_SEEDS(30)
	{
		begin("actors: { bad: { behavior = \"broken\"; }; };");
		ward_assert_err(start(), WARD_EDEAD);
		ward_assert_part(ward_err_detail(), "no paper");
		end();
	}
}

WARD_TEST(tree_that_is_late_starts_nothing)
{
	begin("system: { start-timeout = \"3 s\"; };\n"
	      "strategies: { wait: { decide = \"later\"; }; };\n"
	      "actors: { a: { behavior = \"plain\"; };\n"
	      " h: { behavior = \"house\"; strategy = \"wait\"; children: {\n"
	      "  bad: { behavior = \"broken\"; }; }; }; };");
	ward_assert_err(start(), WARD_ETIMEDOUT);
	ward_assert_str(ward_err_detail(), "t:5: actors.h.children.bad: did not start within 3 s");
	ward_assert_eq(ward_kit_now_ms(t.kit), 3000);
	ward_assert_str(shop_seen(), "shop-starts shed-starts a+ h+ h- a- shed-stops shop-stops");
	end();
}

WARD_TEST(tree_with_a_name_that_is_taken_starts_nothing)
{
	const ward_props props = {.behavior = shop.behaviors[0].behavior, .name = "b"};
	ward_ref ref;

	begin("actors: { a: { behavior = \"plain\"; };\n b: { behavior = \"plain\"; }; };");
	ward_assert_ok(ward_system_spawn(ward_kit_system(t.kit), &props, &ref));
	ward_kit_run(t.kit);
	ward_assert_err(start(), WARD_EEXIST);
	ward_assert_part(ward_err_detail(), "t:2: actors.b: ");
	ward_kit_run(t.kit);
	ward_assert_str(shop_seen(), "b+ shop-starts shed-starts a+ a- shed-stops shop-stops");
	end();
}

WARD_TEST(modules_that_refuse_to_start_start_nothing)
{
	begin(house);
	shop_refuses = WARD_ESYS;
	ward_assert_err(start(), WARD_ESYS);
	ward_assert_str(ward_err_detail(), "module \"shed\" does not start: the shed is locked");
	shop_refuses = WARD_OK;
	shop_has_no_words = true;
	ward_assert_err(start(), WARD_ESYS);
	ward_assert_str(ward_err_detail(),
			"module \"shed\" does not start: Too many open files (EMFILE)");
	ward_assert_str(shop_seen(), "shop-starts shop-stops shop-starts shop-stops");
	ward_assert_eq(ward_kit_stats(t.kit).actors, 3);
	end();
}

WARD_TEST(config_that_is_not_checked_starts_nothing)
{
	ward_options options;
	ward_system *system;
	ward_config *config;

	ward_assert_ok(ward_config_open_text("t", "", 0, NULL, &config));
	ward_assert_err(ward_config_options(config, &options), WARD_EINVAL);
	ward_assert_err(ward_config_start(config, &system), WARD_EINVAL);
	ward_assert_err(ward_config_check(config, shops, NULL), WARD_OK);
	ward_assert_err(ward_config_check(config, shops, NULL), WARD_EINVAL);
	ward_config_close(config);
}

/* ---- supervision ------------------------------------------------------------------------- */

WARD_TEST(guardian_strategy_of_a_file_governs_those_at_the_top, "S75", "S21")
{
	begin("system: { guardian-supervisor-strategy = \"stopping\"; };"
	      "actors: { a: { behavior = \"plain\"; }; };");
	ward_assert_ok(start());
	fail("/user/a", &jammed);
	ward_assert_str(shop_seen(), "shop-starts shed-starts a+ a-");
	end();
}

WARD_TEST(guardian_strategy_default_restarts, "S75", "S20")
{
	begin("system: { guardian-supervisor-strategy = \"default\"; };"
	      "actors: { a: { behavior = \"plain\"; }; };");
	ward_assert_ok(start());
	fail("/user/a", &jammed);
	ward_assert_str(shop_seen(), "shop-starts shed-starts a+ a- a+");
	end();
}

WARD_TEST(guardian_strategy_may_be_one_of_the_file, "S75")
{
	begin("system: { guardian-supervisor-strategy = \"mine\"; };"
	      "strategies: { mine: { scope = \"all-for-one\"; restarts-max = 1; window = \"1 s\";"
	      "  rules: { torn = \"resume\"; jammed = \"restart\"; error = \"escalate\"; }; "
	      "otherwise = \"stop\"; }; };"
	      "actors: { a: { behavior = \"plain\"; }; b: { behavior = \"plain\"; }; };");
	ward_assert_ok(start());
	shop_log[0] = '\0';
	fail("/user/a", &torn);
	ward_assert_str(shop_seen(), "");
	fail("/user/a", &jammed);
	ward_assert_part(shop_seen(), "b+");
	fail("/user/a", &jammed); /* the second in the window */
	ward_assert(ward_ref_is_nobody(shop_at(t.kit, "/user/b")));
	end();
}

#define LEVELS(levels)                                                                             \
	"system: { guardian-supervisor-strategy = \"mine\"; };"                                    \
	"strategies: { mine: { rules: { torn = \"restart\"; }; otherwise = \"stop\"; " levels      \
	"}; }; actors: { a: { behavior = \"plain\"; }; };"

static void check_levels(const char *text, ward_level restart, ward_level stop)
{
	begin(text);
	ward_assert_ok(start());
	fail("/user/a", &torn);
	fail("/user/a", &jammed);
	ward_assert_eq(ward_kit_event(t.kit, WARD_EVENT_FAILURE, "*/a", 0)->level, restart);
	ward_assert_eq(ward_kit_event(t.kit, WARD_EVENT_FAILURE, "*/a", 1)->level, stop);
	end();
}

WARD_TEST(events_of_decisions_have_the_levels_of_the_file, "S30")
{
	check_levels(LEVELS(""), WARD_LEVEL_WARNING, WARD_LEVEL_SEVERE);
	check_levels(LEVELS("restart-level = \"info\";"), WARD_LEVEL_INFO, WARD_LEVEL_SEVERE);
	check_levels(LEVELS("stop-level = \"debug\";"), WARD_LEVEL_WARNING, WARD_LEVEL_DEBUG);
}

WARD_TEST(what_no_rule_of_a_file_fits_is_escalated, "S19")
{
	begin("strategies: { mine: { rules: { torn = \"resume\"; }; }; };"
	      "actors: { p: { strategy = \"mine\"; children: {"
	      "  a: { behavior = \"plain\"; }; b: { behavior = \"plain\"; }; }; }; };");
	ward_assert_ok(start());
	shop_log[0] = '\0';
	fail("/user/p/a", &torn);
	ward_assert_str(shop_seen(), "");
	fail("/user/p/a", &jammed); /* so p is restarted, with both */
	ward_assert_part(shop_seen(), "b+");
	end();
}

WARD_TEST(what_no_rule_of_a_file_fits_is_for_the_default_decider_of_a_back_off, "S95")
{
	begin("strategies: { mine: { rules: { torn = \"resume\"; }; }; };"
	      "actors: { a: { behavior = \"plain\";"
	      "  backoff: { min = \"1 s\"; max = \"1 s\"; strategy = \"mine\"; }; }; };");
	ward_assert_ok(start());
	ward_kit_run(t.kit); /* the child has started */
	shop_log[0] = '\0';
	fail("/user/a/a", &jammed);
	ward_assert_str(shop_seen(), "a-"); /* to be started later */
	end();
}

WARD_TEST(rule_may_name_wards_classes_with_their_prefix_or_without, "S16", "S19")
{
	static const ward_failure_class killed = {.name = "killed", .parent = &ward_exception},
					hang = {.name = "hang", .parent = &ward_exception};

	begin("system: { guardian-supervisor-strategy = \"mine\"; };"
	      "strategies: { mine: { rules: { killed = \"stop\"; ward_hang = \"stop\"; };"
	      "  otherwise = \"resume\"; }; };"
	      "actors: { a: { behavior = \"plain\"; }; b: { behavior = \"plain\"; }; };");
	ward_assert_ok(start());
	shop_log[0] = '\0';
	fail("/user/a", &killed);
	fail("/user/b", &hang);
	ward_assert_str(shop_seen(), "");
	fail("/user/a", &ward_killed);
	fail("/user/b", &ward_hang);
	ward_assert_str(shop_seen(), "a- b-");
	end();
}

WARD_TEST(rule_for_a_class_called_like_wards_is_written_out, "S16", "S19")
{
	static const ward_failure_class killed = {.name = "killed", .parent = &torn},
					hang = {.name = "hang", .parent = &ward_exception};
	static const ward_failure_class *const classes[] = {&killed, &hang, &torn, NULL};
	static const ward_config_module extra = {
		.version = WARD_CONFIG_VERSION, .name = "extra", .failure_classes = classes};
	static const ward_config_module *const modules[] = {&shop, &shed, &extra, NULL};
	static const char text[] =
		"system: { guardian-supervisor-strategy = \"mine\"; };"
		"strategies: { mine: { rules: { torn-killed = \"stop\"; killed = \"resume\";"
		"  ward_exception-hang = \"stop\"; exception-jammed-torn = \"resume\"; };"
		"  otherwise = \"resume\"; }; };"
		"actors: { a: { behavior = \"plain\"; }; b: { behavior = \"plain\"; }; };";

	ward_assert_ok(ward_config_open_text("t", text, strlen(text), NULL, &t.config));
	ward_assert_ok(ward_config_check(t.config, modules, NULL));
	t.kit = shop_kit(t.config);
	ward_assert_ok(start());
	shop_log[0] = '\0';
	fail("/user/a", &ward_killed);
	fail("/user/a", &torn);
	fail("/user/b", &ward_hang);
	ward_assert_str(shop_seen(), "");
	fail("/user/a", &killed);
	fail("/user/b", &hang);
	ward_assert_str(shop_seen(), "a- b-");
	end();
}

WARD_TEST(guardian_strategy_may_be_one_of_a_module, "S75")
{
	begin("system: { guardian-supervisor-strategy = \"patient\"; };"
	      "actors: { a: { behavior = \"plain\"; }; };");
	ward_assert_ok(start());
	shop_log[0] = '\0';
	fail("/user/a", &jammed); /* resumed */
	ward_assert_str(shop_seen(), "");
	fail("/user/a", &ward_exception);
	ward_assert_str(shop_seen(), "a-");
	end();
}

WARD_TEST(services_are_supervised_by_the_default_strategy, "S75")
{
	begin("system: { guardian-supervisor-strategy = \"stopping\"; };"
	      "services: { s: { behavior = \"plain\"; }; };");
	ward_assert_ok(start());
	fail("/system/s", &jammed);
	ward_assert_str(shop_seen(), "shop-starts shed-starts s+ s- s+");
	end();
}

WARD_TEST(supervisor_of_a_file_uses_its_strategy)
{
	begin("actors: { tree: { strategy = \"patient\"; children: {"
	      " a: { behavior = \"plain\"; }; b: { behavior = \"plain\"; }; }; }; };");
	ward_assert_ok(start());
	shop_log[0] = '\0';
	fail("/user/tree/a", &jammed); /* resumed */
	fail("/user/tree/b", &ward_exception);
	ward_assert_str(shop_seen(), "b-");
	end();
}

WARD_TEST(supervisor_of_a_file_that_is_restarted_starts_all_anew, "S32")
{
	ward_ref before;

	begin("strategies: { up: { otherwise = \"escalate\"; }; };"
	      "actors: { tree: { strategy = \"up\"; children: { a: { behavior = \"plain\"; };"
	      "  b: { behavior = \"till\"; args: { journal = \"a\"; }; }; }; }; };");
	ward_assert_ok(start());
	ward_kit_run(t.kit);
	ward_assert_str(shop_seen(), "shop-starts shed-starts a+ b+ a! hello");
	before = shop_till.journal;
	fail("/user/tree/b", &jammed);
	ward_assert_part(shop_seen(), "a+ b+ a! hello");
	ward_assert(!ward_ref_equal(before, shop_till.journal));
	ward_assert(ward_ref_equal(shop_at(t.kit, "/user/tree/a"), shop_till.journal));
	ward_assert_eq(ward_kit_count(t.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	end();
}

WARD_TEST(child_that_cannot_start_again_ends_its_supervisor)
{
	begin("strategies: { again: { otherwise = \"restart\"; restarts-max = 2; }; };"
	      "actors: { tree: { children: { twig: { strategy = \"again\"; children: {"
	      " a: { behavior = \"plain\"; }; bad: { behavior = \"broken\"; }; }; }; }; }; };");
	ward_assert_err(start(), WARD_EDEAD);
	ward_assert_part(ward_err_detail(), "sim/user/tree/twig/bad: ");
	ward_assert_part(ward_err_detail(), "no paper");
	ward_assert_str(shop_seen(), "shop-starts shed-starts a+ a- shed-stops shop-stops");
	end();
}

/* ---- who is known to whom ---------------------------------------------------------------- */

WARD_TEST(refs_of_a_file_are_resolved_outwards)
{
	begin("services: { x: { behavior = \"plain\"; }; };"
	      "actors: { a: { behavior = \"plain\"; }; tree: { children: {"
	      "  a: { behavior = \"plain\"; };"
	      "  b: { behavior = \"till\"; args: { journal = \"a\"; other = \"x\";"
	      "   nested: { deep = 1; back = \"/user/a\"; }; }; }; }; }; };");
	ward_assert_ok(start());
	ward_assert(ward_ref_equal(shop_till.journal, shop_at(t.kit, "/user/tree/a")));
	ward_assert(ward_ref_equal(shop_till.other, shop_at(t.kit, "/system/x")));
	ward_assert(ward_ref_equal(shop_till.nested.back, shop_at(t.kit, "/user/a")));
	end();
}

/* ---- children of a behaviour of the program ---------------------------------------------- */

static const char home[] =
	"actors: { h: { behavior = \"house\"; children: { a: { behavior = \"plain\"; };"
	" b: { behavior = \"till\"; args: { journal = \"a\"; other = \"/user/h\"; }; };"
	" tree: { children: { c: { behavior = \"plain\"; }; }; }; }; }; };";

WARD_TEST(behaviour_starts_the_children_that_the_file_gives_it)
{
	begin(home);
	ward_assert_ok(start());
	ward_assert(ward_ref_equal(shop_till.journal, shop_at(t.kit, "/user/h/a")));
	ward_assert(ward_ref_equal(shop_till.other, shop_at(t.kit, "/user/h")));
	ward_assert(!ward_ref_is_nobody(shop_at(t.kit, "/user/h/tree/c")));
	ward_kit_run(t.kit);
	shop_log[0] = '\0';
	fail("/user/h", &jammed);
	ward_assert_part(shop_log, "h+");
	ward_assert_part(shop_log, "a+");
	ward_assert_part(shop_seen(), "b+");
	ward_assert(ward_ref_equal(shop_till.journal, shop_at(t.kit, "/user/h/a")));
	end();
}

WARD_TEST(behaviour_that_does_not_start_its_children_is_not_started)
{
	begin("actors: { h: { behavior = \"house\"; args: { forgets = true; };\n"
	      " children: { a: { behavior = \"plain\"; }; }; }; };");
	ward_assert_err(start(), WARD_EDEAD);
	ward_assert_str(ward_err_detail(), "t:2: actors.h.children.a: ended during its start");
	end();
}

WARD_TEST(behaviour_that_has_run_and_ended_has_started)
{
	begin("actors: { h: { behavior = \"house\"; args: { brief = true; };"
	      " children: { a: { behavior = \"plain\"; }; }; }; b: { behavior = \"plain\"; }; };");
	ward_assert_ok(start());
	ward_kit_run(t.kit);
	ward_assert(ward_ref_is_nobody(shop_at(t.kit, "/user/h")));
	ward_assert(!ward_ref_is_nobody(shop_at(t.kit, "/user/b")));
	end();
}

WARD_TEST(behaviour_may_have_no_children_in_the_file)
{
	begin("actors: { h: { behavior = \"house\"; }; };");
	ward_assert_ok(start());
	ward_assert_str(shop_seen(), "shop-starts shed-starts h+");
	end();
}

/* An actor may run before the thread that has spawned it knows its ref. */
WARD_TEST(actors_on_threads_know_those_above_them)
{
	enum { TIMES = 50 };

	for (int i = 0; i < TIMES; i++) {
		ward_config *config = shop_good(
			"system: { log: { to = \"none\"; }; workers = 2; };"
			"actors: { tree: { children: { h: { behavior = \"house\"; children: {"
			" a: { behavior = \"till\"; args: { journal = \"/user/tree\";"
			"  other = \"/user/tree/h\"; }; }; }; }; }; }; };");
		ward_ref tree, above;
		ward_system *system;

		ward_assert_ok(ward_config_start(config, &system));
		ward_assert_ok(ward_system_resolve(system, "/user/tree", WARD_MINUTE, &tree));
		ward_assert_ok(ward_system_resolve(system, "/user/tree/h", WARD_MINUTE, &above));
		ward_assert(ward_ref_equal(shop_till.journal, tree));
		ward_assert(ward_ref_equal(shop_till.other, above));
		ward_assert_ok(ward_system_destroy(system, WARD_MINUTE));
		ward_config_close(config);
	}
}

WARD_TEST(bridge_is_a_behaviour_of_which_the_file_says_nothing, "S117")
{
	begin("actors: { a: { behavior = \"press\"; }; b: { behavior = \"plain\"; }; };");
	ward_assert_ok(start());
	ward_assert_str(shop_seen(), "shop-starts shed-starts a-on b+");
	end();
	ward_assert_part(shop_seen(), "a-off");
}

/* ---- what stands in front ---------------------------------------------------------------- */

WARD_TEST(actor_with_backoff_on_stop_starts_again_after_its_delay, "S94")
{
	begin("actors: { a: { behavior = \"plain\"; backoff: { min = \"1 s\"; max = \"8 s\";"
	      " on = \"stop\"; strategy = \"stopping\"; }; };"
	      " b: { behavior = \"till\"; args: { journal = \"a\"; }; }; };");
	ward_assert_ok(start());
	ward_kit_run(t.kit);
	ward_assert_str(shop_seen(), "shop-starts shed-starts a+ b+ a! hello");
	fail("/user/a/a", &jammed);
	ward_assert_str(shop_seen(), "a-");
	ward_kit_advance(t.kit, 999);
	ward_assert_str(shop_seen(), "");
	ward_kit_advance(t.kit, 1);
	ward_assert_str(shop_seen(), "a+");
	end();
}

/* Unlike on stop, where the default decision on a failure is a restart at once. */
WARD_TEST(actor_with_backoff_that_fails_starts_again_after_its_delay, "S96")
{
	begin("actors: { a: { behavior = \"plain\"; backoff: { min = \"1 s\"; max = \"8 s\"; };"
	      " }; b: { behavior = \"plain\"; }; };");
	ward_assert_ok(start());
	ward_kit_run(t.kit);
	ward_assert_str(shop_seen(), "shop-starts shed-starts a+ b+");
	fail("/user/a/a", &jammed);
	ward_assert_str(shop_seen(), "a-");
	ward_kit_advance(t.kit, 999);
	ward_assert_str(shop_seen(), "");
	ward_kit_advance(t.kit, 1);
	ward_assert_str(shop_seen(), "a+");
	fail("/user/a/a", &ward_death_pact); /* what the default decider stops, it leaves alone */
	ward_assert_str(shop_seen(), "a-");
	ward_assert(ward_ref_is_nobody(shop_at(t.kit, "/user/a")));
	end();
}

WARD_TEST(actor_with_backoff_may_have_a_name_and_mailbox_of_its_own, "S94", "S53")
{
	ward_ref front;

	begin("actors: { a: { behavior = \"plain\"; backoff: { min = 1; max = 2; child = \"w\";"
	      " mailbox: { messages-max = 2; }; }; }; };");
	ward_assert_ok(start());
	ward_kit_run(t.kit);
	ward_assert_str(shop_seen(), "shop-starts shed-starts w+");
	front = shop_at(t.kit, "/user/a");
	ward_assert(!ward_ref_is_nobody(shop_at(t.kit, "/user/a/w")));
	for (int i = 0; i < 5; i++)
		ward_system_tell(ward_kit_system(t.kit), front, note, .text = "");
	ward_assert_eq(ward_kit_count(t.kit, WARD_EVENT_DEAD_LETTER, "*/a"), 3);
	end();
}

WARD_TEST(actor_with_backoff_need_not_start_at_once, "S94")
{
	begin("actors: { a: { behavior = \"broken\"; backoff: { min = \"1 s\"; max = \"8 s\"; };"
	      " }; b: { behavior = \"plain\"; }; };");
	ward_assert_ok(start());
	ward_assert_str(shop_seen(), "shop-starts shed-starts b+");
	ward_assert_eq(ward_kit_count(t.kit, WARD_EVENT_FAILURE, "*/a/a"), 1);
	ward_kit_advance(t.kit, 1000);
	ward_assert_eq(ward_kit_count(t.kit, WARD_EVENT_FAILURE, "*/a/a"), 2);
	ward_kit_advance(t.kit, 2000);
	ward_assert_eq(ward_kit_count(t.kit, WARD_EVENT_FAILURE, "*/a/a"), 3);
	end();
}

static void count_rows(void *arg, const ward_actor_info *info)
{
	size_t *count = arg;

	*count += strstr(info->path, "/user/p/") != NULL;
}

WARD_TEST(actor_with_a_pool_is_many, "S92")
{
	size_t count = 0;

	begin("actors: { p: { behavior = \"plain\"; dispatcher = \"ward.blocking\";"
	      " pool: { routees = 3; routing = \"broadcast\"; }; }; };");
	ward_assert_ok(start());
	ward_kit_run(t.kit);
	(void)ward_system_actors(ward_kit_system(t.kit), count_rows, &count);
	ward_assert_eq(count, 3);
	shop_log[0] = '\0';
	ward_system_tell(ward_kit_system(t.kit), shop_at(t.kit, "/user/p"), note, .text = "x");
	ward_kit_run(t.kit);
	ward_assert_eq(strlen(shop_seen()), strlen("plain$1! x plain$2! x plain$3! x"));
	end();
}

WARD_TEST(mailbox_of_a_file_is_that_of_its_actors, "S53")
{
	ward_ref a, b;

	begin("system: { mailbox: { messages-max = 2; }; };"
	      "actors: { a: { behavior = \"plain\"; };"
	      " b: { behavior = \"plain\"; mailbox: { messages-max = 0; counted = true; }; }; };");
	ward_assert_ok(start());
	a = shop_at(t.kit, "/user/a");
	b = shop_at(t.kit, "/user/b");
	for (int i = 0; i < 5; i++) {
		ward_system_tell(ward_kit_system(t.kit), a, note, .text = "");
		ward_system_tell(ward_kit_system(t.kit), b, note, .text = "");
	}
	ward_assert_eq(ward_kit_count(t.kit, WARD_EVENT_DEAD_LETTER, "*/a"), 3);
	ward_assert_eq(ward_kit_count(t.kit, WARD_EVENT_DEAD_LETTER, "*/b"), 0);
	end();
}

WARD_TEST_MAIN
