/* SPDX-License-Identifier: MIT
 *
 * kit.c - the runner: one forked process for each case, TAP on stdout.
 *
 * A case writes to a file in memory, not to a pipe: then neither a case that fills it nor a
 * grandchild that holds it open can block the runner. The limit is an alarm inside the case's
 * process, so it also ends when the runner is gone. Leaks are looked for at exit(), which only a
 * case that passed so far reaches.
 */
#include "kit/kit.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	TIMEOUT_S = 60,
	OUTPUT_MAX = 256 * 1024 /* of a case, in its diagnostics */
};

/* What a case's process tells the runner even when it crashes. */
struct shared {
	_Atomic uint64_t seed;
	_Atomic bool seed_used;
};

static struct kit_case *cases, **cases_end = &cases;
static struct shared *shared;
static bool here;

void kit_register(struct kit_case *test)
{
	*cases_end = test;
	cases_end = &test->next;
}

/* ---- checks ------------------------------------------------------------------------------ */

void kit_fail(const char *file, int line, const char *text, ...)
{
	/* One write, so that lines of several threads stay apart. */
	char message[2048];
	int at = snprintf(message, sizeof(message), "%s:%d: ", file, line);
	va_list args;
	va_start(args, text);
	vsnprintf(message + at, sizeof(message) - (size_t)at, text, args);
	va_end(args);
	fprintf(stderr, "%s\n", message);
	fflush(NULL);
	if (here)
		abort();
	/* Not exit(): other threads still run, and leaks are no news after a failure. */
	_exit(1);
}

void kit_check_eq(const char *file, int line, const char *what, intmax_t got, intmax_t wanted)
{
	if (got != wanted)
		kit_fail(file, line, "%s: got %" PRIdMAX ", wanted %" PRIdMAX, what, got, wanted);
}

void kit_check_str(const char *file, int line, const char *what, const char *got,
		   const char *wanted)
{
	if (got == NULL || strcmp(got, wanted) != 0)
		kit_fail(file, line, "%s\n  got    \"%s\"\n  wanted \"%s\"", what,
			 got != NULL ? got : "(NULL)", wanted);
}

void kit_check_part(const char *file, int line, const char *what, const char *text,
		    const char *part)
{
	if (text == NULL || strstr(text, part) == NULL)
		kit_fail(file, line, "%s\n  got         \"%s\"\n  wanted part \"%s\"", what,
			 text != NULL ? text : "(NULL)", part);
}

void kit_check_err(const char *file, int line, const char *what, ward_err got, ward_err wanted)
{
	if (got != wanted)
		kit_fail(file, line, "%s: got %d (%s: %s), wanted %d (%s)", what, (int)got,
			 ward_err_text(got), got != WARD_OK ? ward_err_detail() : "", (int)wanted,
			 ward_err_text(wanted));
}

/* ---- seeds ------------------------------------------------------------------------------- */

static const char *seed_given(void)
{
	const char *text = getenv("KIT_SEED");
	return text != NULL && *text != '\0' ? text : NULL;
}

bool kit_seed_fixed(void)
{
	return seed_given() != NULL;
}

bool kit_seed_round(uint64_t round, uint64_t count)
{
	if (round >= (kit_seed_fixed() ? 1 : count))
		return false;
	/* Relaxed: the runner reads them after the process has ended. */
	if (!kit_seed_fixed())
		atomic_store_explicit(&shared->seed, round + 1, memory_order_relaxed);
	return true;
}

uint64_t kit_seed(void)
{
	atomic_store_explicit(&shared->seed_used, true, memory_order_relaxed);
	return atomic_load_explicit(&shared->seed, memory_order_relaxed);
}

static void seed_reset(void)
{
	const char *given = seed_given();
	atomic_store_explicit(&shared->seed, given != NULL ? strtoull(given, NULL, 0) : 1,
			      memory_order_relaxed);
	atomic_store_explicit(&shared->seed_used, false, memory_order_relaxed);
}

/* ---- running ----------------------------------------------------------------------------- */

__attribute__((noreturn)) static void die(const char *what)
{
	printf("Bail out! %s\n", what);
	perror(what);
	exit(2);
}

static unsigned timeout_s(void)
{
	const char *text = getenv("KIT_TIMEOUT_S");
	unsigned long given = text != NULL ? strtoul(text, NULL, 10) : 0;
	return given != 0 ? (unsigned)given : TIMEOUT_S;
}

__attribute__((noreturn)) static void run_child(const struct kit_case *test, int output)
{
	/* A group of its own, so that what it leaves behind can be swept up. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	close(output);
	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(timeout_s());
	test->run();
	exit(0);
}

/* Prints what the case wrote, each line as a TAP comment. */
static void print_output(int output)
{
	FILE *file = fdopen(output, "r");
	if (file == NULL)
		die("fdopen");
	rewind(file);
	bool at_start = true;
	long count = 0;
	for (int c; (c = getc(file)) != EOF && count < OUTPUT_MAX; count++) {
		if (at_start)
			fputs("# ", stdout);
		putchar(c);
		at_start = c == '\n';
	}
	if (!at_start)
		putchar('\n');
	if (count == OUTPUT_MAX)
		printf("# ... cut here\n");
	fclose(file);
}

static void print_outcome(const char *program, const struct kit_case *test, int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		printf("# not done after %u s\n", timeout_s());
	else if (WIFSIGNALED(status))
		printf("# ended by signal %d: %s\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		printf("# exit status %d\n", WEXITSTATUS(status));
	printf("# replay: ");
	if (atomic_load_explicit(&shared->seed_used, memory_order_relaxed))
		printf("KIT_SEED=%" PRIu64 " ",
		       atomic_load_explicit(&shared->seed, memory_order_relaxed));
	printf("%s --here %s\n", program, test->name);
}

static void print_name(const struct kit_case *test)
{
	printf("%s", test->name);
	for (const char *const *clause = test->clauses; *clause != NULL; clause++)
		printf("%s%s", clause == test->clauses ? " [" : " ", *clause);
	printf("%s\n", test->clauses[0] != NULL ? "]" : "");
}

static bool run_forked(const char *program, const struct kit_case *test, int number)
{
	int output = memfd_create("kit", MFD_CLOEXEC);
	if (output < 0)
		die("memfd_create");
	seed_reset();
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0)
		run_child(test, output);

	int status;
	while (waitpid(pid, &status, 0) != pid)
		;
	kill(-pid, SIGKILL);
	bool passed = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	print_output(output);
	if (!passed)
		print_outcome(program, test, status);
	printf("%s %d - ", passed ? "ok" : "not ok", number);
	print_name(test);
	return passed;
}

/* ---- main -------------------------------------------------------------------------------- */

static bool wanted(const struct kit_case *test, char **names)
{
	if (*names == NULL)
		return true;
	for (; *names != NULL; names++) {
		if (strcmp(test->name, *names) == 0)
			return true;
	}
	return false;
}

static const struct kit_case *find_case(const char *name)
{
	const struct kit_case *test = cases;
	while (test != NULL && strcmp(test->name, name) != 0)
		test = test->next;
	return test;
}

int main(int count, char **args)
{
	const char *program = args[0];
	bool list = count > 1 && strcmp(args[1], "--list") == 0;
	here = count > 1 && strcmp(args[1], "--here") == 0;
	char **names = args + (list || here ? 2 : 1);
	for (char **name = names; *name != NULL; name++) {
		if (find_case(*name) == NULL) {
			fprintf(stderr, "%s: no case \"%s\"; --list names them\n", program, *name);
			return 2;
		}
	}

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		die("mmap");

	int chosen = 0;
	for (const struct kit_case *test = cases; test != NULL; test = test->next)
		chosen += wanted(test, names);
	if (!list)
		printf("1..%d\n", chosen);

	int number = 0, failed = 0;
	for (const struct kit_case *test = cases; test != NULL; test = test->next) {
		if (!wanted(test, names))
			continue;
		number++;
		if (list) {
			print_name(test);
		} else if (here) {
			seed_reset();
			test->run();
			printf("ok %d - ", number);
			print_name(test);
		} else if (!run_forked(program, test, number)) {
			failed++;
		}
	}
	return failed != 0;
}
