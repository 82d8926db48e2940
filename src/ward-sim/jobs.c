/* SPDX-License-Identifier: MIT
 *
 * jobs.c - starts processes, reads their output, and waits for their end.
 */
#include "ward-sim/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/say.h"

extern char **environ;

__attribute__((noreturn)) static void die(const char *what)
{
	wardi_say(stderr, "ward-sim: %s: %s", what, strerror(errno));
	exit(2);
}

void jobs_init(struct jobs *jobs, char **program, unsigned count)
{
	*jobs = (struct jobs){.program = program, .count = count};
	jobs->all = calloc(count, sizeof(*jobs->all));
	if (jobs->all == NULL)
		die("jobs");
}

static void reap(struct jobs *jobs, struct job *job)
{
	while (waitpid(job->pid, &job->status, 0) != job->pid)
		;
	close(job->from);
	close(job->pidfd);
	job->pid = 0;
	jobs->running--;
}

void jobs_end_behind(struct jobs *jobs, uint64_t seed)
{
	for (unsigned i = 0; i < jobs->count; i++) {
		if (jobs->all[i].pid == 0 || jobs->all[i].first <= seed)
			continue;
		/* The cases of a test runner, and their simulations, end with it. */
		kill(jobs->all[i].pid, SIGKILL);
		reap(jobs, &jobs->all[i]);
		output_finish(&jobs->all[i].output);
	}
}

void jobs_finish(struct jobs *jobs)
{
	jobs_end_behind(jobs, 0);
	free(jobs->all);
}

/* Returns an errno. */
static int spawn(struct job *job, char **program, int to)
{
	posix_spawn_file_actions_t actions;
	int err = posix_spawn_file_actions_init(&actions);

	if (err != 0)
		return err;
	err = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (err == 0)
		err = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
	if (err == 0)
		err = posix_spawn_file_actions_adddup2(&actions, to, STDERR_FILENO);
	if (err == 0)
		err = posix_spawnp(&job->pid, program[0], &actions, NULL, program, environ);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

int jobs_start(struct jobs *jobs, uint64_t first, uint64_t count)
{
	struct job *job = jobs->all;
	char seeds[64];
	int ends[2];

	while (job->pid != 0)
		job++;
	snprintf(seeds, sizeof(seeds), "%" PRIu64 ":%" PRIu64, first, count);
	if (setenv("WARD_SEEDS", seeds, 1) != 0 || pipe2(ends, O_CLOEXEC) != 0)
		die("a process");
	*job = (struct job){.from = ends[0], .first = first, .seeds = count};
	int err = spawn(job, jobs->program, ends[1]);
	close(ends[1]);
	if (err != 0) {
		job->pid = 0;
		close(ends[0]);
		return err;
	}
	/* By number: the C library has the call since 2.36 only. */
	job->pidfd = (int)syscall(SYS_pidfd_open, job->pid, 0);
	if (job->pidfd < 0)
		die("a process");
	jobs->running++;
	return 0;
}

/* Reads the output that is there. True: that was the last. */
static bool drain(struct job *job)
{
	char bytes[64 * 1024];
	ssize_t count = read(job->from, bytes, sizeof(bytes));

	if (count > 0)
		output_add(&job->output, bytes, (size_t)count);
	return count == 0 || (count < 0 && errno != EINTR);
}

/* Waits until a process has printed something, or has ended. */
static void wait_for_any(const struct jobs *jobs, struct pollfd *ready)
{
	for (unsigned i = 0; i < jobs->count; i++) {
		const struct job *job = &jobs->all[i];
		bool runs = job->pid != 0;
		ready[2 * i] = (struct pollfd){runs ? job->from : -1, POLLIN, 0};
		ready[2 * i + 1] = (struct pollfd){runs ? job->pidfd : -1, POLLIN, 0};
	}
	while (poll(ready, 2 * jobs->count, -1) < 0)
		if (errno != EINTR)
			die("the wait for a process");
}

struct job *jobs_wait(struct jobs *jobs)
{
	struct pollfd *ready = calloc(2 * (size_t)jobs->count, sizeof(*ready));
	struct job *ended = NULL;

	if (ready == NULL)
		die("jobs");
	while (ended == NULL) {
		wait_for_any(jobs, ready);
		for (unsigned i = 0; i < jobs->count && ended == NULL; i++) {
			/* Output first. */
			if (ready[2 * i].revents != 0 ? drain(&jobs->all[i])
						      : ready[2 * i + 1].revents != 0)
				ended = &jobs->all[i];
		}
	}
	free(ready);
	reap(jobs, ended);
	return ended;
}
