/* SPDX-License-Identifier: MIT
 *
 * pace.h - whether a benchmark had its core to itself.
 *
 * On a shared host the other half of a core may belong to somebody else, whom nobody here can see.
 * While that one computes, instructions that do not wait for each other take about twice as long
 * (0.41 ns and 0.86 for ten), a locked operation a quarter longer (4.8 ns and 6.2). So it changes
 * ratios, too. With
 * BENCH_PACE in the environment a program therefore prints one figure more, `pace`: what ten such
 * instructions took just before the span that it measures, or just after it, whichever was more.
 */
#ifndef BENCH_PACE_H
#define BENCH_PACE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

enum { PACE_ROUNDS = 200 * 1000 };

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

/* On the thread that is measured, right before the span and right behind it: the slowest so far
 * is kept in *worst. */
static inline void pace_look(double *worst)
{
	double now;

	if (getenv("BENCH_PACE") == NULL)
		return;
	now = pace_probe();
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
