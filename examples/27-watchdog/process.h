/* SPDX-License-Identifier: MIT
 *
 * process.h - an actor that stands for a process.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include <ward/ward.h>

/* A task of this phase asks the process to end. */
#define STOP_PROCESSES "stop-processes"

struct command {
	char **argv;
	int *ret_status; /* 0: the process has ended well, or was asked to end; 1: it has failed */
};
WARD_MESSAGE(command);

extern const ward_behavior process;

#endif
