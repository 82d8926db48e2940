/* SPDX-License-Identifier: MIT
 *
 * crowd.c - whether an idle worker has a processor to spare.
 *
 * The peers of descriptors are often on the same machine. A second worker that steals half of the
 * first one's connections then takes the processor from the peer that sends the work, and all get
 * slower. So beside a busy one an idle worker that would look at the descriptors or steal first
 * yields its processor, once in ASK_NS. If that takes long, another thread has run: the worker is
 * crowded. It naps for NAP_NS, and then takes only what has waited for all of the nap: runnables,
 * and descriptors if nobody has looked at them.
 *
 * Without watched descriptors there are no peers, and always room.
 */
#include "sched/crowd.h"

#include <sched.h>

#include "sched/dispatcher.h"
#include "sched/state.h"
#include "sched/steal.h"
#include "sched/worker.h"

enum {
	NAP_NS = 2 * 1000 * 1000,
	ASK_NS = 50 * 1000,
	YIELD_NS = 5 * 1000 /* a yield that takes longer has let another thread run */
};

static bool has_room(struct wardi_thread *thread)
{
	struct wardi_crowd *crowd = &thread->crowd;
	struct wardi_clock *clock = thread->worker.sched->clock;
	int64_t now_ns = wardi_clock_now(clock);

	if (!wardi_poller_busy(&thread->worker.sched->poller)) {
		crowd->had_room = true;
	} else if (now_ns >= crowd->ask_ns) {
		(void)sched_yield();
		int64_t back_ns = wardi_clock_now(clock);
		crowd->had_room = back_ns - now_ns <= YIELD_NS;
		crowd->ask_ns = back_ns + ASK_NS;
	}
	crowd->crowded = !crowd->had_room;
	return crowd->had_room;
}

/* Relaxed: a hint. */
static uint64_t looks(struct wardi_thread *thread)
{
	return atomic_load_explicit(&thread->worker.sched->poller.watches.looks,
				    memory_order_relaxed);
}

bool wardi_crowd_is_crowded(const struct wardi_thread *thread)
{
	return thread->crowd.crowded && wardi_dispatcher_busy(thread->worker.dispatcher) > 0;
}

static bool may_poll(struct wardi_thread *thread, bool counts_as_busy)
{
	struct wardi_crowd *crowd = &thread->crowd;

	if (wardi_dispatcher_busy(thread->worker.dispatcher) <= counts_as_busy) {
		crowd->crowded = false;
		return true;
	}
	return crowd->patient ? looks(thread) == crowd->looks : has_room(thread);
}

int64_t wardi_crowd_serve(struct wardi_thread *thread, int64_t poll_after_ns, bool counts_as_busy)
{
	bool polls = may_poll(thread, counts_as_busy);

	return wardi_worker_serve(thread, polls ? poll_after_ns : INT64_MAX);
}

struct wardi_runnable *wardi_crowd_steal(struct wardi_thread *thread, int64_t now_ns)
{
	bool patient = thread->crowd.patient;
	struct wardi_runnable *runnable = NULL;

	thread->crowd.patient = false;
	if (patient || !wardi_steal_anything(thread->worker.dispatcher) || has_room(thread))
		runnable = wardi_steal(thread, now_ns);
	thread->stole = runnable != NULL;
	return runnable;
}

int64_t wardi_crowd_lie_down(struct wardi_thread *thread)
{
	struct wardi_crowd *crowd = &thread->crowd;

	if (crowd->until_ns == 0) {
		crowd->until_ns = wardi_clock_now(thread->worker.sched->clock) + NAP_NS;
		crowd->looks = looks(thread);
		wardi_steal_calm(thread);
	}
	return crowd->until_ns;
}

void wardi_crowd_get_up(struct wardi_thread *thread)
{
	struct wardi_crowd *crowd = &thread->crowd;

	crowd->crowded = false;
	crowd->patient = wardi_clock_now(thread->worker.sched->clock) >= crowd->until_ns;
	if (crowd->patient)
		crowd->until_ns = 0;
}

void wardi_crowd_leave(struct wardi_thread *thread)
{
	thread->crowd.patient = false;
	thread->crowd.until_ns = 0;
}
