/* SPDX-License-Identifier: MIT
 *
 * bench.h - what the benchmarks of ward share.
 *
 * Each is written as a program of actors that anybody could write: public headers, all defaults, no
 * knowledge of what is cheap. It runs once in a process of its own. Most are one actor at the top,
 * which makes the others, takes the time, reports, and stops itself.
 */
#ifndef BENCH_H
#define BENCH_H

#include <ward/ward.h>

struct bench;

/* What was asked for on the command line; the arguments of the actor at the top. */
struct bench_load {
	const struct bench *bench;
	int64_t n; /* what it counts is the benchmark's */
	uint32_t workers;
};
WARD_MESSAGE(bench_load);

struct bench {
	const char *name; /* also of its figure, if it has one */
	/* The actor at the top: it begins in pre_start, and stops itself when all is measured. */
	const ward_behavior *top;
	/* Instead of that, for what needs more than a top. Returns the exit status. */
	int (*run)(const struct bench_load *load);
	int64_t n;
	int64_t variant; /* for rows that differ in one thing */
	const char *what;
};

/* The tables, each ended by a NULL name. */
extern const struct bench talk_benches[], chameneos_benches[], stream_benches[], life_benches[],
	restart_benches[], tree_benches[], watch_benches[], ask_benches[], memory_benches[],
	shape_benches[], timer_benches[], selection_benches[], idle_benches[], share_benches[],
	arming_benches[], body_benches[], echo_benches[], firing_benches[], late_benches[],
	outside_benches[], start_benches[], lives_benches[], lines_benches[], tls_benches[],
	codec_benches[], neighbour_benches[];

/* When main() began. */
extern int64_t bench_main_ns;

/* Monotonic time. */
int64_t bench_now_ns(void);

/* Prints a figure. */
void bench_report(const char *name, double value, const char *unit);

/* For the actor at the top: a span of time, from here to bench_report_since(), which prints it
 * divided by the number of operations. */
int64_t bench_begin_ns(ward_self *self);
void bench_report_since(ward_self *self, const char *name, int64_t begin_ns, int64_t operations,
			const char *unit);

/* When all is over: prints the pace (bench/pace.h) where spans were taken on one worker. */
void bench_report_pace(void);

/* Ends the process with ward's own words, unless it is WARD_OK. */
void bench_must(ward_err err);

/* The load, for the actor at the top. */
static inline const struct bench_load *bench_load_of(ward_self *self)
{
	return ward_args(self);
}

#endif
