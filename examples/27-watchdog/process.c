/* SPDX-License-Identifier: MIT
 *
 * process.c - an actor that stands for a process.
 *
 * It starts the process in init, it fails when the process fails, and the end of the actor is the
 * end of the process. So each strategy for actors is a strategy for processes.
 */
#include "process.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const ward_failure_class bad_end = {.name = "bad_end", .parent = &ward_exception};

struct process {
	pid_t pid;           /* of the process, which is the leader of a process group */
	ward_deferred group; /* ends that group */
	bool stopping;
};

/* Runs once for each process, however its actor ends. The process may have ended already: its
 * number stays reserved until waitpid(), and its children may still be running. */
static void end_group(void *arg)
{
	pid_t pid = (pid_t)(intptr_t)arg;

	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The threads of ward block all signals. A process would inherit that mask. */
static int start(char **argv, pid_t *ret_pid)
{
	posix_spawnattr_t attr;
	sigset_t none;
	int error;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setpgroup(&attr, 0); /* a new group */
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	error = posix_spawnp(ret_pid, argv[0], NULL, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	return error;
}

static ward_result process_init(ward_self *self, void *state, const void *args)
{
	const struct command *command = args;
	struct process *me = state;
	int fd;

	/* Before the start: each shutdown that finds the process running has this task. */
	if (ward_failed_err(self, ward_try_shutdown_join(self, STOP_PROCESSES, "stop")))
		return WARD_FAILED;
	errno = start(command->argv, &me->pid);
	if (errno != 0)
		return ward_failed_errno(self, "%s", command->argv[0]);
	me->group = ward_defer(self, end_group, (void *)(intptr_t)me->pid);
	fd = ward_adopt_fd(self, pidfd_open(me->pid, 0)); /* readable when the process has ended */
	ward_fd_watch(self, fd, WARD_FD_READ);
	return WARD_DONE;
}

static ward_result process_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct command *command = ward_args(self);
	struct process *me = state;
	siginfo_t info = {0};
	bool ended_well;

	if (ward_match(msg, ward_shutdown_task)) { /* the task is done when the actor has ended */
		me->stopping = true;
		*command->ret_status = 0;
		kill(-me->pid, SIGTERM);
		return WARD_DONE;
	}
	if (!ward_match(msg, ward_fd_ready) ||
	    waitid(P_PID, (id_t)me->pid, &info, WEXITED | WNOWAIT))
		return WARD_UNHANDLED;
	ward_run_deferred(self, me->group);
	ended_well = info.si_code == CLD_EXITED && info.si_status == 0;
	*command->ret_status = ended_well || me->stopping ? 0 : 1;
	if (*command->ret_status == 0)
		return ward_stop_self(self);
	return ward_failed(self, &bad_end, "%s %d",
			   info.si_code == CLD_EXITED ? "exit status" : "signal", info.si_status);
}

const ward_behavior process = {.name = "process",
			       .state_size = sizeof(struct process),
			       .args = &ward_type_command,
			       .init = process_init,
			       .receive = process_receive};
