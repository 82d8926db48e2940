/* SPDX-License-Identifier: MIT
 *
 * bench.c - what the benchmarks of ward share.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "../pace.h"

int64_t bench_now_ns(void)
{
	return clock_now_ns();
}

/* Written where a benchmark takes the time, on one worker; read when all is over. */
static double pace;

static int64_t span_ns(const struct bench_load *load)
{
	return load->workers == 1 ? clock_span_ns() : clock_now_ns();
}

static void look_at_pace(const struct bench_load *load)
{
	if (load->workers == 1)
		pace_look(&pace);
}

int64_t bench_begin_ns(ward_self *self)
{
	const struct bench_load *load = bench_load_of(self);

	look_at_pace(load);
	return span_ns(load);
}

void bench_report(const char *name, double value, const char *unit)
{
	printf("%s\t%.3f\t%s\n", name, value, unit);
}

void bench_report_since(ward_self *self, const char *name, int64_t begin_ns, int64_t operations,
			const char *unit)
{
	const struct bench_load *load = bench_load_of(self);
	int64_t end_ns = span_ns(load);

	look_at_pace(load);
	bench_report(name, (double)(end_ns - begin_ns) / (double)operations, unit);
}

void bench_report_pace(void)
{
	pace_report(pace);
}

void bench_must(ward_err err)
{
	if (err == WARD_OK)
		return;
	fprintf(stderr, "ward-bench: %s: %s\n", ward_err_text(err), ward_err_detail());
	exit(1);
}
