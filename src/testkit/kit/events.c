/* SPDX-License-Identifier: MIT
 *
 * events.c - the record of all events of a system.
 *
 * Threads: all functions may run at the same time; events come from several threads.
 */
#include "testkit/kit/events.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/check/shortage.h"
#include "testkit/kit/kit.h"

enum { EVENTS_MAX = 100 * 1000, FIRST_ROOM = 64 };

void wardi_kit_events_init(struct wardi_kit_events *events, bool kept,
			   void (*log)(void *arg, const ward_event *event), void *log_arg)
{
	events->kept = kept;
	events->log = log;
	events->log_arg = log_arg;
	pthread_mutex_init(&events->mu, NULL);
}

/* Under mu. */
static void forget(struct wardi_kit_events *events)
{
	while (events->count > 0)
		free(events->all[--events->count]);
}

void wardi_kit_events_finish(struct wardi_kit_events *events)
{
	forget(events);
	free(events->all);
	pthread_mutex_destroy(&events->mu);
}

/* Under mu. False: no memory. */
static bool make_room(struct wardi_kit_events *events)
{
	if (events->count < events->room)
		return true;
	size_t room = events->room != 0 ? events->room * 2 : FIRST_ROOM;
	ward_event **all = realloc(events->all, room * sizeof(*all));
	if (all == NULL)
		return false;
	events->all = all;
	events->room = room;
	return true;
}

/* Under mu. False: the record is full, or there is no memory. */
static bool record(struct wardi_kit_events *events, const ward_event *event)
{
	ward_event *copy;

	if (events->count == EVENTS_MAX || !make_room(events))
		return false;
	copy = malloc(sizeof(*copy));
	if (copy == NULL)
		return false;
	*copy = *event;
	events->all[events->count++] = copy;
	return true;
}

void wardi_kit_hear(void *arg, const ward_event *event)
{
	struct wardi_kit_events *events = arg;

	pthread_mutex_lock(&events->mu);
	bool recorded = !events->kept || record(events, event);
	pthread_mutex_unlock(&events->mu);
	/* Without the lock: a failing test would leave it locked, and a listener must not wait
	 * for it. */
	if (!recorded)
		ward_test_fail(__FILE__, __LINE__,
			       "no room for more than %d events: choose event_kinds, "
			       "keeps_no_events, or forget them in between",
			       EVENTS_MAX);
	wardi_shortage_heard(event);
	if (events->log != NULL)
		events->log(events->log_arg, event);
}

/* Casts const away: a caller that only reads still needs the lock. */
static struct wardi_kit_events *record_of(const ward_kit *kit, struct wardi_location place)
{
	if (!kit->events.kept)
		ward_test_fail(place.file, place.line, "this kit keeps no events: keeps_no_events");
	return (struct wardi_kit_events *)&kit->events;
}

uint64_t wardi_kit_events_number(const ward_kit *kit)
{
	struct wardi_kit_events *events = record_of(kit, kit->place);

	pthread_mutex_lock(&events->mu);
	uint64_t number = events->forgotten + events->count;
	pthread_mutex_unlock(&events->mu);
	return number;
}

bool wardi_kit_event_at(const ward_kit *kit, uint64_t *number, ward_event *ret_event)
{
	struct wardi_kit_events *events = record_of(kit, kit->place);

	pthread_mutex_lock(&events->mu);
	if (*number < events->forgotten)
		*number = events->forgotten;
	bool there = *number < events->forgotten + events->count;
	if (there)
		*ret_event = *events->all[*number - events->forgotten];
	pthread_mutex_unlock(&events->mu);
	return there;
}

bool wardi_kit_events_path(const ward_kit *kit, ward_ref who, char path[WARD_EVENT_PATH])
{
	struct wardi_kit_events *events = (struct wardi_kit_events *)&kit->events;
	bool found = false;

	pthread_mutex_lock(&events->mu);
	for (size_t i = events->count; i > 0 && !found; i--) {
		found = ward_ref_equal(events->all[i - 1]->subject, who);
		if (found)
			memcpy(path, events->all[i - 1]->path, WARD_EVENT_PATH);
	}
	pthread_mutex_unlock(&events->mu);
	return found;
}

/* ---- for the test ------------------------------------------------------------------------ */

static bool matches(const ward_event *event, uint32_t kinds, const char *path_glob)
{
	return (event->kind & kinds) != 0 && fnmatch(path_glob, event->path, 0) == 0;
}

size_t ward_kit_count_at(const ward_kit *kit, uint32_t kinds, const char *path_glob,
			 const char *file, int line)
{
	struct wardi_kit_events *events = record_of(kit, (struct wardi_location){file, line});
	size_t count = 0;

	pthread_mutex_lock(&events->mu);
	for (size_t i = 0; i < events->count; i++)
		count += matches(events->all[i], kinds, path_glob);
	pthread_mutex_unlock(&events->mu);
	return count;
}

const ward_event *ward_kit_event_at(const ward_kit *kit, uint32_t kinds, const char *path_glob,
				    size_t number, const char *file, int line)
{
	struct wardi_kit_events *events = record_of(kit, (struct wardi_location){file, line});
	const ward_event *found = NULL;
	size_t count = 0;

	pthread_mutex_lock(&events->mu);
	for (size_t i = 0; i < events->count && found == NULL; i++) {
		if (matches(events->all[i], kinds, path_glob) && count++ == number)
			found = events->all[i];
	}
	pthread_mutex_unlock(&events->mu);
	if (found == NULL)
		ward_test_fail(file, line, "no event %zu of kinds %u about %s: there are %zu",
			       number, kinds, path_glob, count);
	return found;
}

void ward_kit_forget_events(ward_kit *kit)
{
	pthread_mutex_lock(&kit->events.mu);
	kit->events.forgotten += kit->events.count;
	forget(&kit->events);
	pthread_mutex_unlock(&kit->events.mu);
}
