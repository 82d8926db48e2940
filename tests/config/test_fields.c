/* SPDX-License-Identifier: MIT
 *
 * test_fields.c - arguments of actors: each type, its range, and what the behaviour gets.
 *
 * Method: a till with all types is started from a text, and keeps what it got.
 */
#include "shop.h"

/* The strings are gone afterwards. */
static void start_till(const char *args)
{
	char text[1024];
	ward_config *config;
	ward_kit *kit;

	snprintf(text, sizeof text, "actors: { till: { behavior = \"till\"; args: { %s }; }; };",
		 args);
	config = shop_good(text);
	kit = shop_kit(config);
	ward_assert_ok(ward_config_spawn(config, ward_kit_system(kit)));
	ward_kit_finish(kit);
	ward_config_close(config);
}

/* With a service and a strategy to name; gives the config, which has the strings. */
static ward_config *keep_till(const char *args)
{
	char text[1024];
	ward_config *config;
	ward_kit *kit;

	snprintf(text, sizeof text,
		 "services: { journal: { behavior = \"plain\"; }; };"
		 "strategies: { mine: { otherwise = \"stop\"; }; };"
		 "actors: { till: { behavior = \"till\"; args: { %s }; }; };",
		 args);
	config = shop_good(text);
	kit = shop_kit(config);
	ward_assert_ok(ward_config_spawn(config, ward_kit_system(kit)));
	ward_assert(ward_ref_equal(shop_till.nested.back, shop_at(kit, "/system/journal")));
	ward_kit_finish(kit);
	return config;
}

WARD_TEST(arguments_of_all_types_arrive)
{
	ward_config *config = keep_till(
		"open = true; small = -128; number = -5; port = 65535; "
		"large = 0xFFFFFFFFFFFFFFFL; factor = 0.25; drawer = \"lower \" \"left\"; "
		"label = \"1234567\"; papers = [\"a\", \"b\"]; wait = \"1.5 s\"; bytes = \"64 "
		"KiB\"; "
		"colour = \"green\"; colours = [\"red\", \"blue\"]; strategy = \"mine\"; "
		"nested: { deep = 7; text = \"x\"; back = \"journal\"; };");

	ward_assert(shop_till.open);
	ward_assert_eq(shop_till.small, -128);
	ward_assert_eq(shop_till.number, -5);
	ward_assert_eq(shop_till.port, 65535);
	ward_assert_eq(shop_till.large, 0x1000000000000000); /* and one more: the check's */
	ward_assert(shop_till.factor == 0.25);
	ward_assert_str(shop_till.drawer, "lower left");
	ward_assert_str(shop_till.label, "1234567");
	ward_assert_str(shop_till.papers[0], "a");
	ward_assert_str(shop_till.papers[1], "b");
	ward_assert(shop_till.papers[2] == NULL);
	ward_assert_eq(shop_till.wait_ms, 1500);
	ward_assert_eq(shop_till.bytes, 65536);
	ward_assert_eq(shop_till.colour, 2);
	ward_assert_eq(shop_till.colours, 5);
	ward_assert_eq(shop_till.strategy->otherwise, WARD_STOP);
	ward_assert_eq(shop_till.nested.deep, 7);
	ward_assert_str(shop_till.nested.text, "x");
	ward_config_close(config);
}

WARD_TEST(arguments_that_are_not_given_are_the_defaults)
{
	start_till("");
	ward_assert(!shop_till.open);
	ward_assert_eq(shop_till.number, till_defaults.number);
	ward_assert_eq(shop_till.wait_ms, till_defaults.wait_ms);
	ward_assert_str(shop_till.drawer, till_defaults.drawer);
	ward_assert(ward_ref_is_nobody(shop_till.journal));
	ward_assert_eq(shop_till.large, 1);
}

/* What is said of one argument. */
static void wrong(const char *args, const char *wanted)
{
	char text[1024], full[1024];

	snprintf(text, sizeof text, "actors: { a: { behavior = \"till\"; args: { %s }; }; };",
		 args);
	snprintf(full, sizeof full, "t:1: actors.a.args%s", wanted);
	shop_wrong(text, full);
}

WARD_TEST(values_of_another_type_are_refused)
{
	wrong("open = 1;", ".open: is a whole number, must be true or false");
	wrong("small = 1.5;", ".small: is a number with a point, must be a whole number");
	wrong("factor = \"1\";", ".factor: is a string, must be a number");
	wrong("drawer = 5;", ".drawer: is a whole number, must be a string");
	wrong("papers = \"a\";", ".papers: is a string, must be a list of strings: [\"one\", "
				 "\"two\"]");
	wrong("papers = (\"a\", 1);", ".papers: entry 2 must be a string");
	wrong("wait = true;", ".wait: is true or false, must be a duration: \"200 ms\", \"5 s\", "
			      "\"2 min\", \"1 h\", \"forever\", or a number of milliseconds");
	wrong("bytes = [];", ".bytes: is an array, must be a size: \"64 KiB\", \"1 MiB\", \"1 "
			     "GiB\", or a number of bytes");
	wrong("colour = {};", ".colour: is a group, must be a string, one of its names");
	wrong("colours = \"red\";", ".colours: is a string, must be a list of names: [\"one\", "
				    "\"two\"]");
	wrong("strategy = ();", ".strategy: is a list, must be the name of a strategy");
	wrong("nested = 1;", ".nested: is a whole number, must be a group: { key = value; }");
	wrong("nested: { };", ".nested.deep: is missing, must be a whole number");
}

WARD_TEST(values_out_of_range_are_refused)
{
	wrong("small = 128;", ".small: the number is 128, too large for its 1 bytes");
	wrong("small = -129;", ".small: the number is -129, must be larger");
	wrong("port = -1;", ".port: the number is -1, must be at least 0");
	wrong("port = 65536;", ".port: the number is 65536, too large for its 2 bytes");
	wrong("number = 6;", ".number: the number is 6, must be from -5 to 5");
	wrong("factor = 1.01;", ".factor: the number is 1.01, must be from 0 to 1");
	wrong("factor = 1e999;", ".factor: a number that is too large");
	wrong("drawer = \"\";", ".drawer: the length of the string is 0, must be at least 1");
	wrong("label = \"12345678\";", ".label: the string has 8 bytes, there is room for 7");
	wrong("papers = [];", ".papers: the number of strings is 0, must be from 1 to 3");
	wrong("papers = [\"\", \"\", \"\", \"\"];",
	      ".papers: the number of strings is 4, must be from 1 to 3");
	wrong("wait = 9;", ".wait: must be from 10 ms to 5 s");
	wrong("wait = \"6 s\";", ".wait: must be from 10 ms to 5 s");
	wrong("wait = -1;", ".wait: is negative, must be a duration: \"200 ms\", \"5 s\", \"2 "
			    "min\", \"1 h\", \"forever\", or a number of milliseconds");
	wrong("wait = \"0.5 ms\";", ".wait: \"0.5 ms\" must be whole milliseconds");
	wrong("wait = \"0.5 days\";",
	      ".wait: \"0.5 days\" is not a duration: \"200 ms\", \"5 s\", \"2 min\", \"1 h\", "
	      "\"forever\", or a number of milliseconds");
	wrong("bytes = \"0.3 KiB\";", ".bytes: \"0.3 KiB\" must be whole bytes");
	wrong("bytes = \"9999999999999 GiB\";",
	      ".bytes: \"9999999999999 GiB\" is not a size: \"64 KiB\", \"1 MiB\", \"1 GiB\", or "
	      "a number of bytes");
	wrong("colours = [\"red\", \"pink\"];",
	      ".colours: \"pink\" is unknown; must be one of: red, green, blue");
}

WARD_TEST(a_check_of_the_program_tells_where_it_is_wrong)
{
	wrong("open = true;", ".port: an open till needs one");
	wrong("small = 99;", ": 99 is a bad day");
	shop_wrong("actors: {\n a: { behavior = \"till\"; args: {\n open = true;\n port = 0;\n"
		   " }; }; };",
		   "t:4: actors.a.args.port: an open till needs one");
}

WARD_TEST(durations_and_sizes_have_units)
{
	static const struct {
		const char *args;
		int64_t wait_ms;
		size_t bytes;
	} rows[] = {
		{"wait = 10; bytes = 1;", 10, 1},
		{"wait = \"2 s\"; bytes = \"3 B\";", 2000, 3},
		{"wait = \"10ms\"; bytes = \"1.5 KiB\";", 10, 1536},
		{"wait = \"0.05 min\"; bytes = \"2 MiB\";", 3000, 2097152},
		{"wait = \"0.001 h\"; bytes = \"1 GiB\";", 3600, 1073741824},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		start_till(rows[i].args);
		ward_assert_eq(shop_till.wait_ms, rows[i].wait_ms);
		ward_assert_eq(shop_till.bytes, rows[i].bytes);
	}
}

WARD_TEST_MAIN
