/* SPDX-License-Identifier: MIT
 *
 * echo.h - what the echo servers written in C share: the socket, and the run of their client.
 */
#ifndef BENCH_ECHO_H
#define BENCH_ECHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a message. */
enum { ECHO_BYTES = 64 };

struct echo_run {
	const char *name; /* of its figures */
	uint16_t port;
	int connections;
	int64_t ms;       /* 0: it measures the memory of connections that are idle */
	uint32_t workers; /* of the server */
	bool tls;         /* the client is tls-client, which measures memory only */
	/* Called when the measured span begins, and when it has ended; NULL: not called. */
	void (*begin)(void *arg);
	void (*end)(void *arg);
	void *arg;
	double us; /* set: the span divided by the messages */
};

/* Lets the process have as many descriptors as the system allows. Exits if these are too few for so
 * many connections. */
void echo_allow_files(int64_t count);

/* Returns a socket on loopback that listens and does not block; sets the port. Allows all files. */
int echo_listen(uint16_t *port);

/* Returns the next client's socket, which neither blocks nor delays; -1: there is none. */
int echo_accept(int listening);

/* The path of a file, from the folder of this program. */
void echo_beside(const char *file, char *ret_path, size_t size);

/* Runs the client to its end, and prints its figures. Exits if it fails. */
void echo_client(struct echo_run *run);

#endif
