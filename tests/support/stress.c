/* SPDX-License-Identifier: MIT
 *
 * stress.c - loads on real threads, at two sizes.
 */
#include "support/stress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_S = 50, FULL_PATIENCE_S = 580, FULL_TIMEOUT_S = 600 };

ward_kit *stress_start(const ward_kit_options *options)
{
	ward_kit_options with = *options;

	if (stress_is_full())
		ward_test_allow_s(FULL_TIMEOUT_S);
	with.real_threads = true;
	with.pooled = true;
	with.keeps_no_events = true;
	with.patience_ms = stress_patience_ns() / 1000000;
	return ward_kit_start(&with);
}

int64_t stress_patience_ns(void)
{
	return INT64_C(1000000000) * (stress_is_full() ? FULL_PATIENCE_S : PATIENCE_S);
}

bool stress_is_full(void)
{
	const char *size = getenv("WARD_STRESS");

	return size != NULL && strcmp(size, "full") == 0;
}

uint64_t stress_size(uint64_t small, uint64_t full)
{
	return stress_is_full() ? full : small;
}

uint64_t stress_rss(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long long total, resident;

	ward_assert(file != NULL);
	ward_assert_eq(fscanf(file, "%llu %llu", &total, &resident), 2);
	fclose(file);
	return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

int64_t stress_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

pthread_t stress_thread(void *(*main)(void *arg), void *arg)
{
	pthread_t thread;

	ward_assert_eq(pthread_create(&thread, NULL, main, arg), 0);
	return thread;
}

void stress_join(pthread_t thread)
{
	ward_assert_eq(pthread_join(thread, NULL), 0);
}
