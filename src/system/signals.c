/* SPDX-License-Identifier: MIT
 *
 * signals.c - the signals that end a program: SIGINT, SIGTERM, SIGHUP; which system has them.
 *
 *	taken, WAITING --- the first signal: the system is shut down ---> ENDING
 *	   |                           a second one, later: the process dies of it |
 *	   | given back                          options.deadline_ms: _exit()         | given back
 *	   +------------------------> over <------------------------------------------+
 *
 * Which thread gets them, and how they are shared with actors that watch them, is a matter of
 * sched/process_signals.c. An ignored signal, such as SIGHUP under nohup or SIGINT in the
 * background of a script, stays ignored; a signal with a handler of the program stays with the
 * program; one that an actor of the system watches comes to that actor alone.
 *
 * They are blocked on the thread that creates the system, so that no call of a main thread that
 * waits for the end is interrupted.
 *
 * Threads: first and until belong to the thread that hands out; the rest is frozen when it begins.
 */
#include "system/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/list.h"
#include "base/text.h"
#include "cell/system.h"
#include "sched/process_signals.h"
#include "system/late_end.h"

enum { STATUS_SIGNAL = 128 };
static const int64_t echo_ns = 100 * WARD_NS_PER_MS;

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING = sizeof ending / sizeof ending[0] };

struct wardi_signals {
	struct wardi_signal_ender ender;
	ward_system *system;
	sigset_t before;
	pthread_t taker; /* has `before` as its mask when they are given back */
	int first;       /* that came; 0: none yet */
	int64_t first_ns;
};

static struct wardi_signals *of_ender(struct wardi_signal_ender *ender)
{
	return wardi_container_of(ender, struct wardi_signals, ender);
}

/* ---- what comes --------------------------------------------------------------------------- */

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

static void begin_end(struct wardi_signals *signals, int number, int64_t at_ns)
{
	int64_t deadline_ms = signals->system->deadline_ms;
	char reason[WARD_REASON_TEXT];

	signals->first = number;
	signals->first_ns = at_ns;
	if (deadline_ms < (INT64_MAX - at_ns) / WARD_NS_PER_MS)
		signals->ender.until = at_ns + deadline_ms * WARD_NS_PER_MS;
	snprintf(reason, sizeof reason, "SIG%s", sigabbrev_np(number));
	ward_system_shutdown(signals->system, reason);
}

/* Some programs send a signal to the process and then to its group, such as timeout(1): that is one
 * request. */
static bool is_echo(const struct wardi_signals *signals, int64_t at_ns)
{
	return at_ns < signals->first_ns + echo_ns;
}

static void arrived(struct wardi_signal_ender *ender, int number, int64_t at_ns)
{
	struct wardi_signals *signals = of_ender(ender);

	if (signals->first == 0)
		begin_end(signals, number, at_ns);
	else if (!is_echo(signals, at_ns))
		die(number);
}

static void late(struct wardi_signal_ender *ender)
{
	wardi_end_late(of_ender(ender)->system);
}

/* ---- taking and giving back --------------------------------------------------------------- */

static ward_err refused(ward_system *system, ward_err err)
{
	struct wardi_signals *signals = system->signals;
	char why[256];

	wardi_text_copy(why, sizeof why, ward_err_detail());
	pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
	wardi_free(&system->alloc, signals, sizeof *signals);
	system->signals = NULL;
	if (err == WARD_EEXIST)
		return wardi_error(
			WARD_EEXIST,
			"options.signals: another system of this process has its signals "
			"already; one alone can, the others leave them alone by WARD_SIGNALS_OFF");
	return wardi_error(err,
			   "options.signals: %s; raise the limit of threads, or leave signals "
			   "alone by WARD_SIGNALS_OFF",
			   why);
}

ward_err wardi_signals_take(ward_system *system)
{
	struct wardi_signals *signals;
	ward_err err;

	if (system->simulation != NULL)
		return wardi_error(WARD_EINVAL,
				   "options.signals: a simulation gets none: WARD_SIGNALS_OFF");
	signals = wardi_alloc_zeroed(&system->alloc, sizeof *signals);
	if (signals == NULL)
		return wardi_error(WARD_ENOMEM, "options.signals: no memory for their record");
	signals->system = system;
	signals->taker = pthread_self();
	signals->ender = (struct wardi_signal_ender){
		.system = system, .arrived = arrived, .late = late, .until = INT64_MAX};
	sigemptyset(&signals->ender.wanted);
	for (size_t i = 0; i < ENDING; i++)
		sigaddset(&signals->ender.wanted, ending[i]);
	system->signals = signals;
	/* Only those that it gets stay blocked. */
	pthread_sigmask(SIG_BLOCK, &signals->ender.wanted, &signals->before);
	err = wardi_signals_join(&system->uses_signals);
	if (err == WARD_OK)
		err = wardi_signals_end_with(&signals->ender);
	if (err != WARD_OK)
		return refused(system, err);
	pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
	pthread_sigmask(SIG_BLOCK, &signals->ender.wanted, NULL);
	return WARD_OK;
}

void wardi_signals_give_back(ward_system *system)
{
	struct wardi_signals *signals = system->signals;

	if (signals == NULL)
		return;
	wardi_signals_end_no_more(&signals->ender);
	if (pthread_equal(signals->taker, pthread_self()))
		pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
	wardi_free(&system->alloc, signals, sizeof *signals);
	system->signals = NULL;
}
