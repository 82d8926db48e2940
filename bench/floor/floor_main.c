/* SPDX-License-Identifier: MIT
 *
 * floor_main.c - floor-32, floor-48, floor-64: the floor under a benchmark, run once.
 *
 *	floor-48 NAME [WORKERS [N]]	prints name, value, unit; tabs between
 *	floor-48 --list
 *
 * WORKERS is there for the sake of those who run benchmarks alike: the floor has one thread.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../pace.h"
#include "rows.h"

static const struct row {
	const char *name;
	floor_setup *setup;
	void (*run)(void);
	int64_t n;
	const char *unit;
} rows[] = {
	{"pingpong", pingpong, floor_run, 2000 * 1000, "ns/msg"},
	{"pingpong_saved", pingpong, floor_run_saved, 2000 * 1000, "ns/msg"},
	{"counting", counting, floor_run, 10 * 1000 * 1000, "ns/msg"},
	{"threadring", threadring, floor_run, 5 * 1000 * 1000, "ns/hop"},
	{"fjthroughput", fjthroughput, floor_run, 100 * 1000, "ns/msg"},
	{"fjcreate", fjcreate, floor_run, 1000 * 1000, "ns/actor"},
	{"big", big, floor_run, 20 * 1000, "ns/msg"},
	{"chameneos", chameneos, floor_run, 1000 * 1000, "ns/meeting"},
	{"mpsc", mpsc, floor_run, 10 * 1000 * 1000, "ns/msg"},
	{"spawn_die_notify", spawn_die_notify, floor_run, 1000 * 1000, "ns/cycle"},
	{"restart", restart, floor_run_saved, 2000 * 1000, "ns/restart"},
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static int64_t expected;
static int64_t ended_ns;

void rows_expect(int64_t n)
{
	expected = n;
}

void rows_done(void)
{
	if (--expected > 0)
		return;
	ended_ns = clock_span_ns();
	floor_stop();
}

static int measure(const struct row *row, int64_t n)
{
	int64_t operations = row->setup(n), begin_ns;
	double pace = 0;

	pace_look(&pace);
	begin_ns = clock_span_ns();
	row->run();
	pace_look(&pace);
	if (expected > 0) {
		fprintf(stderr, "%s: it stands still\n", row->name);
		return 1;
	}
	printf("%s\t%.3f\t%s\n", row->name, (double)(ended_ns - begin_ns) / (double)operations,
	       row->unit);
	pace_report(pace);
	return 0;
}

int main(int argc, char **argv)
{
	int64_t n = argc > 3 ? strtoll(argv[3], NULL, 10) : 0;

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (int i = 0; i < ROWS; i++)
			printf("%s\t%" PRId64 "\t%s\n", rows[i].name, rows[i].n, rows[i].unit);
		return 0;
	}
	for (int i = 0; i < ROWS; i++)
		if (argc > 1 && argc < 5 && strcmp(argv[1], rows[i].name) == 0)
			return measure(&rows[i], n > 0 ? n : rows[i].n);
	fprintf(stderr, "usage: %s NAME [WORKERS [N]] | --list\n", argv[0]);
	return 2;
}
