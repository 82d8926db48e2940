/* SPDX-License-Identifier: MIT
 *
 * signals.c - the signals that end a program: SIGINT, SIGTERM, SIGHUP; which system has them.
 *
 *	taken, WAITING --- the first signal: the system is shut down ---> ENDING
 *	   |                           a second one, later: the process dies of it |
 *	   | given back                          options.deadline_ms: _exit()         | given back
 *	   +------------------------> over <------------------------------------------+
 *
 * No handler is installed: the signals are blocked, and a thread waits for them. An ignored signal,
 * such as SIGHUP under nohup or SIGINT in the background of a script, stays ignored; a signal with
 * a handler of the program stays with the program.
 *
 * Threads: `owner` is atomic; first and until belong to the thread; the rest is frozen when it
 * begins.
 */
#include "system/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "cell/system.h"
#include "system/late_end.h"

enum {
	THREAD_NAME = 16,
	TRIES = 100,
	STATUS_SIGNAL = 128,
	NS_PER_S = 1000000000,
	ECHO_NS = NS_PER_S / 10
};

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING = sizeof ending / sizeof ending[0] };

struct wardi_signals {
	ward_system *system;
	sigset_t set; /* of them, those without another handler */
	int any;      /* one of these; 0: there is none, and no thread */
	sigset_t before;
	pthread_t taker;  /* has `before` as its mask when they are given back */
	pthread_t thread; /* waits for them */
	_Atomic bool over;
	int first; /* that came; 0: none yet */
	int64_t first_ns;
	int64_t until; /* monotonic, in ns, when the end is late */
};

static _Atomic pid_t owner; /* the process in which a system has them; 0: none has */

/* ---- the thread -------------------------------------------------------------------------- */

static int64_t now_ns(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* Dies of the signal, so that the shell sees it. */
static void die(int number)
{
	struct sigaction by_default = {.sa_handler = SIG_DFL};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	sigaction(number, &by_default, NULL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	_exit(STATUS_SIGNAL + number); /* where that is refused */
}

/* Returns a signal, or 0 when it is time to look at the clock. */
static int wait_for_one(const struct wardi_signals *signals)
{
	int64_t left = signals->until - now_ns();
	struct timespec time = {0};
	int number;

	if (signals->until == INT64_MAX) {
		number = sigwaitinfo(&signals->set, NULL);
	} else {
		if (left > 0)
			time = (struct timespec){left / NS_PER_S, left % NS_PER_S};
		number = sigtimedwait(&signals->set, NULL, &time);
	}
	return number > 0 ? number : 0;
}

static void begin_end(struct wardi_signals *signals, int number)
{
	int64_t deadline_ms = signals->system->deadline_ms, now = now_ns();
	char reason[WARD_REASON_TEXT];

	signals->first = number;
	signals->first_ns = now;
	if (deadline_ms < (INT64_MAX - now) / WARD_NS_PER_MS)
		signals->until = now + deadline_ms * WARD_NS_PER_MS;
	snprintf(reason, sizeof reason, "SIG%s", sigabbrev_np(number));
	ward_system_shutdown(signals->system, reason);
}

static bool is_over(const struct wardi_signals *signals)
{
	return atomic_load_explicit(&signals->over, memory_order_acquire);
}

/* Some programs send a signal to the process and then to its group, such as timeout(1): that is one
 * request. */
static bool is_echo(const struct wardi_signals *signals)
{
	return signals->first != 0 && now_ns() < signals->first_ns + ECHO_NS;
}

static void *watch(void *arg)
{
	struct wardi_signals *signals = arg;

	while (!is_over(signals)) {
		int number = wait_for_one(signals);

		if (is_over(signals))
			break;
		if (number != 0 && is_echo(signals))
			continue;
		if (number != 0 && signals->first != 0)
			die(number);
		else if (number != 0)
			begin_end(signals, number);
		else if (now_ns() >= signals->until)
			wardi_end_late(signals->system);
	}
	return NULL;
}

/* Blocks all signals but those of faults, as on the threads of the scheduler. Returns 0, or an
 * errno. */
static int start_thread(struct wardi_signals *signals)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
	char name[THREAD_NAME];
	sigset_t blocked, before;
	int error;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
		sigdelset(&blocked, faults[i]);
	error = pthread_sigmask(SIG_SETMASK, &blocked, &before);
	if (error != 0)
		return error;
	error = pthread_create(&signals->thread, NULL, watch, signals);
	for (int tries = 0; tries < TRIES; tries++)
		if (pthread_sigmask(SIG_SETMASK, &before, NULL) == 0)
			break;
	if (error == 0) {
		snprintf(name, sizeof name, "%.7s-signals", signals->system->name);
		pthread_setname_np(signals->thread, name);
	}
	return error;
}

/* ---- the owner --------------------------------------------------------------------------- */

/* An owner in the parent process does not count. Release and acquire: the next owner finds the mask
 * and the handlers as they were before. */
static bool become_owner(void)
{
	pid_t before = 0, here = getpid();

	while (!atomic_compare_exchange_strong_explicit(&owner, &before, here, memory_order_acq_rel,
							memory_order_acquire))
		if (before == here)
			return false;
	return true;
}

static void leave_ownership(void)
{
	atomic_store_explicit(&owner, 0, memory_order_release);
}

static void choose(struct wardi_signals *signals)
{
	sigemptyset(&signals->set);
	for (size_t i = 0; i < ENDING; i++) {
		struct sigaction now = {.sa_flags = 0};

		if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_DFL)
			continue;
		sigaddset(&signals->set, ending[i]);
		signals->any = ending[i];
	}
}

static ward_err refused(ward_system *system, int error)
{
	struct wardi_signals *signals = system->signals;

	pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
	wardi_free(&system->alloc, signals, sizeof *signals);
	system->signals = NULL;
	leave_ownership();
	return wardi_error(WARD_ESYS,
			   "options.signals: no thread that waits for them: %s; raise the limit of "
			   "threads, or leave signals alone by WARD_SIGNALS_OFF",
			   wardi_os_text(error));
}

ward_err wardi_signals_take(ward_system *system)
{
	struct wardi_signals *signals;
	int error = 0;

	if (system->simulation != NULL)
		return wardi_error(WARD_EINVAL,
				   "options.signals: a simulation gets none: WARD_SIGNALS_OFF");
	if (!become_owner())
		return wardi_error(
			WARD_EEXIST,
			"options.signals: another system of this process has its signals "
			"already; one alone can, the others leave them alone by WARD_SIGNALS_OFF");
	signals = wardi_alloc_zeroed(&system->alloc, sizeof *signals);
	if (signals == NULL) {
		leave_ownership();
		return wardi_error(WARD_ENOMEM, "options.signals: no memory for their record");
	}
	signals->system = system;
	signals->taker = pthread_self();
	signals->until = INT64_MAX;
	choose(signals);
	system->signals = signals;
	pthread_sigmask(SIG_BLOCK, &signals->set, &signals->before);
	if (signals->any != 0)
		error = start_thread(signals);
	return error == 0 ? WARD_OK : refused(system, error);
}

void wardi_signals_give_back(ward_system *system)
{
	struct wardi_signals *signals = system->signals;

	if (signals == NULL)
		return;
	if (signals->any != 0) {
		atomic_store_explicit(&signals->over, true, memory_order_release);
		pthread_kill(signals->thread, signals->any); /* for the thread alone */
		pthread_join(signals->thread, NULL);
	}
	if (pthread_equal(signals->taker, pthread_self()))
		pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
	wardi_free(&system->alloc, signals, sizeof *signals);
	system->signals = NULL;
	leave_ownership();
}
