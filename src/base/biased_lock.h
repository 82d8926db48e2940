/* SPDX-License-Identifier: MIT
 *
 * biased_lock.h - a lock that leans to one thread: its owner takes it with two plain stores and a
 * load; others, the guests, pay for that. biased_lock.c has the algorithm.
 */
#ifndef WARDI_BIASED_LOCK_H
#define WARDI_BIASED_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero: free, and leans to nobody (a spin lock). */
struct wardi_biased_lock {
	/* the owner's */
	bool leans; /* as far as the owner knows */
	_Atomic uint32_t busy;
	/* the guests' */
	/* The claim of the guest whose turn it is, or one of the two values below. */
	_Atomic uint32_t want;
	_Atomic uint32_t claims; /* so far */
	/* the owner's */
	_Atomic uint32_t ack; /* the last value of `want` that it found while outside */
	/* when it does not lean: set by the thread inside */
	_Atomic uint32_t taken;
};

/* Values of `want` that are no claims. Upright: the lock does not lean; 0, so that the owner finds
 * out by a value that it looks at anyway. */
enum { WARDI_UPRIGHT = 0, WARDI_NO_CLAIM = 1 };

/* Whether locks can lean in this process: whether the kernel allows membarrier. */
bool wardi_biased_lock_possible(void);
/* Whether the kernel allowed membarrier and refuses it now. Then set each lock that leans
 * upright. */
bool wardi_biased_lock_refused(void);

/* Makes the lock lean to the caller, which must be the only thread that knows it yet. */
void wardi_biased_lock_lean(struct wardi_biased_lock *bias);

/* Owner: enters without waiting. False: a guest has a claim, or the lock does not lean: call
 * wardi_biased_lock_enter(). True: leave with wardi_biased_lock_leave_at_once(). */
static inline bool wardi_biased_lock_enter_at_once(struct wardi_biased_lock *bias)
{
	/* Relaxed, then a fence for the compiler alone: the processor may load first, which is the
	 * guest's membarrier answers that [B2]. Acquire: [B3]. */
	atomic_store_explicit(&bias->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	return __builtin_expect(
		atomic_load_explicit(&bias->want, memory_order_acquire) == WARDI_NO_CLAIM, 1);
}

static inline void wardi_biased_lock_leave_at_once(struct wardi_biased_lock *bias)
{
	atomic_store_explicit(&bias->busy, 0, memory_order_release); /* [B1] */
}

/* Owner: enters, after a wait if need be. */
void wardi_biased_lock_enter(struct wardi_biased_lock *bias);
void wardi_biased_lock_leave(struct wardi_biased_lock *bias);

/* Any thread: makes the lock stop leaning, once the owner has seen that. Does nothing while a guest
 * has a claim: that guest does it itself, or the caller tries again. */
void wardi_biased_lock_set_upright(struct wardi_biased_lock *bias);

/* Guest: enters. False: another guest has a claim, or the owner has not seen yet that the lock no
 * longer leans; try again. */
bool wardi_biased_lock_visit(struct wardi_biased_lock *bias);
void wardi_biased_lock_depart(struct wardi_biased_lock *bias);

#endif
