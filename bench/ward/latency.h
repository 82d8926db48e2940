/* SPDX-License-Identifier: MIT
 *
 * latency.h - how long each of many things took: half of them, 99 and 99.9 of a hundred.
 */
#ifndef BENCH_LATENCY_H
#define BENCH_LATENCY_H

#include <stdint.h>

/* Sorts them, and prints NAME_p50, NAME_p99 and NAME_p99.9 in this unit. */
void latency_report(const char *name, int64_t *ns, int64_t n, const char *unit);

#endif
