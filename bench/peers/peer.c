/* SPDX-License-Identifier: MIT
 *
 * peer.c - what the peers written in C share.
 */
#include "peer.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../clock.h"
#include "../echo/echo.h"

int64_t peer_main_ns;

int peer_main(int argc, char **argv, const struct peer_row *rows, const char *version)
{
	int64_t n = argc > 3 ? strtoll(argv[3], NULL, 10) : 0;
	const char *name = argc > 1 ? argv[1] : "";

	peer_main_ns = clock_now_ns();
	if (strcmp(name, "--version") == 0) {
		puts(version);
		return 0;
	}
	if (strcmp(name, "--list") == 0) {
		for (const struct peer_row *row = rows; row->name != NULL; row++)
			printf("%s\t%" PRId64 "\n", row->name, row->n);
		return 0;
	}
	for (const struct peer_row *row = rows; row->name != NULL; row++)
		if (strcmp(name, row->name) == 0) {
			row->run(row, n > 0 ? n : row->n);
			return 0;
		}
	fprintf(stderr, "usage: %s NAME [WORKERS [N]] | --list | --version\n", argv[0]);
	return 2;
}

void peer_report(const char *name, double value, const char *unit)
{
	printf("%s\t%.3f\t%s\n", name, value, unit);
}

void peer_must(int done, const char *what)
{
	if (done >= 0)
		return;
	fprintf(stderr, "%s: failed\n", what);
	exit(1);
}

static void keep_processors_busy(void)
{
	for (long i = sysconf(_SC_NPROCESSORS_ONLN); i > 0; i--) {
		pid_t child = fork();

		peer_must(child, "fork");
		if (child == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				atomic_signal_fence(memory_order_seq_cst);
		}
	}
}

static void *run_client(void *run)
{
	echo_client(run);
	fflush(stdout);
	_Exit(0);
}

void peer_echo_client(const struct peer_row *row, uint16_t port, int64_t n)
{
	static struct echo_run run;
	pthread_t thread;

	run = (struct echo_run){.name = row->name,
				.port = port,
				.connections = row->variant != 0 ? row->variant : (int)n,
				.ms = row->variant != 0 ? n : 0,
				.workers = 1,
				.tls = row->tls};
	if (row->busy)
		keep_processors_busy();
	peer_must(-pthread_create(&thread, NULL, run_client, &run), "pthread_create");
}
