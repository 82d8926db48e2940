/* SPDX-License-Identifier: MIT
 *
 * coverage.c - keeps what a process has counted for `make coverage` when it does not exit().
 *
 * The counters are written by exit() only, and a case may end by _exit(), abort() or a fault. In a
 * program for coverage these are the ones below, which stand in front of those of the C library,
 * also for the shared libward. That has counters of its own (coverage_library.c).
 *
 * Who gives a fault its default action is about to die of it, or to be no handler any more. It gets
 * a handler instead that writes the counters, and only then the default action; and it reads back
 * what it has set.
 */
#include <dlfcn.h>
#include <gcov.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* NULL: ward is inside the program, and so are its counters. */
__attribute__((weak)) void ward_coverage_dump(void);

typedef int set_action(int signal, const struct sigaction *action, struct sigaction *ret_before);
static set_action *real_sigaction;

static void dump(void)
{
	__gcov_dump();
	__gcov_reset(); /* what was written is not written again */
	if (ward_coverage_dump != NULL)
		ward_coverage_dump();
}

__attribute__((noreturn)) void _exit(int status)
{
	dump();
	for (;;)
		syscall(SYS_exit_group, status);
}

__attribute__((noreturn)) void abort(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t set;

	dump();
	/* As the C library has it: a handler that returns does not save the process. */
	raise(SIGABRT);
	sigaction(SIGABRT, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGABRT);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	for (;;)
		raise(SIGABRT);
}

/* ---- faults ------------------------------------------------------------------------------ */

/* Back from here what faulted is run again; what was sent is sent again. */
static void die(int signal, siginfo_t *info, void *context)
{
	struct sigaction by_default = {.sa_handler = SIG_DFL};

	(void)context;
	dump();
	real_sigaction(signal, &by_default, NULL);
	if (info->si_code <= 0)
		raise(signal);
}

static int is_fault(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
}

int sigaction(int signal, const struct sigaction *action, struct sigaction *ret_before)
{
	struct sigaction dying = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
	int status;

	if (real_sigaction == NULL)
		*(void **)&real_sigaction = dlsym(RTLD_NEXT, "sigaction");
	dying.sa_sigaction = die;
	if (action != NULL && is_fault(signal) && (action->sa_flags & SA_SIGINFO) == 0 &&
	    action->sa_handler == SIG_DFL)
		action = &dying;
	status = real_sigaction(signal, action, ret_before);
	if (status == 0 && ret_before != NULL && (ret_before->sa_flags & SA_SIGINFO) != 0 &&
	    ret_before->sa_sigaction == die) {
		memset(ret_before, 0, sizeof *ret_before);
		ret_before->sa_handler = SIG_DFL;
	}
	return status;
}
