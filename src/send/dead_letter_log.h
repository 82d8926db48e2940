/* SPDX-License-Identifier: MIT
 *
 * dead_letter_log.h - which dead letters and unhandled messages the log is given: a few, a pause, a
 * count of what was left out.
 */
#ifndef WARDI_DEAD_LETTER_LOG_H
#define WARDI_DEAD_LETTER_LOG_H

#include <ward/event.h>
#include <ward/types.h>

/* Passes an event about a dead letter, or an unhandled message, to the log, or counts it. */
void wardi_deadlog(ward_system *system, const ward_event *event);

#endif
