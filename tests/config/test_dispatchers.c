/* SPDX-License-Identifier: MIT
 *
 * test_dispatchers.c - the group `dispatchers` of a file: each key is in its row of the options,
 * and what is wrong is told.
 *
 * Method: texts and the rows that must come of them; a system is made from one of them.
 */
#include "shop.h"

static ward_options options_of(ward_config *config)
{
	ward_options options;

	ward_assert_ok(ward_config_options(config, &options));
	return options;
}

WARD_TEST(each_key_is_in_its_row)
{
	ward_config *config = shop_good(
		"system: { dispatchers: {\n"
		" disk = 2;\n"
		" net: { threads = 8; threads-min = 2; keep-alive = \"5 s\"; throughput = 7;\n"
		"  throughput-deadline = \"2 ms\"; cpus = \"0-3,8\"; scheduling = \"fifo\";\n"
		"  priority = 9; stack = \"256 KiB\"; };\n"
		" ward: {\n"
		"  workers: { threads = 3; nice = -5; scheduling = \"other\"; };\n"
		"  blocking: { keep-alive = \"forever\"; scheduling = \"batch\"; nice = 19; };\n"
		"  pinned: { scheduling = \"idle\"; };\n"
		" };\n"
		" last: { threads = 1; scheduling = \"rr\"; };\n"
		"}; };");
	const ward_dispatcher *rows = options_of(config).dispatchers;

	ward_assert_str(rows[0].name, "disk");
	ward_assert_eq(rows[0].threads, 2);
	ward_assert_str(rows[1].name, "net");
	ward_assert_eq(rows[1].threads, 8);
	ward_assert_eq(rows[1].threads_min, 2);
	ward_assert_eq(rows[1].keep_alive_ms, 5000);
	ward_assert_eq(rows[1].throughput, 7);
	ward_assert_eq(rows[1].throughput_deadline_ms, 2);
	ward_assert_str(rows[1].cpus, "0-3,8");
	ward_assert_eq(rows[1].scheduling, WARD_SCHEDULING_FIFO);
	ward_assert_eq(rows[1].priority, 9);
	ward_assert_eq(rows[1].stack_bytes, 256 * 1024);
	ward_assert_str(rows[2].name, WARD_WORKERS);
	ward_assert_eq(rows[2].threads, 3);
	ward_assert_eq(rows[2].nice, -5);
	ward_assert_eq(rows[2].scheduling, WARD_SCHEDULING_OTHER);
	ward_assert_str(rows[3].name, WARD_BLOCKING);
	ward_assert_eq(rows[3].keep_alive_ms, WARD_FOREVER);
	ward_assert_eq(rows[3].scheduling, WARD_SCHEDULING_BATCH);
	ward_assert_eq(rows[3].nice, 19);
	ward_assert_str(rows[4].name, WARD_PINNED);
	ward_assert_eq(rows[4].scheduling, WARD_SCHEDULING_IDLE);
	ward_assert_str(rows[5].name, "last");
	ward_assert_eq(rows[5].scheduling, WARD_SCHEDULING_RR);
	ward_assert(rows[6].name == NULL);
	ward_config_close(config);
}

struct seen {
	char text[256];
};

static void note(void *arg, const ward_dispatcher_info *info)
{
	struct seen *seen = arg;

	snprintf(seen->text + strlen(seen->text), sizeof seen->text - strlen(seen->text), "%s %u ",
		 info->name, info->threads_max);
}

WARD_TEST(system_has_the_dispatchers_of_its_file)
{
	ward_config *config = shop_good(
		"system: { workers = 2; log: { to = \"none\"; }; dispatchers: { disk = 3;\n"
		" ward: { blocking: { threads = 5; stack = \"1 MiB\"; };\n"
		"  workers: { throughput = 10; throughput-deadline = \"1 ms\"; }; }; }; };\n"
		"actors: { a: { behavior = \"plain\"; dispatcher = \"ward.workers\"; };\n"
		" b: { behavior = \"plain\"; dispatcher = \"ward.blocking\"; };\n"
		" c: { behavior = \"plain\"; dispatcher = \"disk\"; }; };");
	struct seen seen = {""};
	ward_system *system;

	ward_assert_ok(ward_config_start(config, &system));
	ward_assert_eq(ward_system_dispatchers(system, note, &seen), 4);
	ward_assert_str(seen.text, "ward.workers 2 ward.blocking 5 disk 3 ward.pinned 0 ");
	ward_assert_ok(ward_system_destroy(system, WARD_FOREVER));
	ward_config_close(config);
	(void)shop_seen();
}

WARD_TEST(values_that_are_wrong_are_told)
{
	shop_wrong(
		"system: { dispatchers: {\n"
		" a: { threads = 0; };\n"
		" b: { threads = 4097; threads-min = 0; };\n"
		" c: { threads = 1; keep-alive = 0; throughput = 0; };\n"
		" d: { threads = 1; throughput-deadline = \"fast\"; cpus = \"\"; };\n"
		" e: { threads = 1; scheduling = \"real\"; };\n"
		" f: { threads = 1; priority = 100; };\n"
		" g: { threads = 1; nice = 20; };\n"
		" h: { threads = 1; stack = \"4 KiB\"; };\n"
		" i: { threads = 1; cpu = \"0\"; };\n"
		" j = \"two\";\n"
		" ward: { workers: { threads = 5000; }; blocking: { threads = 5000; }; };\n"
		"}; };",
		"t:2: system.dispatchers.a.threads: the number is 0, must be from 1 to 4096\n"
		"t:3: system.dispatchers.b.threads: the number is 4097, must be from 1 to 4096\n"
		"t:3: system.dispatchers.b.threads-min: the number is 0, must be from 1 to "
		"4096\n"
		"t:4: system.dispatchers.c.keep-alive: is too short, must be at least 1 ms\n"
		"t:4: system.dispatchers.c.throughput: the number is 0, must be from 1 to "
		"4294967295\n"
		"t:5: system.dispatchers.d.throughput-deadline: \"fast\" is not a duration: "
		"\"200 ms\", \"5 s\", \"2 min\", \"1 h\", \"forever\", or a number of "
		"milliseconds\n"
		"t:5: system.dispatchers.d.cpus: the length of the string is 0, must be at least "
		"1\n"
		"t:6: system.dispatchers.e.scheduling: \"real\" is unknown; must be one of: "
		"other, batch, idle, fifo, rr\n"
		"t:7: system.dispatchers.f.priority: the number is 100, must be from 1 to 99\n"
		"t:8: system.dispatchers.g.nice: the number is 20, must be from -20 to 19\n"
		"t:9: system.dispatchers.h.stack: is 4 KiB, must be at least 64 KiB\n"
		"t:10: system.dispatchers.i.cpu: unknown key; did you mean \"cpus\"?\n"
		"t:11: system.dispatchers.j: is a string, must be a whole number, or a group: { "
		"key = value; }\n"
		"t:12: system.dispatchers.ward.workers.threads: the number is 5000, must be from "
		"1 to 1024\n"
		"t:12: system.dispatchers.ward.blocking.threads: the number is 5000, must be from "
		"1 to 4096");
}

WARD_TEST(settings_that_contradict_each_other_are_told)
{
	shop_wrong("system: { dispatchers: {\n"
		   " a: { throughput = 5; };\n"
		   " b: { threads = 2;\n  throughput = 5; threads-min = 3; };\n"
		   " c: { threads = 1; cpus = \"0-x\"; };\n"
		   " d: { threads = 1; priority = 5; };\n"
		   " e: { threads = 1; scheduling = \"rr\"; nice = 5; };\n"
		   " ward: {\n"
		   "  workers: { keep-alive = 5; };\n"
		   "  pinned: { threads = 2; };\n"
		   " };\n"
		   "}; };",
		   "t:2: system.dispatchers.a: has no threads, must be from 1 to 4096\n"
		   "t:4: system.dispatchers.b.threads-min: the minimum of 3 threads is above the "
		   "maximum of 2\n"
		   "t:5: system.dispatchers.c.cpus: cpus is \"0-x\", must be a list of processors "
		   "from 0 "
		   "to 1023, as \"0-3,8\"\n"
		   "t:6: system.dispatchers.d.priority: priority 5 has no effect on scheduling "
		   "default: it is "
		   "for fifo and rr\n"
		   "t:7: system.dispatchers.e.nice: nice 5 has no effect on scheduling rr: it is "
		   "for other "
		   "and batch\n"
		   "t:9: system.dispatchers.ward.workers.keep-alive: a minimum of threads and a "
		   "keep-alive time "
		   "are for pools, whose threads end when they are idle\n"
		   "t:10: system.dispatchers.ward.pinned.threads: has 2 threads, but each pinned "
		   "actor has a "
		   "thread of its own");
}

WARD_TEST(numbers_of_threads_beside_the_group_are_told)
{
	shop_wrong(
		"system: {\n workers = 2; blocking = 3;\n dispatchers: { ward: {\n"
		"  workers: { threads = 2; };\n  blocking: { threads-min = 4; threads = 4; }; }; "
		"};\n};",
		"t:4: system.dispatchers.ward.workers.threads: is also given by system.workers: "
		"remove one of them\n"
		"t:5: system.dispatchers.ward.blocking.threads: is also given by "
		"system.blocking: remove one of them");
}

WARD_TEST(group_of_the_library_has_its_three_dispatchers_only)
{
	shop_wrong("system: { dispatchers: {\n ward: { mine: { threads = 1; }; };\n}; };",
		   "t:2: system.dispatchers.ward.mine: unknown key; allowed here: workers, "
		   "blocking, pinned");
	shop_wrong("system: { dispatchers: {\n ward = 2;\n}; };",
		   "t:2: system.dispatchers.ward: is a whole number, must be a group: { key = "
		   "value; }");
	shop_wrong("system: { dispatchers: { ward: {\n pinned = 2; }; }; };",
		   "t:2: system.dispatchers.ward.pinned: is a whole number, must be a group: { key "
		   "= value; }");
}

WARD_TEST(pool_with_the_name_of_a_dispatcher_of_the_library_is_told)
{
	shop_wrong("system: { dispatchers: {\n workers: { threads = 1; throughput = 7; };\n"
		   " blocking = 2;\n pinned: { threads = 1; };\n worker = 1;\n}; };",
		   "t:2: system.dispatchers.workers: no pool can have this name; did you mean "
		   "\"ward.workers\"? ward: { workers: { ... }; };\n"
		   "t:3: system.dispatchers.blocking: no pool can have this name; did you mean "
		   "\"ward.blocking\"? ward: { blocking: { ... }; };\n"
		   "t:4: system.dispatchers.pinned: no pool can have this name; did you mean "
		   "\"ward.pinned\"? ward: { pinned: { ... }; };");
}

static void add_line(void *arg, const char *text)
{
	strcat(strcat(arg, text), "\n");
}

WARD_TEST(dispatcher_of_the_library_is_suggested_for_its_last_word)
{
	shop_wrong("actors: { a: { behavior = \"plain\"; dispatcher = \"blocking\"; };\n"
		   " b: { behavior = \"plain\"; dispatcher = \"pined\"; };\n"
		   " c: { behavior = \"plain\"; dispatcher = \"wardblocking\"; }; };",
		   "t:1: actors.a.dispatcher: no dispatcher \"blocking\"; did you mean "
		   "\"ward.blocking\"?\n"
		   "t:2: actors.b.dispatcher: no dispatcher \"pined\"; did you mean "
		   "\"ward.pinned\"?\n"
		   "t:3: actors.c.dispatcher: no dispatcher \"wardblocking\"; did you mean "
		   "\"ward.blocking\"?");
}

WARD_TEST(tree_shows_the_dispatchers_of_the_file)
{
	ward_config *config = shop_good(
		"system: { dispatchers: { disk = 1;\n"
		" net: { threads = 8; threads-min = 2; keep-alive = \"5 s\"; throughput = 7;\n"
		"  throughput-deadline = \"2 ms\"; cpus = \"0-3,8\"; scheduling = \"fifo\";\n"
		"  priority = 9; stack = \"256 KiB\"; };\n"
		" ward: { workers: { nice = -5; stack = 100001; }; pinned: { }; }; }; };\n"
		"actors: { a: { behavior = \"plain\"; }; };");
	char text[1024] = "";

	ward_assert_ok(ward_config_tree(config, add_line, text));
	ward_assert_str(text, "ward\n"
			      "  dispatcher disk: threads 1\n"
			      "  dispatcher net: threads 8, threads-min 2, keep-alive 5 s, "
			      "throughput 7, throughput-deadline 2 ms, cpus 0-3,8, scheduling "
			      "fifo, priority 9, stack 256 KiB\n"
			      "  dispatcher ward.workers: nice -5, stack 100001 B\n"
			      "  dispatcher ward.pinned\n"
			      "  user\n"
			      "    a: behavior plain\n");
	ward_config_close(config);
}

WARD_TEST_MAIN
