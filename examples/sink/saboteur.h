/* SPDX-License-Identifier: MIT
 *
 * saboteur.h - faults that only another process can make: the same program, started for that.
 *
 * It must be another process: closing a file of the database would drop the locks that SQLite
 * holds on it in the same one.
 */
#ifndef SINK_SABOTEUR_H
#define SINK_SABOTEUR_H

#define SABOTEUR_OPTION "--saboteur"

/*
 * The main() of the saboteur; gives its exit status. Arguments after the option:
 *
 *	lock DB MS      takes the write lock, says so, holds it for MS milliseconds
 *	main DB SEED    overwrites bytes in pages of the main file
 *	wal DB SEED     overwrites bytes in frames of the write-ahead log; never the shared memory,
 *	                which is mapped by those who use it
 */
int saboteur_main(int argc, char **argv);

#endif
