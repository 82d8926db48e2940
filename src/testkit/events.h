/* SPDX-License-Identifier: MIT
 *
 * events.h - the record of all events of a system.
 */
#ifndef WARDI_TESTKIT_EVENTS_H
#define WARDI_TESTKIT_EVENTS_H

#include <pthread.h>

#include <ward/event.h>

struct wardi_kit_events {
	/* frozen */
	void (*log)(void *arg, const ward_event *event); /* who else wants them, or NULL */
	void *log_arg;
	pthread_mutex_t mu;
	/* under mu */
	ward_event *all;
	size_t count, room;
	/* the thread of the test */
	ward_event given; /* by ward_kit_event() */
};

void wardi_kit_events_init(struct wardi_kit_events *events,
			   void (*log)(void *arg, const ward_event *event), void *log_arg);
void wardi_kit_events_finish(struct wardi_kit_events *events);
/* For ward_options.log; `arg` is the record. Any thread. */
void wardi_kit_hear(void *arg, const ward_event *event);

#endif
