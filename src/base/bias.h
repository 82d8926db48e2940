/* SPDX-License-Identifier: MIT
 *
 * bias.h - a lock that leans to one thread: its owner takes it with two plain stores and a load;
 * others, the guests, pay for that. How and why is in bias.c.
 */
#ifndef WARDI_BIAS_H
#define WARDI_BIAS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero: free, and the same for all (a spin lock). */
struct wardi_bias {
	bool leans; /* frozen */
	/* the owner's; where it does not lean, whoever is inside set it */
	_Atomic uint32_t busy;
	/* the guests' */
	_Atomic uint32_t want;   /* the claim of the one whose turn it is; 0: none */
	_Atomic uint32_t claims; /* so far */
	/* the owner's */
	_Atomic uint32_t ack; /* the last claim that it saw, while it was outside */
};

/* Whether locks can lean in this process: whether the kernel has what guests need for it. */
bool wardi_bias_possible(void);

/* The owner finds a guest's claim, or cannot just store: see wardi_bias_enter(). */
void wardi_bias_enter_slowly(struct wardi_bias *bias);

/* By the owner. */
static inline void wardi_bias_enter(struct wardi_bias *bias)
{
	if (__builtin_expect(!bias->leans, 0)) {
		wardi_bias_enter_slowly(bias);
		return;
	}
	/* Relaxed, then a fence for the compiler alone: the processor may load first, which is
	 * what the guest's membarrier is about [B2]. Acquire: [B3]. */
	atomic_store_explicit(&bias->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(atomic_load_explicit(&bias->want, memory_order_acquire) != 0, 0))
		wardi_bias_enter_slowly(bias);
}

static inline void wardi_bias_leave(struct wardi_bias *bias)
{
	atomic_store_explicit(&bias->busy, 0, memory_order_release); /* [B1] */
}

/* By a guest. False: another guest has it, or is about to; come again. */
bool wardi_bias_visit(struct wardi_bias *bias);
void wardi_bias_depart(struct wardi_bias *bias);

#endif
