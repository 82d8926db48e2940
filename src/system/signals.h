/* SPDX-License-Identifier: MIT
 *
 * signals.h - the signals that end a program: SIGINT, SIGTERM, SIGHUP; which system has them.
 *
 * A process has one owner of them. Other uses of signals go through here as well, so that no two
 * threads wait for the same signal.
 */
#ifndef WARDI_SIGNALS_H
#define WARDI_SIGNALS_H

#include <ward/system.h>

/* The running system becomes the owner of the signals: they are blocked on this thread, and another
 * thread waits for them. WARD_EEXIST: another system owns them. */
ward_err wardi_signals_take(ward_system *system);

/* Ends the ownership, if there is one. If called on the thread that took them, restores its
 * mask. */
void wardi_signals_give_back(ward_system *system);

#endif
