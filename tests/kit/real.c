/* SPDX-License-Identifier: MIT
 *
 * real.c - a system with real threads for a test, on an allocator that counts.
 *
 * Each block has its size in front, so that a free with another size than was asked for is found,
 * and so is one of a block that was freed before.
 */
#include "kit/real.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER = 16, FULL_TIMEOUT_S = 600 };

static const uint64_t freed = UINT64_C(0xdeadbeefdeadbeef);

static void *count_alloc(void *arg, size_t size)
{
	struct real *real = arg;
	unsigned char *block;

	if (real_add(&real->allocations, 1) + 1 == real->fail_at)
		return NULL;
	block = malloc(HEADER + size);
	if (block == NULL)
		return NULL;
	memcpy(block, &size, sizeof size);
	real_add(&real->bytes, size);
	real_add(&real->blocks, 1);
	return block + HEADER;
}

static void count_free(void *arg, void *block, size_t size)
{
	struct real *real = arg;
	unsigned char *start = (unsigned char *)block - HEADER;
	uint64_t was;

	memcpy(&was, start, sizeof was);
	ward_assert_eq(was, size);
	memcpy(start, &freed, sizeof freed);
	real_add(&real->bytes, -(uint64_t)size);
	real_add(&real->blocks, -(uint64_t)1);
	free(start);
}

ward_err real_try_start(struct real *real, const ward_options *options)
{
	ward_options with = *options;
	uint64_t fail_at = real->fail_at;

	memset(real, 0, sizeof *real);
	real->fail_at = fail_at;
	real->fds = real_fds();
	real->allocator = (ward_allocator){count_alloc, count_free, real};
	with.allocator = &real->allocator;
	return ward_system_create(&with, &real->system);
}

void real_start(struct real *real, const ward_options *options)
{
	if (real_is_full())
		ward_test_allow_s(FULL_TIMEOUT_S);
	real->fail_at = 0;
	ward_assert_ok(real_try_start(real, options));
}

void real_check_nothing_left(const struct real *real)
{
	ward_assert_eq(real_get(&real->blocks), 0);
	ward_assert_eq(real_get(&real->bytes), 0);
	ward_assert_eq(real_fds(), real->fds);
}

void real_finish(struct real *real)
{
	ward_assert_ok(ward_system_destroy(real->system, WARD_MINUTE));
	real_check_nothing_left(real);
}

int64_t real_patience_ns(void)
{
	return INT64_C(1000000000) * (real_is_full() ? FULL_TIMEOUT_S - 20 : 50);
}

bool real_is_full(void)
{
	const char *size = getenv("WARD_STRESS");

	return size != NULL && strcmp(size, "full") == 0;
}

uint64_t real_size(uint64_t small, uint64_t full)
{
	return real_is_full() ? full : small;
}

uint64_t real_rss(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long long total, resident;

	ward_assert(file != NULL);
	ward_assert_eq(fscanf(file, "%llu %llu", &total, &resident), 2);
	fclose(file);
	return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

size_t real_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t count = 0;

	ward_assert(dir != NULL);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

ward_stats real_stats(const struct real *real)
{
	ward_stats stats;

	ward_system_stats(real->system, &stats);
	return stats;
}

int64_t real_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void real_rest_us(long us)
{
	/* Real threads have no virtual time; nothing that is checked depends on how long it is. */
	nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

pthread_t real_thread(void *(*main)(void *arg), void *arg)
{
	pthread_t thread;

	ward_assert_eq(pthread_create(&thread, NULL, main, arg), 0);
	return thread;
}

void real_join(pthread_t thread)
{
	ward_assert_eq(pthread_join(thread, NULL), 0);
}
