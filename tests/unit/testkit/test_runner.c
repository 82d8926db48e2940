/* SPDX-License-Identifier: MIT
 *
 * test_runner.c - that the runner sees what it is there to see.
 *
 * Method: with RUNNER_SAMPLES set (to their period of grace) this program registers samples that
 * are wrong, each in its own way; the cases run it again with one of them and read the TAP that it
 * prints.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ward/testkit.h>

#include "testkit/check/watchdog.h"

/* ---- samples ----------------------------------------------------------------------------- */

static void sample_unequal(void)
{
	WARD_TEST_SEEDS(5)
	ward_assert_eq(ward_test_seed() % 3, ward_test_seed());
}

static void sample_text(void)
{
	ward_assert_str("this", "that");
}

static void sample_code(void)
{
	ward_assert_ok(WARD_EINVAL);
}

static void sample_crash(void)
{
	raise(SIGKILL);
}

/* In a read, with the stream locked. */
static void hang(void)
{
	int ends[2];
	ward_assert_eq(pipe(ends), 0);
	getc(fdopen(ends[0], "r"));
}

static void *fail_elsewhere(void *arg)
{
	(void)arg;
	ward_assert_str(NULL, "this");
	return NULL;
}

static void sample_thread(void)
{
	pthread_t thread;
	ward_assert_eq(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
	hang();
}

static void say_what_hangs(void)
{
	printf("it waits for nobody");
}

static void sample_hang(void)
{
	wardi_testkit_on_hang(say_what_hangs);
	wardi_testkit_on_hang(say_what_hangs);
	hang();
}

static void sample_hang_in_hook(void)
{
	wardi_testkit_on_hang(hang);
	hang();
}

static void sample_hang_in_exit(void)
{
	atexit(hang);
}

/* Its watchdog stands still with it. */
static void sample_halt(void)
{
	raise(SIGSTOP);
}

static void sample_allow(void)
{
	unsetenv("WARD_TEST_TIMEOUT_S");
	ward_test_allow_s(0);
	hang();
}

static void sample_allow_overridden(void)
{
	ward_test_allow_s(0);
	hang();
}

/* What would be a line of TAP, and what steers a terminal. */
static void sample_hostile(void)
{
	char zero[] = "x\0ok 1 - y";
	printf("a\rok 1 - b\n\x1b[2J \xc2\x9b \xe2\x82\xac\n\nok 1 - c\n# d\x1b\n");
	fwrite(zero, 1, sizeof(zero) - 1, stdout);
	ward_assert_str("is\nok 1 - e\x1b", "\xff");
}

static jmp_buf back;

static void jump_back(void *arg, const char *file, int line, const char *text)
{
	(void)line;
	printf("%s of %s, %s\n", (const char *)arg, strrchr(file, '/') + 1, text);
	longjmp(back, 1);
}

static void sample_handler(void)
{
	static char greeting[] = "word";
	ward_test_on_failure(jump_back, greeting);
	if (setjmp(back) == 0)
		ward_assert_eq(1, 2);
	if (setjmp(back) == 0)
		ward_test_fail(__FILE__, __LINE__, "%d%%", 100);
	printf("both came back\n");
}

static void say_only(void *arg, const char *file, int line, const char *text)
{
	(void)arg;
	(void)file;
	(void)line;
	printf("heard %s\n", text);
}

static void sample_handler_returns(void)
{
	ward_test_on_failure(say_only, NULL);
	ward_assert(1 > 2);
}

static void sample_no_handler(void)
{
	ward_test_on_failure(NULL, NULL);
	ward_assert(1 > 2);
}

static void sample_never_seen(void)
{
	ward_assert_seen(0);
}

static void sample_exits(void)
{
	exit(0);
}

static void sample_kit_left(void)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_kit_run(kit);
}

static void sample_fine(void)
{
	printf("a line\n");
}

static const char *const no_clauses[] = {NULL}, *const clauses[] = {"S1", "S2", NULL};
static struct ward_test_case samples[] = {
	{"unequal", clauses, sample_unequal, NULL},
	{"text", no_clauses, sample_text, NULL},
	{"code", no_clauses, sample_code, NULL},
	{"crash", no_clauses, sample_crash, NULL},
	{"thread", no_clauses, sample_thread, NULL},
	{"hang", no_clauses, sample_hang, NULL},
	{"hang_in_hook", no_clauses, sample_hang_in_hook, NULL},
	{"hang_in_exit", no_clauses, sample_hang_in_exit, NULL},
	{"halt", no_clauses, sample_halt, NULL},
	{"hostile", no_clauses, sample_hostile, NULL},
	{"allow", no_clauses, sample_allow, NULL},
	{"allow_overridden", no_clauses, sample_allow_overridden, NULL},
	{"handler", no_clauses, sample_handler, NULL},
	{"handler_returns", no_clauses, sample_handler_returns, NULL},
	{"no_handler", no_clauses, sample_no_handler, NULL},
	{"never_seen", no_clauses, sample_never_seen, NULL},
	{"exits", no_clauses, sample_exits, NULL},
	{"kit_left", no_clauses, sample_kit_left, NULL},
	{"fine", clauses, sample_fine, NULL},
};

__attribute__((constructor)) static void register_samples(void)
{
	const char *grace_s = getenv("RUNNER_SAMPLES");
	if (grace_s == NULL)
		return;
	wardi_testkit_grace_s = (unsigned)strtoul(grace_s, NULL, 10);
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		ward_test_register(&samples[i]);
}

/* ---- running them ------------------------------------------------------------------------ */

/* Of the samples: long, but where it is to be reached. */
static unsigned limit_s = 36000, grace_s = 60;

/* Runs this program with these arguments; gives its exit status, and what it printed. */
static int run_sample(const char *arguments, char *text, size_t max)
{
	char self[1024], command[2048];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	ward_assert(length > 0);
	self[length] = '\0';
	snprintf(command, sizeof(command), "RUNNER_SAMPLES=%u WARD_TEST_TIMEOUT_S=%u '%s' %s 2>&1",
		 grace_s, limit_s, self, arguments);
	FILE *output = popen(command, "r");
	ward_assert(output != NULL);
	text[fread(text, 1, max - 1, output)] = '\0';
	int status = pclose(output);
	ward_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void check_fails(const char *sample, const char *part)
{
	char text[16384], line[64];
	ward_assert_eq(run_sample(sample, text, sizeof(text)), 1);
	snprintf(line, sizeof(line), "not ok 1 - %s", sample);
	ward_assert_part(text, "1..1\n");
	ward_assert_part(text, line);
	ward_assert_part(text, part);
	ward_assert_part(text, "# replay: ");
}

static void check_passes(const char *sample, const char *part)
{
	char text[16384];
	ward_assert_eq(run_sample(sample, text, sizeof(text)), 0);
	ward_assert_part(text, part);
}

static int a_case_may_have_the_name_of_a_variable = 1;

WARD_TEST(a_case_may_have_the_name_of_a_variable)
{
	ward_assert_eq(a_case_may_have_the_name_of_a_variable, 1);
}

WARD_TEST(failed_checks_fail_the_case_and_print_both_values)
{
	check_fails("unequal", "got 0, wanted 3");
	check_fails("text", "wanted \"that\"\n# exit status 1\n");
	check_fails("code",
		    "got WARD_EINVAL (an argument or an option is wrong: ), wanted WARD_OK");
	check_fails("never_seen", "does not hold");
	check_fails("thread", "wanted \"this\"\n# exit status 1\n");
}

WARD_TEST(output_that_is_hostile_makes_no_lines_of_tap)
{
	check_fails("hostile", "# a\\rok 1 - b\n# \\x1b[2J \\u{9b} \xe2\x82\xac\n# \n# ok 1 - c\n"
			       "# d\\x1b\n");
	check_fails("hostile", "\n# x\\x00ok 1 - y\n");
	check_fails("hostile", "#   got    \"is\\nok 1 - e\\x1b\"\n#   wanted \"\\xff\"\n");
}

WARD_TEST(failed_case_names_the_seed_to_replay_it_with)
{
	check_fails("unequal", "WARD_SEED=3 ");
	check_fails("unequal", "not ok 1 - unequal [S1 S2]\n");
	char text[16384];
	ward_assert_eq(run_sample("--here unequal", text, sizeof(text)), 128 + SIGABRT);
	ward_assert_part(text, "got 0, wanted 3\nreplay: WARD_SEED=3 ");
	ward_assert_part(text, " --here unequal\n");
	setenv("WARD_SEED", "2", 1);
	ward_assert_eq(run_sample("unequal", text, sizeof(text)), 0);
	setenv("WARD_SEED", "7", 1);
	check_fails("unequal", "got 1, wanted 7");
}

static void check_refused(const char *name, const char *value, const char *why)
{
	char text[16384], wanted[128];

	setenv(name, value, 1);
	ward_assert_eq(run_sample("unequal", text, sizeof(text)), 2);
	snprintf(wanted, sizeof(wanted), ": %s=%s: not %s\n", name, value, why);
	ward_assert_part(text, wanted);
	ward_assert(strstr(text, "1..1") == NULL);
	unsetenv(name);
}

WARD_TEST(nonsense_for_a_seed_is_refused_before_the_first_case)
{
	static const char *const seeds[] = {"0", "many", "-1", "7x", "99999999999999999999"};
	static const char *const ranges[] = {"0", "many", "1:", ":1", "0:3", "3:0", "7x", "2:x"};

	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		check_refused("WARD_SEED", seeds[i], "a seed, from 1 on");
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		check_refused("WARD_SEEDS", ranges[i], "COUNT or FIRST:COUNT, both from 1 on");
}

WARD_TEST(value_that_the_switches_for_far_children_do_not_have_is_refused)
{
	char text[16384];

	check_refused("WARD_FAR", "2", "1 or bytes");
	check_refused("WARD_FAR", "byte", "1 or bytes");
	check_refused("WARD_LOOP", "1", "bytes");
	check_refused("WARD_LOOP", "byte", "bytes");
	setenv("WARD_FAR", "", 1);
	setenv("WARD_LOOP", "", 1);
	ward_assert_eq(run_sample("unequal", text, sizeof(text)), 1);
	unsetenv("WARD_FAR");
	unsetenv("WARD_LOOP");
}

WARD_TEST(nonsense_for_a_limit_is_refused)
{
	static const char *const wrong[] = {"", "many", "10m", "-1", "9999999999"};
	const char *before = getenv("WARD_TEST_TIMEOUT_S");
	char kept[16] = "", *none[] = {"test", NULL};

	if (before != NULL)
		snprintf(kept, sizeof(kept), "%s", before);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		setenv("WARD_TEST_TIMEOUT_S", wrong[i], 1);
		ward_assert_eq(ward_test_main(1, none), 2);
	}
	if (before != NULL)
		setenv("WARD_TEST_TIMEOUT_S", kept, 1);
	else
		unsetenv("WARD_TEST_TIMEOUT_S");
}

WARD_TEST(crash_and_hang_fail_the_case_only)
{
	check_fails("crash", "signal 9");
	limit_s = 1;
	check_fails("hang", "timed out after 1 s\n");
	limit_s = 36000;
	char text[16384];
	ward_assert_eq(run_sample("crash fine", text, sizeof(text)), 1);
	ward_assert_part(text, "not ok 1 - crash\n");
	ward_assert_part(text, "\n# a line\nok 2 - fine [S1 S2]\n");
}

WARD_TEST(case_that_does_not_come_to_its_end_fails)
{
	check_fails("exits", "# ended by exit(0) before its end\n# replay");
}

WARD_TEST(kit_that_is_not_finished_fails_the_case)
{
	char text[16384];
	check_fails("kit_left", "test_runner.c:");
	check_fails("kit_left", ": a kit was started and not finished\n# exit status 1\n");
	ward_assert_eq(run_sample("--here kit_left", text, sizeof(text)), 128 + SIGABRT);
}

WARD_TEST(case_at_its_limit_calls_the_hooks_once_each)
{
	limit_s = 1;
	check_fails("hang", "# it waits for nobody\n# timed out after 1 s\n# replay");
}

WARD_TEST(case_that_its_watchdog_cannot_end_is_killed)
{
	limit_s = 1;
	grace_s = 1;
	check_fails("hang_in_hook", "timed out after 1 s\n# ended by signal 9");
	check_fails("hang_in_exit", "timed out after 1 s\n# ended by signal 9");
	check_fails("halt", "timed out after 1 s\n# ended by signal 9");
}

WARD_TEST(case_sets_its_own_limit_unless_the_environment_does)
{
	limit_s = 1;
	check_fails("allow_overridden", "timed out after 1 s\n");
	limit_s = 36000;
	check_fails("allow", "timed out after 0 s\n");
}

WARD_TEST(case_that_is_done_does_not_wait_for_its_limit)
{
	check_passes("fine", "# a line\n");
}

/* Holds the watchdog's lock as often as it can, until it is told to end. */
static void *bother(void *arg)
{
	atomic_bool *over = arg;

	while (!atomic_load_explicit(over, memory_order_relaxed))
		wardi_testkit_on_hang(hang);
	return NULL;
}

WARD_TEST(child_of_a_case_does_not_find_the_watchdogs_lock_taken)
{
	atomic_bool over = false;
	pthread_t thread;
	int status;

	ward_assert_eq(pthread_create(&thread, NULL, bother, &over), 0);
	for (int i = 0; i < 300; i++) {
		pid_t pid = fork();

		ward_assert(pid >= 0);
		if (pid == 0) {
			wardi_testkit_on_hang(hang);
			_exit(0);
		}
		ward_assert_eq(waitpid(pid, &status, 0), pid);
		ward_assert_eq(status, 0);
	}
	atomic_store_explicit(&over, true, memory_order_relaxed);
	pthread_join(thread, NULL);
}

WARD_TEST(failure_handler_gets_place_and_text_and_may_jump)
{
	check_passes("handler", "# word of test_runner.c, 1 == 2: got 1, wanted 2\n"
				"# word of test_runner.c, 100%\n"
				"# both came back\n");
}

WARD_TEST(failure_without_a_handler_that_leaves_aborts)
{
	check_fails("no_handler", "test_runner.c:");
	check_fails("no_handler", "does not hold: 1 > 2\n# ended by signal 6");
	check_fails("handler_returns", "# heard does not hold: 1 > 2\n");
	check_fails("handler_returns", "(and the failure handler returned)\n# ended by signal 6");
}

WARD_TEST(cases_are_listed_and_chosen_by_name)
{
	char text[16384];
	ward_assert_eq(run_sample("--list", text, sizeof(text)), 0);
	ward_assert_part(text, "unequal [S1 S2]\ntext\n");
	ward_assert_eq(run_sample("fine", text, sizeof(text)), 0);
	ward_assert_str(text, "1..1\n# a line\nok 1 - fine [S1 S2]\n");
	ward_assert_eq(run_sample("--help", text, sizeof(text)), 0);
	ward_assert_part(text, "usage: ");
	ward_assert_part(text, "--here");
	ward_assert_part(text, "WARD_TEST_TIMEOUT_S=");
	ward_assert_part(text, "WARD_FAR=1 ");
	ward_assert_part(text, "WARD_FAR=bytes:");
	ward_assert_part(text, "WARD_LOOP=bytes ");
	ward_assert_eq(run_sample("nonsense", text, sizeof(text)), 2);
	ward_assert_part(text, "no case \"nonsense\"");
}

WARD_TEST(cases_are_chosen_by_pattern)
{
	char text[16384];

	ward_assert_eq(run_sample("'fin?' 'exi[st]s'", text, sizeof(text)), 1);
	ward_assert_part(text, "1..2\n");
	ward_assert_part(text, "not ok 1 - exits\n");
	ward_assert_part(text, "ok 2 - fine [S1 S2]\n");
	ward_assert_eq(run_sample("'fin'", text, sizeof(text)), 2);
	ward_assert_eq(run_sample("'g*'", text, sizeof(text)), 2);
	ward_assert_part(text, "no case \"g*\"");
}

WARD_TEST(cases_are_chosen_by_clause)
{
	char text[16384];

	ward_assert_eq(run_sample("--list --clause S2", text, sizeof(text)), 0);
	ward_assert_str(text, "unequal [S1 S2]\nfine [S1 S2]\n");
	ward_assert_eq(run_sample("--clause S2 --clause S1 'fi*' text", text, sizeof(text)), 0);
	ward_assert_str(text, "1..1\n# a line\nok 1 - fine [S1 S2]\n");
	ward_assert_eq(run_sample("--clause S3", text, sizeof(text)), 2);
	ward_assert_part(text, "no case proves \"S3\"; --list tells what each proves");
	ward_assert_eq(run_sample("--clause S", text, sizeof(text)), 2);
	ward_assert_eq(run_sample("--clause", text, sizeof(text)), 2);
	ward_assert_part(text, "--clause: which one?");
	ward_assert_eq(run_sample("--clause S1 text", text, sizeof(text)), 2);
	ward_assert_part(text, "no case of these names proves one of these clauses");
}

WARD_TEST_MAIN
