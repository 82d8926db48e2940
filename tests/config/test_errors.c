/* SPDX-License-Identifier: MIT
 *
 * test_errors.c - what is wrong in a file is told: where, which key, and what would be right.
 *
 * Method: texts and all that must be said of them, word by word.
 */
#include "shop.h"

/* ---- keys -------------------------------------------------------------------------------- */

WARD_TEST(unknown_keys_are_told_with_what_was_meant)
{
	shop_wrong("system: {\n\tworkesr = 2;\n};\n"
		   "actors: {\n\ttill: { behavior = \"till\"; mailbox: { messages = 3; }; };\n};\n"
		   "strategies: { s: { restarts = 2; }; };\n",
		   "t:7: strategies.s.restarts: unknown key; did you mean \"restarts-max\"?\n"
		   "t:2: system.workesr: unknown key; did you mean \"workers\"?\n"
		   "t:5: actors.till.mailbox.messages: unknown key; did you mean "
		   "\"messages-max\"?");
}

WARD_TEST(unknown_keys_that_are_like_none_are_told_with_all_there_are)
{
	shop_wrong("zzz = 1;",
		   "t:1: zzz: unknown key; allowed here: modules, system, strategies, services, "
		   "actors");
	shop_wrong("actors: { h: { behavior = \"house\"; args: { x9 = 1; }; }; };",
		   "t:1: actors.h.args.x9: unknown key; allowed here: forgets, brief");
}

WARD_TEST(required_keys_that_are_missing_are_told)
{
	shop_wrong("actors: {\n a: { behavior = \"needy\"; };\n"
		   " b: { behavior = \"needy\";\n args: { number = 1; }; };\n"
		   " c: { behavior = \"plain\"; backoff: { min = 5; }; };\n};",
		   "t:2: actors.a.args.number: is missing, must be a whole number\n"
		   "t:2: actors.a.args.wait: is missing, must be a duration, as \"200 ms\"\n"
		   "t:4: actors.b.args.wait: is missing, must be a duration, as \"200 ms\"\n"
		   "t:5: actors.c.backoff.max: is missing, must be a duration, as \"200 ms\"");
}

/* ---- writing ----------------------------------------------------------------------------- */

WARD_TEST(mistakes_of_writing_are_told_with_the_line)
{
	shop_wrong("actors: {\n  a = ;\n};", "t:2: syntax error at, or before: a = ;");
	shop_wrong("a = 1;\nb = 2;\na = 3;", "t:3: duplicate setting name at, or before: a = 3;");
	shop_wrong("modules = [1, \"b\"];",
		   "t:1: mismatched element type in array at, or before: modules = [1, \"b\"];");
	shop_wrong("modules = [\n\"./a.so\",\n\"./a.so\"];",
		   "t:3: modules[1]: \"./a.so\" is listed twice");
	shop_wrong("\xef\xbb\xbf"
		   "actors: { };",
		   "t:1: a byte order mark: save the file as UTF-8 without one");
	shop_wrong("system: {\n name = \"x\n\n", "t:2: a string that does not end");
	shop_wrong("\n/* never\n", "t:2: a comment that does not end");
	shop_wrong("@include \"x\"\n", "t:1: @include works only in a file");
	shop_wrong("a = @x;", "t:1: '@' stands only for @include \"other.conf\", at the beginning "
			      "of a line");
}

WARD_TEST(what_a_file_holds_is_told_as_a_line)
{
	shop_wrong("a\x1b[2J = \xc2\x9b \xe2\x82\xac;",
		   "t:1: syntax error at, or before: a\\x1b[2J = \\u{9b} \xe2\x82\xac;");
	shop_wrong("modules = [\"\xe2\x80\xae\xff\", \"\xe2\x80\xae\xff\"];",
		   "t:1: modules[1]: \"\\u{202e}\\xff\" is listed twice");
	/* 60 bytes are quoted, and no character in part. */
	shop_wrong("abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefgh \xe2\x82\xac",
		   "t:1: syntax error at, or before: "
		   "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefgh ");
}

WARD_TEST(numbers_that_libconfig_would_cut_are_refused)
{
	const char *hex = "t:1: a number that is too large: hexadecimal numbers have at most 8 "
			  "digits, or 16 and an L";

	shop_wrong("system: { workers = 0x100000004; };", hex);
	shop_wrong("system: { seed = 0x10000000000000004L; };", hex);
	shop_wrong("system: { seed = 99999999999999999999L; };",
		   "t:1: a number that is too large: 99999999999999999999...");
	shop_wrong("system: { seed = -99999999999999999999L; };",
		   "t:1: a number that is too large: 99999999999999999999...");
}

WARD_TEST(numbers_of_more_than_32_bits_need_no_suffix)
{
	ward_config *config;
	ward_options options;

	shop_wrong("system: { workers = 4294967298; };",
		   "t:1: system.workers: the number is 4294967298, must be from 1 to 1024");
	shop_wrong("system: { workers = 0000000000000000000000004294967298; };",
		   "t:1: system.workers: the number is 4294967298, must be from 1 to 1024");
	shop_wrong("system: { workers = -4294967294; };",
		   "t:1: system.workers: the number is -4294967294, must be from 1 to 1024");
	config = shop_good("system: { seed = 9223372036854775807; };"
			   "actors: { a-4294967298: { behavior = \"plain\"; }; };");
	ward_assert_ok(ward_config_options(config, &options));
	ward_assert_eq(options.seed, INT64_MAX);
	ward_config_close(config);
}

WARD_TEST(groups_that_nothing_closes_are_told_where_they_begin)
{
	shop_wrong("actors: {\n a: {\n  behavior = \"plain\";\n};\n", "t:1: a '{' without its '}'");
	shop_wrong("system: { };\nmodules = [\n\"x\",", "t:2: a '[' without its ']'");
	shop_wrong("actors: {\n a = ;\n", "t:2: syntax error at, or before: a = ;");
}

WARD_TEST(bytes_of_zero_and_depths_without_end_are_refused)
{
	const ward_config_listener nobody = {NULL, NULL};
	ward_config *config;
	char deep[512] = "a = ";
	struct told told;

	ward_assert_err(ward_config_open_text("t", "a = 1;\0b = 2;", 13, &nobody, &config),
			WARD_EINVAL);
	ward_assert_str(ward_err_detail(), "t:1: a zero byte: this is not a text file");
	memset(deep + 4, '(', WARD_CONFIG_DEPTH_MAX + 1);
	ward_assert_err(shop_load(deep, &told, &config), WARD_EINVAL);
	ward_assert_str(told.text, "t:1: groups and lists are nested more than 64 deep");
}

WARD_TEST(groups_with_too_many_entries_are_refused)
{
	size_t count = WARD_CONFIG_KEYS_MAX + 1;
	char *text = malloc(count * 8 + 16), *at = text;
	ward_config *config;
	struct told told;

	for (size_t i = 0; i < count; i++)
		at += sprintf(at, "a%zu=1;", i);
	ward_assert_err(shop_load(text, &told, &config), WARD_EINVAL);
	ward_assert_str(told.text, "t:1: more than 4096 entries in one group or list");
	at = text + sprintf(text, "a=(");
	for (size_t i = 0; i < count; i++)
		at += sprintf(at, "1,");
	ward_assert_err(shop_load(text, &told, &config), WARD_EINVAL);
	ward_assert_str(told.text, "t:1: more than 4096 entries in one group or list");
	free(text);
}

WARD_TEST(a_number_of_errors_is_enough)
{
	char text[8192] = "system: {", wanted[64];
	ward_config *config;
	struct told told;

	for (int i = 0; i < 100; i++)
		sprintf(text + strlen(text), "\nq%d = 1;", i);
	strcat(text, "};");
	ward_assert_err(shop_load(text, &told, &config), WARD_EINVAL);
	ward_assert_eq(told.count, WARD_CONFIG_ERRORS_MAX + 1);
	ward_assert_part(told.text, "\nt: too many errors: there may be more");
	ward_assert_part(ward_err_detail(), "t:2: system.q0: unknown key");
	snprintf(wanted, sizeof wanted, "(and %d more)", 99);
	ward_assert_part(ward_err_detail(), wanted);
}

/* ---- names ------------------------------------------------------------------------------- */

WARD_TEST(names_that_are_not_there_are_told_with_what_was_meant, "S75")
{
	shop_wrong("system: { guardian-supervisor-strategy = \"pateint\"; };\n"
		   "strategies: {\n s: { rules: { jamed = \"resume\"; torn = \"ignore\"; };\n"
		   "  decide = \"soon\"; };\n};\n"
		   "actors: {\n a: { behavior = \"tlil\"; };\n"
		   " b: { behavior = \"plain\"; strategy = \"zzz\"; dispatcher = \"dsk\";\n"
		   "  mailbox: { priority = \"long-first\"; }; };\n};",
		   "t:3: strategies.s.rules.jamed: no failure class \"jamed\" in any module; did "
		   "you mean \"jammed\"?\n"
		   "t:3: strategies.s.rules.torn: \"ignore\" is unknown; must be one of: resume, "
		   "restart, stop, escalate\n"
		   "t:4: strategies.s.decide: no decider \"soon\" in any module; the modules have: "
		   "later\n"
		   "t:1: system.guardian-supervisor-strategy: no strategy \"pateint\"; did you "
		   "mean \"patient\"?\n"
		   "t:7: actors.a.behavior: no behavior \"tlil\" in any module; did you mean "
		   "\"till\"?\n"
		   "t:8: actors.b.strategy: no strategy \"zzz\"; there are: default, stopping, "
		   "escalating, s, patient\n"
		   "t:8: actors.b.dispatcher: no dispatcher \"dsk\"; there are: ward.blocking, "
		   "ward.pinned, ward.workers\n"
		   "t:9: actors.b.mailbox.priority: no priority \"long-first\" in any module; the "
		   "modules have: short-first");
}

WARD_TEST(class_of_wards_that_is_not_there_is_told_by_the_name_that_was_meant)
{
	shop_wrong(
		"strategies: { s: { rules: {\n kiled = \"stop\";\n ward_kiled = \"stop\";\n"
		"}; }; };",
		"t:2: strategies.s.rules.kiled: no failure class \"kiled\" in any module; did you "
		"mean \"killed\"?\n"
		"t:3: strategies.s.rules.ward_kiled: no failure class \"ward_kiled\" in any "
		"module; did you mean \"ward_killed\"?");
}

WARD_TEST(both_names_of_one_class_are_one_rule_too_many)
{
	shop_wrong("strategies: {\n s: { rules: { killed = \"stop\"; ward_killed = \"resume\"; "
		   "}; };\n};",
		   "t:2: strategies.s: a strategy: rules[0] and rules[1] are both for "
		   "\"ward_killed\": one class has one rule");
}

WARD_TEST(class_that_is_written_out_wrongly_is_an_error)
{
	static const char *const wrong[] = {"error-jammed",      "jammed-", "exception--jammed",
					    "exception-torn",    "xjammed", "exceptionxjammed",
					    "x-exception-jammed"};
	char text[128], wanted[128];

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		ward_config *config;

		snprintf(text, sizeof text, "strategies: { s: { rules: { %s = \"stop\"; }; }; };",
			 wrong[i]);
		snprintf(wanted, sizeof wanted, "no failure class \"%s\" in any module", wrong[i]);
		ward_assert_ok(ward_config_open_text("t", text, strlen(text), NULL, &config));
		ward_assert_err(ward_config_check(config, shops, NULL), WARD_EINVAL);
		ward_assert_part(ward_err_detail(), wanted);
		ward_config_close(config);
	}
}

WARD_TEST(strategies_that_are_none_are_told)
{
	shop_wrong(
		"strategies: {\n default: { };\n patient: { };\n"
		" s: { window = \"1 s\"; };\n t: { limit = \"sliding\"; restarts-max = 2; };\n"
		" v: { limit = \"intensity\"; restarts-max = 1001; window = 5; };\n"
		" w: { limit = \"notify\"; };\n x: { limit = \"sliding\"; };\n"
		" u: { scope = 1; rules = 3; };\n y: { stop-level = \"none\"; };\n};",
		"t:2: strategies.default: ward or a module has a strategy of this name already: "
		"choose another name\n"
		"t:3: strategies.patient: ward or a module has a strategy of this name already: "
		"choose another name\n"
		"t:4: strategies.s.restarts-max: is missing: a window needs a number of restarts\n"
		"t:5: strategies.t.window: is missing or \"forever\": this limit needs a finite "
		"window\n"
		"t:6: strategies.v.restarts-max: is too large: this limit records the time of each "
		"restart, at most 1000\n"
		"t:7: strategies.w.restarts-max: is missing: without it the limit never notifies\n"
		"t:8: strategies.x.restarts-max: is missing: this limit needs restarts-max and a "
		"window\n"
		"t:9: strategies.u.scope: is a whole number, must be a string, one of its "
		"names\n"
		"t:9: strategies.u.rules: is a whole number, must be a group: { key = value; }\n"
		"t:10: strategies.y.stop-level: \"none\" is unknown; must be one of: debug, info, "
		"warning, severe");
}

/* ---- contradictions ---------------------------------------------------------------------- */

WARD_TEST(contradictions_in_the_tree_are_told)
{
	shop_wrong(
		"actors: {\n"
		" a: { };\n"
		" b: { args: { x = 1; }; stash-max = 4; children: { c: { behavior = \"plain\"; "
		"}; }; };\n"
		" d: { behavior = \"plain\"; children: { e: { behavior = \"plain\"; }; }; };\n"
		" f: { behavior = \"plain\"; args: { x = 1; }; };\n"
		" g: { behavior = \"plain\"; pool: { routees = 2; hash = \"length\"; };\n"
		"  backoff: { min = 1; max = 2; }; };\n"
		" h: { children: { }; };\n"
		" i*: { behavior = \"plain\"; mailbox: { overflow = \"drop-oldest\"; }; };\n"
		" j: { behavior = \"plain\"; backoff: { min = 9; max = 8; auto-reset = 3;\n"
		"  manual-reset = true; }; };\n"
		" l: { behavior = \"plain\"; backoff: { min = 1; max = 2; child = \"a b\"; }; };\n"
		" k = 3;\n"
		" m: { behavior = \"bare\"; args: { x = 1; }; };\n"
		"};",
		"t:2: actors.a: needs a behavior or children\n"
		"t:3: actors.b.args: needs a behavior: an actor without one only supervises\n"
		"t:3: actors.b.stash-max: needs a behavior: an actor without one only supervises\n"
		"t:4: actors.d.children: the behavior \"plain\" cannot have children in a file: "
		"its arguments have no field for them\n"
		"t:5: actors.f.args: the behavior \"plain\" takes no arguments\n"
		"t:7: actors.g.backoff: backoff and pool exclude each other\n"
		"t:6: actors.g.pool.hash: has no effect without routing = "
		"\"consistent-hashing\"\n"
		"t:8: actors.h.children: is empty: a supervisor needs children\n"
		"t:9: actors.i*: the name of an actor has letters, digits, '-' and '_'\n"
		"t:9: actors.i*.mailbox.overflow: has no effect without messages-max: the mailbox "
		"is unbounded\n"
		"t:10: actors.j.backoff.max: is less than min\n"
		"t:10: actors.j.backoff.auto-reset: auto-reset and manual-reset exclude each "
		"other\n"
		"t:10: actors.j.backoff.auto-reset: must be between min and max\n"
		"t:12: actors.l.backoff.child: the name of an actor has letters, digits, '-' "
		"and '_'\n"
		"t:13: actors.k: is a whole number, must be a group: { key = value; }\n"
		"t:14: actors.m.args: the module lists no .fields for them, in its row of the "
		"behavior \"bare\"");
}

WARD_TEST(contradictions_in_what_stands_in_front_are_told)
{
	ward_config *config = shop_good(
		"strategies: { few: { restarts-max = 2; }; };"
		"actors: { a: { behavior = \"plain\"; backoff: { min = 1; max = 2; window = 5;"
		" strategy = \"few\"; }; };"
		" b: { behavior = \"plain\"; pool: { routing = \"scatter-gather\"; timeout = 1; };"
		" }; c: { behavior = \"plain\"; pool: { routing = \"tail-chopping\"; timeout = 5;"
		" interval = 2; }; }; };");

	ward_config_close(config);
	shop_wrong("actors: {\n a: { behavior = \"plain\"; backoff: { min = 1; max = 2;\n"
		   "  window = 5; }; };\n"
		   " b: { behavior = \"plain\"; pool: { timeout = 1; }; };\n"
		   " c: { behavior = \"plain\"; pool: { routing = \"scatter-gather\";\n"
		   "  interval = 1; }; };\n};",
		   "t:2: actors.a.backoff.restarts-max: is missing: a window needs a number of "
		   "restarts\n"
		   "t:4: actors.b.pool.timeout: has no effect without routing = "
		   "\"scatter-gather\" or \"tail-chopping\"\n"
		   "t:6: actors.c.pool.interval: has no effect without routing = "
		   "\"tail-chopping\"");
	shop_wrong(
		"strategies: { s: { limit = \"sliding\"; restarts-max = 2; window = 5; }; };\n"
		"actors: {\n a: { behavior = \"plain\"; backoff: { min = 1; max = 2;"
		" strategy = \"s\"; }; };\n"
		" b: { behavior = \"plain\"; backoff: { min = 1; max = 2; auto-reset = 3; }; };\n"
		" c: { behavior = \"plain\"; pool: { routing = \"consistent-hashing\"; }; };\n"
		" d: { behavior = \"plain\"; pool: { resizer: { routees-min = 3;"
		" routees-max = 2; }; }; };\n};",
		"t:3: actors.a.backoff.strategy: must have the limit \"per-child\": a back-off "
		"supervisor has one child and counts its restarts itself\n"
		"t:4: actors.b.backoff.auto-reset: must be between min and max\n"
		"t:5: actors.c.pool.hash: is missing: consistent-hashing needs the name of a hash\n"
		"t:6: actors.d.pool.resizer.routees-max: is less than routees-min");
	shop_wrong("actors: {\n a: { behavior = \"plain\"; pool: { routees = 1048577; }; };\n"
		   " b: { behavior = \"plain\"; pool: { resizer: { routees-min = 1048577;"
		   " routees-max = 4294967295L; }; }; };\n};",
		   "t:2: actors.a.pool.routees: the number is 1048577, must be from 1 to 1048576\n"
		   "t:3: actors.b.pool.resizer.routees-min: the number is 1048577, must be from 1 "
		   "to 1048576\n"
		   "t:3: actors.b.pool.resizer.routees-max: the number is 4294967295, must be from "
		   "1 to 1048576");
	shop_wrong("system: { phases: { a: { };\n b: { after = [\"a.x\"]; }; }; };",
		   "t:2: system.phases.b.after: no phase \"a.x\"; there are: a, b");
	shop_wrong("system: { phases: { a: { };\n services: { after = [\"a\"]; }; }; };",
		   "t:2: system.phases.services: this name is reserved: the phase runs after the "
		   "actors");
}

WARD_TEST(contradictions_in_the_system_are_told)
{
	shop_wrong("system: {\n name = \"a b\"; faults-max = 3; workers = 0; start-timeout = 0;\n"
		   " log: { kinds = [\"failures\"]; };\n"
		   " dead-letters: { logged = \"some\"; };\n"
		   " dispatchers: { disk = 0; };\n"
		   " phases: {\n  a: { after = [\"c\"]; };\n  b: { after = [\"d\"]; };\n"
		   "  c: { after = [\"a\"]; timeout = \"soon\"; };\n };\n};",
		   "t:2: system.workers: the number is 0, must be from 1 to 1024\n"
		   "t:2: system.start-timeout: is too short, must be at least 1 ms\n"
		   "t:2: system.name: \"a b\" must start with a letter or a digit and have only "
		   "letters, digits, '-' and '_'\n"
		   "t:2: system.faults-max: has no effect without faults = \"contain\"\n"
		   "t:5: system.dispatchers.disk: the number is 0, must be from 1 to 4096\n"
		   "t:3: system.log.kinds: \"failures\" is unknown; did you mean \"failure\"?\n"
		   "t:4: system.dead-letters.logged: must be a number of at least 0, \"all\" or "
		   "\"none\"\n"
		   "t:8: system.phases.b.after: no phase \"d\"; there are: a, b, c\n"
		   "t:9: system.phases.c.timeout: \"soon\" is not a duration: \"200 ms\", \"5 s\", "
		   "\"2 min\", \"1 h\", \"forever\", or a number of milliseconds\n"
		   "t:7: system.phases.a.after: comes after itself, or after a phase that does");
}

#define TEN "0123456789"
#define SIXTY TEN TEN TEN TEN TEN TEN

WARD_TEST(phases_that_are_too_many_or_too_long_are_told)
{
	char text[1024] = "system: { phases: {";

	shop_wrong("system: { phases: {\n a" TEN TEN TEN "1: { };\n b = 3; }; };",
		   "t:2: system.phases.a" TEN TEN TEN "1: the name has 32 bytes; at most 31 are "
		   "allowed\n"
		   "t:3: system.phases.b: is a whole number, must be a group: { key = value; }");
	shop_wrong("system: { phases: { a: { }; b: { }; c: { }; d: { }; e: { }; f: { }; g: { };\n"
		   " h: { after = [\"a\", \"b\", \"c\", \"d\", \"e\"]; }; }; };",
		   "t:2: system.phases.h.after: names more than 4 phases");
	for (int i = 0; i < WARD_PHASES_MAX + 1; i++)
		sprintf(text + strlen(text), "p%d: { };", i);
	shop_wrong(strcat(text, "};};"),
		   "t:1: system.phases: has 33 phases, at most 32 are allowed");
}

/* What a system would refuse later is refused here. */
WARD_TEST(limits_of_a_system_are_told)
{
	char text[1024] = "system: { dispatchers: {";

	shop_wrong("system: { name = \"_a\"; actors-max = 16777217; };",
		   "t:1: system.actors-max: the number is 16777217, must be from 4 to 16777216\n"
		   "t:1: system.name: \"_a\" must start with a letter or a digit and have only "
		   "letters, digits, '-' and '_'");
	shop_wrong("system: { name = \"" SIXTY "0123\"; dispatchers: { a" SIXTY "0123 = 1; }; };",
		   "t:1: system.name: the length of the string is 64, must be from 1 to 63\n"
		   "t:1: system.dispatchers.a" SIXTY "0123: the name has 65 bytes, at most 64 are "
		   "allowed");
	for (int i = 0; i < 65; i++)
		sprintf(text + strlen(text), "d%d=1;", i);
	shop_wrong(strcat(text, "};};"),
		   "t:1: system.dispatchers: has 65 dispatchers, at most 64 are allowed");
}

/* ---- refs -------------------------------------------------------------------------------- */

WARD_TEST(refs_to_those_that_start_later_or_may_be_made_anew_are_refused)
{
	shop_wrong(
		"services: { s: { behavior = \"plain\"; };\n"
		" t: { behavior = \"till\"; args: { journal = \"/user/a\"; }; }; };\n"
		"actors: {\n"
		" a: { behavior = \"till\"; args: { journal = \"b\"; }; };\n"
		" b: { children: {\n"
		"   c: { behavior = \"plain\"; };\n"
		"   d: { behavior = \"till\"; args: { journal = \"d\"; other = \"jornal\"; }; };\n"
		" }; };\n"
		" e: { behavior = \"till\"; args: { journal = \"/user/b/c\"; other = 7; }; };\n"
		" f: { behavior = \"till\"; args: { journal = \"/user\"; other = \"\"; }; };\n"
		"};",
		"t:9: actors.e.args.other: must name another actor of this file: \"journal\", "
		"\"/system/journal\"\n"
		"t:10: actors.f.args.other: must name another actor of this file: \"journal\", "
		"\"/system/journal\"\n"
		"t:2: services.t.args.journal: \"/user/a\" starts later: move it before this "
		"one\n"
		"t:4: actors.a.args.journal: \"b\" starts later: move it before this one\n"
		"t:7: actors.b.children.d.args.other: no actor \"jornal\" in this file; allowed "
		"here: s, t, a, b, c\n"
		"t:7: actors.b.children.d.args.journal: \"d\" is this actor itself: use "
		"ward_self_ref()\n"
		"t:9: actors.e.args.journal: \"/user/b/c\" is below another actor, whose restart "
		"replaces it: name /user/b\n"
		"t:10: actors.f.args.journal: no actor \"/user\" in this file; did you mean "
		"\"/user/a\"?");
}

WARD_TEST_MAIN
