/* SPDX-License-Identifier: MIT
 *
 * biased_lock.h - a lock that leans to one thread: its owner takes it with two plain stores and a
 * load; others, the guests, pay for that. How and why is in biased_lock.c.
 */
#ifndef WARDI_BIASED_LOCK_H
#define WARDI_BIASED_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero: free, and the same for all (a spin lock). */
struct wardi_biased_lock {
	bool leans; /* frozen */
	/* the owner's */
	_Atomic uint32_t busy;
	/* the guests' */
	_Atomic uint32_t want;   /* the claim of the one whose turn it is, or WARDI_NO_CLAIM */
	_Atomic uint32_t claims; /* so far */
	/* the owner's */
	_Atomic uint32_t ack; /* the last claim that it saw, while it was outside */
	/* where it does not lean: whoever is inside set it */
	_Atomic uint32_t taken;
};

/* Not 0: as no claim is ever withdrawn from one that does not lean, the owner of one finds out by
 * what it looks at anyway. */
enum { WARDI_NO_CLAIM = 1 };

/* Whether locks can lean in this process: whether the kernel has what guests need for it. */
bool wardi_biased_lock_possible(void);

/* From now on it leans to the caller, who alone knows of it yet. */
void wardi_biased_lock_lean(struct wardi_biased_lock *bias);

/* By the owner. False: it is not inside, since a guest wants to be, or the lock does not lean; then
 * wardi_biased_lock_enter() waits for it. True: left by wardi_biased_lock_leave_at_once(). */
static inline bool wardi_biased_lock_enter_at_once(struct wardi_biased_lock *bias)
{
	/* Relaxed, then a fence for the compiler alone: the processor may load first, which is
	 * what the guest's membarrier is about [B2]. Acquire: [B3]. */
	atomic_store_explicit(&bias->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	return __builtin_expect(
		atomic_load_explicit(&bias->want, memory_order_acquire) == WARDI_NO_CLAIM, 1);
}

static inline void wardi_biased_lock_leave_at_once(struct wardi_biased_lock *bias)
{
	atomic_store_explicit(&bias->busy, 0, memory_order_release); /* [B1] */
}

/* By the owner. */
void wardi_biased_lock_enter(struct wardi_biased_lock *bias);
void wardi_biased_lock_leave(struct wardi_biased_lock *bias);

/* By a guest. False: another guest has it, or is about to; come again. */
bool wardi_biased_lock_visit(struct wardi_biased_lock *bias);
void wardi_biased_lock_depart(struct wardi_biased_lock *bias);

#endif
