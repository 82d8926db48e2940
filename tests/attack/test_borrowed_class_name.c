/* SPDX-License-Identifier: MIT
 *
 * test_borrowed_class_name.c - failure classes of a program with names that sound like those of
 * ward: what was meant for ward's own does not befall them.
 */
#include <string.h>

#include <ward/extend.h>
#include <ward/otp.h>
#include <ward/testkit.h>
#include <ward/ward.h>
#include <ward/zero_factory.h>

static const ward_failure_class hardware_fault = {"hardware_fault", &ward_exception, {0, 0}},
				initialization = {"initialization", &ward_exception, {0, 0}},
				killed = {"killed", &ward_exception, {0, 0}};

static const ward_failure_class borrowed[] = {
	{"exception", &ward_exception, {0, 0}},
	{"error", &ward_exception, {0, 0}},
	{"initialization", &ward_exception, {0, 0}},
	{"post_restart", &initialization, {0, 0}},
	{"killed", &ward_exception, {0, 0}},
	{"death_pact", &ward_exception, {0, 0}},
	{"hardware_fault", &ward_exception, {0, 0}},
	{"bad_memory", &hardware_fault, {0, 0}},
	{"stack_overflow", &hardware_fault, {0, 0}},
	{"hang", &ward_exception, {0, 0}},
	{"restart_intensity", &ward_exception, {0, 0}},
	{"injected", &ward_exception, {0, 0}},
};

/* ---- an actor that fails as it is told --------------------------------------------------- */

struct mishap {
	const ward_failure_class *why;
};
WARD_MESSAGE(mishap);

static ward_result victim_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct mishap *mishap = ward_match(msg, mishap);

	(void)state;
	return mishap == NULL ? WARD_UNHANDLED : ward_failed(self, mishap->why, "told to");
}
static const ward_behavior victim = {.name = "victim", .receive = victim_receive};

static ward_result keeper_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}
static ward_result keeper_pre_start(ward_self *self, void *state)
{
	ward_ref child;

	(void)state;
	return ward_try_spawn(self, WARD_PROPS(&victim, .name = "victim"), &child) == WARD_OK
		       ? WARD_DONE
		       : ward_failed(self, &ward_exception, "%s", ward_err_detail());
}

static ward_ref find(ward_kit *kit, const char *path)
{
	ward_ref ref = ward_nobody();

	ward_assert_ok(ward_system_resolve(ward_kit_system(kit), path, WARD_SECOND, &ref));
	return ref;
}

/* What becomes of the victim of a keeper with that strategy; NULL: the default one. */
static ward_event fate(const ward_strategy *strategy, const ward_failure_class *why)
{
	const ward_behavior keeper = {.name = "keeper",
				      .child_strategy = strategy,
				      .pre_start = keeper_pre_start,
				      .receive = keeper_receive};
	ward_kit *kit = ward_kit_start(NULL);
	ward_event event;

	ward_kit_spawn(kit, &keeper, .name = "keeper");
	ward_kit_run(kit);
	ward_kit_tell(kit, find(kit, "/user/keeper/victim"), mishap, .why = why);
	ward_kit_run(kit);
	event = *ward_kit_event(kit, WARD_EVENT_FAILURE, "*/victim", 0);
	ward_kit_finish(kit);
	return event;
}

/* ---- names without the prefix ------------------------------------------------------------ */

WARD_TEST(exception_with_a_name_like_wards_is_restarted_by_default, "S16", "S20")
{
	for (size_t i = 0; i < sizeof borrowed / sizeof borrowed[0]; i++) {
		ward_event event = fate(NULL, &borrowed[i]);

		ward_assert_str(event.failure_class, borrowed[i].name);
		ward_assert_str(ward_directive_text((ward_directive)event.directive), "restart");
	}
}

WARD_TEST(rule_for_wards_class_is_none_for_another_of_such_a_name, "S16", "S19")
{
	static const ward_strategy wards = {.rules = {{&ward_killed, WARD_STOP}},
					    .otherwise = WARD_RESUME},
				   own = {.rules = {{&ward_killed, WARD_STOP},
						    {&killed, WARD_RESTART}},
					  .otherwise = WARD_RESUME};

	ward_assert_eq(fate(&wards, &killed).directive, WARD_RESUME);
	ward_assert_eq(fate(&own, &killed).directive, WARD_RESTART);
	ward_assert_eq(fate(&own, &ward_killed).directive, WARD_STOP);
}

/* ---- the profiles ------------------------------------------------------------------------ */

#define TRAPPING(...)                                                                              \
	static const ward_zero_strategy strategy =                                                 \
		WARD_ZERO_STRATEGY(WARD_ONE_FOR_ONE, 3, 1000, __VA_ARGS__);                        \
	static const ward_zero_component components[] = {                                          \
		{.props = {.behavior = &victim, .name = "victim"}}, {0}};                          \
	static const ward_zero_factory factory = {                                                 \
		.name = "keeper", .strategy = &strategy, .components = components}

/* Whether the supervisor of a table decides about it. Else the guardian does. */
static bool trapped(const ward_zero_factory *factory, const ward_failure_class *why)
{
	ward_kit *kit = ward_kit_start(NULL);
	bool trapped;

	ward_kit_spawn(kit, &ward_zero_supervisor, .name = "keeper",
		       .args = {WARD_COPY(ward_zero_factory, factory)});
	ward_kit_run(kit);
	ward_kit_tell(kit, find(kit, "/user/keeper/victim"), mishap, .why = why);
	ward_kit_run(kit);
	trapped = ward_kit_count(kit, WARD_EVENT_FAILURE, "*/victim") == 1;
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*/keeper"), !trapped);
	ward_kit_finish(kit);
	return trapped;
}

WARD_TEST(trap_list_with_wards_class_passes_on_another_of_such_a_name, "S119")
{
	TRAPPING(&ward_killed, &ward_initialization);

	ward_assert(!trapped(&factory, &killed));
	ward_assert(!trapped(&factory, &initialization));
	ward_assert(trapped(&factory, &ward_killed));
	ward_assert(trapped(&factory, &ward_post_restart));
}

WARD_TEST(trap_list_with_a_class_of_the_program_passes_wards_on, "S119")
{
	TRAPPING(&killed);

	ward_assert(trapped(&factory, &killed));
	ward_assert(!trapped(&factory, &ward_killed));
}

static ward_exit_reason reported;

static void report(ward_self *self, const ward_otp_report *report)
{
	(void)self;
	reported = report->reason;
}

WARD_TEST(supervisor_of_otps_kind_tells_a_class_called_killed_from_a_kill, "S113", "S117")
{
	static const ward_otp_child_spec children[] = {
		{.id = "victim", .props = {.behavior = &victim}}, {0}};
	static const ward_otp_supervisor office = {
		.children = children, .intensity = 9, .report = report};
	ward_kit *kit = ward_kit_start(NULL);

	ward_kit_spawn(kit, &ward_otp_behavior, .name = "office",
		       .args = {WARD_COPY(ward_otp_supervisor, &office)});
	ward_kit_run(kit);
	ward_kit_tell(kit, find(kit, "/user/office/victim"), mishap, .why = &killed);
	ward_kit_run(kit);
	ward_assert_eq(reported.kind, WARD_EXIT_FAILURE);
	ward_assert_str(reported.name, "killed");
	ward_kit_tell(kit, find(kit, "/user/office/victim"), mishap, .why = &ward_killed);
	ward_kit_run(kit);
	ward_assert_eq(reported.kind, WARD_EXIT_KILLED);
	ward_kit_finish(kit);
}

/* ---- names with the prefix --------------------------------------------------------------- */

/* The longest way up to a name that is refused, and one that is not ward's yet. */
static const ward_failure_class forged = {"ward_killed", &ward_exception, {0, 0}},
				below = {"below", &forged, {0, 0}},
				early = {"ward_not_yet", &ward_error, {0, 0}};

WARD_TEST(class_with_the_prefix_of_ward_is_misuse_where_it_fails, "S16")
{
	const ward_failure_class *wrong[] = {&forged, &below, &early};

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		ward_event event = fate(NULL, wrong[i]);

		ward_assert_str(event.failure_class, ward_misuse.name);
		ward_assert_part(event.text, i == 2 ? "failure class \"ward_not_yet\""
						    : "failure class \"ward_killed\"");
		ward_assert_part(event.text,
				 "names that begin with ward_ are reserved for ward's own");
		ward_assert_part(event.text, "the failure was: told to");
	}
}

WARD_TEST(class_with_the_prefix_of_ward_is_refused_in_a_rule, "S16", "S70")
{
	const ward_strategy strategy = {.rules = {{&forged, WARD_RESTART}}};

	ward_assert_err(ward_strategy_check(&strategy), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "rules[0]: failure class \"ward_killed\"");
	ward_assert_part(ward_err_detail(),
			 "names that begin with ward_ are reserved for ward's own");
}

WARD_TEST(class_with_the_prefix_of_ward_is_refused_in_a_trap_list, "S16", "S119", "S123")
{
	TRAPPING(&killed, &below);

	ward_assert_err(ward_zero_check(&factory), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "trap_exit[1]: failure class \"ward_killed\"");
	ward_assert_part(ward_err_detail(),
			 "names that begin with ward_ are reserved for ward's own");
}

WARD_TEST(what_is_no_class_is_told_so, "S16")
{
	static const ward_failure_class nameless = {"", &ward_exception, {0, 0}};

	ward_assert_ok(ward_failure_class_check(&killed));
	ward_assert_err(ward_failure_class_check(NULL), WARD_EINVAL);
	ward_assert_str(ward_err_detail(), "a failure class is NULL");
	ward_assert_err(ward_failure_class_check(&nameless), WARD_EINVAL);
	ward_assert_str(ward_err_detail(), "a failure class has no name");
}

/* Those of other libraries have it, too, and are taken. */
WARD_TEST(wards_own_classes_are_taken_from_programs, "S16")
{
	const ward_failure_class *wards[] = {&ward_hang, &ward_injected, &ward_otp_not_started,
					     &ward_zero_not_started};

	for (size_t i = 0; i < sizeof wards / sizeof wards[0]; i++) {
		ward_assert(strncmp(wards[i]->name, "ward_", 5) == 0);
		ward_assert_str(fate(NULL, wards[i]).failure_class, wards[i]->name);
	}
}

WARD_TEST_MAIN
