/* SPDX-License-Identifier: MIT
 *
 * dead_letter_log.h - which dead letters the log hears of: a few, a pause, a count of what was left
 * out.
 */
#ifndef WARDI_DEAD_LETTER_LOG_H
#define WARDI_DEAD_LETTER_LOG_H

#include <ward/event.h>
#include <ward/types.h>

/* Gives the log an event about a dead letter, or counts it. */
void wardi_deadlog(ward_system *system, const ward_event *event);

#endif
