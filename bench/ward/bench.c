/* SPDX-License-Identifier: MIT
 *
 * bench.c - what the benchmarks of ward share.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "../clock.h"

int64_t bench_now_ns(void)
{
	return clock_now_ns();
}

int64_t bench_begin_ns(ward_self *self)
{
	return bench_load_of(self)->workers == 1 ? clock_span_ns() : clock_now_ns();
}

void bench_report(const char *name, double value, const char *unit)
{
	printf("%s\t%.3f\t%s\n", name, value, unit);
}

void bench_report_since(ward_self *self, const char *name, int64_t begin_ns, int64_t operations,
			const char *unit)
{
	bench_report(name, (double)(bench_begin_ns(self) - begin_ns) / (double)operations, unit);
}

void bench_must(ward_err err)
{
	if (err == WARD_OK)
		return;
	fprintf(stderr, "ward-bench: %s: %s\n", ward_err_text(err), ward_err_detail());
	exit(1);
}
