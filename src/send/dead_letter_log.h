/* SPDX-License-Identifier: MIT
 *
 * dead_letter_log.h - limits the dead letters and unhandled messages in the log: a few, then a
 * pause with a count of the rest.
 */
#ifndef WARDI_DEAD_LETTER_LOG_H
#define WARDI_DEAD_LETTER_LOG_H

#include <ward/event.h>
#include <ward/types.h>

/* Passes an event about a dead letter, or an unhandled message, to the log, or counts it. */
void wardi_deadlog(ward_system *system, const ward_event *event);

#endif
