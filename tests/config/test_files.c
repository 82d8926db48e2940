/* SPDX-License-Identifier: MIT
 *
 * test_files.c - files: what they include, which one is named, and what comes of them: options,
 * the log, the picture of the tree, a system on threads.
 *
 * Method: a folder of its own for each case.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scratch.h"
#include "shop.h"

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	ward_assert(file != NULL);
	fputs(text, file);
	ward_assert_eq(fclose(file), 0);
}

static void tell(void *arg, const ward_config_error *error)
{
	struct told *told = arg;

	sprintf(told->text + strlen(told->text), "%s\n", error->full);
	told->count++;
}

static ward_err load(const char *path, struct told *told, ward_config **ret_config)
{
	const ward_config_listener listener = {tell, told};

	told->text[0] = '\0';
	told->count = 0;
	return ward_config_load(path, shops, &listener, ret_config);
}

/* ---- reading ----------------------------------------------------------------------------- */

/* By itself: what a sanitizer notes of its stack is gone when the thread ends. */
static __attribute__((noinline)) ward_err load_and_close(void)
{
	struct told told;
	ward_config *config;
	ward_err err = load("shop.conf", &told, &config);

	if (err == WARD_OK)
		ward_config_close(config);
	return err;
}

static void *load_cancelled(void *arg)
{
	ward_err *err = arg;

	pthread_cancel(pthread_self());
	*err = load_and_close();
	pthread_testcancel();
	return NULL;
}

WARD_TEST(thread_cancelled_while_it_reads_a_file_comes_back)
{
	ward_err err = WARD_EINVAL;
	pthread_t thread;
	void *result;

	scratch_begin();
	write_file("shop.conf", "system: { workers = 1; };\n");
	ward_assert_eq(pthread_create(&thread, NULL, load_cancelled, &err), 0);
	ward_assert_eq(pthread_join(thread, &result), 0);
	ward_assert(result == PTHREAD_CANCELED);
	ward_assert_ok(err);
	scratch_end();
}

WARD_TEST(files_that_are_none_are_refused)
{
	struct told told;
	ward_config *config;

	scratch_begin();
	ward_assert_err(load("shop.conf", &told, &config), WARD_ENOENT);
	ward_assert_str(ward_err_detail(),
			"shop.conf: cannot be read: No such file or directory (ENOENT)");
	ward_assert_err(load("/", &told, &config), WARD_ESYS);
	ward_assert_str(ward_err_detail(), "/: is not a file");
	ward_assert_eq(mkfifo("pipe", 0600), 0);
	ward_assert_err(load("pipe", &told, &config), WARD_ESYS);
	ward_assert_err(load("/dev/zero", &told, &config), WARD_ESYS);
	scratch_end();
}

WARD_TEST(files_that_are_too_large_are_refused)
{
	struct told told;
	ward_config *config;

	scratch_begin();
	write_file("big", "");
	ward_assert_eq(truncate("big", WARD_CONFIG_FILE_MAX + 1), 0);
	ward_assert_err(load("big", &told, &config), WARD_EINVAL);
	ward_assert_str(ward_err_detail(),
			"big: is larger than the limit of 1048576 bytes, included files counted");
	write_file("little", "@include \"big\"\n");
	ward_assert_err(load("little", &told, &config), WARD_EINVAL);
	ward_assert_part(told.text,
			 "little:1: @include: big: is larger than the limit of 1048576 bytes");
	scratch_end();
}

WARD_TEST(errors_in_what_is_included_name_that_file_and_line)
{
	struct told told;
	ward_config *config;

	scratch_begin();
	ward_assert_eq(mkdir("more", 0700), 0);
	write_file("shop.conf", "system: { workesr = 1; };\n"
				"  @include \"more/actors.conf\" # here\n"
				"zzz = 1;\n");
	write_file("more/actors.conf", "# the actors\nactors: {\n@include \"till.conf\"\n"
				       "b: { behaviour = \"plain\"; };\n};");
	write_file("more/till.conf", "till: {\n\n behavior = \"plan\"; };");
	ward_assert_err(load("shop.conf", &told, &config), WARD_EINVAL);
	ward_assert_str(told.text,
			"shop.conf:3: zzz: unknown key; allowed here: modules, system, strategies, "
			"services, actors\n"
			"shop.conf:1: system.workesr: unknown key; did you mean \"workers\"?\n"
			"more/till.conf:3: actors.till.behavior: no behavior \"plan\" in any "
			"module; did you mean \"plain\"?\n"
			"more/actors.conf:4: actors.b.behaviour: unknown key; did you mean "
			"\"behavior\"?\n"
			"more/actors.conf:4: actors.b: needs a behavior or children\n");
	ward_assert_part(ward_err_detail(), "shop.conf:3: zzz: unknown key");
	write_file("more/till.conf", "till: {\n\n behavior = ; };");
	ward_assert_err(load("shop.conf", &told, &config), WARD_EINVAL);
	ward_assert_str(told.text,
			"more/till.conf:3: syntax error at, or before: behavior = ; };\n");
	scratch_end();
}

WARD_TEST(includes_that_lead_nowhere_are_refused)
{
	struct told told;
	ward_config *config;

	scratch_begin();
	write_file("a.conf", "\n@include \"a.conf\"\n");
	ward_assert_err(load("a.conf", &told, &config), WARD_EINVAL);
	ward_assert_str(
		told.text,
		"a.conf:2: \"a.conf\" is included 10 files deep: perhaps a file includes itself\n");
	write_file("b.conf", "@include \"none.conf\"\n");
	ward_assert_err(load("b.conf", &told, &config), WARD_EINVAL);
	ward_assert_str(told.text, "b.conf:1: @include: none.conf: cannot be read: No such file "
				   "or directory (ENOENT)\n");
	write_file("c.conf", "@include \"/dev/zero\"\n");
	ward_assert_err(load("c.conf", &told, &config), WARD_EINVAL);
	ward_assert_str(told.text, "c.conf:1: @include: /dev/zero: is not a file\n");
	write_file("d.conf", "@include none\n");
	ward_assert_err(load("d.conf", &told, &config), WARD_EINVAL);
	ward_assert_part(told.text, "d.conf:1: @include needs the name of a file");
	write_file("e.conf", "/* @include \"x\" */ # @include \"y\"\nsystem: { name = \"e\"; };");
	ward_assert_ok(load("e.conf", &told, &config));
	ward_config_close(config);
	scratch_end();
}

WARD_TEST(modules_are_named_from_the_folder_of_the_file)
{
	const char *const *names;
	ward_config *config;

	scratch_begin();
	ward_assert_eq(mkdir("etc", 0700), 0);
	write_file("etc/shop.conf", "modules = [\"./a.so\", \"../b.so\", \"/c.so\", \"d.so\"];");
	ward_assert_ok(ward_config_open("etc/shop.conf", NULL, &config));
	names = ward_config_module_names(config);
	ward_assert_str(names[0], "etc/./a.so");
	ward_assert_str(names[1], "etc/../b.so");
	ward_assert_str(names[2], "/c.so");
	ward_assert_str(names[3], "d.so");
	ward_assert(names[4] == NULL);
	ward_config_close(config);
	scratch_end();
}

WARD_TEST(modules_are_known_by_their_lines)
{
	ward_config *config;
	const char *file;

	scratch_begin();
	write_file("shop.conf", "modules = [\"a.so\",\n  \"b.so\"];\n");
	write_file("more.conf", "\n\n@include \"shop.conf\"\n");
	ward_assert_ok(ward_config_open("more.conf", NULL, &config));
	ward_assert_eq(ward_config_module_line(config, 0, &file), 1);
	ward_assert_str(file, "shop.conf");
	ward_assert_eq(ward_config_module_line(config, 1, NULL), 2);
	ward_config_close(config);
	scratch_end();
}

/* ---- options ----------------------------------------------------------------------------- */

WARD_TEST(options_are_what_the_file_says)
{
	ward_config *config = shop_good(
		"system: { name = \"s\"; workers = 3; blocking = 5; actors-max = 0x100; seed = 7L;"
		" separate-allocations = true; faults = \"contain\"; faults-max = 4;"
		" dispatchers: { disk = 2; net = 1; };"
		" log: { to = \"none\"; kinds = [\"note\", \"watch\"]; };"
		" dead-letters: { logged = \"all\"; pause = \"forever\"; at-shutdown = true; };"
		" phases: { one: { timeout = \"2 s\"; abort-on-timeout = true; };"
		"  two: { after = [\"one\"]; }; }; };");
	ward_options options;

	ward_assert_ok(ward_config_options(config, &options));
	ward_assert_str(options.name, "s");
	ward_assert_eq(options.workers, 3);
	ward_assert_eq(options.blocking, 5);
	ward_assert_eq(options.actors_max, 256);
	ward_assert_eq(options.seed, 7);
	ward_assert(options.separate_allocations);
	ward_assert_eq(options.faults, WARD_FAULTS_CONTAIN);
	ward_assert_eq(options.faults_max, 4);
	ward_assert(options.faults_in[0] == &shop && options.faults_in[2] == NULL);
	ward_assert_str(options.dispatchers[1].name, "net");
	ward_assert_eq(options.dispatchers[1].threads, 1);
	ward_assert(options.dispatchers[2].name == NULL);
	ward_assert(options.log == NULL);
	ward_assert_eq(options.log_kinds, WARD_EVENT_NOTE | WARD_EVENT_WATCH);
	ward_assert_eq(options.dead_letters_logged, WARD_DEAD_LETTERS_ALL);
	ward_assert_eq(options.dead_letters_pause_ms, WARD_FOREVER);
	ward_assert(options.dead_letters_at_shutdown);
	ward_assert_eq(options.phases[0].timeout_ms, 2000);
	ward_assert(options.phases[0].abort_on_timeout);
	ward_assert_str(options.phases[1].after[0], "one");
	ward_assert(options.phases[2].name == NULL);
	ward_config_close(config);
}

/* They would use up the limit, unseen. */
WARD_TEST(dead_letters_below_the_level_of_a_log_leave_the_limit_to_the_unhandled, "S82")
{
	ward_config *config =
		shop_good("system: { log: { level = \"warning\"; kinds = [\"dead-letter\", "
			  "\"unhandled\"]; }; };");
	ward_options options;

	ward_assert_ok(ward_config_options(config, &options));
	ward_assert_eq(options.log_kinds, WARD_EVENT_UNHANDLED);
	ward_config_close(config);
}

WARD_TEST(options_of_a_file_that_says_nothing_are_the_defaults, "S75")
{
	ward_config *config = shop_good("");
	ward_options options;

	ward_assert_ok(ward_config_options(config, &options));
	ward_assert(options.name == NULL && options.workers == 0 && options.phases == NULL);
	ward_assert(options.user_strategy == NULL && options.dispatchers == NULL);
	ward_assert(options.log != NULL);
	ward_assert_eq(options.log_kinds, 0);
	ward_assert_eq(options.dead_letters_logged, 0);
	ward_config_close(config);
}

/* ---- a system of a file ------------------------------------------------------------------ */

WARD_TEST(system_of_a_file_runs_on_threads_and_logs_lines)
{
	ward_system *system;
	ward_config *config;
	char line[1024];
	struct told told;
	ward_ref ref;
	FILE *log;

	scratch_begin();
	write_file("shop.conf",
		   "system: { name = \"s\"; workers = 2; log: { to = \"log.txt\"; }; };\n"
		   "actors: { a: { behavior = \"plain\"; dispatcher = \"ward.blocking\"; };\n"
		   " tree: { children: { b: { behavior = \"plain\"; }; }; }; };\n");
	ward_assert_ok(load("shop.conf", &told, &config));
	ward_assert_ok(ward_config_start(config, &system));
	ward_assert_ok(ward_system_resolve(system, "/user/tree/b", WARD_MINUTE, &ref));
	ward_system_tell(system, ref, fail_with, .failure_class = &jammed);
	ward_assert_ok(ward_system_resolve(system, "/user/tree/b", WARD_MINUTE, &ref));
	ward_assert_ok(ward_system_destroy(system, WARD_MINUTE));
	ward_config_close(config);
	log = fopen("log.txt", "r");
	ward_assert(log != NULL && fgets(line, sizeof line, log) != NULL);
	ward_assert_part(line, "s/user/tree/b");
	ward_assert_part(line, "jammed");
	ward_assert_part(line, "as it was\\ntold"); /* one line, whatever it says */
	ward_assert_eq(line[strlen(line) - 1], '\n');
	fclose(log);
	scratch_end();
}

WARD_TEST(system_of_which_the_tree_does_not_start_is_none)
{
	ward_config *config = shop_good("system: { log: { to = \"none\"; }; workers = 1; };"
					"actors: { a: { behavior = \"broken\"; }; };");
	ward_system *system = NULL;

	shop_refuses = WARD_OK;
	ward_assert_err(ward_config_start(config, &system), WARD_EDEAD);
	ward_assert_part(ward_err_detail(), "t:1: actors.a: failed during its start");
	ward_assert(system == NULL);
	ward_config_close(config);
}

WARD_TEST(log_that_cannot_be_written_is_told_before_anything_starts)
{
	ward_config *config = shop_good("system: { log: { to = \"/none/log\"; }; };");
	ward_system *system;

	ward_assert_err(ward_config_start(config, &system), WARD_ESYS);
	ward_assert_str(ward_err_detail(), "the log /none/log: No such file or directory (ENOENT)");
	ward_config_close(config);
}

/* ---- the picture ------------------------------------------------------------------------- */

static void add_line(void *arg, const char *text)
{
	strcat(strcat(arg, text), "\n");
}

WARD_TEST(tree_is_shown_as_it_would_start)
{
	ward_config *config = shop_good(
		"system: { name = \"shop\"; guardian-supervisor-strategy = \"patient\";"
		" dispatchers: { disk = 2; }; mailbox: { messages-max = 7; }; };"
		"services: { log: { behavior = \"plain\"; dispatcher = \"disk\"; }; };"
		"actors: { tree: { strategy = \"stopping\"; children: { a: { behavior = \"till\";"
		"  stash-max = 3; memory-max = \"1 KiB\"; mailbox: { messages-max = 0; }; }; }; };"
		" b: { behavior = \"plain\"; mailbox: { overflow = \"drop-oldest\"; control-first ="
		"  true; priority = \"short-first\"; }; backoff: { min = \"1 s\"; max = 90000;"
		"  on = \"failure\"; strategy = \"stopping\"; }; };"
		" c: { behavior = \"plain\"; pool: { routees = 3; routing = \"random\"; }; };"
		" d: { behavior = \"plain\"; backoff: { min = 1; max = 2; on = \"stop\"; }; };"
		" f: { strategy = \"escalating\"; children: { g: { behavior = \"plain\"; }; }; };"
		" e: { behavior = \"plain\"; backoff: { min = 1; max = 2; }; }; };");
	char text[2048] = "";
	size_t services;

	ward_assert_eq(ward_config_count(config, &services), 8);
	ward_assert_eq(services, 1);
	ward_assert_ok(ward_config_tree(config, add_line, text));
	ward_assert_str(
		text,
		"shop\n"
		"  dispatcher disk: threads 2\n"
		"  system\n"
		"    log: behavior plain, dispatcher disk, mailbox 7 refuse\n"
		"  user: strategy patient\n"
		"    tree: supervisor, strategy stopping\n"
		"      a: behavior till, stash 3, memory 1024 bytes\n"
		"    b: behavior plain, mailbox 7 drop-oldest, priority short-first, "
		"control first, back-off on failure, 1 s to 90 s, its strategy stopping\n"
		"    c: behavior plain, mailbox 7 refuse, pool of 3 random\n"
		"    d: behavior plain, mailbox 7 refuse, back-off on stop, 1 ms to 2 ms, "
		"failures: restarted at once\n"
		"    f: supervisor, strategy escalating\n"
		"      g: behavior plain, mailbox 7 refuse\n"
		"    e: behavior plain, mailbox 7 refuse, back-off on failure, 1 ms to 2 ms\n");
	ward_config_close(config);
}

WARD_TEST_MAIN
