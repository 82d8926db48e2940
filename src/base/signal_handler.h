/* SPDX-License-Identifier: MIT
 *
 * signal_handler.h - the dispositions of signals that ward has taken, and what its handler notes.
 *
 * process_signals.c says when what is called.
 */
#ifndef WARDI_SIGNAL_HANDLER_H
#define WARDI_SIGNAL_HANDLER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Signals of a number; the rest is that of the last one. */
struct wardi_signal {
	int number;
	uint32_t count;
	pid_t from; /* 0: the kernel; of SIGCHLD: the child */
	uid_t uid;
	int value; /* of sigqueue(); else 0 */
};

/* Begins in this process: what a parent process has noted is forgotten. */
void wardi_signal_handler_begin(void);

/* NULL: the number can be taken. Otherwise why not. */
const char *wardi_signal_refusal(int number);

enum wardi_signal_taken {
	WARDI_SIGNAL_TAKEN,
	WARDI_SIGNAL_PROGRAMS, /* the program has a handler */
	WARDI_SIGNAL_REFUSED   /* by the operating system: errno */
};

/* Installs the handler. */
enum wardi_signal_taken wardi_signal_install(int number);
/* Restores the previous disposition, unless another one has been set since. */
void wardi_signal_uninstall(int number);
/* Whether a signal that is taken was ignored before; or one that is not taken is. */
bool wardi_signal_was_ignored(int number);

/* Returns what has come since the last call; count 0: nothing. *ret_ns: when the first came, by the
 * monotonic clock. */
struct wardi_signal wardi_signal_collect(int number, int64_t *ret_ns);

/* The calling thread, which blocks all signals, is the one that takes them from now on. */
void wardi_signal_begin_taking(void);
/* It takes no more, and is no longer woken. Any thread. */
void wardi_signal_end_taking(void);

/* On that thread, before it collects: what comes from now on wakes it. */
void wardi_signal_begin_look(void);
/* On that thread: waits for one of these, for a wake, or until then (monotonic, in ns; INT64_MAX:
 * forever). */
void wardi_signal_wait(const sigset_t *numbers, int64_t until);
/* Wakes the thread, which waits for this number, now or when it waits next. */
void wardi_signal_wake(int number);

int64_t wardi_signal_now_ns(void);

#endif
