/* SPDX-License-Identifier: MIT
 *
 * dead_letter_log.c - limits the dead letters and unhandled messages in the log: a few, then a
 * pause with a count of the rest.
 *
 *	LOGGING -- the last of N: "no more for 5 min" --> PAUSED
 *	   ^                                                | counts
 *	   +---- the first after the pause: "7 were not" ---+
 *
 * One actor that ends can cause a million dead letters, and they would drown all else in a log.
 * Subscribers get each event; only the log is limited (S82).
 *
 * Threads: all functions may run at the same time. The log is called without the lock.
 */
#include "send/dead_letter_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cell/system.h"
#include "send/event.h"

enum verdict { LOG, LOG_LAST, LOG_FIRST, LEAVE_OUT };

static int64_t end_of_pause(const struct wardi_deadlog *log, int64_t now_ns)
{
	return log->pause_ms > (INT64_MAX - now_ns) / WARD_NS_PER_MS
		       ? INT64_MAX
		       : now_ns + log->pause_ms * WARD_NS_PER_MS;
}

/* Under the lock: the verdict on the next event. *ret_unlogged, with LOG_FIRST: how many were not
 * logged in the pause that is over. */
static enum verdict next(struct wardi_deadlog *log, int64_t now_ns, uint64_t *ret_unlogged)
{
	if (log->logged < log->max) {
		if (++log->logged < log->max)
			return LOG;
		log->until_ns = end_of_pause(log, now_ns);
		return LOG_LAST;
	}
	if (now_ns < log->until_ns) {
		log->unlogged++;
		return LEAVE_OUT;
	}
	*ret_unlogged = log->unlogged;
	log->logged = log->unlogged = 0;
	return LOG_FIRST;
}

static enum verdict judge(ward_system *system, uint64_t *ret_unlogged)
{
	struct wardi_deadlog *log = &system->deadlog;
	enum verdict verdict;

	if (!log->at_shutdown && atomic_load_explicit(&system->going_down, memory_order_relaxed))
		return LEAVE_OUT;
	if (log->max == UINT64_MAX || log->max == 0)
		return log->max == 0 ? LEAVE_OUT : LOG;
	wardi_spin_take(&log->spin, WARDI_LOCK_DEADLOG);
	verdict = next(log, wardi_clock_now(&system->clock), ret_unlogged);
	wardi_spin_drop(&log->spin);
	return verdict;
}

/* Writes "5 min", "90 s" or "1.5 s". */
static void pause_text(char *text, size_t max, int64_t ms)
{
	int64_t part = ms % 1000;
	int digits = 3;

	for (; part != 0 && part % 10 == 0; digits--)
		part /= 10;
	if (ms >= WARD_MINUTE && ms % WARD_MINUTE == 0)
		snprintf(text, max, "%" PRId64 " min", ms / WARD_MINUTE);
	else if (part == 0)
		snprintf(text, max, "%" PRId64 " s", ms / 1000);
	else
		snprintf(text, max, "%" PRId64 ".%0*" PRId64 " s", ms / 1000, digits, part);
}

/* Amends the text of the log's own copy of the event. */
static void amend(const ward_system *system, enum verdict verdict, uint64_t unlogged,
		  ward_event *event)
{
	int64_t pause_ms = system->deadlog.pause_ms;
	const char *others =
		(system->log_kinds & WARD_EVENT_UNHANDLED) != 0 ? ", nor unhandled messages" : "";
	size_t length = strlen(event->text);
	char *end = event->text + length, pause[40];
	size_t left = sizeof event->text - length;

	if (verdict == LOG_FIRST)
		snprintf(end, left, "; %" PRIu64 " before it were not logged", unlogged);
	else if (pause_ms == WARD_FOREVER)
		snprintf(end, left, "; no more dead letters will be logged%s", others);
	else {
		pause_text(pause, sizeof pause, pause_ms);
		snprintf(end, left, "; no more dead letters will be logged for %s%s", pause,
			 others);
	}
}

void wardi_deadlog(ward_system *system, const ward_event *event)
{
	uint64_t unlogged = 0;
	enum verdict verdict = judge(system, &unlogged);
	ward_event amended;

	if (verdict == LOG) {
		wardi_event_log(system, event);
	} else if (verdict != LEAVE_OUT) {
		amended = *event;
		amend(system, verdict, unlogged, &amended);
		wardi_event_log(system, &amended);
	}
}
