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
 * One idle worker has the seat: it serves timers and descriptors, and watches over the busy ones.
 * All other idle workers are asleep, each on its own condition variable, without a limit. The
 * worker in the seat is
 *
 *      watching   it looks around all the time, and steals what has waited too long (steal.c): for
 *                 WATCH_NS after it sat down if the last find was stolen, else not for long; and
 *                 only where that takes no processor from the busy ones
 *      napping    then: it sleeps for NAP_MIN_NS to NAP_MAX_NS, and looks around for a moment. In
 *                 that time a busy worker looks at the descriptors (polling.c), so they do not
 *                 end the nap
 *      dozing     when nothing was pushed during a nap, and nothing waits: it sleeps for DOZE_NS,
 *                 and the next push to a busy worker's queue calls it
 *      asleep     when nobody is busy: without a limit, in the poller; but before that it does
 *                 deferred work, a little between two looks, and sleeps until there is more
 *      crowded    it leaves the seat: another thread needs the processor (crowd.c). It naps
 *                 outside, and then takes the seat if that is still free
 *
 * So when all are idle only a timer, a descriptor or a runnable wakes a worker; and once or twice,
 * after a burst, the memory that it has left.
 *
 * Rules. Each change of a state is made under mu, by a function that restores the rules.
 *
 *         when                                    then
 *      R1 something is injected,                  somebody is awake and will look: searches or
 *         somebody is idle                        watches
 *      R2 somebody is asleep                      the seat is taken, or somebody naps outside
 *      R3 somebody busy has a queue,              somebody searches, or the seat is alert: awake,
 *         somebody is idle                        or in a nap. For a while: or it dozes
 *      R4 nobody is busy, and all is tidy         the seat sleeps without a limit
 *      R5 the seat sleeps, or a worker naps       not beyond the next timer, nor beyond the time
 *         outside                                 at which a pool is to get a thread
 *
 *      event                                      what is done, for which rule
 *      something is injected, nobody looks        one asleep is woken to work; none is: the seat
 *                                                 (R1)
 *      a worker pushes to its own queue, and      the seat is made alert (R3)
 *         `call` is set
 *      a search was a success                     what is left in inject is work for one more, as
 *                                                 above (R1); nothing is, but something is in its
 *                                                 queue, or another worker is busy: the seat is
 *                                                 made alert (R3)
 *      a search was in vain, another worker       the seat is made alert (R3)
 *         is busy
 *      the seat is left                           one asleep is woken to sit (R2)
 *      a timer is armed, or a pool lacks a        the seat is woken, or a sleeper to sit (R5)
 *      thread, before the end of sleep or nap
 *      a sleeper leaves something to tidy  the seat is woken, unless it will be up by
 *                                                 then; or looks again before it sleeps (R4)
 *      a descriptor is ready                      the kernel wakes the seat
 *
 * Why no wake-up is lost. R1: injecting and going to sleep both hold mu. R5: a thread that arms a
 * timer writes the time, then takes mu and looks at seat_until_ns; a worker that sits down takes
 * mu, then reads the time. R3 must cost a push next to nothing, so a push reads `call` without mu.
 * The seat sleeps without a limit only when nobody is busy, and `call` is set then. A worker that
 * becomes busy after that takes mu, and so sees it; it is cleared only when the seat is made alert
 * or somebody searches, and the end of a search makes the seat alert. A doze is the exception: a
 * push that still reads `call` from before the doze wakes nobody, and waits for the next push, or
 * for DOZE_NS.
 *
 * Threads: see park.h
 */
#include "sched/park.h"

#include "base/assert.h"
#include "base/spin.h"
#include "sched/blocking.h"
#include "sched/crowd.h"
#include "sched/dispatcher.h"
#include "sched/state.h"
#include "sched/thread.h"
#include "sched/worker.h"

enum {
	WATCH_NS = 10 * 1000 * 1000,
	NAP_MIN_NS = 125 * 1000,
	NAP_MAX_NS = 250 * 1000,
	DOZE_NS = 10 * 1000 * 1000,
	POLL_NS = 20 * 1000, /* between two looks at the descriptors, while looking around */
	PAUSES = 32,         /* between two looks that cost nobody anything */
};

/* ---- states and rules; all under mu ------------------------------------------------------ */

/* Publishes what a push has to do; call after each change of a state. */
static void publish(struct wardi_park *park)
{
	bool call = park->searching == 0 && park->seated != NULL && !park->seat_alert;

	/* Relaxed: see the top. Written only when it changes: busy workers read it all the time. */
	if (atomic_load_explicit(&park->call, memory_order_relaxed) != call)
		atomic_store_explicit(&park->call, call, memory_order_relaxed);
}

static bool seat_sleeps(struct wardi_park *park)
{
	return park->seated != NULL && park->seat_until_ns != INT64_MIN;
}

/* Whether a worker looks around, and will look at inject once more before it sleeps. */
static bool somebody_looks(struct wardi_park *park)
{
	return park->searching > 0 || (park->seated != NULL && !seat_sleeps(park));
}

/* Wakes the worker in the seat, unless it is awake. */
static void wake_seat(struct wardi_dispatcher *dispatcher)
{
	struct wardi_park *park = &dispatcher->park;

	if (!seat_sleeps(park))
		return;
	park->calls++;
	park->seated->order = WARDI_ORDER_LOOK;
	park->seat_until_ns = INT64_MIN;
	park->seat_alert = true;
	wardi_poller_wake(&dispatcher->sched->poller);
}

/* A sleeper outside the seat is to get up. */
static void rise(struct wardi_park *park, struct wardi_thread *thread, enum wardi_park_order order)
{
	wardi_list_remove(&thread->nap);
	park->sleeping--;
	thread->order = order;
	if (order == WARDI_ORDER_WORK) {
		park->searching++;
	} else {
		park->seated = thread;
		park->seat_until_ns = INT64_MIN;
		park->seat_alert = true;
	}
}

/* Wakes the last worker that went to sleep; there must be one. */
static void wake_sleeper(struct wardi_park *park, enum wardi_park_order order)
{
	struct wardi_thread *thread =
		wardi_container_of(park->asleep.next, struct wardi_thread, nap);

	wardi_assert(park->sleeping > 0);
	rise(park, thread, order);
	pthread_cond_signal(&thread->wake);
}

static void wake_to_work(struct wardi_dispatcher *dispatcher)
{
	if (somebody_looks(&dispatcher->park))
		return;
	if (dispatcher->park.sleeping > 0)
		wake_sleeper(&dispatcher->park, WARDI_ORDER_WORK);
	else
		wake_seat(dispatcher);
}

static void make_seat_alert(struct wardi_dispatcher *dispatcher)
{
	if (dispatcher->park.searching == 0 && !dispatcher->park.seat_alert)
		wake_seat(dispatcher);
}

/* There is something to tidy at that time; INT64_MAX: nothing. A worker that is awake in the seat
 * may have looked already, so it looks again before it sleeps. */
static void tell_untidy(struct wardi_dispatcher *dispatcher, int64_t due_ns)
{
	struct wardi_park *park = &dispatcher->park;

	if (due_ns == INT64_MAX)
		return;
	if (!seat_sleeps(park))
		park->untidy = true;
	else if (due_ns < park->seat_until_ns)
		wake_seat(dispatcher);
	publish(park);
}

/* An idle worker has found something, and is busy from now on. */
static void become_busy(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_park *park = &dispatcher->park;
	struct wardi_runqueue *queue = &thread->queue;

	wardi_park_add_idle(park, -1);
	wardi_crowd_leave(thread);
	park->plenty = thread->stole;
	if (park->seated == NULL && park->sleeping > 0 && park->napping == 0)
		wake_sleeper(park, WARDI_ORDER_SEAT);
	if (dispatcher->inject.count > 0)
		wake_to_work(dispatcher);
	else if (wardi_runqueue_pushed(queue) != wardi_runqueue_popped(queue) ||
		 wardi_dispatcher_busy(dispatcher) > 1)
		make_seat_alert(dispatcher);
	publish(park);
}

/* A search is over. */
static void end_search(struct wardi_dispatcher *dispatcher, bool found)
{
	dispatcher->park.searching--;
	if (!found && wardi_dispatcher_busy(dispatcher) > 0)
		make_seat_alert(dispatcher);
	publish(&dispatcher->park);
}

/* ---- idle workers ------------------------------------------------------------------------ */

/* Looks around for that time, without mu, at least once; in the seat only as long as another worker
 * is busy, and no longer where it is crowded. NULL: in vain. The lines of busy workers are read
 * every AGED_NS only: each look costs them. */
static struct wardi_runnable *look_around(struct wardi_thread *thread, int64_t for_ns, bool seated)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_runnable *runnable = NULL;
	int64_t now_ns = wardi_crowd_serve(thread, 0, false);
	int64_t until_ns = now_ns + for_ns;
	int64_t look_ns = now_ns;

	thread->stole = false;
	for (;;) {
		if (!wardi_runqueue_empty(&thread->queue))
			runnable = wardi_runqueue_pop(&thread->queue);
		if (runnable == NULL && wardi_dispatcher_has_injected(dispatcher)) {
			wardi_mutex_lock(&dispatcher->mu);
			runnable = wardi_dispatcher_take_injected(thread);
			wardi_mutex_unlock(&dispatcher->mu);
		}
		if (runnable == NULL && now_ns >= look_ns && !wardi_crowd_is_crowded(thread)) {
			runnable = wardi_crowd_steal(thread, now_ns);
			look_ns = now_ns + WARDI_AGED_NS;
		}
		if (runnable != NULL || now_ns >= until_ns || wardi_crowd_is_crowded(thread) ||
		    (seated && wardi_dispatcher_busy(dispatcher) == 0))
			return runnable;
		for (int i = 0; i < PAUSES; i++)
			wardi_pause();
		now_ns = wardi_crowd_serve(thread, POLL_NS, false);
	}
}

/* What the worker in the seat knows. */
struct vigil {
	int64_t watch_until_ns;
	int64_t nap_ns;
	uint64_t pushed;    /* of all queues, at its last sleep; UINT64_MAX: none */
	int64_t tidy_at_ns; /* INT64_MIN: ask when nobody is busy */
};

/* Whether looking around without a pause does not harm the busy workers. */
static bool watching_pays(struct wardi_dispatcher *dispatcher)
{
	uint32_t busy = wardi_dispatcher_busy(dispatcher);

	return busy > 0 && busy < dispatcher->sched->processors;
}

static void set_alert(struct wardi_park *park, bool alert)
{
	park->seat_alert = alert;
	publish(park);
}

/* Prepares a sleep in the seat. Returns its maximum; INT64_MAX: no limit. */
static int64_t lie_down(struct wardi_thread *thread, struct vigil *vigil)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_park *park = &dispatcher->park;
	uint64_t pushed = wardi_steal_pushed(dispatcher);
	bool quiet = pushed == vigil->pushed && !wardi_steal_anything(dispatcher);

	vigil->pushed = pushed;
	if (wardi_dispatcher_busy(dispatcher) == 0) {
		set_alert(park, false);
		return INT64_MAX;
	}
	set_alert(park, !quiet);
	/* A push in between may not have seen `call`. */
	if (quiet && wardi_steal_pushed(dispatcher) == pushed)
		return DOZE_NS;
	set_alert(park, true);
	int64_t nap_ns = vigil->nap_ns;
	if (nap_ns < NAP_MAX_NS)
		vigil->nap_ns *= 2;
	return nap_ns;
}

/* Without mu: does a little deferred work when nobody is busy. Returns when there is more to do. */
static int64_t tidy(struct wardi_thread *thread)
{
	struct wardi_worker *worker = &thread->worker;

	if (wardi_dispatcher_busy(worker->dispatcher) > 0)
		return INT64_MIN;
	(void)wardi_worker_rest(worker);
	return wardi_worker_tidy(worker, wardi_worker_look(worker));
}

/* Returns when the seat has something to do. */
static int64_t seat_time(struct wardi_sched *sched, int64_t tidy_at_ns)
{
	int64_t timer_ns = wardi_timers_next(&sched->timers);
	int64_t recruit_ns = wardi_blocking_recruit_ns(sched);
	int64_t until_ns = timer_ns < recruit_ns ? timer_ns : recruit_ns;

	return tidy_at_ns < until_ns ? tidy_at_ns : until_ns;
}

/* Sleeps in the seat, and returns how long to look around after it. Called and returns with mu,
 * sleeps without it. */
static int64_t rest(struct wardi_thread *thread, struct vigil *vigil)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_sched *sched = dispatcher->sched;
	struct wardi_park *park = &dispatcher->park;
	int64_t now_ns = wardi_worker_look(&thread->worker);
	int64_t until_ns = seat_time(sched, INT64_MAX);
	bool ready = false;

	if (wardi_dispatcher_busy(dispatcher) == 0) {
		if (park->untidy)
			vigil->tidy_at_ns = INT64_MIN;
		park->untidy = false;
		if (vigil->tidy_at_ns <= now_ns)
			return 0;
		if (vigil->tidy_at_ns < until_ns)
			until_ns = vigil->tidy_at_ns;
	}
	int64_t for_ns = lie_down(thread, vigil);
	bool watching = for_ns >= DOZE_NS;
	if (for_ns < until_ns - now_ns)
		until_ns = now_ns + for_ns;
	park->seat_until_ns = until_ns;
	wardi_mutex_unlock(&dispatcher->mu);

	wardi_grace_leave(&thread->worker);
	if (until_ns == INT64_MAX)
		ready = wardi_poller_sleep(sched, -1, watching);
	else if (until_ns > now_ns)
		ready = wardi_poller_sleep(sched, until_ns - now_ns, watching);
	wardi_grace_enter(&sched->grace, &thread->worker);

	wardi_mutex_lock(&dispatcher->mu);
	bool called = thread->order != WARDI_ORDER_NONE;
	thread->order = WARDI_ORDER_NONE;
	park->seat_until_ns = INT64_MIN;
	set_alert(park, true);
	thread->worker.wheels_at_ns = INT64_MIN;
	thread->stirred = ready && !called;
	thread->by_timer = !ready && !called;
	if (!called)
		return watching_pays(dispatcher) ? WARDI_AGED_NS : 0;
	wardi_poller_rest(&sched->poller);
	wardi_steal_forget(thread);
	vigil->nap_ns = NAP_MIN_NS;
	return sched->patience_ns;
}

/* Holds the seat until there is something to run. With mu. NULL: the end, or it is crowded. */
static struct wardi_runnable *sit(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_runnable *runnable = wardi_dispatcher_take_injected(thread);
	int64_t watch_ns = dispatcher->park.plenty ? WATCH_NS : dispatcher->sched->patience_ns;
	struct vigil vigil = {.watch_until_ns = wardi_worker_look(&thread->worker) + watch_ns,
			      .nap_ns = NAP_MIN_NS,
			      .pushed = UINT64_MAX,
			      .tidy_at_ns = INT64_MIN};

	if (!thread->crowd.patient && thread->crowd.until_ns == 0)
		wardi_steal_forget(thread);
	while (runnable == NULL && !dispatcher->closing && !wardi_crowd_is_crowded(thread)) {
		int64_t for_ns = vigil.watch_until_ns - wardi_worker_look(&thread->worker);

		if (for_ns <= 0 || !watching_pays(dispatcher))
			for_ns = rest(thread, &vigil);
		wardi_mutex_unlock(&dispatcher->mu);
		runnable = look_around(thread, for_ns, true);
		if (runnable == NULL)
			vigil.tidy_at_ns = tidy(thread);
		wardi_mutex_lock(&dispatcher->mu);
		if (runnable == NULL)
			runnable = wardi_dispatcher_take_injected(thread);
	}
	dispatcher->park.seated = NULL;
	return runnable;
}

/* A crowded worker: gets up to take the seat, if that is free then. Called and returns with mu. */
static void nap_outside(struct wardi_thread *thread)
{
	struct wardi_park *park = &thread->worker.dispatcher->park;
	int64_t until_ns = wardi_crowd_lie_down(thread);
	int64_t due_ns = seat_time(thread->worker.sched, INT64_MAX);

	if (until_ns > park->nap_until_ns)
		park->nap_until_ns = until_ns;
	park->napping++;
	wardi_thread_sleep(thread, due_ns < until_ns ? due_ns : until_ns);
	park->napping--;
	wardi_crowd_get_up(thread);
	thread->worker.wheels_at_ns = INT64_MIN;
	if (thread->order == WARDI_ORDER_NONE && park->seated == NULL)
		rise(park, thread, WARDI_ORDER_SEAT);
	if (thread->order != WARDI_ORDER_SEAT)
		wardi_crowd_leave(thread);
}

/* Sleeps outside the seat. Called and returns with mu. Returns the reason of the wake-up. */
static enum wardi_park_order sleep_outside(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_park *park = &dispatcher->park;

	thread->order = WARDI_ORDER_NONE;
	wardi_list_prepend(&park->asleep, &thread->nap);
	park->sleeping++;
	thread->stirred = false;
	if (wardi_crowd_is_crowded(thread))
		nap_outside(thread);
	if (thread->order == WARDI_ORDER_NONE) {
		tell_untidy(dispatcher, wardi_worker_rest(&thread->worker));
		wardi_thread_sleep(thread, INT64_MAX);
	}
	enum wardi_park_order order = thread->order;
	thread->order = WARDI_ORDER_NONE;
	return order;
}

/* Searches; the caller has counted the search. Called and returns with mu. NULL: in vain, and
 * nothing is injected. A worker that only a timer woke does not look around after what was due:
 * nobody is about to send it more. */
static struct wardi_runnable *search(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	int64_t for_ns = thread->by_timer ? 0 : dispatcher->sched->patience_ns;

	wardi_mutex_unlock(&dispatcher->mu);
	thread->by_timer = false;
	wardi_steal_forget(thread);
	struct wardi_runnable *runnable = look_around(thread, for_ns, false);
	wardi_mutex_lock(&dispatcher->mu);
	end_search(dispatcher, runnable != NULL);
	return runnable != NULL ? runnable : wardi_dispatcher_take_injected(thread);
}

struct wardi_runnable *wardi_park_find(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_park *park = &dispatcher->park;

	/* The seat may be empty: due work must not wait for the end of a search. */
	wardi_crowd_serve(thread, 0, true);
	struct wardi_runnable *runnable = wardi_runqueue_pop(&thread->queue);
	if (runnable != NULL)
		return runnable;

	wardi_timers_correct(dispatcher->sched);
	wardi_mutex_lock(&dispatcher->mu);
	wardi_park_add_idle(park, 1);
	park->searching++;
	publish(park);
	runnable = search(thread);
	while (runnable == NULL && !dispatcher->closing) {
		enum wardi_park_order order = WARDI_ORDER_SEAT;

		if (park->seated == NULL && !wardi_crowd_is_crowded(thread))
			park->seated = thread;
		else
			order = sleep_outside(thread);
		runnable = order == WARDI_ORDER_SEAT ? sit(thread) : search(thread);
	}
	if (runnable != NULL)
		become_busy(thread);
	wardi_mutex_unlock(&dispatcher->mu);
	return runnable;
}

/* ---- busy workers, and other threads ----------------------------------------------------- */

void wardi_park_take_share(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;

	wardi_mutex_lock(&dispatcher->mu);
	struct wardi_runnable *first = wardi_dispatcher_take_injected(thread);
	if (first != NULL) {
		wardi_runqueue_push(&thread->queue, first);
		make_seat_alert(dispatcher);
		publish(&dispatcher->park);
	}
	wardi_mutex_unlock(&dispatcher->mu);
}

void wardi_park_call(struct wardi_dispatcher *dispatcher)
{
	wardi_mutex_lock(&dispatcher->mu);
	make_seat_alert(dispatcher);
	publish(&dispatcher->park);
	wardi_mutex_unlock(&dispatcher->mu);
}

void wardi_park_untidy(struct wardi_dispatcher *dispatcher, int64_t due_ns)
{
	wardi_mutex_lock(&dispatcher->mu);
	tell_untidy(dispatcher, due_ns);
	wardi_mutex_unlock(&dispatcher->mu);
}

void wardi_park_inject(struct wardi_dispatcher *dispatcher, struct wardi_runnable *runnable)
{
	wardi_mutex_lock(&dispatcher->mu);
	wardi_fifo_append(&dispatcher->inject, runnable);
	wardi_dispatcher_injected(dispatcher);
	wake_to_work(dispatcher);
	publish(&dispatcher->park);
	wardi_mutex_unlock(&dispatcher->mu);
}

void wardi_park_timer(struct wardi_dispatcher *dispatcher, int64_t deadline_ns)
{
	struct wardi_park *park = &dispatcher->park;

	wardi_mutex_lock(&dispatcher->mu);
	if (park->seat_until_ns > deadline_ns)
		wake_seat(dispatcher);
	/* A napper that was woken counts until it runs. */
	if (park->seated == NULL && park->napping > 0 && park->sleeping > 0 &&
	    park->nap_until_ns > deadline_ns) {
		wake_sleeper(park, WARDI_ORDER_SEAT);
		park->calls++;
	}
	publish(park);
	wardi_mutex_unlock(&dispatcher->mu);
}

/* ---- the worker of a driven scheduler ---------------------------------------------------- */

int64_t wardi_park_lie_down(struct wardi_thread *thread, int64_t tidy_at_ns)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_park *park = &dispatcher->park;

	wardi_mutex_lock(&dispatcher->mu);
	wardi_park_add_idle(park, 1);
	park->seated = thread;
	park->seat_until_ns = seat_time(dispatcher->sched, tidy_at_ns);
	set_alert(park, false);
	if (dispatcher->inject.count > 0 || !wardi_runqueue_empty(&thread->queue))
		wake_seat(dispatcher);
	int64_t until_ns = park->seat_until_ns;
	wardi_mutex_unlock(&dispatcher->mu);
	return until_ns;
}

void wardi_park_get_up(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	struct wardi_park *park = &dispatcher->park;

	wardi_mutex_lock(&dispatcher->mu);
	wardi_park_add_idle(park, -1);
	park->seated = NULL;
	park->seat_until_ns = INT64_MIN;
	park->untidy = false; /* it tidies by the clock */
	thread->order = WARDI_ORDER_NONE;
	publish(park);
	wardi_mutex_unlock(&dispatcher->mu);
}

void wardi_park_init(struct wardi_dispatcher *dispatcher)
{
	dispatcher->park.seat_until_ns = INT64_MIN;
	wardi_list_init(&dispatcher->park.asleep);
}

void wardi_park_close(struct wardi_dispatcher *dispatcher)
{
	wardi_mutex_lock(&dispatcher->mu);
	dispatcher->closing = true;
	while (dispatcher->park.sleeping > 0)
		wake_sleeper(&dispatcher->park, WARDI_ORDER_WORK);
	wake_seat(dispatcher);
	wardi_mutex_unlock(&dispatcher->mu);
}
