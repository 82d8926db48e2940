/* SPDX-License-Identifier: MIT
 *
 * process_signals.h - the one owner of signals in a process: who gets which, and the thread that
 * hands them out.
 *
 * All systems of the process share it. Actors that watch a signal (actor/signal_watch.c) get each;
 * the system that has options.signals (system/signals.c) gets those of its own that none of its
 * actors watches.
 */
#ifndef WARDI_PROCESS_SIGNALS_H
#define WARDI_PROCESS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <ward/types.h>

#include "base/list.h"
#include "base/signal_handler.h"

/* One that gets the signals of a number. */
struct wardi_signal_listener {
	struct wardi_list link;
	/* frozen */
	int number;
	const void *system; /* that it is part of */
	bool simulated;     /* it gets only what wardi_signals_raise() raises */
	/* Called under the lock: may deliver, no more. NULL: try again. False: no memory, so try
	 * again soon. */
	bool (*arrived)(struct wardi_signal_listener *listener, const struct wardi_signal *signal);
};

/* What gets the signals that end a program. One of a process. */
struct wardi_signal_ender {
	const void *system;
	sigset_t wanted; /* in: those that it wants; out: those that it has */
	/* Called without the lock, on the thread that hands out. `at_ns`: when it came. */
	void (*arrived)(struct wardi_signal_ender *ender, int number, int64_t at_ns);
	void (*late)(struct wardi_signal_ender *ender);
	int64_t until; /* monotonic, in ns: when `late` is called; that thread's */
};

/* This system uses the owner, which runs a thread while one does. `in` is the system's, and shared
 * by its threads. Errors: WARD_ESYS. */
ward_err wardi_signals_join(bool *in);
/* It no longer does: nothing of it is a listener. The calling thread waits for the thread. */
void wardi_signals_leave(bool *in);

/* The system has joined, unless the listener is simulated. Errors: WARD_EEXIST the program has a
 * handler; WARD_ESYS. */
ward_err wardi_signals_listen(struct wardi_signal_listener *listener);
void wardi_signals_unlisten(struct wardi_signal_listener *listener);

/* For what a listener shares with its arrived(). */
void wardi_signals_lock(void);
void wardi_signals_unlock(void);

/* Acts as if the signal had come, for the listeners of one system. Returns how many there are. */
uint32_t wardi_signals_raise(const void *system, const struct wardi_signal *signal);

/* Signals that are ignored, or have a handler of the program, are taken out of `wanted`. Errors:
 * WARD_EEXIST the process has one; WARD_ESYS. */
ward_err wardi_signals_end_with(struct wardi_signal_ender *ender);
/* None of its functions runs when this returns. */
void wardi_signals_end_no_more(struct wardi_signal_ender *ender);

#endif
