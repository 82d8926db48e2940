/* SPDX-License-Identifier: MIT
 *
 * thread_settings.h - what the threads of a dispatcher are like: processors, scheduling, stack.
 */
#ifndef WARDI_THREAD_SETTINGS_H
#define WARDI_THREAD_SETTINGS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include <ward/dispatcher.h>

/* All zero: as the thread that creates the system. */
struct wardi_thread_settings {
	size_t stack_bytes; /* 0: the default of the process */
	ward_scheduling scheduling;
	int priority; /* of FIFO and RR */
	int nice;     /* 0: unchanged */
	bool has_cpus;
	cpu_set_t cpus; /* if has_cpus */
};

enum { WARDI_STACK_MIN = 64 * 1024, WARDI_SETTINGS_TEXT = 240 };

/* Takes them from a row. Error: WARD_EINVAL, with a text without the name of the row. */
ward_err wardi_thread_settings_read(const ward_dispatcher *row,
				    struct wardi_thread_settings *ret_settings);

/* Whether a new thread needs more than a stack: it inherits the rest from the thread that starts
 * it. */
bool wardi_thread_settings_inherited(const struct wardi_thread_settings *settings);

/* Makes the calling thread so. False: the operating system refuses; `text` says what, why, and what
 * to do. */
bool wardi_thread_settings_apply(const struct wardi_thread_settings *settings,
				 char text[WARDI_SETTINGS_TEXT]);

#endif
