/* SPDX-License-Identifier: MIT
 *
 * shard.c - which shard a thread uses, and how it waits for another that uses the same.
 *
 * Threads are numbered as they come, whatever system they call first; so the first WARDI_SHARDS
 * threads of a process share with nobody.
 */
#include "base/shard.h"

#include <sched.h>

#include "base/spin.h"

enum { PAUSES = 64 };

_Thread_local uint32_t wardi_shard_number;

uint32_t wardi_shard_assign(void)
{
	static _Atomic uint32_t threads;

	/* Relaxed: the numbers need only differ. */
	wardi_shard_number =
		1 + atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % WARDI_SHARDS;
	return wardi_shard_number;
}

void wardi_shard_wait(struct wardi_shard *shard)
{
	for (int tries = 0;; tries++) {
		uint32_t step = atomic_load_explicit(&shard->step, memory_order_relaxed);

		if (step % 2 == 0 &&
		    atomic_compare_exchange_weak_explicit(&shard->step, &step, step + 1,
							  memory_order_acquire, /* [D1] [D2] */
							  memory_order_relaxed))
			return;
		if (tries < PAUSES)
			wardi_pause();
		else
			sched_yield();
	}
}
