/* SPDX-License-Identifier: MIT
 *
 * peer.h - what the peers written in C share.
 *
 *	PEER NAME [WORKERS [N]]		prints a line for each figure: name, value, unit
 *	PEER --list			prints name, default N
 *	PEER --version
 *
 * Tabs between. They have one thread, whatever WORKERS says. What N counts is what it counts in
 * ward-bench.
 */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stdint.h>

struct peer_row {
	const char *name;
	void (*run)(const struct peer_row *row, int64_t n);
	int64_t n;
	int variant;
	bool busy; /* beside a process for each processor that never rests */
	bool tls;  /* its client speaks TLS */
};

/* When main() began. */
extern int64_t peer_main_ns;

/* The whole of main(); the table is ended by a NULL name. */
int peer_main(int argc, char **argv, const struct peer_row *rows, const char *version);

/* Prints a figure. */
void peer_report(const char *name, double value, const char *unit);

/* Runs the client of an echo server on a thread of its own, and then ends the process. The variant
 * of the row is the number of connections, and `n` the milliseconds; without a variant `n` is the
 * number of connections, whose memory is measured. In a busy row it starts the processes that never
 * rest first. */
void peer_echo_client(const struct peer_row *row, uint16_t port, int64_t n);

/* Ends the process with a text, unless `done` is 0 or more. */
void peer_must(int done, const char *what);

#endif
