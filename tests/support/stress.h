/* SPDX-License-Identifier: MIT
 *
 * stress.h - loads on real threads, at two sizes.
 *
 *	ward_kit *kit = stress_start(&(ward_kit_options){.system.workers = 2});
 *	... stress_size(200000, 10000000) ...
 *	ward_kit_finish(kit);
 *
 * WARD_STRESS=full asks for the full sizes, and gives each case ten minutes instead of one.
 */
#ifndef SUPPORT_STRESS_H
#define SUPPORT_STRESS_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include <ward/testkit.h>
#include <ward/ward.h>

/* Sanitizers keep what is freed, and are slow: some figures mean nothing under them. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STRESS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STRESS_SANITIZED 1
#endif
#endif
#ifndef STRESS_SANITIZED
#define STRESS_SANITIZED 0
#endif

/* A kit on threads, at the size of a load: memory from slabs, no record of events. Each case
 * that runs in full has ten minutes. */
ward_kit *stress_start(const ward_kit_options *options);

bool stress_is_full(void);
/* The one of the two sizes that this run is for. */
uint64_t stress_size(uint64_t small, uint64_t full);
/* Resident memory of the process, in bytes. */
uint64_t stress_rss(void);
int64_t stress_now_ns(void);

/* How long a test waits for what must come: a little less than its case may take. */
int64_t stress_patience_ns(void);

/* Waits until it holds; else fails the case, with the condition. */
#define STRESS_UNTIL(kit, condition)                                                               \
	do {                                                                                       \
		int64_t until_ns_ = stress_now_ns() + stress_patience_ns();                        \
		while (!(condition)) {                                                             \
			if (stress_now_ns() > until_ns_)                                           \
				ward_test_fail(__FILE__, __LINE__, "did not come about: %s",       \
					       #condition);                                        \
			ward_kit_advance((kit), 1);                                                \
		}                                                                                  \
	} while (0)

/* Statistics of a test: relaxed, since threads are joined before they are compared. */
static inline uint64_t stress_add(_Atomic uint64_t *counter, uint64_t more)
{
	return atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

static inline uint64_t stress_get(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

/* A small generator for a thread outside. */
static inline uint64_t stress_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

pthread_t stress_thread(void *(*main)(void *arg), void *arg);
void stress_join(pthread_t thread);

/* STRESS_WORKERS(many, "S1"): the cases many_1_worker, many_2_workers and many_8_workers, each
 * many(workers); after the name come the clauses. */
#define STRESS_WORKERS(run_, ...)                                                                  \
	WARD_TEST(run_##_1_worker, __VA_ARGS__)                                                    \
	{                                                                                          \
		run_(1);                                                                           \
	}                                                                                          \
	WARD_TEST(run_##_2_workers, __VA_ARGS__)                                                   \
	{                                                                                          \
		run_(2);                                                                           \
	}                                                                                          \
	WARD_TEST(run_##_8_workers, __VA_ARGS__)                                                   \
	{                                                                                          \
		run_(8);                                                                           \
	}

#endif
