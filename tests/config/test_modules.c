/* SPDX-License-Identifier: MIT
 *
 * test_modules.c - modules that are none: what is wrong in a table is told when it is given.
 *
 * Method: one module each, taken by an empty file.
 */
#include "shop.h"

static void refused(const ward_config_module *module, const char *wanted)
{
	const ward_config_module *const modules[] = {&shop, module, NULL};
	ward_config *config;

	ward_assert_ok(ward_config_open_text("t", "", 0, NULL, &config));
	ward_assert_err(ward_config_check(config, modules, NULL), WARD_EINVAL);
	ward_assert_str(ward_err_detail(), wanted);
	ward_config_close(config);
}

#define MODULE(...)                                                                                \
	(&(const ward_config_module){.version = WARD_CONFIG_VERSION, .name = "m", __VA_ARGS__})

WARD_TEST(modules_of_another_version_are_refused)
{
	refused(&(ward_config_module){.version = 3, .name = "m"},
		"module \"m\" has version 3, this library knows 1 to 2");
	refused(&(ward_config_module){.version = 0, .name = "m"},
		"module \"m\" has version 0, this library knows 1 to 2");
	refused(&(ward_config_module){.version = 1}, "a module without a name");
	refused(MODULE(.reserved = {1}), "module \"m\": a reserved word is not zero");
}

WARD_TEST(names_that_two_modules_have_are_refused)
{
	static const ward_failure_class other = {.name = "jammed", .parent = &ward_error};

	refused(MODULE(.behaviors =
			       (ward_config_behavior[]){
				       {.name = "plain", .behavior = shop.behaviors[0].behavior},
				       {0}}),
		"module \"m\": there is another behavior \"plain\"");
	refused(MODULE(.failure_classes = (const ward_failure_class *const[]){&other, NULL}),
		"module \"m\": there is another failure class \"jammed\"");
}

#define CLASSES(...)                                                                               \
	MODULE(.failure_classes = (const ward_failure_class *const[]){__VA_ARGS__, NULL})

WARD_TEST(classes_that_no_failure_may_have_are_refused)
{
	static const ward_failure_class forged = {.name = "ward_killed", .parent = &ward_exception},
					early = {.name = "ward_not_yet", .parent = &ward_error},
					orphan = {.name = "orphan"};

	refused(CLASSES(&forged), "module \"m\": failure class \"ward_killed\": names that begin "
				  "with ward_ are reserved for ward's own classes");
	refused(CLASSES(&early), "module \"m\": failure class \"ward_not_yet\": names that begin "
				 "with ward_ are reserved for ward's own classes");
	refused(CLASSES(&orphan),
		"module \"m\": failure class \"orphan\" has no parent: set its .parent to "
		"&ward_exception, &ward_error or a class below");
}

WARD_TEST(modules_that_are_given_twice_are_refused)
{
	refused(&shop, "module \"shop\" is given twice");
}

/* Ward's own may be there, too. */
WARD_TEST(modules_may_have_the_same_class)
{
	const ward_config_module *const modules[] = {&shop, CLASSES(&jammed, &ward_killed), NULL};
	ward_config *config;

	ward_assert_ok(ward_config_open_text("t", "", 0, NULL, &config));
	ward_assert_ok(ward_config_check(config, modules, NULL));
	ward_config_close(config);
}

/* Each module has its own copy of the header that declares it. */
WARD_TEST(modules_may_each_declare_the_same_class)
{
	static const ward_failure_class disk = {.name = "disk", .parent = &ward_exception},
					copy = {.name = "disk", .parent = &ward_exception},
					full = {.name = "full", .parent = &disk},
					again = {.name = "full", .parent = &copy};
	const ward_config_module *const modules[] = {CLASSES(&full, &disk), CLASSES(&again), NULL};
	ward_config *config;

	ward_assert_ok(ward_config_open_text("t", "", 0, NULL, &config));
	ward_assert_ok(ward_config_check(config, modules, NULL));
	ward_config_close(config);
}

/* The names are alike, the parents are not; the second is looked at before it is checked itself. */
WARD_TEST(classes_of_one_name_below_others_are_refused)
{
	static const ward_failure_class nameless = {.parent = &ward_exception},
					disk = {.name = "disk", .parent = &ward_exception},
					odd = {.name = "disk", .parent = &nameless},
					deep = {.name = "jammed", .parent = &disk},
					shorter = {.name = "disk"},
					above = {.name = "ward_exception", .parent = &disk},
					longer = {.name = "disk", .parent = &above};

	refused(CLASSES(&deep), "module \"m\": there is another failure class \"jammed\"");
	refused(CLASSES(&disk, &odd), "module \"m\": there is another failure class \"disk\"");
	refused(CLASSES(&disk, &shorter), "module \"m\": there is another failure class \"disk\"");
	refused(CLASSES(&disk, &longer), "module \"m\": there is another failure class \"disk\"");
}

WARD_TEST(strategies_and_functions_that_are_none_are_refused)
{
	static const ward_strategy wrong = {.window_ms = 5};

	refused(MODULE(.strategies = (ward_config_strategy[]){{"s", NULL}, {0}}),
		"module \"m\": strategy \"s\" is NULL");
	refused(MODULE(.strategies = (ward_config_strategy[]){{"stopping", &wrong}, {0}}),
		"module \"m\": the strategy name \"stopping\" is ward's own");
	refused(MODULE(.strategies = (ward_config_strategy[]){{"escalating", &wrong}, {0}}),
		"module \"m\": the strategy name \"escalating\" is ward's own");
	refused(MODULE(.deciders = (ward_config_decider[]){{"d", NULL}, {0}}),
		"module \"m\": decider \"d\" is NULL");
	refused(MODULE(.priorities = (ward_config_priority[]){{"p", NULL}, {0}}),
		"module \"m\": priority \"p\" is NULL");
	refused(MODULE(.hashes = (ward_config_hash[]){{"h", NULL}, {0}}),
		"module \"m\": hash \"h\" is NULL");
}

/* ---- fields ------------------------------------------------------------------------------ */

struct box {
	int32_t number;
	char text[8];
};
WARD_MESSAGE(box);
static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}
static const ward_behavior with_box = {.name = "box", .args = &ward_type_box, .receive = receive};
static const ward_behavior without = {.name = "without", .receive = receive};

static void refused_fields(const ward_config_field *fields, const char *wanted)
{
	char full[256];

	snprintf(full, sizeof full, "module \"m\": behavior \"box\": field %s", wanted);
	refused(MODULE(.behaviors =
			       (ward_config_behavior[]){
				       {.name = "box", .behavior = &with_box, .fields = fields},
				       {0}}),
		full);
}

#define BOX(member) WARD_CONFIG_AT(struct box, member)
#define FIELDS(...) ((const ward_config_field[]){__VA_ARGS__, {0}})

WARD_TEST(fields_that_do_not_fit_their_struct_are_refused)
{
	refused_fields(FIELDS({"a", (ward_config_type)77, BOX(number)}),
		       "\"a\" has an unknown kind");
	refused_fields(FIELDS({NULL, WARD_CONFIG_INT, BOX(number)}),
		       "\"(no key)\" needs a key of letters, digits, '-' and '_'");
	refused_fields(FIELDS({"a b", WARD_CONFIG_INT, BOX(number)}),
		       "\"a b\" needs a key of letters, digits, '-' and '_'");
	refused_fields(FIELDS({"a", WARD_CONFIG_BOOL, BOX(number)}),
		       "\"a\" has a size that does not match its type");
	refused_fields(FIELDS({"a", WARD_CONFIG_INT, .offset = 10, .size = 4}),
		       "\"a\" lies outside the arguments");
	refused_fields(FIELDS({"a", WARD_CONFIG_ENUM, BOX(number)}), "\"a\" needs names");
	refused_fields(FIELDS({"a", WARD_CONFIG_GROUP, BOX(text)}), "\"a\" needs fields");
	refused_fields(FIELDS({"a", WARD_CONFIG_INT, BOX(number), .min = 5, .max = 4}),
		       "\"a\" has a .min above its .max");
	refused_fields(
		FIELDS({"a", WARD_CONFIG_INT, BOX(number)}, {"a", WARD_CONFIG_TEXT, BOX(text)}),
		"\"a\" is listed twice");
}

WARD_TEST(behaviours_that_are_none_are_refused)
{
	static const ward_type moved = {.name = "moved", .size = 4, .drop = free};
	static const ward_behavior owner = {.name = "owner", .args = &moved, .receive = receive};

	refused(MODULE(.behaviors = (ward_config_behavior[]){{.name = "x"}, {0}}),
		"module \"m\": behavior \"x\" is NULL: a ward_behavior is needed");
	refused(MODULE(.behaviors =
			       (ward_config_behavior[]){
				       {.name = "x",
					.behavior = &without,
					.fields = FIELDS({"a", WARD_CONFIG_INT, BOX(number)})},
				       {0}}),
		"module \"m\": behavior \"x\" has fields for arguments, but takes none: set .args "
		"of "
		"the ward_behavior");
	refused(MODULE(.behaviors =
			       (ward_config_behavior[]){{.name = "x", .behavior = &owner}, {0}}),
		"module \"m\": behavior \"x\" has arguments that cannot be copied: their type has "
		"a drop and no clone");
}

WARD_TEST_MAIN
