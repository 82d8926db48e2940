/* SPDX-License-Identifier: MIT
 *
 * bench.c - what the benchmarks of ward share.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int64_t bench_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void bench_report(const char *name, double value, const char *unit)
{
	printf("%s\t%.3f\t%s\n", name, value, unit);
}

void bench_report_since(const char *name, int64_t begin_ns, int64_t operations, const char *unit)
{
	bench_report(name, (double)(bench_now_ns() - begin_ns) / (double)operations, unit);
}

void bench_must(ward_err err)
{
	if (err == WARD_OK)
		return;
	fprintf(stderr, "ward-bench: %s: %s\n", ward_err_text(err), ward_err_detail());
	exit(1);
}
