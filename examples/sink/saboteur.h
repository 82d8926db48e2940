/* SPDX-License-Identifier: MIT
 *
 * saboteur.h - faults that only another process can make: the same program, started for that.
 *
 * It must be another process: closing a file of the database would drop the locks that SQLite
 * holds on it in the same one.
 */
#ifndef SINK_SABOTEUR_H
#define SINK_SABOTEUR_H

#include <stdint.h>
#include <sys/types.h>

#define SABOTEUR_OPTION "--saboteur"

/*
 * The main() of the saboteur; returns its exit status. Arguments after the option:
 *
 *	lock DB MS      takes the write lock, says so, holds it for MS milliseconds
 *	main DB SEED    overwrites bytes in pages of the main file
 *	wal DB SEED     overwrites bytes in frames of the write-ahead log; never the shared memory,
 *	                which is mapped by those who use it
 */
int saboteur_main(int argc, char **argv);

/* ---- its start (saboteur_start.c) -------------------------------------------------------- */

/* Starts the saboteur: `what` and `number` are its arguments. Returns the pipe that it speaks into,
 * line by line; its end is the saboteur's. Returns 0, or an error number. */
int saboteur_start(const char *what, const char *db, uint64_t number, pid_t *ret_pid,
		   int *ret_pipe);
/* Waits until it has ended. */
void saboteur_wait(pid_t pid);
/* The same, but does not let it finish. */
void saboteur_kill(pid_t pid);

#endif
