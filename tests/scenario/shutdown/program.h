/* SPDX-License-Identifier: MIT
 *
 * program.h - a program in a process of its own: a fork()ed child, whose output goes through pipes;
 * and actors that it may run. Nobody sleeps: the child writes a byte when it has come so far.
 */
#ifndef SCENARIO_SHUTDOWN_PROGRAM_H
#define SCENARIO_SHUTDOWN_PROGRAM_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ward/testkit.h>
#include <ward/ward.h>

enum { TEXT = 4096, STATUS_LATE = 3 };

/* The child of a fork starts threads of its own. */
const char *__tsan_default_options(void);

const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}

/* A program in a process of its own. */
struct program {
	pid_t pid;
	int printed; /* its standard output */
	int said;    /* its standard error */
	char text[TEXT];
};

static inline struct program begin(int (*main_of)(void))
{
	struct program program = {0};
	int out[2], err[2];

	fflush(NULL);
	ward_assert_eq(pipe2(out, O_CLOEXEC), 0);
	ward_assert_eq(pipe2(err, O_CLOEXEC), 0);
	program.pid = fork();
	ward_assert(program.pid >= 0);
	if (program.pid == 0) {
		signal(SIGINT, SIG_DFL); /* ignored where a shell runs the test in the background */
		dup2(out[1], STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		_exit(main_of());
	}
	close(out[1]);
	close(err[1]);
	program.printed = out[0];
	program.said = err[0];
	return program;
}

/* Waits for a byte of the program's. */
static inline void await(const struct program *program, char wanted)
{
	char byte = 0;

	while (read(program->printed, &byte, 1) < 0 && errno == EINTR)
		;
	ward_assert_eq(byte, wanted);
}

static const char *read_all(struct program *program, int fd)
{
	size_t length = 0;
	ssize_t got;

	while (length + 1 < TEXT && (got = read(fd, program->text + length, TEXT - 1 - length)) > 0)
		length += (size_t)got;
	program->text[length] = '\0';
	close(fd);
	return program->text;
}

/* As wait() has it. What was said is in text. */
static inline int end(struct program *program)
{
	int status;

	read_all(program, program->said);
	ward_assert_eq(waitpid(program->pid, &status, 0), program->pid);
	close(program->printed);
	return status;
}

static inline void ends_with(struct program *program, int wanted)
{
	int status = end(program);

	ward_assert(WIFEXITED(status));
	ward_assert_eq(WEXITSTATUS(status), wanted);
}

/* Whether it runs; if not, its status is still there for the other calls. */
static inline bool is_running(const struct program *program)
{
	siginfo_t info = {0};

	ward_assert_eq(waitid(P_PID, (id_t)program->pid, &info, WEXITED | WNOHANG | WNOWAIT), 0);
	return info.si_pid == 0;
}

static inline void dies_of(struct program *program, int wanted)
{
	int status = end(program);

	ward_assert(WIFSIGNALED(status));
	ward_assert_eq(WTERMSIG(status), wanted);
}

static inline void tell_parent(char byte)
{
	ward_assert_eq(write(STDOUT_FILENO, &byte, 1), 1);
}

/* ---- actors ------------------------------------------------------------------------------ */

static inline ward_result stop_at_once(ward_self *self, void *state)
{
	(void)state;
	ward_stop_self(self);
	return WARD_DONE;
}

static inline ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}
static const ward_behavior brief = {.name = "brief", .pre_start = stop_at_once, .receive = ignore};

WARD_SIGNAL(lost);

/* Works until its phase comes; then it says why, and is done. */
static inline ward_result join(ward_self *self, void *state)
{
	(void)state;
	if (ward_try_shutdown_join(self, "service-stop", "till"))
		return ward_failed(self, &ward_error, "%s", ward_err_detail());
	tell_parent('r');
	return WARD_DONE;
}
static inline ward_result close_till(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_shutdown_task *task = ward_match(msg, ward_shutdown_task);

	(void)state;
	if (task == NULL)
		return WARD_UNHANDLED;
	dprintf(STDOUT_FILENO, "%s", task->reason);
	ward_tell(self, ward_nobody(), lost); /* logged: /user does not stop yet */
	ward_reply(self, msg, ward_shutdown_done);
	return WARD_DONE;
}
static const ward_behavior till = {.name = "till", .pre_start = join, .receive = close_till};

/* Never is done. */
static inline ward_result jam_till(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state;
	if (ward_match(msg, ward_shutdown_task))
		tell_parent('t');
	return WARD_DONE;
}
static const ward_behavior jammed = {.name = "jammed", .pre_start = join, .receive = jam_till};

#endif
