/* SPDX-License-Identifier: MIT
 *
 * park.c - what the workers of the default dispatcher do when they have nothing to run.
 *
 *           own queue empty              in vain
 *      BUSY ----------------> SEARCHING ----------+---------> ASLEEP
 *       ^                      |     ^            | the seat    |  |
 *       |                      |     |            | is taken    |  |
 *       |<---------------------+     |            |             |  |
 *       |      found something       |            | it is free  |  |
 *       |                            +------------|-------------+  |
 *       |                             woken       |                | woken
 *       |                             to work     v                | to sit
 *       +-------------------------------------- SEATED <-----------+
 *              found something
 *
 * One idle worker has the seat: it sleeps in the poller, until the next timer, and serves timers
 * and descriptors. While another worker is busy it naps, NAP_MIN_NS to NAP_MAX_NS, looks after each
 * nap at the queues, and takes what has waited too long. All other idle workers are asleep, each on
 * its own condition variable, without a limit. So when all are idle nobody wakes up but for a
 * timer, a descriptor or a runnable.
 *
 * Rules. Each change of a state is made under mu, by a function that restores them.
 *
 *         when                                    then
 *      R1 something is injected,                  somebody searches, or the seat is about to look
 *         somebody is idle
 *      R2 somebody is asleep                      the seat is taken
 *      R3 somebody busy has a queue,              somebody searches, or the seat is alert: awake,
 *         somebody is idle                        or in a nap
 *      R4 nobody is busy                          the seat does not nap
 *      R5 the seat sleeps                         not beyond the next timer
 *
 *      event                                      what is done, for which rule
 *      something is injected, nobody searches     one asleep is woken to work; none is: the seat
 *                                                 (R1)
 *      a worker pushes to its own queue, which    1: the seat is made alert (R3)
 *         then has wake_at or more                2: there is work for two; as above
 *      the last search was a success              what is left in inject or its queue is work for
 *                                                 one more, as above (R1); nothing is, but another
 *                                                 worker is busy: the seat is made alert (R3)
 *      the last search was in vain, another       the seat is made alert (R3)
 *         worker is busy
 *      the seat is left                           one asleep is woken to sit (R2)
 *      a timer is armed, before seat_until_ns     the seat is woken (R5)
 *      a descriptor is ready                      the kernel wakes the seat
 *
 * Why no wake-up is lost. R1: to inject and to go to sleep one holds mu. R5: who arms writes the
 * time, then takes mu and looks at seat_until_ns; who sits down takes mu, then reads the time. R3
 * must cost a push next to nothing, so a push reads wake_at without mu. That is 1 (nobody is alert)
 * only when the seat went to sleep with nobody busy. Who becomes busy first after that has set it
 * to 1 itself, under mu; when a second one does, or a searcher gives up beside a busy one, the seat
 * is made alert; and an alert seat goes to sleep for long only when nobody is busy. So in the eyes
 * of a busy worker wake_at never goes back to 1, and an old 1 makes it wake somebody in vain, once.
 *
 * wake_at is 2 only as long as searches pay: after one in vain nobody is woken for the length of a
 * queue before something was found again. The seat, alert then, finds what waits too long.
 *
 * Who touches what   see park.h
 * Lock rank          timers' mu > the dispatcher's mu > the lock of a queue
 */
#include "sched/park.h"

#include "base/spin.h"
#include "sched/dispatcher.h"
#include "sched/state.h"
#include "sched/worker.h"

enum {
	SEARCH_NS = 50 * 1000,
	NAP_MIN_NS = 50 * 1000,
	NAP_MAX_NS = 1000 * 1000,
	PAUSES = 32, /* between two looks of a search */
	SHARE_MAX = 256
};

#define NEVER UINT32_MAX

/* ---- states and rules; all under mu ------------------------------------------------------ */

/* Tells the workers what a push has to do; after each change of a state. */
static void publish(struct wardi_park *park)
{
	uint32_t wake_at = NEVER;

	if (park->searching == 0 && park->seated != NULL) {
		if (!park->seat_alert)
			wake_at = 1;
		else if (park->eager)
			wake_at = 2;
	}
	/* Relaxed: see the top. Written only when it changes: busy workers read it all the time. */
	if (atomic_load_explicit(&park->wake_at, memory_order_relaxed) != wake_at)
		atomic_store_explicit(&park->wake_at, wake_at, memory_order_relaxed);
}

/* Wakes the one in the seat, unless it is awake and will look at everything anyway. */
static void wake_seat(struct wardi_dispatcher *dispatcher, enum wardi_order order)
{
	struct wardi_park *park = &dispatcher->park;

	if (park->seated == NULL || park->seat_until_ns == INT64_MIN)
		return;
	park->seated->order = order;
	park->seat_until_ns = INT64_MIN;
	park->seat_alert = true;
	if (order == WARDI_ORDER_WORK)
		park->searching++;
	wardi_poller_wake(&dispatcher->sched->poller);
}

/* Wakes the last that went to sleep; there is one. */
static void wake_sleeper(struct wardi_park *park, enum wardi_order order)
{
	struct wardi_thread *thread = park->asleep;

	park->asleep = thread->below;
	park->sleeping--;
	thread->order = order;
	if (order == WARDI_ORDER_WORK) {
		park->searching++;
	} else {
		park->seated = thread;
		park->seat_until_ns = INT64_MIN;
		park->seat_alert = true;
	}
	pthread_cond_signal(&thread->wake);
}

static void wake_to_work(struct wardi_dispatcher *dispatcher)
{
	if (dispatcher->park.sleeping > 0)
		wake_sleeper(&dispatcher->park, WARDI_ORDER_WORK);
	else
		wake_seat(dispatcher, WARDI_ORDER_WORK);
}

static void make_seat_alert(struct wardi_dispatcher *dispatcher)
{
	if (!dispatcher->park.seat_alert)
		wake_seat(dispatcher, WARDI_ORDER_LOOK);
}

/* A busy worker's queue is of this length now. */
static void pushed(struct wardi_dispatcher *dispatcher, uint64_t length)
{
	struct wardi_park *park = &dispatcher->park;

	if (park->searching == 0 && length >= 2 && park->eager)
		wake_to_work(dispatcher);
	else if (park->searching == 0 && length >= 1)
		make_seat_alert(dispatcher);
	publish(park);
}

static uint64_t length_of(struct wardi_runqueue *queue)
{
	return wardi_runqueue_pushed(queue) - wardi_runqueue_popped(queue);
}

/* An idle worker has found something, and is busy from now on. */
static void become_busy(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_park *park = &dispatcher->park;
	uint64_t left = length_of(&thread->queue);

	park->idle--;
	if (park->seated == NULL && park->sleeping > 0)
		wake_sleeper(park, WARDI_ORDER_SEAT);
	if (park->searching == 0) {
		if (dispatcher->inject.count > 0 || (left > 0 && park->eager))
			wake_to_work(dispatcher);
		else if (left > 0 || dispatcher->workers - park->idle > 1)
			make_seat_alert(dispatcher);
	}
	publish(park);
}

/* A search is over. */
static void end_search(struct wardi_dispatcher *dispatcher, bool found)
{
	struct wardi_park *park = &dispatcher->park;

	park->searching--;
	park->eager = found;
	if (!found && park->searching == 0 && park->idle < dispatcher->workers)
		make_seat_alert(dispatcher);
	publish(park);
}

/* ---- what is injected; all under mu ------------------------------------------------------ */

static void set_injected(struct wardi_dispatcher *dispatcher)
{
	/* Relaxed: a hint for those without mu. */
	atomic_store_explicit(&dispatcher->park.injected, (uint32_t)dispatcher->inject.count,
			      memory_order_relaxed);
}

static bool is_injected(struct wardi_dispatcher *dispatcher)
{
	/* Relaxed: a hint; whoever goes to sleep looks again under mu. */
	return atomic_load_explicit(&dispatcher->park.injected, memory_order_relaxed) > 0;
}

/* Takes one worker's share; the first is the answer, the others go to its queue. NULL: none. */
static struct wardi_runnable *take_injected(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	size_t share = dispatcher->inject.count / dispatcher->workers;
	struct wardi_runnable *first = wardi_fifo_take(&dispatcher->inject);
	struct wardi_fifo others = {0};

	if (first == NULL)
		return NULL;
	for (size_t i = 1; i < share && i < SHARE_MAX; i++)
		wardi_fifo_append(&others, wardi_fifo_take(&dispatcher->inject));
	set_injected(dispatcher);
	wardi_runqueue_push_all(&thread->queue, &others);
	return first;
}

/* ---- the idle ---------------------------------------------------------------------------- */

/* Looks around for a while, without mu. NULL: in vain. */
static struct wardi_runnable *search(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	int64_t now_ns = wardi_worker_look(&thread->worker);
	int64_t until_ns = now_ns + dispatcher->park.search_ns;
	struct wardi_runnable *runnable = NULL;
	bool waiting;

	wardi_steal_forget(thread);
	for (;;) {
		if (is_injected(dispatcher)) {
			pthread_mutex_lock(&dispatcher->mu);
			runnable = take_injected(thread);
			pthread_mutex_unlock(&dispatcher->mu);
		}
		if (runnable == NULL)
			runnable = wardi_steal(thread, now_ns, &waiting);
		if (runnable != NULL || now_ns >= until_ns)
			return runnable;
		for (int i = 0; i < PAUSES; i++)
			wardi_pause();
		now_ns = wardi_worker_look(&thread->worker);
	}
}

/* Sleeps in the seat, with a nap of nap_ns at most if somebody is busy. Called and left with mu,
 * sleeps without. Gives what it was woken for. */
static enum wardi_order sleep_seated(struct wardi_thread *thread, int64_t nap_ns)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_sched *sched = dispatcher->sched;
	struct wardi_park *park = &dispatcher->park;
	bool others_busy = park->idle < dispatcher->workers;
	int64_t now_ns = wardi_worker_look(&thread->worker);
	int64_t until_ns = wardi_timers_next(&sched->timers);

	if (others_busy && until_ns > now_ns + nap_ns)
		until_ns = now_ns + nap_ns;
	if (!others_busy)
		park->eager = true; /* whatever comes next is a new story */
	park->seat_until_ns = until_ns;
	park->seat_alert = others_busy;
	publish(park);
	pthread_mutex_unlock(&dispatcher->mu);

	if (until_ns == INT64_MAX)
		wardi_poller_sleep(&sched->poller, -1);
	else if (until_ns > now_ns)
		wardi_poller_sleep(&sched->poller, until_ns - now_ns);

	pthread_mutex_lock(&dispatcher->mu);
	enum wardi_order order = thread->order;
	thread->order = WARDI_ORDER_NONE;
	park->seat_until_ns = INT64_MIN;
	park->seat_alert = true;
	publish(park);
	if (order != WARDI_ORDER_NONE)
		wardi_poller_rest(&sched->poller);
	return order;
}

/* Holds the seat until there is something to run. Called and left with mu. NULL: the end. */
static struct wardi_runnable *sit(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_runnable *runnable = take_injected(thread);
	int64_t nap_ns = NAP_MIN_NS;

	while (runnable == NULL && !dispatcher->closing) {
		enum wardi_order order = sleep_seated(thread, nap_ns);
		bool waiting = false;

		pthread_mutex_unlock(&dispatcher->mu);
		int64_t now_ns = wardi_worker_serve(thread, true);
		runnable = wardi_runqueue_pop(&thread->queue);
		bool served = runnable != NULL;
		if (!served && order == WARDI_ORDER_WORK)
			runnable = search(thread);
		else if (!served)
			runnable = wardi_steal(thread, now_ns, &waiting);
		pthread_mutex_lock(&dispatcher->mu);

		if (order == WARDI_ORDER_WORK)
			end_search(dispatcher, runnable != NULL);
		else if (!served && runnable != NULL)
			dispatcher->park.eager = true;
		if (runnable == NULL)
			runnable = take_injected(thread);
		/* What waits, but not long enough yet, is worth another look soon. */
		if (order != WARDI_ORDER_NONE || waiting)
			nap_ns = NAP_MIN_NS;
		else if (nap_ns < NAP_MAX_NS)
			nap_ns *= 2;
	}
	dispatcher->park.seated = NULL;
	return runnable;
}

/* Sleeps outside the seat. Called and left with mu. Gives what it was woken for. */
static enum wardi_order sleep_outside(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_park *park = &dispatcher->park;

	thread->order = WARDI_ORDER_NONE;
	thread->below = park->asleep;
	park->asleep = thread;
	park->sleeping++;
	while (thread->order == WARDI_ORDER_NONE)
		pthread_cond_wait(&thread->wake, &dispatcher->mu);
	enum wardi_order order = thread->order;
	thread->order = WARDI_ORDER_NONE;
	return order;
}

/* Searches, as counted already. Called and left with mu. NULL: in vain, and nothing is injected. */
static struct wardi_runnable *search_counted(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;

	pthread_mutex_unlock(&dispatcher->mu);
	struct wardi_runnable *runnable = search(thread);
	pthread_mutex_lock(&dispatcher->mu);
	end_search(dispatcher, runnable != NULL);
	return runnable != NULL ? runnable : take_injected(thread);
}

struct wardi_runnable *wardi_park_find(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_park *park = &dispatcher->park;

	/* Nobody may be in the seat: what is due must not wait for the end of a search. */
	wardi_worker_serve(thread, true);
	struct wardi_runnable *runnable = wardi_runqueue_pop(&thread->queue);
	if (runnable != NULL)
		return runnable;

	pthread_mutex_lock(&dispatcher->mu);
	park->idle++;
	park->searching++;
	publish(park);
	runnable = search_counted(thread);
	while (runnable == NULL && !dispatcher->closing) {
		enum wardi_order order = WARDI_ORDER_SEAT;

		if (park->seated == NULL)
			park->seated = thread;
		else
			order = sleep_outside(thread);
		runnable = order == WARDI_ORDER_SEAT ? sit(thread) : search_counted(thread);
	}
	if (runnable != NULL)
		become_busy(thread);
	pthread_mutex_unlock(&dispatcher->mu);
	return runnable;
}

/* ---- the busy, and others ---------------------------------------------------------------- */

void wardi_park_take_share(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;

	if (!is_injected(dispatcher))
		return;
	pthread_mutex_lock(&dispatcher->mu);
	struct wardi_runnable *first = take_injected(thread);
	if (first != NULL)
		pushed(dispatcher, wardi_runqueue_push(&thread->queue, first));
	pthread_mutex_unlock(&dispatcher->mu);
}

void wardi_park_push(struct wardi_thread *thread, struct wardi_runnable *runnable)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	uint64_t length = wardi_runqueue_push(&thread->queue, runnable);

	/* Relaxed: see the top. */
	if (length < atomic_load_explicit(&dispatcher->park.wake_at, memory_order_relaxed))
		return;
	pthread_mutex_lock(&dispatcher->mu);
	pushed(dispatcher, length);
	pthread_mutex_unlock(&dispatcher->mu);
}

void wardi_park_inject(struct wardi_dispatcher *dispatcher, struct wardi_runnable *runnable)
{
	pthread_mutex_lock(&dispatcher->mu);
	wardi_fifo_append(&dispatcher->inject, runnable);
	set_injected(dispatcher);
	if (dispatcher->park.searching == 0)
		wake_to_work(dispatcher);
	publish(&dispatcher->park);
	pthread_mutex_unlock(&dispatcher->mu);
}

void wardi_park_timer(struct wardi_dispatcher *dispatcher, int64_t deadline_ns)
{
	pthread_mutex_lock(&dispatcher->mu);
	if (dispatcher->park.seat_until_ns > deadline_ns)
		wake_seat(dispatcher, WARDI_ORDER_LOOK);
	publish(&dispatcher->park);
	pthread_mutex_unlock(&dispatcher->mu);
}

void wardi_park_init(struct wardi_dispatcher *dispatcher, bool search_pays)
{
	struct wardi_park *park = &dispatcher->park;

	park->seat_until_ns = INT64_MIN;
	park->eager = true;
	park->search_ns = search_pays ? SEARCH_NS : 0;
	atomic_init(&park->wake_at, NEVER);
}

void wardi_park_close(struct wardi_dispatcher *dispatcher)
{
	pthread_mutex_lock(&dispatcher->mu);
	dispatcher->closing = true;
	while (dispatcher->park.sleeping > 0)
		wake_sleeper(&dispatcher->park, WARDI_ORDER_WORK);
	wake_seat(dispatcher, WARDI_ORDER_LOOK);
	pthread_mutex_unlock(&dispatcher->mu);
}
