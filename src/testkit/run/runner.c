/* SPDX-License-Identifier: MIT
 *
 * runner.c - the runner: one forked process for each case, TAP on stdout.
 *
 * A case writes to a file in memory, not to a pipe: then neither a case that fills it nor a
 * grandchild that holds it open can block the runner. The limit is kept inside the case's process
 * by a watchdog, which can tell what hangs; the runner kills only what that could not end, and
 * the kernel ends a case whose runner is gone. Leaks are looked for at exit(), which only a case
 * that passed so far reaches; one that calls exit() itself has not come to its end, and fails.
 */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ward/testkit/runner.h>

#include "testkit/check/case_result.h"
#include "testkit/check/elsewhere.h"
#include "testkit/check/seed.h"
#include "testkit/check/shortage.h"
#include "testkit/check/text.h"
#include "testkit/check/watchdog.h"
#include "testkit/kit/living_kits.h"
#include "testkit/run/shortage_end.h"

enum { OUTPUT_MAX = 256 * 1024 /* of a case, in its diagnostics */ };

static const char usage[] =
	"usage: %s [--list | --here | --shortages] [--clause CLAUSE...] [NAME...]\n"
	"  NAME      a case, or a pattern as in a shell: 'restart_*'; without any all cases\n"
	"  --clause S72  only cases that prove this clause; more than one --clause: any of them\n"
	"  --list    names of the cases, and what they prove\n"
	"  --here    without a process of its own or a limit, for a debugger\n"
	"  --shortages  each case for every n: the n-th allocation of its kits finds no memory\n"
	"  --help    this text\n"
	"environment:\n"
	"  WARD_SEED=7              that seed in place of those that cases choose\n"
	"  WARD_TEST_TIMEOUT_S=600  a longer limit for each case than 60 seconds\n"
	"  WARD_SEEDS=1000          so many seeds for each simulation; or FIRST:COUNT\n"
	"  WARD_REPLAY='...'        that run of a simulation, as its report says\n"
	"  WARD_TRACE=FILE          its trace, for chrome://tracing\n"
	"  WARD_FAR=1               children of actors live in a second system; WARD_FAR=bytes:\n"
	"                           and what goes there is written and read by tables\n"
	"  WARD_LOOP=bytes          so is what goes through the loops of a test\n"
	"  WARD_SHORTAGE=57         with --shortages: this n alone\n";

static struct ward_test_case *cases, **cases_end = &cases;

void ward_test_register(struct ward_test_case *test)
{
	*cases_end = test;
	cases_end = &test->next;
}

__attribute__((noreturn)) static void die(const char *what)
{
	printf("Bail out! %s\n", what);
	perror(what);
	exit(2);
}

/* ---- the process of a case --------------------------------------------------------------- */

__attribute__((noreturn)) static void end_case(void *arg, const char *file, int line,
					       const char *text)
{
	(void)arg;
	/* One call, so that lines of several threads stay apart. */
	fprintf(stderr, "%s:%d: %s\n", file, line, text);
	/* No other stream: a thread that blocks in a read holds its lock. */
	fflush(stdout);
	/* Not exit(): other threads still run, and leaks are no news after a failure. */
	_exit(1);
}

static bool has_second_systems(void)
{
	return atomic_load_explicit(&wardi_testkit_run->has_second_systems, memory_order_relaxed);
}

/* Runs the case, then fails it if it has left a kit. */
static void run_to_end(const struct ward_test_case *test)
{
	test->run();
	atomic_store_explicit(&wardi_testkit_run->came_to_end, true, memory_order_relaxed);
	wardi_kit_check_none_lives();
}

__attribute__((noreturn)) static void run_child(const struct ward_test_case *test, int output,
						const sigset_t *signals)
{
	/* A process group of its own, so that processes left behind can be killed. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, signals, NULL);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	close(output);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (has_second_systems())
		printf("far: this case has a child elsewhere\n");
	ward_test_on_failure(ward_test_shortage() ? wardi_shortage_failed : end_case, NULL);
	wardi_shortage_begin();
	wardi_testkit_watchdog_start();
	run_to_end(test);
	wardi_testkit_watchdog_stop();
	exit(0);
}

/* ---- the runner -------------------------------------------------------------------------- */

/* Returns the time left to the case, with the grace for its hooks. The case may change it. */
static struct timespec patience(void)
{
	int64_t end_ns =
		atomic_load_explicit(&wardi_testkit_run->deadline_ns, memory_order_relaxed) +
		(int64_t)wardi_testkit_grace_s * 1000000000;
	int64_t left_ns = end_ns - wardi_testkit_now_ns();
	if (left_ns < 0)
		left_ns = 0;
	return (struct timespec){left_ns / 1000000000, left_ns % 1000000000};
}

/* Waits for the end of the case, or kills it. SIGCHLD is blocked, so none is missed. */
static int wait_for_case(pid_t pid, const sigset_t *child_ended)
{
	int status;
	while (waitpid(pid, &status, WNOHANG) != pid) {
		struct timespec left = patience();
		if (sigtimedwait(child_ended, NULL, &left) >= 0 || errno != EAGAIN)
			continue;
		/* The case may have been given more time during the wait. */
		left = patience();
		if (left.tv_sec > 0 || left.tv_nsec > 0)
			continue;
		atomic_store_explicit(&wardi_testkit_run->timed_out, true, memory_order_relaxed);
		kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) != pid)
			;
		break;
	}
	/* Its children may still run. */
	kill(-pid, SIGKILL);
	return status;
}

/* Prints what the case wrote, each line as a TAP comment; one that is a comment stays as it is.
 * Control characters are written out. */
static void print_output(int output)
{
	FILE *file = fdopen(output, "r");
	char *text = malloc(OUTPUT_MAX);
	if (file == NULL || text == NULL)
		die("what a case wrote");
	rewind(file);
	size_t length = fread(text, 1, OUTPUT_MAX, file);
	wardi_text_print_lines(stdout, "# ", text, length);
	if (length == OUTPUT_MAX)
		printf("# ... cut here\n");
	free(text);
	fclose(file);
}

static bool came_to_end(void)
{
	return atomic_load_explicit(&wardi_testkit_run->came_to_end, memory_order_relaxed);
}

static void print_outcome(const char *program, const struct ward_test_case *test, int status)
{
	const struct wardi_testkit_run *run = wardi_testkit_run;
	bool timed_out = atomic_load_explicit(&run->timed_out, memory_order_relaxed);
	if (timed_out)
		printf("# timed out after %u s\n",
		       atomic_load_explicit(&run->limit_s, memory_order_relaxed));
	if (WIFSIGNALED(status))
		printf("# ended by signal %d: %s\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (!timed_out && WEXITSTATUS(status) == 0)
		printf("# ended by exit(0) before its end\n");
	else if (!timed_out)
		printf("# exit status %d\n", WEXITSTATUS(status));
	/* A simulation has printed a line for its run; this line would repeat all runs. */
	if (atomic_load_explicit(&run->replay_told, memory_order_relaxed))
		return;
	printf("# replay: ");
	if (atomic_load_explicit(&run->seed_used, memory_order_relaxed))
		printf("WARD_SEED=%" PRIu64 " ",
		       atomic_load_explicit(&run->seed, memory_order_relaxed));
	printf("%s --here %s\n", program, test->name);
}

static void print_name(const struct ward_test_case *test)
{
	printf("%s", test->name);
	for (const char *const *clause = test->clauses; *clause != NULL; clause++)
		printf("%s%s", clause == test->clauses ? " [" : " ", *clause);
	printf("%s\n", test->clauses[0] != NULL ? "]" : "");
}

static void begin_case(const struct ward_test_case *test)
{
	atomic_store_explicit(&wardi_testkit_run->case_name, test->name, memory_order_relaxed);
}

static void set_second_systems(bool has)
{
	atomic_store_explicit(&wardi_testkit_run->has_second_systems, has, memory_order_relaxed);
	atomic_store_explicit(&wardi_testkit_run->needs_second_systems, false,
			      memory_order_relaxed);
}

static int fork_once(const struct ward_test_case *test, bool has_second_systems, int *ret_output)
{
	int output = memfd_create("case", MFD_CLOEXEC);
	if (output < 0)
		die("memfd_create");
	sigset_t child_ended, before;
	sigemptyset(&child_ended);
	sigaddset(&child_ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child_ended, &before);
	wardi_testkit_seed_reset();
	wardi_testkit_limit_reset();
	begin_case(test);
	atomic_store_explicit(&wardi_testkit_run->replay_told, false, memory_order_relaxed);
	atomic_store_explicit(&wardi_testkit_run->came_to_end, false, memory_order_relaxed);
	atomic_store_explicit(&wardi_testkit_run->allocations, 0, memory_order_relaxed);
	set_second_systems(has_second_systems);
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0)
		run_child(test, output, &before);

	int status = wait_for_case(pid, &child_ended);
	sigprocmask(SIG_SETMASK, &before, NULL);
	*ret_output = output;
	return status;
}

/* Runs the case in a process of its own; returns its status, and its output in *ret_output. With
 * WARD_FAR a case that has no child elsewhere runs as without; one that comes to its first such
 * child ends there, and runs again with a second system for each kit. */
static int fork_case(const struct ward_test_case *test, int *ret_output)
{
	int status = fork_once(test, false, ret_output);

	if (!atomic_load_explicit(&wardi_testkit_run->needs_second_systems, memory_order_relaxed))
		return status;
	close(*ret_output);
	return fork_once(test, true, ret_output);
}

static bool has_passed(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 && came_to_end();
}

static bool run_forked(const char *program, const struct ward_test_case *test, int number)
{
	int output;
	int status = fork_case(test, &output);
	bool passed = has_passed(status);
	print_output(output);
	if (!passed)
		print_outcome(program, test, status);
	printf("%s %d - ", passed ? "ok" : "not ok", number);
	print_name(test);
	return passed;
}

/* ---- shortages --------------------------------------------------------------------------- */

struct shortages {
	uint64_t runs, complete, cut, unseen;
};

static void begin_shortage(uint64_t at)
{
	struct wardi_testkit_run *run = wardi_testkit_run;
	atomic_store_explicit(&run->shortage_at, at, memory_order_relaxed);
	atomic_store_explicit(&run->shortage_told, 0, memory_order_relaxed);
	atomic_store_explicit(&run->shortage_end, WARDI_SHORTAGE_COMPLETE, memory_order_relaxed);
	atomic_store_explicit(&run->shortage_struck, false, memory_order_relaxed);
}

static void count_shortage(struct shortages *sum)
{
	sum->runs++;
	switch (atomic_load_explicit(&wardi_testkit_run->shortage_end, memory_order_relaxed)) {
	case WARDI_SHORTAGE_CUT:
		sum->cut++;
		break;
	case WARDI_SHORTAGE_UNSEEN:
		sum->unseen++;
		break;
	default:
		sum->complete++;
	}
}

/* Returns the allocation that WARD_SHORTAGE names; 0: all. */
static uint64_t shortage_wanted(void)
{
	const char *text = getenv("WARD_SHORTAGE");
	return text == NULL ? 0 : strtoull(text, NULL, 10);
}

/* Makes a run. False: it went wrong, and that was printed. */
static bool run_short(const char *program, const struct ward_test_case *test, uint64_t at,
		      struct shortages *sum)
{
	int output;
	begin_shortage(at);
	int status = fork_case(test, &output);
	if (has_passed(status)) {
		count_shortage(sum);
		close(output);
		return true;
	}
	print_output(output);
	if (at != UINT64_MAX)
		printf("# allocation %" PRIu64 " found no memory\n", at);
	if (WIFSIGNALED(status))
		printf("# ended by signal %d: %s\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
	printf("# replay: WARD_SHORTAGE=%" PRIu64 " %s --shortages %s\n", at, program, test->name);
	return false;
}

static bool run_all_short(const char *program, const struct ward_test_case *test, int number)
{
	struct shortages sum = {0}, none = {0};
	uint64_t only = shortage_wanted();
	/* Counts the allocations, and checks that the case passes if all succeed. */
	bool passed = run_short(program, test, UINT64_MAX, &none);
	uint64_t count =
		atomic_load_explicit(&wardi_testkit_run->allocations, memory_order_relaxed);
	for (uint64_t at = 1; passed && at <= count; at++) {
		if (only == 0 || only == at)
			passed = run_short(program, test, at, &sum);
	}
	printf("# %" PRIu64 " shortages: %" PRIu64 " complete, %" PRIu64 " cut short, %" PRIu64
	       " unseen\n",
	       sum.runs, sum.complete, sum.cut, sum.unseen);
	printf("%s %d - ", passed ? "ok" : "not ok", number);
	print_name(test);
	return passed;
}

static void run_here(const struct ward_test_case *test, int number)
{
	wardi_testkit_seed_reset();
	begin_case(test);
	set_second_systems(true);
	run_to_end(test);
	printf("ok %d - ", number);
	print_name(test);
}

/* ---- main -------------------------------------------------------------------------------- */

enum way { WAY_FORKED, WAY_LIST, WAY_HERE, WAY_SHORTAGES, WAY_HELP };

/* The choice of cases, from the arguments. */
struct choice {
	enum way way;
	char **clauses; /* before the names; with the words --clause between */
	char **clauses_end;
	char **names; /* up to NULL */
};

static bool proves(const struct ward_test_case *test, const char *wanted)
{
	for (const char *const *clause = test->clauses; *clause != NULL; clause++)
		if (strcmp(*clause, wanted) == 0)
			return true;
	return false;
}

static bool is_named(const struct ward_test_case *test, const char *name)
{
	return strcmp(test->name, name) == 0 || fnmatch(name, test->name, 0) == 0;
}

static bool is_wanted(const struct ward_test_case *test, const struct choice *choice)
{
	bool by_clause = choice->clauses == choice->clauses_end, by_name = *choice->names == NULL;

	for (char **at = choice->clauses; at < choice->clauses_end && !by_clause; at += 2)
		by_clause = proves(test, at[1]);
	for (char **name = choice->names; *name != NULL && !by_name; name++)
		by_name = is_named(test, *name);
	return by_clause && by_name;
}

static bool is_option(const char *word)
{
	return word != NULL && strcmp(word, "--clause") == 0;
}

static struct choice read_arguments(char **argv)
{
	static const struct {
		const char *word;
		enum way way;
	} ways[] = {
		{"--list", WAY_LIST},
		{"--here", WAY_HERE},
		{"--shortages", WAY_SHORTAGES},
		{"--help", WAY_HELP},
	};
	struct choice choice = {WAY_FORKED, argv + 1, argv + 1, argv + 1};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && argv[1] != NULL; i++) {
		if (strcmp(argv[1], ways[i].word) != 0)
			continue;
		choice = (struct choice){ways[i].way, argv + 2, argv + 2, argv + 2};
		break;
	}
	while (is_option(choice.names[0]) && choice.names[1] != NULL)
		choice.names += 2;
	choice.clauses_end = choice.names;
	return choice;
}

/* False: a word matches no case, and that was printed. */
static bool is_choice_sound(const char *program, const struct choice *choice)
{
	const struct ward_test_case *test;

	if (is_option(*choice->names)) {
		fprintf(stderr, "%s: --clause: which one? as in --clause S72\n", program);
		return false;
	}
	for (char **at = choice->clauses; at < choice->clauses_end; at += 2) {
		for (test = cases; test != NULL && !proves(test, at[1]); test = test->next)
			;
		if (test != NULL)
			continue;
		fprintf(stderr, "%s: no case proves \"%s\"; --list tells what each proves\n",
			program, at[1]);
		return false;
	}
	for (char **name = choice->names; *name != NULL; name++) {
		for (test = cases; test != NULL && !is_named(test, *name); test = test->next)
			;
		if (test != NULL)
			continue;
		fprintf(stderr, "%s: no case \"%s\"; --list names them\n", program, *name);
		return false;
	}
	for (test = cases; test != NULL && !is_wanted(test, choice); test = test->next)
		;
	if (test == NULL && cases != NULL)
		fprintf(stderr, "%s: no case of these names proves one of these clauses\n",
			program);
	return test != NULL || cases == NULL;
}

/* False: a variable has a value that means nothing, and that was printed. */
static bool is_environment_sound(const char *program)
{
	static const struct {
		const char *name;
		bool (*is_sound)(void);
		const char *wanted;
	} variables[] = {
		{"WARD_TEST_TIMEOUT_S", wardi_testkit_limit_is_sound, "a number of seconds"},
		{"WARD_SEED", wardi_testkit_seed_is_sound, "a seed, from 1 on"},
		{"WARD_SEEDS", wardi_testkit_seeds_are_sound,
		 "COUNT or FIRST:COUNT, both from 1 on"},
		{"WARD_FAR", wardi_testkit_far_is_sound, "1 or bytes"},
		{"WARD_LOOP", wardi_testkit_loop_is_sound, "bytes"},
	};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		if (variables[i].is_sound())
			continue;
		fprintf(stderr, "%s: %s=%s: not %s\n", program, variables[i].name,
			getenv(variables[i].name), variables[i].wanted);
		return false;
	}
	return true;
}

/* Whether WARD_REPLAY names a simulation that did not run: that proves nothing. */
static bool is_replay_missed(const char *program)
{
	const char *words = getenv("WARD_REPLAY");
	if (words == NULL || *words == '\0' ||
	    atomic_load_explicit(&wardi_testkit_run->replay_met, memory_order_relaxed))
		return false;
	fprintf(stderr, "%s: WARD_REPLAY='%s': no simulation is called %.*s; --list names them\n",
		program, words, (int)strcspn(words, " "), words);
	return true;
}

static bool run_one(const char *program, enum way way, const struct ward_test_case *test,
		    int number)
{
	switch (way) {
	case WAY_LIST:
		print_name(test);
		return true;
	case WAY_HERE:
		run_here(test, number);
		return true;
	case WAY_SHORTAGES:
		return run_all_short(program, test, number);
	default:
		return run_forked(program, test, number);
	}
}

/* Runs the chosen cases; returns how many failed. */
static int run_chosen(const char *program, const struct choice *choice)
{
	int chosen = 0, number = 0, failed = 0;

	for (const struct ward_test_case *test = cases; test != NULL; test = test->next)
		chosen += is_wanted(test, choice);
	if (choice->way != WAY_LIST)
		printf("1..%d\n", chosen);
	for (const struct ward_test_case *test = cases; test != NULL; test = test->next)
		if (is_wanted(test, choice))
			failed += !run_one(program, choice->way, test, ++number);
	return failed;
}

int ward_test_main(int argc, char **argv)
{
	const char *program = argv[0];
	const struct choice choice = read_arguments(argv);

	(void)argc;
	if (choice.way == WAY_HELP) {
		printf(usage, program);
		return 0;
	}
	if (!is_choice_sound(program, &choice))
		return 2;
	if (!is_environment_sound(program))
		return 2;

	wardi_testkit_run = mmap(NULL, sizeof(*wardi_testkit_run), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (wardi_testkit_run == MAP_FAILED)
		die("mmap");
	/* If SIGCHLD were ignored, as inherited, the statuses of the cases would be lost. */
	signal(SIGCHLD, SIG_DFL);

	bool passed = run_chosen(program, &choice) == 0;
	bool missed = choice.way != WAY_LIST && is_replay_missed(program);
	return missed ? 2 : !passed;
}
