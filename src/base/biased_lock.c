/* SPDX-License-Identifier: MIT
 *
 * biased_lock.c - a lock that leans to one thread.
 *
 * Two locked instructions for each message would cost the owner of a run queue a good part of its
 * time, and thieves come seldom. So the owner announces itself with a plain store and then looks
 * for a guest; a guest announces itself first, then makes sure that the owner has either seen that
 * or shows that it is inside:
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
 * Why never both are inside. The owner's store of busy and its load of want may be done in either
 * order by the processor. membarrier() makes each running thread of the process go through a full
 * barrier: the guest sees all that the owner did before it, and the owner sees the guest's claim in
 * all that it does after it. If its load of want was before the barrier, so was its store of busy,
 * and the guest waits for it to leave; if not, it loads the claim, and waits outside. With an ack
 * no barrier is needed: the owner loaded the claim while it was outside, and ends its wait only
 * when it has loaded another value, which the guest stores when it departs.
 *
 * Claims are numbers, all different, so that an ack that is stored late is not taken for the ack of
 * the next claim. The numbers wrap after 2^32 claims; no ack is that late.
 *
 * A model of this, with the owner's stores held back by its processor: biased_lock.pml.
 *
 * Where the kernel refuses membarrier, and for ThreadSanitizer, which does not know it, nothing
 * leans: `taken` is taken by an exchange, by all, and `want` says upright, never none.
 *
 * The kernel may also refuse the call later: a program forbids itself some calls once it has
 * started. A guest that is refused cannot know whether the owner is inside. It does not go in, and
 * permanently replaces its claim by upright. The owner finds that when it next wants to go in, and
 * so while it is outside, acknowledges it, and from then on takes `taken`. Guests do the same once
 * they have seen the acknowledgement; until then they are turned away.
 *
 *      owner                               guest
 *      ... inside, or outside ...          membarrier is refused: want = upright
 *      busy = 1; want is upright: busy = 0 want is upright; ack is not: turned away
 *      ack = upright; `taken`              ack is upright: `taken`
 *
 * Pairs  [B1] leave: release of busy    - guest's wait: acquire      the owner's writes
 *        [B2] claim, membarrier, load of busy - store of busy, load of want
 *        [B3] depart: release of want   - owner's load: acquire      the guest's writes
 *        [B4] owner's release of ack    - guest's load: acquire      the owner's writes
 *        [B5] depart: release of want   - next guest's CAS: acquire  the guest's writes
 *        [B6] owner's ack of upright: release - guest: acquire       the owner's writes
 *        [B7] give(): release of taken  - take(): acquire            writes inside the lock
 *        [B8] upright: release of want  - owner's load: acquire      earlier guests' writes
 *
 * Progress: the owner waits for a guest that is inside or about to be; a guest waits for an owner
 * that is inside. Both execute a few instructions there.
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

/* The kernel refuses membarrier after it had allowed it. Relaxed: a hint, which orders nothing. */
static _Atomic bool taken_back;

bool wardi_biased_lock_refused(void)
{
	return atomic_load_explicit(&taken_back, memory_order_relaxed);
}

bool wardi_biased_lock_possible(void)
{
	return !TSAN && !wardi_biased_lock_refused() &&
	       syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static void relax(int tries)
{
	if (tries < TRIES)
		wardi_pause();
	else
		sched_yield();
}

/* Takes a lock that does not lean, like any spin lock. */
static void take(struct wardi_biased_lock *bias)
{
	/* The owner's attempt to enter at once has failed: nobody looks at `busy` here. */
	for (int tries = 0; atomic_exchange_explicit(&bias->taken, 1, memory_order_acquire) != 0;
	     tries++) /* [B7] */
		relax(tries);
}

static void give(struct wardi_biased_lock *bias)
{
	atomic_store_explicit(&bias->taken, 0, memory_order_release); /* [B7] */
}

void wardi_biased_lock_lean(struct wardi_biased_lock *bias)
{
	bias->leans = true;
	/* Relaxed, both: guests do not know the lock yet. */
	atomic_store_explicit(&bias->ack, WARDI_NO_CLAIM, memory_order_relaxed);
	atomic_store_explicit(&bias->want, WARDI_NO_CLAIM, memory_order_relaxed);
}

/* Waits outside until there is no claim, or the lock no longer leans. */
static void wait_for_guests(struct wardi_biased_lock *bias)
{
	uint32_t claim;

	for (int tries = 0; bias->leans; tries++) {
		claim = atomic_load_explicit(&bias->want, memory_order_acquire); /* [B3] [B8] */
		if (claim == WARDI_NO_CLAIM)
			return;
		bias->leans = claim != WARDI_UPRIGHT;
		atomic_store_explicit(&bias->ack, claim, memory_order_release); /* [B4] [B6] */
		relax(tries);
	}
}

void wardi_biased_lock_enter(struct wardi_biased_lock *bias)
{
	while (bias->leans) {
		if (wardi_biased_lock_enter_at_once(bias))
			return;
		wardi_biased_lock_leave_at_once(bias);
		wait_for_guests(bias);
	}
	take(bias);
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

	do /* Relaxed: the numbers need only differ. */
		claim = atomic_fetch_add_explicit(&bias->claims, 1, memory_order_relaxed) + 1;
	while (claim == WARDI_UPRIGHT || claim == WARDI_NO_CLAIM);
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

/* False: the kernel refuses membarrier from now on. It is not asked again, since nothing leans from
 * then on. */
static bool pass_barrier(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0)
		return true;
	atomic_store_explicit(&taken_back, true, memory_order_relaxed);
	return false;
}

void wardi_biased_lock_set_upright(struct wardi_biased_lock *bias)
{
	uint32_t none = WARDI_NO_CLAIM;

	/* A guest with a claim does this itself when it is refused; any other caller may try
	 * again. */
	(void)atomic_compare_exchange_strong_explicit(&bias->want, &none, WARDI_UPRIGHT,
						      memory_order_acq_rel, /* [B5] [B8] */
						      memory_order_relaxed);
}

/* Visits a lock that does not lean, or whose owner has yet to see that. */
static bool visit_upright(struct wardi_biased_lock *bias)
{
	if (atomic_load_explicit(&bias->ack, memory_order_acquire) != WARDI_UPRIGHT) /* [B6] */
		return false;
	take(bias);
	return true;
}

bool wardi_biased_lock_visit(struct wardi_biased_lock *bias)
{
	uint32_t claim, found = WARDI_NO_CLAIM;

	/* Relaxed: the ack has the ordering already. */
	if (atomic_load_explicit(&bias->want, memory_order_relaxed) == WARDI_UPRIGHT)
		return visit_upright(bias);
	claim = new_claim(bias);
	if (!atomic_compare_exchange_strong_explicit(&bias->want, &found, claim,
						     memory_order_acquire, /* [B5] */
						     memory_order_relaxed))
		return false;
	if (is_acknowledged(bias, claim))
		return true;
	if (!pass_barrier()) {                                                           /* [B2] */
		atomic_store_explicit(&bias->want, WARDI_UPRIGHT, memory_order_release); /* [B8] */
		return false;
	}
	for (int tries = 0; atomic_load_explicit(&bias->busy, memory_order_acquire) != 0; tries++)
		relax(tries); /* [B1] */
	return true;
}

void wardi_biased_lock_depart(struct wardi_biased_lock *bias)
{
	/* Relaxed: a claim here is the caller's own, and upright is final. */
	if (atomic_load_explicit(&bias->want, memory_order_relaxed) == WARDI_UPRIGHT)
		give(bias);
	else /* [B3] [B5] */
		atomic_store_explicit(&bias->want, WARDI_NO_CLAIM, memory_order_release);
}
