/* SPDX-License-Identifier: MIT
 *
 * jobs.h - several processes of a program at a time, each with seeds of its own.
 */
#ifndef WARD_SIM_JOBS_H
#define WARD_SIM_JOBS_H

#include <sys/types.h>

#include "ward-sim/report.h"

/* A process. */
struct job {
	pid_t pid; /* 0: none */
	int from;  /* the end of the pipe that it writes to */
	int pidfd; /* readable when it has ended, whoever has the pipe open still */
	uint64_t first;
	uint64_t seeds;
	struct output output;
	int status; /* when it has ended */
};

struct jobs {
	char **program; /* with its arguments, ended by NULL */
	struct job *all;
	unsigned count; /* how many run at a time at most */
	unsigned running;
};

void jobs_init(struct jobs *jobs, char **program, unsigned count);
/* Ends those that still run, at once. */
void jobs_finish(struct jobs *jobs);
/* The same with those whose seeds are behind that one. */
void jobs_end_behind(struct jobs *jobs, uint64_t seed);

/* Starts a process with those seeds; there must be a free place. Returns an errno, 0: it runs. */
int jobs_start(struct jobs *jobs, uint64_t first, uint64_t count);
/* Waits until one of them has ended. Its output is the caller's to finish. */
struct job *jobs_wait(struct jobs *jobs);

#endif
