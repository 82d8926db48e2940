/* SPDX-License-Identifier: MIT
 *
 * biased_lock.c - a lock that leans to one thread.
 *
 * A locked instruction costs the owner of a run queue a good part of what it does with a message,
 * twice for each; and thieves come seldom. So the owner announces itself with a plain store and
 * then looks for a guest; and a guest, who announced itself first, makes sure that the owner has
 * either seen that or shows what it is doing:
 *
 *      owner                               guest
 *      busy = 1                            want: none -> claim         (CAS, one guest at a time)
 *      want != none? wait, see below       ack == claim, soon?   yes: the owner waits outside
 *      ... inside ...                      no: membarrier; then wait until busy == 0
 *      busy = 0                            ... inside ...
 *                                          want = none
 *
 *      the owner waits:  busy = 0; as long as want is a claim, ack = that claim; then from the top
 *
 * Why never both. The owner's store of busy and its load of want may be done in either order by
 * the processor. membarrier() makes each running thread of the process go through a full barrier:
 * what the owner did before it is seen by the guest, and what it does after it sees the guest's
 * claim. If its load of want was before the barrier, so was its store of busy, and the guest waits
 * for it to leave; if not, it loads the claim, and waits outside. With an ack no barrier is needed:
 * the owner has loaded the claim while it was outside, and leaves its wait only when it has loaded
 * another value after it, which the guest stores when it departs.
 *
 * Claims are numbers, all different, so that an ack that is stored late is not taken for that of
 * the next claim. They may come round after 2^32 of them; an ack is not that late.
 *
 * A model of this, with the owner's stores held back by its processor: biased_lock.pml.
 *
 * Where the kernel refuses membarrier, and for ThreadSanitizer, which does not know it, nothing
 * leans: `taken` is taken by an exchange, by all, and `want` never says none.
 *
 * Pairs  [B1] leave: release of busy    - guest's wait: acquire      the owner's writes
 *        [B2] claim, membarrier, load of busy - store of busy, load of want
 *        [B3] depart: release of want   - owner's load: acquire      the guest's writes
 *        [B4] owner's release of ack    - guest's load: acquire      the owner's writes
 *        [B5] depart: release of want   - next guest's CAS: acquire  the guest's writes
 *
 * Progress: the owner waits for a guest that is inside, or on its way in; a guest for an owner that
 * is inside. Both do a few instructions there.
 */
#include "base/biased_lock.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/spin.h"

enum { TRIES = 64 /* with a pause, before a thread yields the processor */ };

#if defined(__SANITIZE_THREAD__)
#define TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TSAN 1
#endif
#endif
#ifndef TSAN
#define TSAN 0
#endif

bool wardi_biased_lock_possible(void)
{
	return !TSAN &&
	       syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static void relax(int tries)
{
	if (tries < TRIES)
		wardi_pause();
	else
		sched_yield();
}

/* Where it does not lean: like any other. */
static void take(struct wardi_biased_lock *bias)
{
	/* The owner's attempt to enter at once did not stand: nobody looks at `busy` here. */
	for (int tries = 0; atomic_exchange_explicit(&bias->taken, 1, memory_order_acquire) != 0;
	     tries++) /* [B1] */
		relax(tries);
}

static void give(struct wardi_biased_lock *bias)
{
	atomic_store_explicit(&bias->taken, 0, memory_order_release); /* [B1] */
}

void wardi_biased_lock_lean(struct wardi_biased_lock *bias)
{
	bias->leans = true;
	/* Relaxed: guests learn of the lock later. */
	atomic_store_explicit(&bias->want, WARDI_NO_CLAIM, memory_order_relaxed);
}

/* Outside, until there is no claim. */
static void wait_for_guests(struct wardi_biased_lock *bias)
{
	uint32_t claim;

	for (int tries = 0;; tries++) {
		claim = atomic_load_explicit(&bias->want, memory_order_acquire); /* [B3] */
		if (claim == WARDI_NO_CLAIM)
			return;
		atomic_store_explicit(&bias->ack, claim, memory_order_release); /* [B4] */
		relax(tries);
	}
}

void wardi_biased_lock_enter(struct wardi_biased_lock *bias)
{
	if (!bias->leans) {
		take(bias);
		return;
	}
	while (!wardi_biased_lock_enter_at_once(bias)) {
		wardi_biased_lock_leave_at_once(bias);
		wait_for_guests(bias);
	}
}

void wardi_biased_lock_leave(struct wardi_biased_lock *bias)
{
	if (bias->leans)
		wardi_biased_lock_leave_at_once(bias);
	else
		give(bias);
}

static uint32_t new_claim(struct wardi_biased_lock *bias)
{
	uint32_t claim;

	do /* Relaxed: only that no two are equal matters. */
		claim = atomic_fetch_add_explicit(&bias->claims, 1, memory_order_relaxed) + 1;
	while (claim == 0 || claim == WARDI_NO_CLAIM); /* 0: an ack that was never given */
	return claim;
}

static bool is_acknowledged(struct wardi_biased_lock *bias, uint32_t claim)
{
	for (int tries = 0; tries < TRIES; tries++) {
		if (atomic_load_explicit(&bias->ack, memory_order_acquire) == claim) /* [B4] */
			return true;
		wardi_pause();
	}
	return false;
}

bool wardi_biased_lock_visit(struct wardi_biased_lock *bias)
{
	uint32_t claim, none = WARDI_NO_CLAIM;

	if (!bias->leans) {
		take(bias);
		return true;
	}
	claim = new_claim(bias);
	if (!atomic_compare_exchange_strong_explicit(&bias->want, &none, claim,
						     memory_order_acquire, /* [B5] */
						     memory_order_relaxed))
		return false;
	if (is_acknowledged(bias, claim))
		return true;
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) /* [B2] */
		wardi_fatal("ward: membarrier was refused after it had been granted");
	for (int tries = 0; atomic_load_explicit(&bias->busy, memory_order_acquire) != 0; tries++)
		relax(tries); /* [B1] */
	return true;
}

void wardi_biased_lock_depart(struct wardi_biased_lock *bias)
{
	if (bias->leans) /* [B3] [B5] */
		atomic_store_explicit(&bias->want, WARDI_NO_CLAIM, memory_order_release);
	else
		give(bias);
}
