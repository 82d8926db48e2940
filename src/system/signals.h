/* SPDX-License-Identifier: MIT
 *
 * signals.h - the signals that end a program: SIGINT, SIGTERM, SIGHUP; which system has them.
 *
 * A process has one owner of them. Other uses of signals go through here as well, so that no two
 * threads wait for the same one.
 */
#ifndef WARDI_SIGNALS_H
#define WARDI_SIGNALS_H

#include <ward/system.h>

/* The system, which runs, becomes their owner: they are blocked on this thread, and another one
 * waits for them. WARD_EEXIST: another system has them. */
ward_err wardi_signals_take(ward_system *system);

/* Ends that; nothing where it has none. The thread that took them has its mask again, if it is this
 * one. */
void wardi_signals_give_back(ward_system *system);

#endif
