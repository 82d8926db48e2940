/* SPDX-License-Identifier: MIT
 *
 * jobs.h - runs several processes of a program at a time, each with its own seeds.
 */
#ifndef WARD_SIM_JOBS_H
#define WARD_SIM_JOBS_H

#include <sys/types.h>

#include "ward-sim/report.h"

/* A process that runs some of the seeds. */
struct job {
	pid_t pid; /* 0: none */
	int from;  /* the read end of the pipe that it writes to */
	int pidfd; /* readable once it has ended, even if another process still has the pipe open */
	uint64_t first;
	uint64_t seeds;
	struct output output;
	int status; /* once it has ended */
};

struct jobs {
	char **program; /* with its arguments, ended by NULL */
	struct job *all;
	unsigned count; /* maximum number of processes at a time */
	unsigned running;
};

void jobs_init(struct jobs *jobs, char **program, unsigned count);
/* Kills all processes. */
void jobs_finish(struct jobs *jobs);
/* Kills the processes whose seeds are above this one. */
void jobs_end_behind(struct jobs *jobs, uint64_t seed);

/* Starts a process with those seeds; there must be a free place. Returns 0 or an errno. */
int jobs_start(struct jobs *jobs, uint64_t first, uint64_t count);
/* Waits until a process has ended. The caller finishes its output. */
struct job *jobs_wait(struct jobs *jobs);

#endif
