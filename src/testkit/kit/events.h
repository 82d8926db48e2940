/* SPDX-License-Identifier: MIT
 *
 * events.h - the record of all events of a system.
 */
#ifndef WARDI_TESTKIT_EVENTS_H
#define WARDI_TESTKIT_EVENTS_H

#include <pthread.h>

#include <ward/testkit/kit.h>

struct wardi_kit_events {
	/* frozen */
	bool kept;
	void (*log)(void *arg, const ward_event *event); /* also gets each event; or NULL */
	void *log_arg;
	pthread_mutex_t mu;
	/* under mu */
	ward_event **all; /* allocated singly: the test keeps pointers to them */
	size_t count, room;
	uint64_t forgotten; /* the number of events dropped before these */
};

void wardi_kit_events_init(struct wardi_kit_events *events, bool kept,
			   void (*log)(void *arg, const ward_event *event), void *log_arg);
void wardi_kit_events_finish(struct wardi_kit_events *events);
/* Returns how many events were recorded, dropped ones included: the number of the next event. */
uint64_t wardi_kit_events_number(const ward_kit *kit);
/* Copies event *number, or the first later event that was not dropped, and sets *number to it.
 * False: there is no such event yet. */
bool wardi_kit_event_at(const ward_kit *kit, uint64_t *number, ward_event *ret_event);
/* Copies the path that an actor had, from the last event about it. False: there is none. */
bool wardi_kit_events_path(const ward_kit *kit, ward_ref who, char path[WARD_EVENT_PATH]);
/* For ward_options.log; `arg` is the record. Any thread. */
void wardi_kit_hear(void *arg, const ward_event *event);

#endif
