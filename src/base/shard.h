/* SPDX-License-Identifier: MIT
 *
 * shard.h - what threads outside share without waiting for each other.
 *
 * A system has a few shards, and each thread of the process always uses the same one, so threads
 * write no line in common, unless there are more of them than shards. The thread inside a shard has
 * its cache of blocks. Being inside is a visit as well (sched/grace.h): a step counts each entrance
 * and each exit, so one locked operation does for both.
 *
 * Pairs  [D1] step: RMW by a thread that enters - release by the one before it, which leaves
 *        [D2] step: RMW by a thread that enters - RMW by a thread that waits for visitors: the
 *             second of the two sees what the other did before
 */
#ifndef WARDI_SHARD_H
#define WARDI_SHARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/lock.h"
#include "base/pool.h"

/* 0: this thread has no shard yet. */
extern _Thread_local uint32_t wardi_shard_number __attribute__((tls_model("initial-exec")));
uint32_t wardi_shard_assign(void);

/* Returns this thread's shard of WARDI_SHARDS. */
static inline struct wardi_shard *wardi_shard_mine(struct wardi_shard *shards)
{
	uint32_t number = wardi_shard_number;

	if (__builtin_expect(number == 0, 0))
		number = wardi_shard_assign();
	return &shards[number - 1];
}

/* Returns with the odd step that is the caller's. */
void wardi_shard_wait(struct wardi_shard *shard);

/* Called by the macros. */
static inline void wardi_shard_enter_(struct wardi_shard *shard)
{
	/* Relaxed: the RMW finds out whether it was right. */
	uint32_t step = atomic_load_explicit(&shard->step, memory_order_relaxed);

	if (__builtin_expect(step % 2 != 0 || !atomic_compare_exchange_strong_explicit(
						      &shard->step, &step, step + 1,
						      memory_order_acquire, /* [D1] [D2] */
						      memory_order_relaxed),
			     0))
		wardi_shard_wait(shard);
}

static inline void wardi_shard_leave_(struct wardi_shard *shard)
{
	/* Relaxed: only the thread inside writes an odd step. */
	uint32_t step = atomic_load_explicit(&shard->step, memory_order_relaxed);

	atomic_store_explicit(&shard->step, step + 1, memory_order_release); /* [D1] */
}

/* A thread inside takes no lock of a lower rank, and does not enter another shard. */
#define wardi_shard_enter(shard)                                                                   \
	(wardi_lock_take(shard, WARDI_LOCK_SHARD, WARDI_LOCK_PLACE), wardi_shard_enter_(shard))
#define wardi_shard_leave(shard)                                                                   \
	(wardi_lock_drop(shard, WARDI_LOCK_PLACE), wardi_shard_leave_(shard))

/* Returns the step, for wardi_shard_was_left(). The caller has removed something that a thread
 * which enters later will not find. */
static inline uint32_t wardi_shard_look(struct wardi_shard *shard)
{
	return atomic_fetch_add_explicit(&shard->step, 0, memory_order_acq_rel); /* [D2] */
}

/* Whether nobody has been inside the whole time since the look that returned that step. */
static inline bool wardi_shard_was_left(struct wardi_shard *shard, uint32_t step)
{
	return step % 2 == 0 || wardi_shard_look(shard) != step;
}

#endif
