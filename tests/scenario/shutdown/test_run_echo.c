/* SPDX-License-Identifier: MIT
 *
 * test_run_echo.c - a signal that is sent twice, as by timeout(1) to a process and to its group.
 *
 * Method: a process of its own, whose clock stands until the test moves it.
 */
#include "program.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

/* ---- the clock ---------------------------------------------------------------------------- */

static _Atomic int64_t *moved_ms; /* shared with the process; NULL: the clock is not held */

int __real_clock_gettime(clockid_t clock, struct timespec *ret_now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret_now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret_now)
{
	if (moved_ms == NULL)
		return __real_clock_gettime(clock, ret_now);
	*ret_now = (struct timespec){.tv_sec = 1000 + atomic_load(moved_ms) / 1000,
				     .tv_nsec = atomic_load(moved_ms) % 1000 * 1000000};
	return 0;
}

static void hold_clock(void)
{
	moved_ms = mmap(NULL, sizeof *moved_ms, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	ward_assert(moved_ms != MAP_FAILED);
}

/* ---- a signal ------------------------------------------------------------------------------ */

static int run_jammed(void)
{
	return ward_main(&jammed);
}

static bool is_pending(const struct program *program, int number)
{
	char path[64], line[256];
	unsigned long long pending = 0;
	FILE *status;

	snprintf(path, sizeof path, "/proc/%d/status", (int)program->pid);
	status = fopen(path, "r");
	ward_assert(status != NULL);
	while (fgets(line, sizeof line, status) != NULL)
		if (sscanf(line, "ShdPnd: %llx", &pending) == 1)
			break;
	fclose(status);
	return (pending >> (number - 1) & 1) != 0;
}

/* Sends it, and waits until the thread for signals has taken it. */
static void send(const struct program *program, int number)
{
	kill(program->pid, number);
	while (is_pending(program, number))
		sched_yield();
}

WARD_TEST(run_takes_signals_that_come_at_once_for_one_request, "S77")
{
	struct program program;

	hold_clock();
	program = begin(run_jammed);
	await(&program, 'r');
	send(&program, SIGTERM);
	await(&program, 't');
	atomic_store(moved_ms, 99);
	send(&program, SIGTERM);
	send(&program, SIGINT);
	send(&program, SIGHUP); /* when this one is taken the others have been handled */
	ward_assert(is_running(&program));
	atomic_store(moved_ms, 100);
	kill(program.pid, SIGHUP);
	dies_of(&program, SIGHUP);
}

WARD_TEST_MAIN
