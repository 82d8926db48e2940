/* SPDX-License-Identifier: MIT
 *
 * test_rows.c - one table for a message and for the arguments in a file; and modules of version 1,
 * whose rows were shorter.
 *
 * Method: modules with one behaviour each, and files of one actor, whose arguments are noted.
 */
#include <string.h>

#include <ward/codec.h>

#include "shop.h"

/* ---- one table --------------------------------------------------------------------------- */

static const ward_field_name colours[] = {{"red", 1}, {"blue", 2}, {NULL, 0}};

struct lamp {
	uint64_t serial;
	int32_t colour;
	double bright;
	char name[16];
	int64_t wait_ms;
};
WARD_MESSAGE_FIELDS(lamp, 1, WARD_FIELD(UINT, lamp, serial, .umax = UINT64_MAX),
		    WARD_FIELD(ENUM, lamp, colour, .names = colours),
		    WARD_FIELD(FLOAT, lamp, bright, .low = 0.25, .high = 0.75),
		    WARD_OPTIONAL_FIELD(TEXT, lamp, name, .min = 2),
		    WARD_OPTIONAL_FIELD(DURATION, lamp, wait_ms, .max = 5000));

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_DONE;
}
static const ward_behavior lamp = {.name = "lamp", .args = &ward_type_lamp, .receive = receive};

static struct lamp seen;
static void look(void *args, ward_config_report *report)
{
	(void)report;
	memcpy(&seen, args, sizeof seen);
}

static ward_err check_text(const ward_config_module *module, const char *text)
{
	const ward_config_module *const modules[] = {module, NULL};
	ward_config *config;
	ward_err err;

	ward_assert_ok(ward_config_open_text("t", text, strlen(text), NULL, &config));
	err = ward_config_check(config, modules, NULL);
	ward_config_close(config);
	return err;
}

static ward_err check(const ward_config_module *module, const char *args)
{
	char text[256];

	snprintf(text, sizeof text, "actors: { a: { behavior = \"lamp\"; args: { %s }; }; };",
		 args);
	return check_text(module, text);
}

static const ward_config_module lamps = {
	.version = WARD_CONFIG_VERSION,
	.name = "lamps",
	.behaviors = (const ward_config_behavior[]){{.name = "lamp",
						     .behavior = &lamp,
						     .fields = ward_fields_lamp,
						     .check = look},
						    {0}},
	.messages = (const ward_type *const[]){&ward_type_lamp, NULL},
};

WARD_TEST(one_table_serves_a_message_and_a_file, "S184")
{
	ward_bytes out = {.data = NULL};
	static const char wanted[] =
		"{\"lamp\":{\"serial\":7,\"colour\":\"blue\",\"bright\":0.5,\"name\":\"hall\","
		"\"wait_ms\":2000}}";

	ward_assert_ok(check(&lamps, "serial = 7; colour = \"blue\"; bright = 0.5; name = "
				     "\"hall\"; wait_ms = \"2 s\";"));
	ward_assert_ok(ward_encode(WARD_FORMAT_JSON, &ward_type_lamp, &seen, sizeof seen, &out));
	ward_assert_eq(out.size, sizeof wanted - 1);
	ward_assert(memcmp(out.data, wanted, out.size) == 0);
	ward_bytes_finish(&out);
}

WARD_TEST(the_ranges_of_the_table_are_those_of_the_file, "S184")
{
	ward_assert_err(check(&lamps, "serial = 7; colour = \"blue\"; bright = 0.8;"), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "bright: the number is 0.8, must be from 0.25 to 0.75");
	ward_assert_err(check(&lamps, "serial = -7; colour = \"blue\"; bright = 0.5;"),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "serial: the number is -7, must be from 0 to "
					    "18446744073709551615");
	ward_assert_err(check(&lamps, "serial = 7; bright = 0.5;"), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "colour: is missing, must be one of its names");
	ward_assert_err(check(&lamps, "serial = 7; colour = \"red\"; bright = 0.5; name = \"x\";"),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "length of the string is 1, must be at least 2");
	ward_assert_err(
		check(&lamps, "serial = 7; colour = \"red\"; bright = 0.5; wait_ms = 5001;"),
		WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "must be from 0 ms to 5 s");
}

/* ---- kinds that the other side does not have --------------------------------------------- */

struct crate {
	unsigned char bytes[8];
	const char *const *names;
};
WARD_MESSAGE(crate);
static const ward_behavior crate = {.name = "crate", .args = &ward_type_crate, .receive = receive};

static void refused_row(const ward_field *row, const char *wanted)
{
	const ward_field fields[] = {*row, {0}};
	const ward_config_behavior behaviors[] = {
		{.name = "crate", .behavior = &crate, .fields = fields}, {0}};
	const ward_config_module module = {
		.version = WARD_CONFIG_VERSION, .name = "m", .behaviors = behaviors};

	ward_assert_err(check_text(&module, ""), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), wanted);
}

WARD_TEST(kinds_of_messages_are_refused_in_files_by_name, "S184")
{
	refused_row(&(ward_field)WARD_FIELD(BYTES, crate, bytes),
		    "field \"bytes\" is of kind BYTES, which no file can have");
	refused_row(&(ward_field){.key = "list", .kind = WARD_FIELD_LIST},
		    "field \"list\" is of kind LIST, which no file can have");
	refused_row(&(ward_field)WARD_TAIL_FIELD(crate, rest),
		    "field \"rest\" is of kind TAIL, which no file can have");
}

WARD_TEST(messages_without_a_right_table_are_refused, "S184")
{
	static const ward_field strings[] = {
		{"names", WARD_CONFIG_STRINGS, WARD_CONFIG_AT(struct crate, names)}, {0}};
	static const ward_codec codec = {.version = 1, .fields = strings};
	static const ward_type of_files = {
		.name = "of_files", .size = sizeof(struct crate), .codec = &codec};
	const ward_type *const messages[][3] = {{&ward_type_crate, NULL},
						{&of_files, NULL},
						{&ward_type_lamp, &ward_type_lamp, NULL}};
	static const char *const wanted[] = {"crate", "kind STRINGS",
					     "message \"lamp\" is listed twice"};

	for (size_t i = 0; i < 3; i++) {
		const ward_config_module module = {
			.version = WARD_CONFIG_VERSION, .name = "m", .messages = messages[i]};

		ward_assert_err(check_text(&module, ""), WARD_EINVAL);
		ward_assert_part(ward_err_detail(), "module \"m\": ");
		ward_assert_part(ward_err_detail(), wanted[i]);
	}
}

/* ---- version 1 --------------------------------------------------------------------------- */

/* The row of an argument as a module had it that was compiled for version 1. */
struct old_row {
	const char *key;
	uint32_t type;
	uint32_t offset, size;
	bool required;
	double min, max;
	const ward_config_name *names;
	const struct old_row *fields;
	uintptr_t reserved[2];
};

struct room {
	uint16_t width;
	int16_t turn;
};
struct house {
	int32_t number;
	uint64_t area;
	double height;
	const char *label;
	struct room room;
};
WARD_MESSAGE(house);
static const ward_behavior house = {.name = "house", .args = &ward_type_house, .receive = receive};

#define AT(T, member) offsetof(struct T, member), sizeof(((struct T *)0)->member)
static const struct old_row room_rows[] = {
	{"width", 3, AT(room, width), true, 1, 1000, NULL, NULL, {0}},
	{"turn", 2, AT(room, turn), false, 0.5, 90.5, NULL, NULL, {0}},
	{0},
};
static const struct old_row house_rows[] = {
	{"number", 2, AT(house, number), false, -5, 5, NULL, NULL, {0}},
	{"area", 3, AT(house, area), false, 1, 0x1p64, NULL, NULL, {0}},
	{"height", 4, AT(house, height), false, 0.5, 2.5, NULL, NULL, {0}},
	{"label", 5, AT(house, label), false, 1, 0, NULL, NULL, {0}},
	{"room", 14, AT(house, room), false, 0, 0, NULL, room_rows, {0}},
	{0},
};

static struct house seen_house;
static void look_at_house(void *args, ward_config_report *report)
{
	(void)report;
	memcpy(&seen_house, args, sizeof seen_house);
}

static ward_err check_house(const char *args)
{
	const ward_config_behavior behaviors[] = {
		{.name = "house",
		 .behavior = &house,
		 .fields = (const ward_config_field *)(const void *)house_rows,
		 .check = look_at_house},
		{0}};
	const ward_config_module module = {.version = 1, .name = "old", .behaviors = behaviors};
	char text[256];

	snprintf(text, sizeof text, "actors: { a: { behavior = \"house\"; args: { %s }; }; };",
		 args);
	return check_text(&module, text);
}

WARD_TEST(modules_of_version_1_are_read_as_ever, "S184")
{
	ward_assert_ok(check_house("number = -5; area = 9000000000; height = 0.5; label = \"x\"; "
				   "room: { width = 1000; turn = 90; };"));
	ward_assert_eq(seen_house.number, -5);
	ward_assert_eq(seen_house.area, 9000000000);
	ward_assert(seen_house.height == 0.5);
	ward_assert_eq(seen_house.room.width, 1000);
	ward_assert_eq(seen_house.room.turn, 90);
	ward_assert_err(check_house("number = 6;"), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "number: the number is 6, must be from -5 to 5");
	ward_assert_err(check_house("height = 0.4;"), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "must be from 0.5 to 2.5");
	ward_assert_err(check_house("label = \"\";"), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "must be at least 1");
	ward_assert_err(check_house("room: { turn = 0; width = 1; };"), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "room.turn: the number is 0, must be from 1 to 90");
	ward_assert_err(check_house("room: { };"), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "room.width: is missing");
}

WARD_TEST(modules_of_version_1_have_no_messages, "S184")
{
	const ward_type *const messages[] = {&ward_type_lamp, NULL};
	const ward_config_module module = {.version = 1, .name = "m", .messages = messages};

	ward_assert_err(check_text(&module, ""), WARD_EINVAL);
	ward_assert_str(ward_err_detail(),
			"module \"m\": a reserved word is not zero: messages need "
			"version 2");
}

WARD_TEST_MAIN
