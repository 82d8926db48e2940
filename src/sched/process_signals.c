/* SPDX-License-Identifier: MIT
 *
 * process_signals.c - the one owner of signals in a process: who gets which, and the thread that
 * hands them out.
 *
 *	signal --> a handler (signal_handler.c), on a thread that does not block it: counts it,
 *	           wakes the thread
 *	       --> the thread itself, if all block it
 *	thread --> under the lock:    arrived() of each listener of the number
 *	           without the lock:  arrived() of the ender, unless a listener of its system heard
 *
 * So it does not matter what the threads of the program block. A number is taken with its first
 * listener, and given back with its last, when the thread no longer waits for it.
 *
 * Threads   users, thread: under opening_mu, which is held while the thread starts and ends
 *           all else: under mu
 */
#include "sched/process_signals.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/signal_handler.h"
#include "sched/os_thread.h"
#include "sched/thread_settings.h"

enum { RETRY_MS = 10 };

/* 0: none yet; negative: being made by a thread of that process. */
static _Atomic pid_t owner;

static struct wardi_mutex opening_mu = WARDI_MUTEX_INIT(WARDI_LOCK_SIGNALS_OPENING);
static uint32_t users;
static pthread_t thread;

static struct wardi_mutex mu = WARDI_MUTEX_INIT(WARDI_LOCK_SIGNALS);
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* any of the state below */
static struct wardi_list listeners;
static uint32_t taken[NSIG]; /* how often */
static struct wardi_signal_ender *ender;
static bool over;     /* the thread is to end */
static bool waiting;  /* it waits for those in `open` */
static bool calling;  /* it calls the ender */
static bool starving; /* a listener had no memory */
static sigset_t open;

/* ---- the process -------------------------------------------------------------------------- */

/* What a parent process has does not count, and its locks may be held by nobody. */
static void begin_here(void)
{
	wardi_mutex_init(&opening_mu, WARDI_LOCK_SIGNALS_OPENING);
	wardi_mutex_init(&mu, WARDI_LOCK_SIGNALS);
	pthread_cond_init(&changed, NULL);
	users = 0;
	for (int number = 0; number < NSIG; number++)
		taken[number] = 0;
	wardi_list_init(&listeners);
	ender = NULL;
	over = waiting = calling = starving = false;
	wardi_signal_handler_begin();
}

static void in_this_process(void)
{
	pid_t here = getpid(), known;

	/* Acquire and release: who finds it made finds what was made. */
	while ((known = atomic_load_explicit(&owner, memory_order_acquire)) != here) {
		if (known == -here) {
			sched_yield();
		} else if (atomic_compare_exchange_strong_explicit(&owner, &known, -here,
								   memory_order_acq_rel,
								   memory_order_acquire)) {
			begin_here();
			atomic_store_explicit(&owner, here, memory_order_release);
		}
	}
}

void wardi_signals_lock(void)
{
	in_this_process();
	wardi_mutex_lock(&mu);
}

void wardi_signals_unlock(void)
{
	wardi_mutex_unlock(&mu);
}

/* ---- numbers: under mu -------------------------------------------------------------------- */

/* Makes the thread look at the state. */
static void wake(void)
{
	pthread_cond_broadcast(&changed);
	for (int number = 1; waiting && number < NSIG; number++)
		if (sigismember(&open, number) == 1) {
			wardi_signal_wake(number);
			break;
		}
}

static const char *name_of(int number)
{
	return sigabbrev_np(number) != NULL ? sigdescr_np(number) : "real-time";
}

static ward_err take(int number)
{
	if (taken[number] == 0) {
		switch (wardi_signal_install(number)) {
		case WARDI_SIGNAL_PROGRAMS:
			return wardi_error(
				WARD_EEXIST,
				"signal %d (%s) has a handler of the program, to which it is "
				"left",
				number, name_of(number));
		case WARDI_SIGNAL_REFUSED:
			return wardi_error(WARD_ESYS, "signal %d: sigaction: %s", number,
					   wardi_os_text(errno));
		case WARDI_SIGNAL_TAKEN:
		default:
			break;
		}
		wake(); /* to wait for it, too */
	}
	taken[number]++;
	return WARD_OK;
}

static void give_back(int number)
{
	if (--taken[number] > 0)
		return;
	while (taken[number] == 0 && waiting && sigismember(&open, number) == 1) {
		wake();
		wardi_cond_wait(&changed, &mu);
	}
	if (taken[number] == 0)
		wardi_signal_uninstall(number);
}

/* ---- handing out: under mu ---------------------------------------------------------------- */

static struct wardi_signal_listener *of_link(struct wardi_list *link)
{
	return wardi_container_of(link, struct wardi_signal_listener, link);
}

static void retry(void)
{
	starving = false;
	for (struct wardi_list *at = listeners.next; at != &listeners; at = at->next)
		starving |= !of_link(at)->arrived(of_link(at), NULL);
}

/* Returns how many hear it. */
static uint32_t hand_to(const void *system, const struct wardi_signal *signal, bool raised)
{
	uint32_t heard = 0;

	for (struct wardi_list *at = listeners.next; at != &listeners; at = at->next) {
		struct wardi_signal_listener *listener = of_link(at);

		if (listener->number != signal->number ||
		    (raised ? listener->system != system : listener->simulated))
			continue;
		starving |= !listener->arrived(listener, signal);
		heard += listener->system == system;
	}
	return heard;
}

/* Calls a function of the ender without the lock; end_no_more() waits for it. */
static void begin_call(void)
{
	calling = true;
	wardi_mutex_unlock(&mu);
}

static void end_call(void)
{
	wardi_mutex_lock(&mu);
	calling = false;
	pthread_cond_broadcast(&changed);
}

static void hand_out(const struct wardi_signal *signal, int64_t at_ns)
{
	struct wardi_signal_ender *it = ender;
	uint32_t heard = hand_to(it == NULL ? NULL : it->system, signal, false);

	if (it == NULL || heard > 0 || sigismember(&it->wanted, signal->number) != 1)
		return;
	begin_call();
	it->arrived(it, signal->number, at_ns);
	end_call();
}

static void look(void)
{
	wardi_signal_begin_look();
	if (starving)
		retry();
	for (int number = 1; number < NSIG; number++) {
		struct wardi_signal signal;
		int64_t at_ns = 0;

		if (taken[number] == 0)
			continue;
		signal = wardi_signal_collect(number, &at_ns);
		if (signal.count > 0)
			hand_out(&signal, at_ns);
	}
	if (ender != NULL && ender->until != INT64_MAX && wardi_signal_now_ns() >= ender->until) {
		struct wardi_signal_ender *it = ender;

		begin_call();
		it->late(it);
		end_call();
	}
}

static int64_t until(void)
{
	int64_t retry_ns = starving ? wardi_signal_now_ns() + RETRY_MS * WARD_NS_PER_MS : INT64_MAX;

	return ender != NULL && ender->until < retry_ns ? ender->until : retry_ns;
}

static void wait_for_signal(void)
{
	int64_t until_ns = until();
	bool any = false;

	sigemptyset(&open);
	for (int number = 1; number < NSIG; number++)
		if (taken[number] > 0) {
			sigaddset(&open, number);
			any = true;
		}
	if (!any) {
		wardi_cond_wait(&changed, &mu);
		return;
	}
	waiting = true;
	wardi_mutex_unlock(&mu);
	wardi_signal_wait(&open, until_ns);
	wardi_mutex_lock(&mu);
	waiting = false;
	pthread_cond_broadcast(&changed);
}

static void *run(void *arg)
{
	wardi_signal_begin_taking();
	wardi_mutex_lock(&mu);
	look(); /* what a handler noted before it could find this thread */
	while (!over) {
		wait_for_signal();
		look();
	}
	wardi_mutex_unlock(&mu);
	return arg;
}

/* ---- users -------------------------------------------------------------------------------- */

ward_err wardi_signals_join(bool *in)
{
	static const struct wardi_thread_settings settings;
	int error = 0;

	in_this_process();
	wardi_mutex_lock(&opening_mu);
	if (!*in && users == 0) {
		over = false; /* no thread reads it */
		error = wardi_os_thread_start(&settings, run, NULL, &thread);
		if (error == 0)
			pthread_setname_np(thread, "ward-signals");
	}
	if (!*in && error == 0) {
		users++;
		*in = true;
	}
	wardi_mutex_unlock(&opening_mu);
	return error == 0 ? WARD_OK
			  : wardi_error(WARD_ESYS, "no thread that waits for signals: %s",
					wardi_os_text(error));
}

void wardi_signals_leave(bool *in)
{
	if (!*in)
		return;
	*in = false;
	wardi_mutex_lock(&opening_mu);
	if (--users == 0) {
		wardi_mutex_lock(&mu);
		over = true;
		wake();
		wardi_mutex_unlock(&mu);
		wardi_signal_end_taking();
		pthread_join(thread, NULL);
	}
	wardi_mutex_unlock(&opening_mu);
}

/* ---- listeners ---------------------------------------------------------------------------- */

ward_err wardi_signals_listen(struct wardi_signal_listener *listener)
{
	ward_err err = WARD_OK;

	wardi_signals_lock();
	if (!listener->simulated)
		err = take(listener->number);
	if (err == WARD_OK)
		wardi_list_append(&listeners, &listener->link);
	wardi_signals_unlock();
	return err;
}

void wardi_signals_unlisten(struct wardi_signal_listener *listener)
{
	wardi_signals_lock();
	wardi_list_remove(&listener->link);
	if (!listener->simulated)
		give_back(listener->number);
	wardi_signals_unlock();
}

uint32_t wardi_signals_raise(const void *system, const struct wardi_signal *signal)
{
	uint32_t heard;

	wardi_signals_lock();
	heard = hand_to(system, signal, true);
	if (starving)
		wake();
	wardi_signals_unlock();
	return heard;
}

/* ---- the ender ---------------------------------------------------------------------------- */

static void give_back_all(const sigset_t *numbers)
{
	for (int number = 1; number < NSIG; number++)
		if (sigismember(numbers, number) == 1)
			give_back(number);
}

/* Under mu. What an actor watches already may have been ignored before. */
static ward_err choose(struct wardi_signal_ender *it)
{
	sigset_t wanted = it->wanted;
	ward_err err;

	sigemptyset(&it->wanted);
	for (int number = 1; number < NSIG; number++) {
		if (sigismember(&wanted, number) != 1 || wardi_signal_was_ignored(number))
			continue;
		err = take(number);
		if (err == WARD_OK)
			sigaddset(&it->wanted, number);
		if (err != WARD_ESYS)
			continue;
		give_back_all(&it->wanted);
		return err;
	}
	return WARD_OK;
}

ward_err wardi_signals_end_with(struct wardi_signal_ender *it)
{
	ward_err err;

	wardi_signals_lock();
	if (ender != NULL)
		err = wardi_error(WARD_EEXIST, "another system of this process has them");
	else
		err = choose(it);
	if (err == WARD_OK)
		ender = it;
	wardi_signals_unlock();
	return err;
}

void wardi_signals_end_no_more(struct wardi_signal_ender *it)
{
	wardi_signals_lock();
	while (calling)
		wardi_cond_wait(&changed, &mu);
	ender = NULL;
	give_back_all(&it->wanted);
	wardi_signals_unlock();
}
