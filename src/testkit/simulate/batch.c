/* SPDX-License-Identifier: MIT
 *
 * batch.c - the process for a batch of runs: its work, and how its parent detects the end.
 *
 * A failed check, a crash, a sanitizer's finding and a hang all end the process, one way or
 * another; the board tells the parent which run that was. The parent waits on a descriptor (pidfd),
 * so it needs no signal, and processes that a run has left behind do not matter. Leaks are looked
 * for at exit(), which a process without a violation reaches.
 */
#include "testkit/simulate/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ward/testkit/runner.h>

#include "testkit/check/case_result.h"
#include "testkit/simulate/schedule_exhaustive.h"
#include "testkit/simulate/trace_chrome.h"

enum {
	CHECK_EVERY = 64,
	RUNS_MAX = 100 * 1000,
	LOOK_MS = 500, /* between two checks for progress */
	CASE_S = 60    /* without a runner: a limit that nothing enforces */
};

int wardi_child_patience_ms = 10 * 1000;

struct wardi_board *wardi_board_create(void)
{
	void *board = mmap(NULL, sizeof(struct wardi_board), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (board == MAP_FAILED)
		ward_test_fail(__FILE__, __LINE__, "no memory for the board of a simulation: %s",
			       strerror(errno));
	return board;
}

void wardi_board_destroy(struct wardi_board *board)
{
	munmap(board, sizeof(*board));
}

/* ---- in the child ------------------------------------------------------------------------- */

/* The trace of the reported run: its file is written even if the run fails. */
static const struct wardi_trace *told;

static void write_trace(const struct wardi_batch_task *task)
{
	if (task->trace_file == NULL || told == NULL)
		return;
	FILE *file = fopen(task->trace_file, "w");
	if (file == NULL) {
		fprintf(stderr, "%s: %s\n", task->trace_file, strerror(errno));
		return;
	}
	wardi_trace_write_chrome(told, file);
	if (fclose(file) != 0)
		fprintf(stderr, "%s: %s\n", task->trace_file, strerror(errno));
}

__attribute__((noreturn)) static void end_run(void *arg, const char *file, int line,
					      const char *text)
{
	const struct wardi_batch_task *task = arg;
	struct wardi_board *board = task->board;

	if (board->text[0] == '\0')
		snprintf(board->text, sizeof(board->text), "%s:%d: %s", file, line, text);
	write_trace(task);
	fflush(stdout);
	fflush(stderr);
	/* Not exit(): leaks are no news after a violation. */
	_exit(1);
}

static void check_equal(struct wardi_board *board, const struct wardi_trace *a,
			const struct wardi_trace *b)
{
	if (a->hash == b->hash)
		return;
	size_t at = wardi_trace_differ(a, b);
	char first[WARDI_BOARD_LINE], second[WARDI_BOARD_LINE];
	wardi_trace_text(a, at, first, sizeof(first));
	wardi_trace_text(b, at, second, sizeof(second));
	board->leaked = true;
	wardi_violate(board, "leaked nondeterminism: step %llu was %s, and then %s%s",
		      (unsigned long long)(at < a->count ? a->entries[at].step : a->step), first,
		      second, strcmp(first, second) == 0 ? " in another way" : "");
}

static bool is_checked(const struct wardi_batch_task *task, const struct wardi_board *board)
{
	uint64_t every = task->test->check_every != 0 ? task->test->check_every : CHECK_EVERY;
	if (every == UINT32_MAX)
		return false;
	if (task->told)
		return true;
	if (task->single || task->plan_given)
		return false;
	if (board->order.kind == WARD_ORDER_EXHAUSTIVE)
		return board->runs % every == 0;
	return board->seed % every == 1 % every;
}

/* Silences the second of two runs. Returns a copy of stdout's descriptor. */
static int silence_stdout(void)
{
	fflush(stdout);
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (out >= 0 && null >= 0)
		dup2(null, STDOUT_FILENO);
	if (null >= 0)
		close(null);
	return out;
}

static void restore_stdout(int out)
{
	fflush(stdout);
	if (out >= 0) {
		dup2(out, STDOUT_FILENO);
		close(out);
	}
}

/* Makes a run; a reported run twice, to check that only the seed decides. */
static void run_seed(const struct wardi_batch_task *task)
{
	struct wardi_board *board = task->board;
	bool checked = is_checked(task, board);
	struct wardi_play_how how = {
		.test = task->test,
		.board = board,
		.plan_given = task->plan_given,
		.recording = checked || task->told,
		.told = task->told,
	};
	struct wardi_trace trace, again;
	struct wardi_names names, names_again;

	told = task->told ? &trace : NULL;
	wardi_play(&how, &trace, &names);
	if (checked) {
		how.told = false;
		int out = silence_stdout();
		wardi_play(&how, &again, &names_again);
		restore_stdout(out);
		check_equal(board, &trace, &again);
		wardi_trace_finish(&again);
		wardi_names_finish(&names_again);
	}
	write_trace(task);
	board->runs++;
	board->steps += trace.step;
	told = NULL;
	wardi_trace_finish(&trace);
	wardi_names_finish(&names);
}

void wardi_child_run_here(const struct wardi_batch_task *task)
{
	struct wardi_board *board = task->board;
	uint64_t runs_max = task->test->runs_max != 0 ? task->test->runs_max : RUNS_MAX;

	for (uint64_t i = 0; i < task->count; i++) {
		bool more;
		board->seed = task->first + i;
		do {
			run_seed(task);
			more = !task->single && wardi_schedule_next(&board->order);
		} while (more && board->runs < runs_max);
		board->exhausted = !more && wardi_schedule_exhausted(&board->order);
	}
	board->finished = true;
}

__attribute__((noreturn)) static void be_child(const struct wardi_batch_task *task)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!task->told) {
		/* Thousands of runs would print the same. The run that matters is reported. */
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
			_exit(2);
		close(null);
	}
	ward_test_on_failure(end_run, (void *)task);
	wardi_child_run_here(task);
	exit(0);
}

/* ---- in the parent ------------------------------------------------------------------------ */

/* Whether a debugger holds the process, which may then stand still for any time. */
static bool is_traced(pid_t pid)
{
	char name[64], line[128];
	int tracer = 0;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)pid);
	FILE *file = fopen(name, "re");
	if (file == NULL)
		return false;
	while (fgets(line, sizeof(line), file) != NULL &&
	       sscanf(line, "TracerPid: %d", &tracer) != 1)
		;
	fclose(file);
	return tracer != 0;
}

/* Returns the limit of the case, which a body may have set. */
static unsigned case_limit_s(void)
{
	unsigned limit_s = atomic_load_explicit(&wardi_testkit_run->limit_s, memory_order_relaxed);
	return limit_s != 0 ? limit_s : CASE_S;
}

/* At most half of the limit of the case, so that the hang is reported and not the limit. */
static int64_t patience_ms(void)
{
	int64_t half_ms = (int64_t)case_limit_s() * 1000 / 2;
	return half_ms < wardi_child_patience_ms ? half_ms : wardi_child_patience_ms;
}

/* Waits for the end of the process. False: no progress for too long. Progress restarts the time
 * limit of the case. */
static bool wait_for_end(struct wardi_board *board, pid_t pid, int pidfd)
{
	uint64_t beats = UINT64_MAX;
	int still_ms = 0;

	for (;;) {
		struct pollfd end = {.fd = pidfd, .events = POLLIN};
		int count = poll(&end, 1, LOOK_MS);
		if (count > 0)
			return true;
		if (count < 0 && errno != EINTR)
			ward_test_fail(__FILE__, __LINE__, "poll: %s", strerror(errno));
		if (count < 0)
			continue;
		/* Relaxed: only a change matters. */
		uint64_t now = atomic_load_explicit(&board->beats, memory_order_relaxed);
		still_ms = now != beats || is_traced(pid) ? 0 : still_ms + LOOK_MS;
		if (still_ms == 0)
			ward_test_allow_s(case_limit_s());
		if (still_ms >= patience_ms())
			return false;
		beats = now;
	}
}

static void explain(struct wardi_board *board, bool hung, int status)
{
	size_t room = sizeof(board->text);

	if (hung)
		snprintf(board->text, room, "no turn ends for %" PRId64 " ms, it hangs",
			 patience_ms());
	else if (board->text[0] != '\0')
		return;
	else if (WIFSIGNALED(status))
		snprintf(board->text, room, "ended by signal %d: %s", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(board->text, room, "ended with exit status %d", WEXITSTATUS(status));
}

bool wardi_child_run(const struct wardi_batch_task *task)
{
	struct wardi_board *board = task->board;

	board->runs = board->steps = 0;
	board->finished = board->exhausted = board->leaked = false;
	board->text[0] = '\0';
	board->lines_count = board->strikes_count = board->severe_count = 0;
	fflush(stdout);
	fflush(stderr);
	pid_t pid = fork();
	if (pid < 0)
		ward_test_fail(__FILE__, __LINE__, "no process: %s", strerror(errno));
	if (pid == 0)
		be_child(task);
	/* By number: the C library has the call since 2.36 only. */
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		ward_test_fail(__FILE__, __LINE__, "no descriptor of a process: %s",
			       strerror(errno));
	bool hung = !wait_for_end(board, pid, pidfd);
	close(pidfd);
	if (hung)
		kill(pid, SIGKILL);
	int status;
	while (waitpid(pid, &status, 0) != pid)
		;
	if (!hung && board->finished && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	explain(board, hung, status);
	return false;
}
