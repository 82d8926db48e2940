/* SPDX-License-Identifier: MIT
 *
 * spin.h - a lock of one byte for a few instructions; after some tries it yields the processor.
 *
 * [L1] take: acquire  pairs with  [L1] drop: release: the next holder sees the writes of the last.
 */
#ifndef WARDI_SPIN_H
#define WARDI_SPIN_H

#include <sched.h>
#include <stdatomic.h>

#include "base/lock.h"

static inline void wardi_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield");
#endif
}

struct wardi_spin {
	_Atomic unsigned char taken;
};

/* wardi_spin_take(), when the lock is taken. */
static __attribute__((noinline, cold, unused)) void wardi_spin_wait(struct wardi_spin *spin)
{
	int tries = 0;

	do {
		if (tries++ < 64)
			wardi_pause();
		else
			sched_yield();
	} while (atomic_exchange_explicit(&spin->taken, 1, memory_order_acquire)); /* [L1] */
}

/* Called by the macros. */
static inline void wardi_spin_take_(struct wardi_spin *spin)
{
	unsigned char taken =
		atomic_exchange_explicit(&spin->taken, 1, memory_order_acquire); /* [L1] */

	if (__builtin_expect(taken != 0, 0))
		wardi_spin_wait(spin);
}

static inline void wardi_spin_drop_(struct wardi_spin *spin)
{
	atomic_store_explicit(&spin->taken, 0, memory_order_release); /* [L1] */
}

/* `which`: an enum wardi_lock; there is no room for it in the lock. */
#define wardi_spin_take(spin, which)                                                               \
	(wardi_lock_take(spin, which, WARDI_LOCK_PLACE), wardi_spin_take_(spin))
#define wardi_spin_drop(spin) (wardi_lock_drop(spin, WARDI_LOCK_PLACE), wardi_spin_drop_(spin))

#endif
