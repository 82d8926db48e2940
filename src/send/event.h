/* SPDX-License-Identifier: MIT
 *
 * event.h - the event stream of a system.
 */
#ifndef WARDI_EVENT_H
#define WARDI_EVENT_H

#include "cell/cell.h"
#include "cell/system.h"

struct ward_self;

/* Whether there is a listener for this kind. */
static inline bool wardi_event_wanted(const ward_system *system, uint32_t kind)
{
	/* Relaxed: a subscription has no order with events at the same time. */
	return (atomic_load_explicit(&system->event_kinds, memory_order_relaxed) & kind) != 0;
}

/* Publishes a move, where events about lives are wanted. */
void wardi_cell_tell_move(struct ward_self *self, const struct wardi_cell *cell,
			  enum wardi_state from, enum wardi_state to);

/* Fills stamp, subject and path; the rest is zero. */
void wardi_event_begin(ward_system *system, ward_event *event, ward_event_kind kind,
		       ward_level level, ward_ref subject);

/* Calls the log, which must be set. The thread is a worker, or has cancellation disabled. */
void wardi_event_log(ward_system *system, const ward_event *event);

__attribute__((format(printf, 5, 6))) void wardi_event_note(ward_system *system,
							    struct ward_self *self,
							    ward_level level, ward_ref subject,
							    const char *text, ...);

void wardi_event_publish(ward_system *system, struct ward_self *self, const ward_event *event);

void wardi_event_set_kinds(ward_system *system);

void wardi_event_unsubscribe_all(ward_system *system, struct wardi_cell *cell);

#endif
