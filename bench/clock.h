/* SPDX-License-Identifier: MIT
 *
 * clock.h - the time that a benchmark takes, on a machine that has other things to do.
 *
 * With BENCH_ALONE in the environment a span of time on one thread is less what the thread has
 * waited for a processor, ready to run, while another process had it. So a row of one
 * thread comes out nearly the same while somebody compiles. Sleeping counts as ever.
 */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline int64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Processor time of all threads of the process. */
static inline int64_t clock_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* How long the calling thread has waited for a processor in its life; 0 where nobody says. */
static inline int64_t clock_waited_ns(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "re");
	long long ran = 0, waited = 0;

	if (file == NULL)
		return 0;
	if (fscanf(file, "%lld %lld", &ran, &waited) != 2)
		waited = 0;
	fclose(file);
	return waited;
}

/* For spans that begin and end on one thread. A few microseconds each. What was read while the
 * thread waited does not belong together, and is read again. */
static inline int64_t clock_span_ns(void)
{
	int64_t waited, now;

	if (getenv("BENCH_ALONE") == NULL)
		return clock_now_ns();
	do {
		waited = clock_waited_ns();
		now = clock_now_ns();
	} while (clock_waited_ns() != waited);
	return now - waited;
}

#endif
