/* SPDX-License-Identifier: MIT
 *
 * waiter.c - a thread outside that waits, and the number by which it is found.
 *
 * A waiter lives on the stack of the thread that waits and has a number; a ref with that number and
 * the place of waiters stands for it, so that a late answer finds nobody instead of a dead stack.
 * In a simulation waiting steps the system, and the thread of a driven system polls it.
 *
 * A thread that waits looks for a while before it goes to sleep: an answer from another processor
 * takes less time than a wake-up.
 *
 * Threads: the list, and done, err, reason and answer of each waiter, under outside_mu; done is
 * also read without it. The other fields are frozen.
 *
 * [W1] complete: release  pairs with  look: acquire: a thread that sees done also sees the result.
 */
#include "send/waiter.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/foreign_call.h"
#include "base/spin.h"
#include "base/text.h"
#include "cell/path.h"
#include "cell/points.h"
#include "cell/reply_ref.h"
#include "common/uncancelled.h"
#include "sched/sched.h"
#include "sched/sim.h"

enum { NS_PER_SECOND = 1000000000, PAUSES = 32 };

void wardi_waiter_begin(ward_system *system, struct wardi_waiter *waiter, ward_err at_the_end)
{
	pthread_condattr_t attr;

	waiter->since_ns = wardi_clock_now(&system->clock);
	waiter->err = WARD_ETIMEDOUT;
	waiter->at_the_end = at_the_end;
	waiter->driver = wardi_driven_here(system->sched) ? system->sched : NULL;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&waiter->cond, &attr);
	pthread_condattr_destroy(&attr);
	wardi_mutex_lock(&system->outside_mu);
	waiter->id = ++system->waiter_ids;
	wardi_list_append(&system->waiters, &waiter->link);
	wardi_mutex_unlock(&system->outside_mu);
}

void wardi_waiter_complete(struct wardi_waiter *waiter, ward_err err)
{
	waiter->err = err;
	atomic_store_explicit(&waiter->done, true, memory_order_release); /* [W1] */
	pthread_cond_signal(&waiter->cond);
	if (waiter->driver != NULL && !wardi_driven_here(waiter->driver))
		wardi_driven_wake(waiter->driver);
}

static bool is_done(const struct wardi_waiter *waiter)
{
	return atomic_load_explicit(&waiter->done, memory_order_acquire); /* [W1] */
}

static int64_t deadline_of(ward_system *system, int64_t timeout_ms)
{
	int64_t now = wardi_clock_now(&system->clock);

	if (timeout_ms < 0)
		timeout_ms = 0;
	if (timeout_ms > (INT64_MAX - now) / WARD_NS_PER_MS)
		return INT64_MAX;
	return now + timeout_ms * WARD_NS_PER_MS;
}

static void wait_simulated(ward_system *system, struct wardi_waiter *waiter, int64_t deadline_ns)
{
	while (!is_done(waiter)) {
		/* A jump of the clock ends a wait, even if actors are still ready. */
		if (wardi_clock_now(&system->clock) > deadline_ns)
			return;
		wardi_points.publish_foreign(system);
		if (wardi_sched_step(system->sched))
			continue;
		if (wardi_sched_advance(system->sched, deadline_ns))
			continue;
		if (deadline_ns != INT64_MAX || !wardi_sched_poll(system->sched))
			return; /* nothing will ever happen again, or not in time */
	}
}

static void wait_driven(ward_system *system, struct wardi_waiter *waiter, int64_t deadline_ns)
{
	while (!is_done(waiter) && wardi_clock_now(&system->clock) <= deadline_ns) {
		if (wardi_driven_poll(system->sched) && !is_done(waiter))
			(void)wardi_driven_sleep(system->sched, deadline_ns);
	}
}

/* Looks for the answer for as long as a wake-up from sleep would take. */
static void look(ward_system *system, const struct wardi_waiter *waiter, int64_t deadline_ns)
{
	int64_t now_ns = wardi_clock_now(&system->clock);
	int64_t until_ns = now_ns + wardi_sched_patience(system->sched);

	if (until_ns > deadline_ns)
		until_ns = deadline_ns;
	while (!is_done(waiter) && now_ns < until_ns) {
		for (int i = 0; i < PAUSES && !is_done(waiter); i++)
			wardi_pause();
		now_ns = wardi_clock_now(&system->clock);
	}
}

static void wait_threads(ward_system *system, struct wardi_waiter *waiter, int64_t deadline_ns)
{
	struct timespec until = {.tv_sec = (time_t)(deadline_ns / NS_PER_SECOND),
				 .tv_nsec = (long)(deadline_ns % NS_PER_SECOND)};
	int err = 0;

	look(system, waiter, deadline_ns);
	wardi_mutex_lock(&system->outside_mu);
	while (!is_done(waiter) && err != ETIMEDOUT) {
		if (deadline_ns == INT64_MAX)
			wardi_cond_wait(&waiter->cond, &system->outside_mu);
		else
			err = wardi_cond_timedwait(&waiter->cond, &system->outside_mu, &until);
	}
	wardi_mutex_unlock(&system->outside_mu);
}

ward_err wardi_waiter_finish(ward_system *system, struct wardi_waiter *waiter, int64_t timeout_ms)
{
	int64_t deadline_ns = deadline_of(system, timeout_ms);

	if (system->simulation != NULL)
		wait_simulated(system, waiter, deadline_ns);
	else if (waiter->driver != NULL)
		wait_driven(system, waiter, deadline_ns);
	else
		wait_threads(system, waiter, deadline_ns);
	wardi_mutex_lock(&system->outside_mu);
	wardi_list_remove(&waiter->link);
	wardi_mutex_unlock(&system->outside_mu);
	pthread_cond_destroy(&waiter->cond);
	return waiter->err;
}

/* Under outside_mu. */
static struct wardi_waiter *find(ward_system *system, uint64_t id)
{
	for (struct wardi_list *at = system->waiters.next; at != &system->waiters; at = at->next) {
		struct wardi_waiter *waiter = wardi_container_of(at, struct wardi_waiter, link);

		if (waiter->id == id && !is_done(waiter))
			return waiter;
	}
	return NULL;
}

bool wardi_waiter_answer(ward_system *system, ward_ref to, struct ward_msg *msg)
{
	struct wardi_waiter *waiter;

	wardi_mutex_lock(&system->outside_mu);
	waiter = find(system, to.uid);
	if (waiter != NULL) {
		waiter->answer = msg;
		wardi_waiter_complete(waiter, WARD_OK);
	}
	wardi_mutex_unlock(&system->outside_mu);
	if (waiter != NULL || !wardi_replies.task_answer(system, to, wardi_msg_type(msg)))
		return waiter != NULL;
	wardi_msg_destroy(wardi_outside_source(system), msg);
	return true;
}

uint64_t wardi_waiter_number(ward_system *system)
{
	uint64_t id;

	wardi_mutex_lock(&system->outside_mu);
	id = ++system->waiter_ids;
	wardi_mutex_unlock(&system->outside_mu);
	return id;
}

void wardi_waiter_dead(ward_system *system, ward_ref waiter, ward_reason reason)
{
	struct wardi_waiter *found;

	wardi_mutex_lock(&system->outside_mu);
	found = find(system, waiter.uid);
	if (found != NULL) {
		found->reason = reason;
		wardi_waiter_complete(found, WARD_EDEAD);
	}
	wardi_mutex_unlock(&system->outside_mu);
	wardi_replies.task_undelivered(system, waiter);
}

void wardi_waiter_gone(ward_system *system, uint64_t waiter_id)
{
	struct wardi_waiter *found;

	wardi_mutex_lock(&system->outside_mu);
	found = find(system, waiter_id);
	/* For a thread that asked, this is the end of the actor it asked. */
	if (found != NULL)
		wardi_waiter_complete(found, found->asked == NULL ? WARD_OK : WARD_EDEAD);
	wardi_mutex_unlock(&system->outside_mu);
}

void wardi_waiter_unreached(ward_system *system, uint64_t waiter_id)
{
	struct wardi_waiter *found;

	wardi_mutex_lock(&system->outside_mu);
	found = find(system, waiter_id);
	if (found != NULL)
		wardi_waiter_complete(found, WARD_EUNREACHED);
	wardi_mutex_unlock(&system->outside_mu);
}

void wardi_waiters_begun(ward_system *system, enum wardi_wait_for what)
{
	wardi_mutex_lock(&system->outside_mu);
	for (struct wardi_list *at = system->waiters.next; at != &system->waiters; at = at->next) {
		struct wardi_waiter *waiter = wardi_container_of(at, struct wardi_waiter, link);

		if (waiter->waits_for >= what && !is_done(waiter))
			wardi_waiter_complete(waiter, WARD_OK);
	}
	wardi_mutex_unlock(&system->outside_mu);
}

void wardi_waiters_end(ward_system *system)
{
	for (struct wardi_list *at = system->waiters.next; at != &system->waiters; at = at->next) {
		struct wardi_waiter *waiter = wardi_container_of(at, struct wardi_waiter, link);

		if (!is_done(waiter) && waiter->at_the_end != WARD_ETIMEDOUT)
			wardi_waiter_complete(waiter, waiter->at_the_end);
	}
}

/* ---- looking at those who wait ----------------------------------------------------------- */

/* Copies the next waiter after `id`, so that nobody is called under the lock. False: none is
 * left. */
static bool next_wait(ward_system *system, uint64_t *id, ward_wait_info *info)
{
	bool found = false;

	wardi_mutex_lock(&system->outside_mu);
	for (struct wardi_list *at = system->waiters.next; at != &system->waiters && !found;
	     at = at->next) {
		const struct wardi_waiter *waiter =
			wardi_container_of(at, struct wardi_waiter, link);

		found = waiter->id > *id;
		if (!found)
			continue;
		*id = waiter->id;
		info->who = waiter->who;
		info->since_ns = waiter->since_ns;
		ward_text_format(info->what, sizeof info->what, "%s%s%s", waiter->what,
				 waiter->asked == NULL ? "" : " ",
				 waiter->asked == NULL ? "" : waiter->asked->name);
	}
	wardi_mutex_unlock(&system->outside_mu);
	return found;
}

size_t ward_system_waits(ward_system *system, void (*each)(void *arg, const ward_wait_info *info),
			 void *arg)
{
	WARDI_UNCANCELLED;
	ward_wait_info info = {.since_ns = 0};
	uint64_t id = 0;
	size_t count = 0;

	if (system == NULL || !wardi_system_here(system))
		return 0;
	for (; next_wait(system, &id, &info); count++) {
		info.waited_ms = (wardi_clock_now(&system->clock) - info.since_ns) / WARD_NS_PER_MS;
		wardi_path_tail(system, info.who, info.path, sizeof info.path);
		if (each == NULL)
			continue;
		wardi_foreign_call_begin();
		each(arg, &info);
		wardi_foreign_call_end();
	}
	return count;
}
