/* SPDX-License-Identifier: MIT
 *
 * test_system_call_filter.c - a program that forbids itself all system calls but those that the
 * guide names, when its system runs: the system goes on, and ends in order.
 *
 * Method: the table of docs/guide/03-outside-world.md is made into a filter of seccomp, for all
 * threads; what it does not allow ends the process. Sanitizers make calls of their own: there the
 * filter refuses membarrier() only.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "support/filter.h"
#include "support/stress.h"
#include "support/whole_run.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

enum { CALLS_MAX = 100, NOT_HERE = -1 };

/* Those of the guide, and those of the test. */
static const struct {
	const char *name;
	long number;
} numbers[] = {
	{"brk", SYS_brk},
	{"clock_gettime", SYS_clock_gettime},
	{"clone", SYS_clone},
	{"clone3", SYS_clone3},
	{"close", SYS_close},
	{"epoll_create1", SYS_epoll_create1},
	{"epoll_ctl", SYS_epoll_ctl},
	{"epoll_pwait", SYS_epoll_pwait},
#ifdef SYS_epoll_wait
	{"epoll_wait", SYS_epoll_wait},
#else
	{"epoll_wait", NOT_HERE},
#endif
	{"eventfd2", SYS_eventfd2},
	{"exit", SYS_exit},
	{"exit_group", SYS_exit_group},
	{"fcntl", SYS_fcntl},
	{"fstat", SYS_fstat},
	{"futex", SYS_futex},
	{"getpid", SYS_getpid},
	{"getrandom", SYS_getrandom},
	{"madvise", SYS_madvise},
	{"membarrier", SYS_membarrier},
	{"mmap", SYS_mmap},
	{"mprotect", SYS_mprotect},
	{"mremap", SYS_mremap},
	{"munmap", SYS_munmap},
	{"newfstatat", SYS_newfstatat},
	{"ppoll", SYS_ppoll},
	{"prctl", SYS_prctl},
	{"read", SYS_read},
	{"restart_syscall", SYS_restart_syscall},
	{"rseq", SYS_rseq},
	{"rt_sigaction", SYS_rt_sigaction},
	{"rt_sigprocmask", SYS_rt_sigprocmask},
	{"rt_sigreturn", SYS_rt_sigreturn},
	{"rt_sigtimedwait", SYS_rt_sigtimedwait},
	{"sched_getaffinity", SYS_sched_getaffinity},
	{"sched_yield", SYS_sched_yield},
	{"set_robust_list", SYS_set_robust_list},
	{"sigaltstack", SYS_sigaltstack},
	{"tgkill", SYS_tgkill},
	{"timerfd_create", SYS_timerfd_create},
	{"timerfd_settime", SYS_timerfd_settime},
	{"write", SYS_write},
};

static long allowed[CALLS_MAX];
static size_t allowed_count;
static bool without_membarrier;

static void allow(long number)
{
	ward_assert(allowed_count < CALLS_MAX);
	allowed[allowed_count++] = number;
}

static void allow_name(const char *name)
{
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (strcmp(numbers[i].name, name) == 0) {
			if (numbers[i].number != NOT_HERE &&
			    !(without_membarrier && numbers[i].number == SYS_membarrier))
				allow(numbers[i].number);
			return;
		}
	ward_test_fail(__FILE__, __LINE__, "the guide has a call without a number: %s", name);
}

/* "| `read`, `write` |  | yes | ..." */
static void allow_row(char *row)
{
	char *names = strtok(row, "|"), *runs, *name;

	if (names == NULL || strtok(NULL, "|") == NULL || (runs = strtok(NULL, "|")) == NULL ||
	    strcmp(runs, " yes ") != 0)
		return;
	for (name = strtok(names, "` ,"); name != NULL; name = strtok(NULL, "` ,"))
		allow_name(name);
}

static void read_guide(void)
{
	FILE *file = fopen(WARD_SOURCE_ROOT "/docs/guide/03-outside-world.md", "r");
	bool inside = false;
	char row[1000];

	ward_assert(file != NULL);
	while (fgets(row, sizeof row, file) != NULL) {
		inside = row[0] == '|' && (inside || strncmp(row, "| system call |",
							     strlen("| system call |")) == 0);
		if (inside && strstr(row, "`") != NULL)
			allow_row(row);
	}
	fclose(file);
	ward_assert(allowed_count > 20);
	/* What the run and the end of the case ask for themselves. */
	allow(SYS_sendto);
	allow(SYS_recvfrom);
#ifdef SYS_poll
	allow(SYS_poll);
#endif
	allow(SYS_exit_group);
}

/* ---- filters ----------------------------------------------------------------------------- */

/* What is not allowed ends the process; membarrier(), where that is not allowed, is an error. */
static void install_table(void)
{
	struct sock_filter code[2 * CALLS_MAX + 8];
	size_t count = 0;

	code[count++] = filter_load_architecture();
	/* The number has a meaning for one architecture only: for another one it is none. */
	code[count++] = filter_skip_unless(ARCHITECTURE);
	code[count++] = filter_load_number();
	for (size_t i = 0; i < allowed_count; i++) {
		code[count++] = filter_skip_unless((uint32_t)allowed[i]);
		code[count++] = filter_answer(SECCOMP_RET_ALLOW);
	}
	code[count++] = filter_skip_unless(SYS_membarrier);
	code[count++] = filter_answer(SECCOMP_RET_ERRNO | EPERM);
	code[count++] = filter_answer(SECCOMP_RET_KILL_PROCESS);
	filter_install(code, count);
}

static void run_under(void (*filter)(void), struct whole_run *run)
{
	run->created = filter;
	if (whole_run(run) != WHOLE_DONE)
		ward_test_fail(__FILE__, __LINE__, "%s %s", run->text, run->fatal);
}

WARD_TEST(system_whose_program_forbids_itself_membarrier_goes_on_and_says_it_once)
{
	struct whole_run run = {.notes = 0};

	run_under(filter_refuse_membarrier, &run);
	/* Where there is one processor, or nothing leans, nobody asks for it. */
	ward_assert(run.notes <= 1);
	if (run.notes == 1)
		ward_assert_part(run.note[0], "membarrier");
}

WARD_TEST(system_goes_on_and_ends_with_the_calls_that_the_guide_names)
{
	struct whole_run run = {.signals = true};

	read_guide();
	run_under(STRESS_SANITIZED ? NULL : install_table, &run);
	ward_assert_eq(run.notes, 0);
}

WARD_TEST(system_goes_on_and_ends_with_the_calls_that_the_guide_names_but_membarrier)
{
	struct whole_run run = {.signals = true};

	without_membarrier = true;
	read_guide();
	run_under(STRESS_SANITIZED ? filter_refuse_membarrier : install_table, &run);
}

WARD_TEST_MAIN
