/* SPDX-License-Identifier: MIT
 *
 * saboteur_start.c - starting the saboteur, and its end; see saboteur.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "saboteur.h"

/* Starts this program once more, with its output in a pipe. Returns an error number, or 0. */
static int spawn(char *const argv[], int pipe_end, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, ignored;
	sigemptyset(&none);
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, pipe_end, STDOUT_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &ignored);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	int error = posix_spawn(ret_pid, "/proc/self/exe", &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

int saboteur_start(const char *what, const char *db, uint64_t number, pid_t *ret_pid, int *ret_pipe)
{
	int ends[2];
	char digits[32];
	snprintf(digits, sizeof(digits), "%" PRIu64, number);
	char *const argv[] = {"ward-sink", SABOTEUR_OPTION, (char *)what, (char *)db, digits, NULL};
	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	int error = spawn(argv, ends[1], ret_pid);
	close(ends[1]);
	if (error)
		close(ends[0]);
	else
		*ret_pipe = ends[0];
	return error;
}

void saboteur_wait(pid_t pid)
{
	waitpid(pid, NULL, 0);
}

void saboteur_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	saboteur_wait(pid);
}
