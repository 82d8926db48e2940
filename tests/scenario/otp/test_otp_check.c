/* SPDX-License-Identifier: MIT
 *
 * test_otp_check.c - tables and specifications that are refused, and what the refusals say (S110,
 * S111, S114).
 */
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

/* The longest id that there can be. */
#define LONGEST "0123456789-0123456789-0123456789-0123456789-0123456789-01234567"

#define REFUSED(code_, part_, ...)                                                                 \
	do {                                                                                       \
		ward_assert_err(ward_otp_check(&(const ward_otp_supervisor){__VA_ARGS__}), code_); \
		ward_assert_part(ward_err_detail(), part_);                                        \
	} while (0)

WARD_TEST(check_refuses_what_contradicts_itself, "S110")
{
	const ward_otp_supervisor wrong = {.intensity = -2};

	ward_assert_ok(ward_otp_check(&house));
	ward_assert_ok(ward_otp_check(&(const ward_otp_supervisor){0}));
	ward_assert_err(ward_otp_check(NULL), WARD_EINVAL);
	REFUSED(WARD_EEXIST, "the id \"a\"", .children = CHILDREN(PERMANENT("a"), PERMANENT("a")));
	REFUSED(WARD_EEXIST, "the name \"x\"",
		.children = CHILDREN({.id = "a", NAMED("a"), .props.name = "x"},
				     {.id = "b", NAMED("b"), .props.name = "x"}));
	REFUSED(WARD_EEXIST, "the name \"b\"",
		.children = CHILDREN({.id = "a", NAMED("a"), .props.name = "b"}, PERMANENT("b")));
	REFUSED(WARD_EEXIST, "the name \"cellar\"",
		.children = CHILDREN({.id = "a", .supervisor = &cellar},
				     {.id = "b", .supervisor = &cellar}));
	REFUSED(WARD_EINVAL, "without an id", .children = CHILDREN({NAMED("a")}));
	REFUSED(WARD_EINVAL, "without an id", .children = CHILDREN(PERMANENT("")));
	REFUSED(WARD_EINVAL, "an id has at most 63 bytes",
		.children = CHILDREN({.id = LONGEST "8", NAMED("a")}));
	ward_assert_ok(ward_otp_check(
		&(ward_otp_supervisor){.children = CHILDREN({.id = LONGEST, NAMED("a")})}));
	REFUSED(WARD_EINVAL, "nothing to start", .children = CHILDREN({.id = "a"}));
	REFUSED(WARD_EINVAL, ".props.behavior and .supervisor exclude each other",
		.children = CHILDREN({.id = "a", .supervisor = &house, .props.behavior = &worker}));
	REFUSED(WARD_EINVAL, ".props.args and .supervisor exclude each other",
		.children = CHILDREN({.id = "a", .supervisor = &house, .props.args.bytes = "a"}));
	REFUSED(WARD_EINVAL, "child_strategy",
		.children = CHILDREN({.id = "a",
				      .supervisor = &house,
				      .props.child_strategy = &(ward_strategy){0}}));
	REFUSED(WARD_EINVAL, "a reserved word of a supervisor", .reserved = {1});
	REFUSED(WARD_EINVAL, "a reserved word of a supervisor", .reserved = {0, 1});
	REFUSED(WARD_EINVAL, "child \"a\": a reserved",
		.children = CHILDREN(CHILD("a", .reserved = {1})));
	REFUSED(WARD_EINVAL, "child \"a\": a reserved",
		.children = CHILDREN(CHILD("a", .reserved = {0, 1})));
	REFUSED(WARD_EINVAL, ".restart is 7: it must be WARD_OTP_PERMANENT, ",
		.children = CHILDREN(CHILD("a", .restart = 7)));
	REFUSED(WARD_EINVAL, ".type is 7: it must be WARD_OTP_WORKER or ",
		.children = CHILDREN(CHILD("a", .type = 7)));
	REFUSED(WARD_EINVAL, ".shutdown_ms is -2: it must not be negative, ",
		.children = CHILDREN(CHILD("a", .shutdown_ms = -2)));
	REFUSED(WARD_EINVAL, ".strategy is 9: it must be one of ward_otp_strategy", .strategy = 9);
	REFUSED(WARD_EINVAL, ".auto_shutdown is 9: it must be one of ward_otp_auto_shutdown",
		.auto_shutdown = 9);
	REFUSED(WARD_EINVAL, ".intensity", .intensity = -2);
	REFUSED(WARD_EINVAL, ".intensity", .intensity = 1001);
	REFUSED(WARD_EINVAL, ".window_ms is -1000 ms; ", .window_ms = -WARD_SECOND);
	REFUSED(WARD_EINVAL,
		".window_ms is 3601000 ms; it must be whole seconds (5 * WARD_SECOND), at most "
		"3600 s",
		.window_ms = 3601 * WARD_SECOND);
	REFUSED(WARD_EINVAL, ".window_ms is 10 ms; ", .window_ms = 10);
	ward_assert_ok(ward_otp_check(&(ward_otp_supervisor){.window_ms = 3600 * WARD_SECOND}));
	REFUSED(WARD_EINVAL, ".intensity", .children = CHILDREN({.id = "w", .supervisor = &wrong}));
	REFUSED(WARD_EINVAL, ".intensity",
		.children =
			CHILDREN({.id = "w",
				  .props = {.behavior = &ward_otp_behavior,
					    .args = {WARD_COPY(ward_otp_supervisor, &wrong)}}}));
}

WARD_TEST(check_refuses_a_supervisor_below_without_a_table, "S110")
{
	REFUSED(WARD_EINVAL, "child \"w\" needs arguments",
		.children = CHILDREN({.id = "w", .props.behavior = &ward_otp_behavior}));
	REFUSED(WARD_EINVAL, "child \"w\" takes arguments of type \"ward_otp_supervisor\", but got",
		.children =
			CHILDREN({.id = "w",
				  .props = {.behavior = &ward_otp_behavior,
					    .args = WARD_ARGS(ward_otp_delete_child, .id = "w")}}));
}

WARD_TEST(check_refuses_arguments_that_a_start_would_refuse, "S110")
{
	const ward_otp_supervisor none = {.children =
						  CHILDREN({.id = "w", .props.behavior = &worker})};
	ward_ref who;

	REFUSED(WARD_EINVAL,
		"child \"w\" needs arguments: write .props.args = WARD_ARGS(name, ...)",
		.children = CHILDREN({.id = "w", .props.behavior = &worker}));
	REFUSED(WARD_EINVAL, "child \"w\" takes arguments of type \"name\", but got",
		.children =
			CHILDREN({.id = "w",
				  .props = {.behavior = &worker,
					    .args = WARD_ARGS(ward_otp_delete_child, .id = "w")}}));
	o_begin();
	ward_assert_err(ward_otp_start(o_system(), &none, WARD_SECOND, &who), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "child \"w\" needs arguments");
	o_end();
}

/* Some ids of the longest kind above each other: the path is longer than is shown. */
static const ward_otp_supervisor floors[] = {
	{.children = CHILDREN({.id = LONGEST, .supervisor = &floors[1]})},
	{.children = CHILDREN({.id = LONGEST, .supervisor = &floors[2]})},
	{.children = CHILDREN({.id = LONGEST, .supervisor = &floors[3]})},
	{.children = CHILDREN({.id = "cellar", .supervisor = &floors[4]})},
	{.intensity = -7},
};

WARD_TEST(check_names_the_path_and_the_field, "S110")
{
	const ward_otp_supervisor hasty = {.window_ms = 5},
				  two = {.strategy = WARD_OTP_SIMPLE_ONE_FOR_ONE,
					 .children = CHILDREN(PERMANENT("a"), PERMANENT("b"))},
				  twins = {.children = CHILDREN(PERMANENT("a"), PERMANENT("a"))},
				  bare = {.children =
						  CHILDREN({.id = "w", .props.behavior = &worker})};
	static const struct {
		const char *wanted;
		ward_err code;
	} texts[] = {
		{"supervisor \"pool/below\": .window_ms is 5 ms; it must be whole seconds "
		 "(5 * WARD_SECOND), at most 3600 s",
		 WARD_EINVAL},
		{"supervisor \"pool/below\": simple_one_for_one needs exactly one child "
		 "specification",
		 WARD_EINVAL},
		{"supervisor \"pool/below\": two children have the id \"a\"", WARD_EEXIST},
		{"child \"pool/below/w\" needs arguments: write .props.args = WARD_ARGS(name, ...)",
		 WARD_EINVAL},
	};
	const ward_otp_supervisor *const tables[] = {&hasty, &two, &twins, &bare};

	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
		const ward_otp_supervisor pool = {
			.name = "pool",
			.children = CHILDREN({.id = "below", .supervisor = tables[i]})};
		ward_assert_err(ward_otp_check(&pool), texts[i].code);
		ward_assert_str(ward_err_detail(), texts[i].wanted);
	}
	ward_assert_err(ward_otp_check(&(ward_otp_supervisor){.intensity = -7}), WARD_EINVAL);
	ward_assert_str(ward_err_detail(),
			"supervisor: .intensity is -7; it must be at least 0 and at most 1000, or "
			"WARD_RESTARTS_NONE");
	ward_assert_err(ward_otp_check(&floors[0]), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "-01234567/" LONGEST "/cellar\": .intensity is -7;");
	ward_assert_part(ward_err_detail(), "supervisor \"...");
}

WARD_TEST(check_refuses_what_cannot_be_significant, "S114")
{
	REFUSED(WARD_EINVAL, "permanent", .auto_shutdown = WARD_OTP_ANY_SIGNIFICANT,
		.children = CHILDREN(CHILD("a", .significant = true)));
	REFUSED(WARD_EINVAL, "never",
		.children =
			CHILDREN(CHILD("a", .significant = true, .restart = WARD_OTP_TRANSIENT)));
	REFUSED(WARD_EINVAL, "simple_one_for_one", .auto_shutdown = WARD_OTP_ALL_SIGNIFICANT,
		.strategy = WARD_OTP_SIMPLE_ONE_FOR_ONE,
		.children =
			CHILDREN(CHILD("a", .significant = true, .restart = WARD_OTP_TRANSIENT)));
}

WARD_TEST(check_refuses_more_or_less_than_one_specification_for_simple, "S110", "S111")
{
	REFUSED(WARD_EINVAL, "exactly one", .strategy = WARD_OTP_SIMPLE_ONE_FOR_ONE);
	REFUSED(WARD_EINVAL, "exactly one", .strategy = WARD_OTP_SIMPLE_ONE_FOR_ONE,
		.children = CHILDREN({0}));
	REFUSED(WARD_EINVAL, "exactly one", .strategy = WARD_OTP_SIMPLE_ONE_FOR_ONE,
		.children = CHILDREN(PERMANENT("a"), PERMANENT("b")));
	REFUSED(WARD_EINVAL, "the name \"x\"", .strategy = WARD_OTP_SIMPLE_ONE_FOR_ONE,
		.children = CHILDREN({.id = "a", NAMED("a"), .props.name = "x"}));
	REFUSED(WARD_EINVAL, "the name \"cellar\"", .strategy = WARD_OTP_SIMPLE_ONE_FOR_ONE,
		.children = CHILDREN({.id = "a", .supervisor = &cellar}));
}

static ward_otp_child_spec circle_children[2];
static const ward_otp_supervisor circle = {.name = "circle", .children = circle_children};

WARD_TEST(check_refuses_a_circle, "S110")
{
	ward_ref who;

	circle_children[0] = (ward_otp_child_spec){.id = "round", .supervisor = &circle};
	ward_assert_err(ward_otp_check(&circle), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "in a circle");
	o_begin();
	ward_assert_err(ward_otp_start(o_system(), &circle, WARD_SECOND, &who), WARD_EINVAL);
	who = o_start(&house);
	ward_assert_err(ward_otp_start_child_wait(o_system(), who, WARD_SECOND, &circle_children[0],
						  &(struct ward_otp_done){0}),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "supervisor \"round/round");
	o_end();
}

WARD_TEST_MAIN
