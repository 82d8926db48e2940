/* SPDX-License-Identifier: MIT
 *
 * real.h - a system with real threads for a test, on an allocator that counts, at two sizes.
 *
 *	struct real real;
 *	real_start(&real, &(ward_options){.workers = 2});
 *	... real_size(200000, 10000000) ...
 *	real_finish(&real);
 *
 * WARD_STRESS=full asks for the full sizes, and gives each case ten minutes instead of one.
 */
#ifndef KIT_REAL_H
#define KIT_REAL_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include <ward/testkit.h>
#include <ward/ward.h>

/* Sanitizers keep what is freed, and are slow: some figures mean nothing under them. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REAL_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define REAL_SANITIZED 1
#endif
#endif
#ifndef REAL_SANITIZED
#define REAL_SANITIZED 0
#endif

struct real {
	ward_system *system;
	ward_allocator allocator;
	size_t fds; /* that the process had open before */
	/* any thread */
	_Atomic uint64_t bytes, blocks;
	_Atomic uint64_t allocations;
	uint64_t fail_at; /* frozen; this allocation, counted from 1, finds no memory; 0: none */
};

/* Creates the system; the allocator of the options is replaced by the counting one. */
void real_start(struct real *real, const ward_options *options);
/* The same, for a creation that may be refused; fail_at is set by the caller, all else is not. */
ward_err real_try_start(struct real *real, const ward_options *options);
/* Destroys the system and checks that nothing is left: bytes, blocks, descriptors. */
void real_finish(struct real *real);
/* The check alone, after a destroy or a creation that was refused. */
void real_check_nothing_left(const struct real *real);

bool real_is_full(void);
/* The one of the two sizes that this run is for. */
uint64_t real_size(uint64_t small, uint64_t full);
/* Resident memory of the process, in bytes. */
uint64_t real_rss(void);
/* Descriptors that the process has open. */
size_t real_fds(void);
ward_stats real_stats(const struct real *real);
int64_t real_now_ns(void);
/* Lets others work: between two looks at what must come, or in a handler that is to take long. */
void real_rest_us(long us);

/* How long a test waits for what must come: a little less than its case may take. */
int64_t real_patience_ns(void);

/* Waits until it holds; else fails the case, with the condition. */
#define REAL_UNTIL(condition)                                                                      \
	do {                                                                                       \
		int64_t until_ns_ = real_now_ns() + real_patience_ns();                            \
		while (!(condition)) {                                                             \
			if (real_now_ns() > until_ns_)                                             \
				ward_test_fail(__FILE__, __LINE__, "did not come about: %s",       \
					       #condition);                                        \
			real_rest_us(200);                                                         \
		}                                                                                  \
	} while (0)

/* Statistics of a test: relaxed, since threads are joined before they are compared. */
static inline uint64_t real_add(_Atomic uint64_t *counter, uint64_t more)
{
	return atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

static inline uint64_t real_get(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

/* A small generator for a thread outside. */
static inline uint64_t real_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

pthread_t real_thread(void *(*main)(void *arg), void *arg);
void real_join(pthread_t thread);

/* REAL_WORKERS(many, "S1"): the cases many_1_worker, many_2_workers and many_8_workers, each
 * many(workers); after the name come the clauses. */
#define REAL_WORKERS(run_, ...)                                                                    \
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
