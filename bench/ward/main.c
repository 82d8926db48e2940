/* SPDX-License-Identifier: MIT
 *
 * main.c - ward-bench: one benchmark of ward, run once.
 *
 *	ward-bench NAME [WORKERS [N]]	prints a line for each figure: name, value, unit
 *	ward-bench --list		prints name, default N, what it is
 *
 * Tabs between. WORKERS is 1 by default; the list says what N counts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const struct bench *const tables[] = {
	talk_benches,  chameneos_benches, stream_benches, life_benches,   restart_benches,
	tree_benches,  watch_benches,     ask_benches,    memory_benches, shape_benches,
	timer_benches, selection_benches, idle_benches,   share_benches,  arming_benches,
	body_benches,  echo_benches,      firing_benches, late_benches,   outside_benches,
	start_benches, lives_benches,     lines_benches,  codec_benches,  neighbour_benches,
#ifdef BENCH_TLS
	tls_benches,
#endif
};
enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

int64_t bench_main_ns;

static void list(void)
{
	for (int t = 0; t < TABLES; t++)
		for (const struct bench *b = tables[t]; b->name != NULL; b++)
			printf("%s\t%" PRId64 "\t%s\n", b->name, b->n, b->what);
}

static const struct bench *find(const char *name)
{
	for (int t = 0; t < TABLES; t++)
		for (const struct bench *b = tables[t]; b->name != NULL; b++)
			if (strcmp(b->name, name) == 0)
				return b;
	return NULL;
}

/* A number above 0; `none` where it is not given. -1: it is no such number. */
static int64_t number(const char *text, int64_t none)
{
	char *end;
	long long value;

	if (text == NULL)
		return none;
	value = strtoll(text, &end, 10);
	return *end == '\0' && value > 0 ? value : -1;
}

/* A system with the benchmark's actor at its top, until that stops itself. */
static int run_top(const struct bench_load *load)
{
	int status = ward_run(WARD_PROPS(load->bench->top, .args = {WARD_COPY(bench_load, load)}),
			      &(ward_options){.name = "bench",
					      .workers = load->workers,
					      .user_strategy = &ward_stopping_strategy,
					      .log_kinds = WARD_EVENT_NONE,
					      .signals = WARD_SIGNALS_OFF});

	if (status == 2)
		fprintf(stderr, "ward-bench: %s\n", ward_err_detail());
	bench_report_pace();
	return status;
}

int main(int argc, char **argv)
{
	const struct bench *bench;
	struct bench_load load;
	int64_t workers;

	bench_main_ns = bench_now_ns();
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		list();
		return 0;
	}
	bench = argc >= 2 && argc <= 4 ? find(argv[1]) : NULL;
	if (bench == NULL) {
		fprintf(stderr, "usage: ward-bench NAME [WORKERS [N]] | --list\n");
		return 2;
	}
	workers = number(argc > 2 ? argv[2] : NULL, 1);
	load.bench = bench;
	load.n = number(argc > 3 ? argv[3] : NULL, bench->n);
	if (workers < 0 || workers > 1024 || load.n < 0) {
		fprintf(stderr, "ward-bench: WORKERS and N are numbers above 0\n");
		return 2;
	}
	load.workers = (uint32_t)workers;
	return bench->run ? bench->run(&load) : run_top(&load);
}
