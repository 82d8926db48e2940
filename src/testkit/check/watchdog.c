/* SPDX-License-Identifier: MIT
 *
 * watchdog.c - the thread that ends a case at its time limit, after the hooks have run.
 *
 * Under mu: the hooks, the stop, and the wait for either end. The deadline is shared with the
 * runner; a thread that moves it wakes the watchdog.
 */
#include "testkit/check/watchdog.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ward/testkit/runner.h>

#include "testkit/check/case_result.h"

enum { LIMIT_S = 60, GRACE_S = 10 };

unsigned wardi_testkit_grace_s = GRACE_S;

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER; /* the start changes its clock */
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER;
static bool watching, stopping;
static pthread_t watchdog;
static void (*hooks[WARDI_TESTKIT_HOOKS_MAX])(void);
static size_t hooks_count;

void wardi_testkit_on_hang(void (*print)(void))
{
	size_t i = 0;
	pthread_mutex_lock(&mu);
	while (i < hooks_count && hooks[i] != print)
		i++;
	bool room = i < WARDI_TESTKIT_HOOKS_MAX;
	if (room && i == hooks_count)
		hooks[hooks_count++] = print;
	pthread_mutex_unlock(&mu);
	ward_assert(room);
}

/* ---- the limit --------------------------------------------------------------------------- */

static unsigned limit_given_s(void)
{
	const char *text = getenv("WARD_TEST_TIMEOUT_S");
	return text != NULL ? (unsigned)strtoul(text, NULL, 10) : 0;
}

bool wardi_testkit_limit_is_sound(void)
{
	const char *text = getenv("WARD_TEST_TIMEOUT_S");
	return text == NULL ||
	       (text[0] != '\0' && strlen(text) <= 9 && strspn(text, "0123456789") == strlen(text));
}

static void set_limit(unsigned seconds)
{
	int64_t deadline_ns = wardi_testkit_now_ns() + (int64_t)seconds * 1000000000;
	atomic_store_explicit(&wardi_testkit_run->limit_s, seconds, memory_order_relaxed);
	atomic_store_explicit(&wardi_testkit_run->deadline_ns, deadline_ns, memory_order_relaxed);
}

void wardi_testkit_limit_reset(void)
{
	set_limit(limit_given_s() != 0 ? limit_given_s() : LIMIT_S);
	atomic_store_explicit(&wardi_testkit_run->timed_out, false, memory_order_relaxed);
}

void ward_test_allow_s(unsigned seconds)
{
	if (limit_given_s() != 0)
		return;
	pthread_mutex_lock(&mu);
	set_limit(seconds);
	pthread_cond_signal(&moved);
	pthread_mutex_unlock(&mu);
}

/* ---- the thread -------------------------------------------------------------------------- */

/* Under mu. True: the deadline has come, and no stop. */
static bool wait_for_deadline(void)
{
	while (!stopping) {
		int64_t deadline_ns =
			atomic_load_explicit(&wardi_testkit_run->deadline_ns, memory_order_relaxed);
		if (wardi_testkit_now_ns() >= deadline_ns)
			return true;
		struct timespec until = {deadline_ns / 1000000000, deadline_ns % 1000000000};
		pthread_cond_timedwait(&moved, &mu, &until);
	}
	return false;
}

static void *watch(void *arg)
{
	(void)arg;
	void (*calls[WARDI_TESTKIT_HOOKS_MAX])(void);
	pthread_mutex_lock(&mu);
	watching = true;
	pthread_cond_signal(&begun);
	bool came = wait_for_deadline();
	size_t count = hooks_count;
	memcpy(calls, hooks, sizeof(calls));
	pthread_mutex_unlock(&mu);
	if (!came)
		return NULL;

	/* First of all: a hook may crash. */
	atomic_store_explicit(&wardi_testkit_run->timed_out, true, memory_order_relaxed);
	for (size_t i = 0; i < count; i++)
		calls[i]();
	/* No other stream: a thread that hangs in a read of one has it locked. */
	fflush(stdout);
	_exit(1);
}

/* In the child of a fork the watchdog does not exist: it must neither hold the lock forever nor be
 * among the waiters. */
static void before_fork(void)
{
	pthread_mutex_lock(&mu);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&mu);
}

static void in_fork(void)
{
	static const pthread_cond_t nobody_waits = PTHREAD_COND_INITIALIZER;
	moved = nobody_waits;
	pthread_mutex_unlock(&mu);
}

void wardi_testkit_watchdog_start(void)
{
	ward_assert_eq(pthread_atfork(before_fork, after_fork, in_fork), 0);
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&moved, &monotonic);
	pthread_condattr_destroy(&monotonic);

	/* The signals of the process are for the threads of the case. */
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ward_assert_eq(pthread_create(&watchdog, NULL, watch, NULL), 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);

	/* Not before it waits: a thread that begins holds locks of the sanitizer's, and if the case
	 * forked just then they would be held forever in the child. */
	pthread_mutex_lock(&mu);
	while (!watching)
		pthread_cond_wait(&begun, &mu);
	pthread_mutex_unlock(&mu);
}

void wardi_testkit_watchdog_stop(void)
{
	pthread_mutex_lock(&mu);
	stopping = true;
	pthread_cond_signal(&moved);
	pthread_mutex_unlock(&mu);
	/* Past its deadline it ends the process while we wait here: the case was too late. */
	pthread_join(watchdog, NULL);
}
