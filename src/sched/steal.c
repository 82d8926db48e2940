/* SPDX-License-Identifier: MIT
 *
 * steal.c - when an idle worker takes from a busy one, and how much.
 *
 * Actors that talk to each other are fastest on one worker: a message between workers costs as much
 * as many messages on one. So ready runnables stay with their worker as long as it keeps up. Two
 * signs show that it does not:
 *
 *      age       runnables that were in the queue a while ago are still there: they have waited
 *                WARDI_AGED_NS. Then the aged ones are taken, at most half; a single one, behind a
 *                long handler, as well. But where runs are shorter than QUICK_NS a steal costs more
 *                than it saves: there they wait only because many do. They stay, as long as the
 *                last will run within LONG_NS.
 *      balance   two or more at every look for CROWDED_NS: nothing is late, but two workers would
 *                do it in half the time. Then half is taken.
 *
 * Neither needs a clock on the busy side: it counts what comes and goes, the thief has the time.
 *
 * Threads: the samples are the thief's own.
 */
#include "sched/steal.h"

#include <string.h>

#include "base/biased_lock.h"
#include "sched/dispatcher.h"
#include "sched/state.h"
#include "sched/worker.h"

enum { QUICK_NS = 1000, LONG_NS = 100 * 1000, CROWDED_NS = 1000 * 1000, STEAL_MAX = 256 };

void wardi_steal_forget(struct wardi_thread *thief)
{
	memset(thief->samples, 0, thief->worker.dispatcher->workers * sizeof(thief->samples[0]));
}

void wardi_steal_calm(struct wardi_thread *thief)
{
	for (uint32_t i = 0; i < thief->worker.dispatcher->workers; i++)
		thief->samples[i].crowded_ns = 0;
}

static uint64_t at_most(uint64_t value, uint64_t max)
{
	return value < max ? value : max;
}

/* Whether the owner runs them so fast that they had better stay: it ran `done` in `in_ns`, and
 * `length` are left. */
static bool is_quick(uint64_t done, int64_t in_ns, uint64_t length)
{
	uint64_t ns = (uint64_t)in_ns;

	return done * QUICK_NS > ns && length * ns < done * LONG_NS;
}

/* Returns how many may be taken from a queue now. */
static uint64_t judge(struct wardi_sample *sample, uint64_t pushed, uint64_t popped, int64_t now_ns)
{
	uint64_t length = pushed - popped;
	uint64_t half = at_most((length + 1) / 2, STEAL_MAX); /* its owner runs one more */

	if (length < 2)
		sample->crowded_ns = 0;
	else if (sample->crowded_ns == 0)
		sample->crowded_ns = now_ns;
	if (sample->at_ns != 0 && now_ns - sample->at_ns < WARDI_AGED_NS)
		return 0; /* that sample is still young: keep it */

	uint64_t aged = sample->at_ns != 0 && popped < sample->pushed ? sample->pushed - popped : 0;
	bool quick = is_quick(popped - sample->popped, now_ns - sample->at_ns, length);
	*sample = (struct wardi_sample){.pushed = pushed,
					.popped = popped,
					.at_ns = now_ns,
					.crowded_ns = sample->crowded_ns};
	if (aged > 0 && !quick)
		return at_most(aged, half);
	if (sample->crowded_ns != 0 && now_ns - sample->crowded_ns >= CROWDED_NS) {
		sample->crowded_ns = 0;
		return half;
	}
	return 0;
}

/* The kernel refuses membarrier from now on. Sets all locks upright at once, not when a thief
 * comes, so that owners find out early. Returns a runnable that the note has put into the thief's
 * own queue: nobody else may look there. */
static struct wardi_runnable *set_all_upright(struct wardi_thread *thief)
{
	struct wardi_dispatcher *dispatcher = thief->worker.dispatcher;
	const struct wardi_sched_hooks *hooks = &dispatcher->sched->hooks;

	/* Relaxed: it only decides which thread is first. */
	if (atomic_exchange_explicit(&dispatcher->sched->upright, true, memory_order_relaxed))
		return NULL;
	for (uint32_t i = 0; i < dispatcher->workers; i++)
		wardi_biased_lock_set_upright(&dispatcher->threads[i]->queue.lock);
	if (hooks->note != NULL)
		hooks->note(&thief->worker,
			    "the kernel now refuses membarrier(), which it had allowed: from now "
			    "on each message takes a little longer");
	return wardi_runqueue_pop(&thief->queue);
}

/* NULL: nothing may be taken from this victim. Looks at nothing of it but the queue: the rest is in
 * lines that it writes at each look at the clock. */
static struct wardi_runnable *steal_from(struct wardi_thread *thief, struct wardi_thread *victim,
					 struct wardi_sample *sample, int64_t now_ns)
{
	/* Two reads of moving counters: `popped` may seem above `pushed`. */
	uint64_t popped = wardi_runqueue_popped(&victim->queue);
	uint64_t pushed = wardi_runqueue_pushed(&victim->queue);
	struct wardi_fifo batch = {0};

	if (pushed <= popped) {
		/* Seen empty: all that comes from here on is young. */
		*sample =
			(struct wardi_sample){.pushed = pushed, .popped = pushed, .at_ns = now_ns};
		return NULL;
	}
	uint64_t wanted = judge(sample, pushed, popped, now_ns);
	if (wanted == 0)
		return NULL;
	wardi_runqueue_steal(&victim->queue, wanted, &batch);
	if (batch.count == 0 && wardi_biased_lock_refused())
		return set_all_upright(thief);
	if (batch.count > 0 && thief->worker.sched->hooks.stole != NULL)
		thief->worker.sched->hooks.stole(&thief->worker, batch.count);
	struct wardi_runnable *runnable = wardi_fifo_take(&batch);
	wardi_runqueue_push_all(&thief->queue, &batch);
	return runnable;
}

struct wardi_runnable *wardi_steal(struct wardi_thread *thief, int64_t now_ns)
{
	struct wardi_dispatcher *dispatcher = thief->worker.dispatcher;
	struct wardi_runnable *runnable = NULL;

	/* From the next neighbour on, so that thieves do not all begin with the same victim. */
	for (uint32_t i = 1; i < dispatcher->workers && runnable == NULL; i++) {
		uint32_t index = (thief->worker.index + i) % dispatcher->workers;
		runnable = steal_from(thief, dispatcher->threads[index], &thief->samples[index],
				      now_ns);
	}
	return runnable;
}

bool wardi_steal_anything(struct wardi_dispatcher *dispatcher)
{
	for (uint32_t i = 0; i < dispatcher->workers; i++) {
		struct wardi_runqueue *queue = &dispatcher->threads[i]->queue;

		if (wardi_runqueue_popped(queue) != wardi_runqueue_pushed(queue))
			return true;
	}
	return false;
}

uint64_t wardi_steal_pushed(struct wardi_dispatcher *dispatcher)
{
	uint64_t pushed = 0;

	for (uint32_t i = 0; i < dispatcher->workers; i++)
		pushed += wardi_runqueue_pushed(&dispatcher->threads[i]->queue);
	return pushed;
}
