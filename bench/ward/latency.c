/* SPDX-License-Identifier: MIT
 *
 * latency.c - how long each of many things took.
 */
#include "latency.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void latency_report(const char *name, int64_t *ns, int64_t n, const char *unit)
{
	static const struct {
		const char *name;
		double part;
	} parts[] = {{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}};
	double scale = strcmp(unit, "us") == 0 ? 1e3 : 1;
	char full[64];

	qsort(ns, (size_t)n, sizeof(*ns), compare);
	for (int i = 0; i < 3; i++) {
		snprintf(full, sizeof(full), "%s_%s", name, parts[i].name);
		bench_report(full, (double)ns[(int64_t)((double)(n - 1) * parts[i].part)] / scale,
			     unit);
	}
}
