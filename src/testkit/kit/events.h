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
	void (*log)(void *arg, const ward_event *event); /* who else wants them, or NULL */
	void *log_arg;
	pthread_mutex_t mu;
	/* under mu */
	ward_event **all; /* each by itself: given to the test, it stays where it is */
	size_t count, room;
	uint64_t forgotten; /* how many there were before these */
};

void wardi_kit_events_init(struct wardi_kit_events *events, bool kept,
			   void (*log)(void *arg, const ward_event *event), void *log_arg);
void wardi_kit_events_finish(struct wardi_kit_events *events);
/* Returns how many events there ever were, the forgotten ones included: the number of the next. */
uint64_t wardi_kit_events_number(const ward_kit *kit);
/* Copies the event of that number, or the next one that is not forgotten, and makes *number that;
 * false: there is none yet. */
bool wardi_kit_event_at(const ward_kit *kit, uint64_t *number, ward_event *ret_event);
/* For ward_options.log; `arg` is the record. Any thread. */
void wardi_kit_hear(void *arg, const ward_event *event);

#endif
