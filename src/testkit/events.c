/* SPDX-License-Identifier: MIT
 *
 * events.c - the record of all events of a system.
 *
 * Safe together: everything; events come from several threads at once.
 */
#include "testkit/events.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "testkit/kit.h"

enum { EVENTS_MAX = 100 * 1000, FIRST_ROOM = 64 };

void wardi_kit_events_init(struct wardi_kit_events *events,
			   void (*log)(void *arg, const ward_event *event), void *log_arg)
{
	events->log = log;
	events->log_arg = log_arg;
	pthread_mutex_init(&events->mu, NULL);
}

void wardi_kit_events_finish(struct wardi_kit_events *events)
{
	free(events->all);
	pthread_mutex_destroy(&events->mu);
}

/* Under mu. False: it is full, or there is no memory. */
static bool record(struct wardi_kit_events *events, const ward_event *event)
{
	if (events->count == EVENTS_MAX)
		return false;
	if (events->count == events->room) {
		size_t room = events->room != 0 ? events->room * 2 : FIRST_ROOM;
		ward_event *all = realloc(events->all, room * sizeof *all);
		if (all == NULL)
			return false;
		events->all = all;
		events->room = room;
	}
	events->all[events->count++] = *event;
	return true;
}

void wardi_kit_hear(void *arg, const ward_event *event)
{
	struct wardi_kit_events *events = arg;

	pthread_mutex_lock(&events->mu);
	bool recorded = record(events, event);
	pthread_mutex_unlock(&events->mu);
	/* Without the lock: neither may a failure leave it behind, nor a listener be held up. */
	if (!recorded)
		ward_test_fail(__FILE__, __LINE__,
			       "no room for more than %d events: choose event_kinds, or forget "
			       "events in between",
			       EVENTS_MAX);
	if (events->log != NULL)
		events->log(events->log_arg, event);
}

/* ---- for the test ------------------------------------------------------------------------ */

static bool matches(const ward_event *event, uint32_t kinds, const char *path_glob)
{
	return (event->kind & kinds) != 0 && fnmatch(path_glob, event->path, 0) == 0;
}

size_t ward_kit_count(const ward_kit *kit, uint32_t kinds, const char *path_glob)
{
	/* The lock is no part of what the caller sees. */
	struct wardi_kit_events *events = (struct wardi_kit_events *)&kit->events;
	size_t count = 0;

	pthread_mutex_lock(&events->mu);
	for (size_t i = 0; i < events->count; i++)
		count += matches(&events->all[i], kinds, path_glob);
	pthread_mutex_unlock(&events->mu);
	return count;
}

const ward_event *ward_kit_event(ward_kit *kit, uint32_t kinds, const char *path_glob,
				 size_t number)
{
	struct wardi_kit_events *events = &kit->events;
	size_t count = 0;
	bool found = false;

	pthread_mutex_lock(&events->mu);
	for (size_t i = 0; i < events->count && !found; i++) {
		if (!matches(&events->all[i], kinds, path_glob) || count++ != number)
			continue;
		events->given = events->all[i];
		found = true;
	}
	pthread_mutex_unlock(&events->mu);
	if (!found)
		ward_test_fail(__FILE__, __LINE__,
			       "no event %zu of kinds %u about %s: there are %zu", number, kinds,
			       path_glob, count);
	return &events->given;
}

void ward_kit_forget_events(ward_kit *kit)
{
	pthread_mutex_lock(&kit->events.mu);
	kit->events.count = 0;
	pthread_mutex_unlock(&kit->events.mu);
}
