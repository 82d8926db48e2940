/* SPDX-License-Identifier: MIT
 *
 * event.c - the event stream: subscriptions by kind, and the way of an event to subscribers and
 * log.
 *
 * `event_kinds` is the union of all masks, so an event that nobody wants costs one load. The log
 * sink is called without a lock; actors get a message each.
 *
 * Threads: all functions may run at the same time.
 */
#include "send/event.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/foreign_call.h"
#include "base/text.h"
#include "cell/path.h"
#include "send/dead_letter_log.h"
#include "send/deliver.h"

const ward_type ward_type_ward_event = {"ward_event",
					sizeof(struct ward_event),
					0,
					0,
					WARD_TYPE_FLAT | WARD_TYPE_QUIET,
					NULL,
					NULL,
					NULL,
					NULL,
					NULL,
					{0, 0}};

struct wardi_subscriber {
	struct wardi_list link;
	uint64_t id; /* in order of subscription */
	ward_ref ref;
	uint32_t kinds;
};

void wardi_event_begin(ward_system *system, ward_event *event, ward_event_kind kind,
		       ward_level level, ward_ref subject)
{
	memset(event, 0, sizeof *event);
	event->kind = kind;
	event->level = level;
	event->wall_ns = wardi_clock_wall(&system->clock);
	event->subject = subject;
	event->restarts_left = -1;
	wardi_path_tail(system, subject, event->path, sizeof event->path);
}

/* Returns the next subscriber after `id` that wants this kind, or nobody. Events are delivered
 * without the lock, since a full mailbox may drop a message of the program. */
static ward_ref next_subscriber(ward_system *system, uint32_t kind, uint64_t *id)
{
	ward_ref ref = ward_nobody();

	wardi_mutex_lock(&system->events_mu);
	for (struct wardi_list *at = system->subscribers.next; at != &system->subscribers;
	     at = at->next) {
		struct wardi_subscriber *subscriber =
			wardi_container_of(at, struct wardi_subscriber, link);

		if (subscriber->id > *id && (subscriber->kinds & kind) != 0) {
			*id = subscriber->id;
			ref = subscriber->ref;
			break;
		}
	}
	wardi_mutex_unlock(&system->events_mu);
	return ref;
}

static void send_to_subscribers(ward_system *system, struct ward_self *self,
				const ward_event *event)
{
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;
	uint64_t id = 0;
	ward_ref to;

	while (!ward_ref_is_nobody(to = next_subscriber(system, event->kind, &id))) {
		struct ward_msg *msg =
			wardi_msg_make(from, &ward_type_ward_event, event, sizeof *event);
		ward_reason reason;

		if (msg == NULL) {
			wardi_count(&system->counters.events_lost);
		} else if (wardi_deliver(system, self, to, msg, &reason) != WARD_OK) {
			wardi_count(&system->counters.events_lost);
			wardi_msg_destroy(from, msg);
		}
	}
}

void wardi_event_log(ward_system *system, const ward_event *event)
{
	wardi_foreign_call_begin();
	system->log(system->log_arg, event);
	wardi_foreign_call_end();
}

void wardi_event_publish(ward_system *system, struct ward_self *self, const ward_event *event)
{
	bool logged = system->log != NULL && (system->log_kinds & event->kind) != 0;

	if (logged && (event->kind & (WARD_EVENT_DEAD_LETTER | WARD_EVENT_UNHANDLED)) != 0)
		wardi_deadlog(system, event);
	else if (logged)
		wardi_event_log(system, event);
	send_to_subscribers(system, self, event);
}

void wardi_event_note(ward_system *system, struct ward_self *self, ward_level level,
		      ward_ref subject, const char *text, ...)
{
	ward_event event;
	va_list args;

	if (!wardi_event_wanted(system, WARD_EVENT_NOTE))
		return;
	wardi_event_begin(system, &event, WARD_EVENT_NOTE, level, subject);
	va_start(args, text);
	ward_text_vformat(event.text, sizeof event.text, text, args);
	va_end(args);
	wardi_event_publish(system, self, &event);
}

void ward_note(ward_self *self, ward_level level, const char *text, ...)
{
	char line[WARD_EVENT_TEXT];
	va_list args;

	if (!wardi_self_usable(self) || text == NULL ||
	    !wardi_event_wanted(self->system, WARD_EVENT_NOTE))
		return;
	va_start(args, text);
	ward_text_vformat(line, sizeof line, text, args);
	va_end(args);
	if (level == WARD_LEVEL_DEFAULT)
		level = WARD_LEVEL_INFO;
	wardi_event_note(self->system, self,
			 (uint32_t)level > WARD_LEVEL_SEVERE ? WARD_LEVEL_SEVERE : level,
			 wardi_own_ref(self), "%s", line);
}

/* Under events_mu, or before the threads run. */
void wardi_event_set_kinds(ward_system *system)
{
	uint32_t kinds = system->log == NULL ? 0 : system->log_kinds;

	for (struct wardi_list *at = system->subscribers.next; at != &system->subscribers;
	     at = at->next)
		kinds |= wardi_container_of(at, struct wardi_subscriber, link)->kinds;
	atomic_store_explicit(&system->event_kinds, kinds, memory_order_relaxed);
}

/* Under events_mu. */
static struct wardi_subscriber *find(ward_system *system, uint64_t uid)
{
	for (struct wardi_list *at = system->subscribers.next; at != &system->subscribers;
	     at = at->next) {
		struct wardi_subscriber *subscriber =
			wardi_container_of(at, struct wardi_subscriber, link);

		if (subscriber->ref.uid == uid)
			return subscriber;
	}
	return NULL;
}

static void set(ward_system *system, struct wardi_subscriber *subscriber, uint32_t kinds)
{
	if (kinds == 0) {
		wardi_list_remove(&subscriber->link);
		wardi_free(&system->alloc, subscriber, sizeof *subscriber);
	} else {
		subscriber->kinds = kinds;
	}
}

ward_err ward_try_subscribe(ward_self *self, uint32_t kinds)
{
	struct wardi_subscriber *subscriber;
	ward_system *system;
	ward_err err = WARD_OK;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	if ((kinds & ~(uint32_t)WARD_EVENT_ALL) != 0)
		return wardi_error(WARD_EINVAL, "ward_subscribe: 0x%x is not a kind of event",
				   kinds & ~(uint32_t)WARD_EVENT_ALL);
	system = self->system;
	wardi_mutex_lock(&system->events_mu);
	subscriber = find(system, self->cell->uid);
	if (subscriber == NULL && kinds != 0) {
		subscriber = wardi_alloc_zeroed(&system->alloc, sizeof *subscriber);
		if (subscriber == NULL) {
			err = wardi_no_memory(system, "no memory for a subscription");
		} else {
			subscriber->id = ++system->subscriber_ids;
			subscriber->ref = wardi_own_ref(self);
			wardi_list_append(&system->subscribers, &subscriber->link);
		}
	}
	if (subscriber != NULL) {
		set(system, subscriber, kinds);
		self->cell->subscribed = kinds != 0;
		wardi_event_set_kinds(system);
	}
	wardi_mutex_unlock(&system->events_mu);
	return err;
}

void wardi_event_unsubscribe_all(ward_system *system, struct wardi_cell *cell)
{
	struct wardi_subscriber *subscriber;

	if (!cell->subscribed)
		return;
	wardi_mutex_lock(&system->events_mu);
	subscriber = find(system, cell->uid);
	wardi_assert(subscriber != NULL);
	set(system, subscriber, 0);
	wardi_event_set_kinds(system);
	wardi_mutex_unlock(&system->events_mu);
	cell->subscribed = false;
}

/* ---- as text ----------------------------------------------------------------------------- */

const char *ward_level_text(ward_level level)
{
	static const char *const names[] = {"default", "debug", "info", "warning", "severe"};

	return (unsigned)level < sizeof names / sizeof names[0] ? names[level] : "?";
}

const char *ward_directive_text(ward_directive directive)
{
	static const char *const names[] = {"undecided", "resume", "restart",       "stop",
					    "escalate",  "later",  "decider failed"};

	return (unsigned)directive < sizeof names / sizeof names[0] ? names[directive] : "?";
}

/* Without a limit only the text of a restart says so: with a stop it would mean nothing. */
static void left_text(const ward_event *e, char *text, size_t max)
{
	text[0] = '\0';
	if (e->restarts_left >= 0)
		snprintf(text, max, ", %d restart%s left", e->restarts_left,
			 e->restarts_left == 1 ? "" : "s");
	else if (e->directive == WARD_RESTART)
		snprintf(text, max, ", no limit");
}

/* Nothing if the decision has a text of its own, and the actor was never restarted: a supervisor
 * that starts another child in its place counts these starts itself. */
static void incarnation_text(const ward_event *e, char *text, size_t max)
{
	char left[40];

	text[0] = '\0';
	if (e->follows[0] != '\0' && e->incarnation <= 1 && e->restarts_left < 0)
		return;
	left_text(e, left, sizeof left);
	snprintf(text, max, " (incarnation %u%s)", e->incarnation, left);
}

static size_t failure_text(const ward_event *e, char *text, size_t max)
{
	bool escalated = !ward_ref_equal(e->origin, e->subject);
	char incarnation[80];

	incarnation_text(e, incarnation, sizeof incarnation);
	return ward_text_format(
		text, max, "%s failed: %s: %s%s%s%s%s%s%s -> %s%s%s", e->origin_path,
		e->failure_class, e->text, e->message_type[0] ? " [handling " : "", e->message_type,
		e->message_type[0] ? "]" : "", escalated ? " [escalated to " : "",
		escalated ? e->path : "", escalated ? "]" : "",
		e->follows[0] ? e->follows : ward_directive_text((ward_directive)e->directive),
		e->denied ? ", but the limit says stop" : "", incarnation);
}

size_t ward_event_format(const ward_event *event, char *text, size_t max)
{
	size_t length;

	switch (event->kind) {
	case WARD_EVENT_FAILURE:
		length = failure_text(event, text, max);
		break;
	case WARD_EVENT_DEAD_LETTER:
	case WARD_EVENT_SUPPRESSED:
		length = ward_text_format(
			text, max, "%s: %s%s%s to %s: %s",
			event->kind == WARD_EVENT_SUPPRESSED ? "suppressed dead letter"
							     : "dead letter",
			event->message_type, event->sender_path[0] ? " from " : "",
			event->sender_path, event->path, event->text);
		break;
	case WARD_EVENT_UNHANDLED:
		length = ward_text_format(text, max, "unhandled: %s to %s%s", event->message_type,
					  event->path, event->text);
		break;
	case WARD_EVENT_LIFECYCLE:
		length = ward_text_format(text, max, "%s: %s -> %s (incarnation %u)", event->path,
					  event->old_state, event->new_state, event->incarnation);
		break;
	case WARD_EVENT_HOOK_FAILURE:
		length = ward_text_format(text, max, "%s: %s: %s", event->path,
					  event->failure_class, event->text);
		break;
	default:
		length = ward_text_format(text, max, "%s: %s", event->path, event->text);
		break;
	}
	return length;
}

void wardi_cell_tell_move(struct ward_self *self, const struct wardi_cell *cell,
			  enum wardi_state from, enum wardi_state to)
{
	ward_event event;

	wardi_event_begin(wardi_cell_system(cell), &event, WARD_EVENT_LIFECYCLE, WARD_LEVEL_DEBUG,
			  wardi_cell_ref(cell));
	event.incarnation = atomic_load_explicit(&cell->incarnation, memory_order_relaxed);
	wardi_text_copy(event.old_state, sizeof event.old_state, wardi_state_name(from));
	wardi_text_copy(event.new_state, sizeof event.new_state, wardi_state_name(to));
	wardi_event_publish(wardi_cell_system(cell), self, &event);
}
