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
	/* the owner's */
	bool leans; /* as far as it knows */
	_Atomic uint32_t busy;
	/* the guests' */
	/* The claim of the one whose turn it is, or one of the two below. */
	_Atomic uint32_t want;
	_Atomic uint32_t claims; /* so far */
	/* the owner's */
	_Atomic uint32_t ack; /* what it last found in `want`, while it was outside */
	/* where it does not lean: set by the thread inside */
	_Atomic uint32_t taken;
};

/* No claims. Upright: it does not lean. No claim would be a good zero, too; but so the owner finds
 * out by what it looks at anyway. */
enum { WARDI_UPRIGHT = 0, WARDI_NO_CLAIM = 1 };

/* Whether locks can lean in this process: whether the kernel has what guests need for it. */
bool wardi_biased_lock_possible(void);
/* Whether it had that, and refuses it now. Then each one that leans is to be set upright. */
bool wardi_biased_lock_refused(void);

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

/* By anybody: it leans no longer, once the owner has seen that; unless a guest has it, who sees to
 * that itself, or must be waited for: then nothing is done. */
void wardi_biased_lock_set_upright(struct wardi_biased_lock *bias);

/* By a guest. False: another guest has it, or is about to; or the owner has not seen yet that it
 * no longer leans; to be tried again. */
bool wardi_biased_lock_visit(struct wardi_biased_lock *bias);
void wardi_biased_lock_depart(struct wardi_biased_lock *bias);

#endif
