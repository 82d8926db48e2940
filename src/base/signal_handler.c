/* SPDX-License-Identifier: MIT
 *
 * signal_handler.c - the dispositions of signals that ward has taken, and what its handler notes.
 *
 * The handler runs on any thread that does not block the signal. It counts it, notes where it is
 * from, and wakes the thread of process_signals.c by a signal of the same number to that thread.
 * All it calls is async-signal-safe. If every thread blocks the signal, that thread takes it
 * itself. A place is written with all signals blocked, so a thread that finds one busy waits for
 * another thread, never for itself.
 *
 * In a child process after fork() the handler is still there, until an exec. It restores the
 * disposition of before then, and sends the signal again.
 *
 * Threads: places under their flag; previous[] and installed[] under the lock of process_signals.c;
 * the rest is atomic.
 */
#include "base/signal_handler.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const int64_t ns_per_s = 1000000000;
enum { KERNEL_SET = 8 /* bytes of a set of signals */ };

struct place {
	atomic_flag busy;
	_Atomic bool any; /* a hint: count is not 0 */
	/* under busy */
	struct wardi_signal signal;
	int64_t first_ns;
};

static struct place places[NSIG];
static struct sigaction previous[NSIG];
static bool installed[NSIG];
static _Atomic pid_t home;      /* the process whose signals these are */
static pthread_t taker;         /* the thread that waits, if it takes */
static _Atomic bool takes;      /* sequentially consistent, as in_handlers */
static _Atomic int in_handlers; /* threads that may be about to wake it */
static _Atomic bool told;       /* it has been woken, and has not looked yet */

int64_t wardi_signal_now_ns(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * ns_per_s + now.tv_nsec;
}

void wardi_signal_handler_begin(void)
{
	for (int number = 0; number < NSIG; number++) {
		atomic_flag_clear_explicit(&places[number].busy, memory_order_relaxed);
		atomic_store_explicit(&places[number].any, false, memory_order_relaxed);
		places[number].signal = (struct wardi_signal){.number = number};
	}
	atomic_store_explicit(&takes, false, memory_order_relaxed);
	atomic_store_explicit(&in_handlers, 0, memory_order_relaxed);
	atomic_store_explicit(&told, false, memory_order_relaxed);
	/* Release: a handler that finds it finds the rest. */
	atomic_store_explicit(&home, getpid(), memory_order_release);
}

/* ---- the handler: async-signal-safe ------------------------------------------------------- */

static void lock(struct place *place)
{
	while (atomic_flag_test_and_set_explicit(&place->busy, memory_order_acquire))
		;
}

static void unlock(struct place *place)
{
	atomic_flag_clear_explicit(&place->busy, memory_order_release);
}

static void note(struct place *place, const siginfo_t *info)
{
	struct wardi_signal *signal = &place->signal;
	bool sent = info->si_code <= 0;

	if (signal->count == 0)
		place->first_ns = wardi_signal_now_ns();
	if (signal->count < UINT32_MAX)
		signal->count++;
	signal->from = sent || info->si_signo == SIGCHLD ? info->si_pid : 0;
	signal->uid = sent || info->si_signo == SIGCHLD ? info->si_uid : 0;
	signal->value = info->si_code == SI_QUEUE ? info->si_value.sival_int : 0;
	/* Relaxed: a thread that sees it takes the flag. */
	atomic_store_explicit(&place->any, true, memory_order_relaxed);
}

void wardi_signal_wake(int number)
{
	if (atomic_load_explicit(&takes, memory_order_seq_cst))
		pthread_kill(taker, number);
}

/* Blocked while its handler runs, it comes when that returns. previous[] was written before the
 * handler was installed. */
static void leave_to_previous(int number)
{
	if (sigaction(number, &previous[number], NULL) == 0)
		raise(number);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	int error = errno;

	(void)context;
	if (atomic_load_explicit(&home, memory_order_acquire) != getpid()) {
		leave_to_previous(number);
	} else {
		/* Sequentially consistent: see wardi_signal_end_taking(). */
		atomic_fetch_add_explicit(&in_handlers, 1, memory_order_seq_cst);
		lock(&places[number]);
		note(&places[number], info);
		unlock(&places[number]);
		/* Both: the thread that clears it sees what was noted before. */
		if (!atomic_exchange_explicit(&told, true, memory_order_acq_rel))
			wardi_signal_wake(number);
		atomic_fetch_sub_explicit(&in_handlers, 1, memory_order_seq_cst);
	}
	errno = error;
}

struct wardi_signal wardi_signal_collect(int number, int64_t *ret_ns)
{
	struct place *place = &places[number];
	struct wardi_signal signal = {.number = number};
	sigset_t all, before;

	if (!atomic_load_explicit(&place->any, memory_order_relaxed)) /* see note() */
		return signal;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	lock(place);
	signal = place->signal;
	*ret_ns = place->first_ns;
	place->signal = (struct wardi_signal){.number = number};
	atomic_store_explicit(&place->any, false, memory_order_relaxed);
	unlock(place);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return signal;
}

/* ---- the thread that takes them ----------------------------------------------------------- */

void wardi_signal_begin_taking(void)
{
	taker = pthread_self();
	/* A handler that does not find it has noted before the thread looks. */
	atomic_store_explicit(&takes, true, memory_order_seq_cst);
}

void wardi_signal_begin_look(void)
{
	/* Acquire: see on_signal(). */
	(void)atomic_exchange_explicit(&told, false, memory_order_acq_rel);
}

/* A handler that found the thread has been counted before, so nobody sends to a thread that is
 * gone. */
void wardi_signal_end_taking(void)
{
	atomic_store_explicit(&takes, false, memory_order_seq_cst);
	while (atomic_load_explicit(&in_handlers, memory_order_seq_cst) != 0)
		sched_yield();
}

/* By wardi_signal_wake(). The program cannot send to this thread. */
static bool is_wake(const siginfo_t *info)
{
	return info->si_code == SI_TKILL && info->si_pid == getpid();
}

void wardi_signal_wait(const sigset_t *numbers, int64_t until)
{
	int64_t left = until == INT64_MAX ? INT64_MAX : until - wardi_signal_now_ns();
	struct timespec time = {0};
	siginfo_t info;
	int number;

	if (left > 0)
		time = (struct timespec){left / ns_per_s, left % ns_per_s};
	/* sigtimedwait() would hide SI_TKILL. */
	number = (int)syscall(SYS_rt_sigtimedwait, numbers, &info,
			      until == INT64_MAX ? NULL : &time, KERNEL_SET);
	if (number > 0 && !is_wake(&info)) {
		lock(&places[number]);
		note(&places[number], &info);
		unlock(&places[number]);
	}
}

/* ---- the dispositions --------------------------------------------------------------------- */

const char *wardi_signal_refusal(int number)
{
	switch (number) {
	case SIGKILL:
	case SIGSTOP:
		return "no process can take it";
	case SIGSEGV:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGTRAP:
	case SIGSYS:
	case SIGABRT:
		return "it is a fault of the thread that it comes to; for faults in callbacks "
		       "there "
		       "is options.faults";
	case SIGPIPE:
	case SIGXFSZ:
	case SIGTTIN:
	case SIGTTOU:
		return "it answers a call of the thread that it comes to, and an actor's call "
		       "returns an error instead";
	default:
		break;
	}
	if (number > 0 && number < NSIG && (number < __SIGRTMIN || number >= SIGRTMIN) &&
	    number <= SIGRTMAX)
		return NULL;
	return "there is no such signal, or the C library needs it";
}

static bool is_ours(const struct sigaction *action)
{
	return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == on_signal;
}

static bool is_programs(const struct sigaction *action)
{
	return !is_ours(action) &&
	       ((action->sa_flags & SA_SIGINFO) != 0 ||
		(action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN));
}

enum wardi_signal_taken wardi_signal_install(int number)
{
	/* A child that stops, or goes on, is no news. */
	struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK |
					     (number == SIGCHLD ? SA_NOCLDSTOP : 0)};
	struct sigaction now;
	int64_t ns;

	if (sigaction(number, NULL, &now) != 0)
		return WARDI_SIGNAL_REFUSED;
	if (is_programs(&now))
		return WARDI_SIGNAL_PROGRAMS;
	(void)wardi_signal_collect(number, &ns); /* of the time before */
	/* Ours may be there already: of the parent process, or it could not be removed. */
	if (!is_ours(&now))
		previous[number] = now;
	sigfillset(&ours.sa_mask);
	ours.sa_sigaction = on_signal;
	if (sigaction(number, &ours, NULL) != 0)
		return WARDI_SIGNAL_REFUSED;
	installed[number] = true;
	return WARDI_SIGNAL_TAKEN;
}

void wardi_signal_uninstall(int number)
{
	struct sigaction now;

	installed[number] = false;
	if (sigaction(number, NULL, &now) == 0 && is_ours(&now))
		(void)sigaction(number, &previous[number], NULL);
}

bool wardi_signal_was_ignored(int number)
{
	struct sigaction now = {.sa_flags = 0};

	if (installed[number])
		now = previous[number];
	else if (sigaction(number, NULL, &now) != 0)
		return false;
	return (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_IGN;
}
