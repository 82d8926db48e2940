/* SPDX-License-Identifier: MIT
 *
 * polling.c - how often a busy worker looks at the descriptors.
 *
 * By budget, in both directions:
 *
 *	in vain     a look costs COST_SHARE times less than the time to the next one. What it costs
 *	            here is measured at each look. All busy workers share one budget: the first that
 *	            finds it is time looks for all.
 *	with a find the next look is due SOON_NS later: an answer may be on its way. Each look in
 *	            vain doubles that time, up to the budget.
 *	fairness    what a look has found, that of a worker without work included, gets its turns
 *	            before the next one, and the time that these took is counted: for a quarter
 *	            of that time this worker does not look. So as long as other actors have
 *	            something to do, they have a fifth of the worker at least, however many
 *	            descriptors are ready.
 *
 * The last rule is for a worker that is never idle: one that has nothing else to run looks at once.
 */
#include "sched/polling.h"

#include "sched/runqueue.h"
#include "sched/state.h"
#include "sched/worker.h"

enum {
	COST_SHARE = 100,
	PERIOD_MIN_NS = 15 * 1000,
	PERIOD_MAX_NS = 1000 * 1000,
	SOON_NS = 4 * 1000,
	OTHERS_SHARE = 4,
	SMOOTHING = 8
};

/* Relaxed, here and below: hints. Two workers that look one after the other may lose an update. */
static int64_t get(_Atomic int64_t *value)
{
	return atomic_load_explicit(value, memory_order_relaxed);
}

static void set(_Atomic int64_t *value, int64_t to)
{
	atomic_store_explicit(value, to, memory_order_relaxed);
}

static int64_t within(int64_t value, int64_t min, int64_t max)
{
	return value < min ? min : value > max ? max : value;
}

static bool is_due(struct wardi_thread *thread, int64_t now_ns)
{
	struct wardi_polling *polling = &thread->polling;

	if (polling->served > wardi_runqueue_popped(&thread->queue))
		return false;
	if (polling->served != 0) {
		polling->served = 0;
		polling->until_ns = now_ns + (now_ns - polling->found_ns) / OTHERS_SHARE;
	}
	return now_ns >= polling->until_ns && now_ns >= get(&thread->worker.sched->poller.next_ns);
}

/* Returns the time to the next look after one in vain. */
static int64_t after_vain(struct wardi_poller *poller, int64_t took_ns)
{
	int64_t cost_ns = get(&poller->cost_ns);
	int64_t budget_ns;

	/* A worker that was interrupted says little about the cost. */
	took_ns = within(took_ns, 0, PERIOD_MAX_NS / COST_SHARE);
	cost_ns += (took_ns - cost_ns) / SMOOTHING;
	set(&poller->cost_ns, cost_ns);
	budget_ns = within(COST_SHARE * cost_ns, PERIOD_MIN_NS, PERIOD_MAX_NS);
	return within(2 * get(&poller->period_ns), SOON_NS, budget_ns);
}

void wardi_polling_found(struct wardi_thread *thread, int64_t now_ns)
{
	if (wardi_runqueue_empty(&thread->queue))
		return;
	thread->polling.served = wardi_runqueue_pushed(&thread->queue);
	thread->polling.found_ns = now_ns;
}

void wardi_polling_idle(struct wardi_thread *thread)
{
	thread->polling = (struct wardi_polling){0};
}

void wardi_polling_look(struct wardi_thread *thread, int64_t now_ns)
{
	struct wardi_poller *poller = &thread->worker.sched->poller;
	int64_t period_ns = SOON_NS;

	if (!wardi_poller_busy(poller) || !is_due(thread, now_ns))
		return;
	int found = wardi_poller_serve(&thread->worker, WARDI_LOOK);
	if (found < 0)
		return; /* another worker looks */
	if (found > 0) {
		wardi_polling_found(thread, now_ns);
	} else {
		int64_t back_ns = wardi_clock_now(thread->worker.sched->clock);

		period_ns = after_vain(poller, back_ns - now_ns);
	}
	set(&poller->period_ns, period_ns);
	set(&poller->next_ns, now_ns + period_ns);
}
