/* SPDX-License-Identifier: MIT
 *
 * timers.c - the timers of a system: a queue for each worker, and who serves it.
 *
 *	queue 0              the heap: exact timers; all timers of a simulation
 *	queue 1 to workers   the wheels of the workers
 *	the last             the wheel of all other threads
 *
 * A timer is armed in the queue of the thread that arms it, and stays there until it fires or is
 * disarmed, even if its actor moves to another worker; the node knows its queue. Each queue has a
 * lock, which is nearly always its worker's alone. fire() is called under it: so after a disarm it
 * is neither running nor ever will be.
 *
 * Every worker that looks at the clock serves the heap, and once in a slot all wheels, its own
 * first. So a long handler holds up the timers of its worker no longer than those of others. A
 * worker in the seat looks at the wheels after each rest.
 *
 * Why no timer is lost (timers.pml is a model of this). The seat sleeps no longer than the earliest
 * next_ns. Under a queue's lock, next_ns is never later than its first timer; and nobody but a
 * thread that arms makes it earlier, which then calls wardi_park_timer(): that takes the
 * dispatcher's lock and looks how long the seat sleeps, and a worker in the seat reads next_ns
 * under that lock. fire() may arm its node again without a word: the queue is served only when
 * next_ns has come, and stays there until the end of the batch, so the new time is not earlier. A
 * disarm leaves next_ns as it is: too early at most.
 *
 * Threads: each queue under its mu. next_ns and count are read by any thread, relaxed.
 */
#include "sched/timers.h"

#include "base/assert.h"
#include "sched/dispatcher.h"
#include "sched/state.h"
#include "sched/worker.h"

enum {
	FIRE_BATCH = 64,  /* fired at most before the lock is released once */
	MOVE_BATCH = 256, /* moved within the wheel at most before that */
	HEAP = 0          /* the queue of the heap */
};

/* ---- one queue; all under its mu --------------------------------------------------------- */

static int64_t next_of(const struct wardi_timer_queue *queue)
{
	return atomic_load_explicit(&queue->next_ns, memory_order_relaxed); /* a hint without mu */
}

static void set_next(struct wardi_timer_queue *queue, int64_t next_ns)
{
	atomic_store_explicit(&queue->next_ns, next_ns, memory_order_relaxed);
}

static void add_count(struct wardi_timer_queue *queue, int more)
{
	uint64_t count = atomic_load_explicit(&queue->count, memory_order_relaxed);

	atomic_store_explicit(&queue->count, count + (uint64_t)(int64_t)more, memory_order_relaxed);
}

static void publish(struct wardi_timer_queue *queue)
{
	set_next(queue, queue->wheel != NULL ? wardi_wheel_next(queue->wheel)
					     : wardi_timer_heap_next(queue->heap));
	atomic_store_explicit(&queue->stale, false, memory_order_relaxed);
}

static void take_out(struct wardi_timer_queue *queue, struct wardi_timer_node *node)
{
	if (queue->wheel != NULL)
		wardi_wheel_remove(queue->wheel, node);
	else
		wardi_timer_heap_remove(queue->heap, node);
	node->armed = false;
	add_count(queue, -1);
}

static void disarm(struct wardi_timer_queue *queue, struct wardi_timer_node *node)
{
	if (!node->armed)
		return;
	take_out(queue, node);
	if (queue->wheel == NULL)
		publish(queue); /* it costs nothing there */
	else if (node->deadline_ns <= next_of(queue))
		atomic_store_explicit(&queue->stale, true, memory_order_relaxed);
}

/* Inserts or moves the node; there must be room. Returns when it is due. */
static int64_t start(struct wardi_timer_queue *queue, struct wardi_timer_node *node,
		     int64_t deadline_ns)
{
	if (node->armed)
		take_out(queue, node);
	node->deadline_ns = deadline_ns;
	node->armed = true;
	node->in_wheel = queue->wheel != NULL;
	add_count(queue, 1);
	if (queue->wheel != NULL)
		return wardi_wheel_insert(queue->wheel, node);
	wardi_timer_heap_insert(queue->heap, node);
	return deadline_ns;
}

static struct wardi_timer_node *pop(struct wardi_timer_queue *queue, int64_t now_ns,
				    unsigned *moves_left)
{
	if (queue->wheel != NULL)
		return wardi_wheel_pop(queue->wheel, now_ns, moves_left);
	return wardi_timer_heap_pop(queue->heap, now_ns);
}

/* ---- for the rest of the scheduler ------------------------------------------------------- */

static void init_queue(struct wardi_timer_queue *queue)
{
	queue->firing_ns = INT64_MIN;
	atomic_init(&queue->next_ns, INT64_MAX);
	wardi_mutex_init(&queue->mu, WARDI_LOCK_TIMERS);
}

bool wardi_timers_init(struct wardi_sched *sched)
{
	struct wardi_timers *timers = &sched->timers;
	uint32_t count = sched->simulated ? 1 : wardi_dispatcher_default(sched)->workers + 2;

	timers->heap.seed = sched->seed;
	timers->heap.draws_ties = sched->simulated;
	timers->queues = wardi_alloc_zeroed(sched->alloc, count * sizeof(*timers->queues));
	if (timers->queues == NULL)
		return false;
	timers->count = count;
	for (uint32_t i = 0; i < count; i++)
		init_queue(&timers->queues[i]);
	timers->queues[HEAP].heap = &timers->heap;
	for (uint32_t i = HEAP + 1; i < count; i++) {
		timers->queues[i].wheel =
			wardi_alloc(sched->alloc, sizeof(*timers->queues[i].wheel));
		if (timers->queues[i].wheel == NULL)
			return false;
		wardi_wheel_init(timers->queues[i].wheel, wardi_clock_now(sched->clock));
	}
	return true;
}

void wardi_timers_finish(struct wardi_sched *sched)
{
	struct wardi_timers *timers = &sched->timers;

	for (uint32_t i = 0; i < timers->count; i++) {
		wardi_free(sched->alloc, timers->queues[i].wheel, sizeof(struct wardi_wheel));
		wardi_mutex_destroy(&timers->queues[i].mu);
	}
	wardi_free(sched->alloc, timers->queues, timers->count * sizeof(*timers->queues));
	wardi_timer_heap_finish(&timers->heap, sched->alloc);
}

int64_t wardi_timers_next(const struct wardi_timers *timers)
{
	int64_t first_ns = INT64_MAX;

	for (uint32_t i = 0; i < timers->count; i++) {
		int64_t next_ns = next_of(&timers->queues[i]);
		if (next_ns < first_ns)
			first_ns = next_ns;
	}
	return first_ns;
}

void wardi_timers_correct(struct wardi_sched *sched)
{
	for (uint32_t i = 0; i < sched->timers.count; i++) {
		struct wardi_timer_queue *queue = &sched->timers.queues[i];

		if (!atomic_load_explicit(&queue->stale, memory_order_relaxed))
			continue; /* a hint */
		wardi_mutex_lock(&queue->mu);
		publish(queue);
		wardi_mutex_unlock(&queue->mu);
	}
}

/* Fires some of the due timers. False: no more are due. */
static bool fire_batch(struct wardi_worker *worker, struct wardi_timer_queue *queue, int64_t now_ns)
{
	unsigned moves_left = MOVE_BATCH;
	int fired = 0;

	wardi_mutex_lock(&queue->mu);
	queue->firing_ns = now_ns;
	while (fired < FIRE_BATCH) {
		struct wardi_timer_node *node = pop(queue, now_ns, &moves_left);
		if (node == NULL)
			break;
		node->armed = false;
		add_count(queue, -1);
		node->fire(worker, node, now_ns);
		fired++;
	}
	queue->firing_ns = INT64_MIN;
	publish(queue);
	wardi_mutex_unlock(&queue->mu);
	return fired == FIRE_BATCH || moves_left == 0;
}

static void fire(struct wardi_worker *worker, struct wardi_timer_queue *queue, int64_t now_ns)
{
	while (next_of(queue) <= now_ns && fire_batch(worker, queue, now_ns))
		;
}

void wardi_timers_fire(struct wardi_worker *worker, int64_t now_ns)
{
	struct wardi_timers *timers = &worker->sched->timers;
	uint32_t own = worker->own != NULL ? worker->index + 1 : HEAP;

	fire(worker, &timers->queues[HEAP], now_ns);
	if (now_ns < worker->wheels_at_ns)
		return;
	/* A simulation comes to the end of time. */
	worker->wheels_at_ns = INT64_MAX;
	if (now_ns < INT64_MAX - WARDI_SLOT_NS)
		worker->wheels_at_ns = now_ns - now_ns % WARDI_SLOT_NS + WARDI_SLOT_NS;
	if (own != HEAP)
		fire(worker, &timers->queues[own], now_ns);
	for (uint32_t i = HEAP + 1; i < timers->count; i++)
		if (i != own)
			fire(worker, &timers->queues[i], now_ns);
}

/* ---- for the holder of a timer ----------------------------------------------------------- */

static bool in_heap(const struct wardi_sched *sched, const struct wardi_timer_node *node)
{
	return sched->simulated || node->exact;
}

/* Returns the queue for timers that this thread arms, unless they stay in another one. */
static uint16_t queue_here(const struct wardi_sched *sched)
{
	const struct wardi_worker *worker = wardi_worker_current();

	if (worker != NULL && worker->sched == sched && worker->own != NULL)
		return (uint16_t)(worker->index + 1);
	return (uint16_t)(sched->timers.count - 1);
}

static struct wardi_timer_queue *queue_of(struct wardi_sched *sched,
					  const struct wardi_timer_node *node)
{
	return &sched->timers.queues[in_heap(sched, node) ? HEAP : node->queue];
}

void wardi_timers_lock(struct wardi_sched *sched, struct wardi_timer_node *node)
{
	if (in_heap(sched, node)) {
		wardi_mutex_lock(&sched->timers.queues[HEAP].mu);
		return;
	}

	uint16_t here = queue_here(sched);
	if (node->queue == 0)
		node->queue = here;
	wardi_mutex_lock(&sched->timers.queues[node->queue].mu);
	if (node->queue != here && !node->armed && !node->stays) { /* it has moved to this worker */
		wardi_mutex_unlock(&sched->timers.queues[node->queue].mu);
		node->queue = here;
		wardi_mutex_lock(&sched->timers.queues[here].mu);
	}
}

void wardi_timers_unlock(struct wardi_sched *sched, struct wardi_timer_node *node)
{
	wardi_mutex_unlock(&queue_of(sched, node)->mu);
}

/* Under mu: the timer is the first one now. Wakes a worker that would sleep longer. The only
 * worker, if it arms in its own wheel, is awake. */
static void tell(struct wardi_sched *sched, const struct wardi_timer_queue *queue, int64_t due_ns)
{
	struct wardi_dispatcher *dispatcher = wardi_dispatcher_default(sched);

	if (sched->simulated ||
	    (dispatcher->workers == 1 && queue == &sched->timers.queues[HEAP + 1] &&
	     queue_here(sched) == HEAP + 1))
		return;
	wardi_park_timer(dispatcher, due_ns);
}

static void arm(struct wardi_sched *sched, struct wardi_timer_node *node, int64_t deadline_ns)
{
	struct wardi_timer_queue *queue = queue_of(sched, node);

	/* A question after the other: its timer stays in its slot, and in its place there. */
	if (node->armed && queue->wheel != NULL &&
	    wardi_wheel_slot_of(deadline_ns) == wardi_wheel_slot_of(node->deadline_ns)) {
		node->deadline_ns = deadline_ns;
		return;
	}

	int64_t due_ns = start(queue, node, deadline_ns);
	if (due_ns < next_of(queue)) {
		set_next(queue, due_ns);
		tell(sched, queue, due_ns);
	}
}

bool wardi_timer_arm_locked(struct wardi_sched *sched, struct wardi_timer_node *node,
			    int64_t deadline_ns)
{
	if (deadline_ns == WARDI_TIMER_NEVER) {
		disarm(queue_of(sched, node), node);
		return true;
	}
	if (in_heap(sched, node) && !node->armed &&
	    !wardi_timer_heap_reserve(&sched->timers.heap, sched->alloc, 1))
		return false;
	arm(sched, node, deadline_ns);
	return true;
}

bool wardi_timer_arm(struct wardi_sched *sched, struct wardi_timer_node *node, int64_t deadline_ns)
{
	wardi_timers_lock(sched, node);
	bool armed = wardi_timer_arm_locked(sched, node, deadline_ns);
	wardi_timers_unlock(sched, node);
	return armed;
}

bool wardi_timer_promise(struct wardi_sched *sched)
{
	struct wardi_timers *timers = &sched->timers;

	wardi_mutex_lock(&timers->queues[HEAP].mu);
	timers->heap.promised++;
	bool kept = wardi_timer_heap_reserve(&timers->heap, sched->alloc, 1);
	if (!kept)
		timers->heap.promised--;
	wardi_mutex_unlock(&timers->queues[HEAP].mu);
	return kept;
}

void wardi_timer_arm_promised(struct wardi_sched *sched, struct wardi_timer_node *node,
			      int64_t deadline_ns)
{
	wardi_timers_lock(sched, node);
	wardi_assert(!node->armed);
	arm(sched, node, deadline_ns);
	wardi_timers_unlock(sched, node);
}

void wardi_timer_rearm(struct wardi_sched *sched, struct wardi_timer_node *node,
		       int64_t deadline_ns)
{
	struct wardi_timer_queue *queue = queue_of(sched, node);

	/* If it were due already, firing would never end. */
	wardi_assert(queue->firing_ns != INT64_MIN && deadline_ns > queue->firing_ns);
	wardi_assert(!node->armed);
	(void)start(queue, node, deadline_ns);
}

void wardi_timer_disarm(struct wardi_sched *sched, struct wardi_timer_node *node)
{
	if (node->queue == 0 && !in_heap(sched, node))
		return; /* it was never armed */

	struct wardi_timer_queue *queue = queue_of(sched, node);
	wardi_mutex_lock(&queue->mu);
	disarm(queue, node);
	wardi_mutex_unlock(&queue->mu);
}

uint64_t wardi_timer_count(struct wardi_sched *sched)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < sched->timers.count; i++)
		count += atomic_load_explicit(&sched->timers.queues[i].count, memory_order_relaxed);
	return count;
}
