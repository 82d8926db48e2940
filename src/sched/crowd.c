/* SPDX-License-Identifier: MIT
 *
 * crowd.c - whether an idle worker has a processor to spare.
 *
 * The peers of descriptors are often on the same machine. A second worker that steals half of the
 * first one's connections then takes the processor from the peer that sends the work, and all get
 * slower. So an idle worker that would take something from a busy one first yields its processor,
 * once in ASK_NS. If that takes long, another thread has run: the worker is crowded. It naps for
 * WARDI_CROWDED_NAP_NS, leaves the descriptors to the busy workers, and then steals only what has
 * waited for all of the nap.
 *
 * Without watched descriptors there are no peers, and always room.
 */
#include "sched/crowd.h"

#include <sched.h>

#include "sched/state.h"
#include "sched/steal.h"
#include "sched/worker.h"

enum {
	ASK_NS = 1000 * 1000,
	YIELD_NS = 5 * 1000 /* a yield that takes longer has let another thread run */
};

bool wardi_crowd_has_room(struct wardi_thread *thread)
{
	struct wardi_crowd *crowd = &thread->crowd;
	struct wardi_clock *clock = thread->worker.sched->clock;
	int64_t now_ns = wardi_clock_now(clock);

	if (!wardi_poller_busy(&thread->worker.sched->poller))
		return true;
	if (now_ns >= crowd->ask_ns) {
		(void)sched_yield();
		int64_t back_ns = wardi_clock_now(clock);
		crowd->had_room = back_ns - now_ns <= YIELD_NS;
		crowd->ask_ns = back_ns + ASK_NS;
	}
	crowd->crowded = !crowd->had_room;
	return crowd->had_room;
}

struct wardi_runnable *wardi_crowd_steal(struct wardi_thread *thread, int64_t now_ns)
{
	bool patient = thread->crowd.patient;
	struct wardi_runnable *runnable = NULL;

	thread->crowd.patient = false;
	if (patient || !wardi_steal_anything(thread->worker.dispatcher) ||
	    wardi_crowd_has_room(thread))
		runnable = wardi_steal(thread, now_ns);
	thread->stole = runnable != NULL;
	return runnable;
}
