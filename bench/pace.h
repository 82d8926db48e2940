/* SPDX-License-Identifier: MIT
 *
 * pace.h - whether a benchmark had its core to itself.
 *
 * On a shared host the other half of a core may belong to somebody else, whom nobody here can see.
 * While that one computes, instructions that do not wait for each other take about twice as long
 * (0.41 ns and 0.86 for ten), a locked operation a quarter longer (4.8 ns and 6.2). So it changes
 * ratios, too.
 *
 * With BENCH_PACE in the environment a program prints one figure more, `pace`: what ten such
 * instructions took just before the span that it measures, or just after it, whichever was more.
 * BENCH_PACE is a number of nanoseconds: until they take no more than that, or for PACE_WAIT_S, the
 * program waits before it begins.
 */
#ifndef BENCH_PACE_H
#define BENCH_PACE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

enum { PACE_ROUNDS = 200 * 1000, PACE_WAIT_S = 5 };

/* Nanoseconds of a round of ten instructions. Some 100 us. */
static inline double pace_probe(void)
{
	uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
	int64_t begin_ns = clock_now_ns();

	for (int i = 0; i < PACE_ROUNDS; i++) {
		a++, b++, c++, d++, e++, f++, g++, h++;
		/* The compiler knows nothing of them from one round to the next. */
		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
		__asm__ volatile("" : "+r"(e), "+r"(f), "+r"(g), "+r"(h));
	}
	return (double)(clock_now_ns() - begin_ns) / PACE_ROUNDS;
}

/* On the thread that is measured, where a span begins or ends: the slowest pace so far is kept in
 * *worst. The first look waits for a better one. */
static inline void pace_look(double *worst)
{
	const struct timespec pause = {.tv_nsec = 5 * 1000 * 1000};
	const char *limit = getenv("BENCH_PACE");
	int64_t begin_ns = clock_now_ns();
	double now;

	if (limit == NULL)
		return;
	now = pace_probe();
	while (*worst == 0 && now > strtod(limit, NULL) &&
	       clock_now_ns() - begin_ns < PACE_WAIT_S * INT64_C(1000000000)) {
		nanosleep(&pause, NULL);
		now = pace_probe();
	}
	if (now > *worst)
		*worst = now;
}

/* At the end: prints the figure, if anybody looked. */
static inline void pace_report(double worst)
{
	if (worst > 0)
		printf("pace\t%.3f\tns\n", worst);
}

#endif
