/* SPDX-License-Identifier: MIT
 *
 * signals.h - the signals that end a program: SIGINT, SIGTERM, SIGHUP; which system has them.
 *
 * At most one system of a process has them. It shares the signals of the process with the actors
 * that watch some: sched/process_signals.h.
 */
#ifndef WARDI_SIGNALS_H
#define WARDI_SIGNALS_H

#include <ward/system.h>

/* The running system is ended by them from now on; they are blocked on this thread. WARD_EEXIST:
 * another system has them. */
ward_err wardi_signals_take(ward_system *system);

/* Ends that, if it is so. If called on the thread that took them, restores its
 * mask. */
void wardi_signals_give_back(ward_system *system);

#endif
