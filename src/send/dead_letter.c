/* SPDX-License-Identifier: MIT
 *
 * dead_letter.c - messages that do not arrive: counted, published, dropped. Never silently.
 *
 * The event holds copies; the body is dropped before the event is published. If the message was a
 * question, the thread or actor that waits for the answer is notified at once. A quiet type makes
 * an event of a kind of its own, which a log does not get by default.
 *
 * Threads: all functions may run at the same time.
 */
#include "send/dead_letter.h"

#include <string.h>

#include <ward/event.h>
#include <ward/extend.h>
#include <ward/message.h>

#include "base/text.h"
#include "cell/path.h"
#include "cell/places.h"
#include "cell/reply_ref.h"
#include "cell/self.h"
#include "cell/system.h"
#include "cell/visit.h"
#include "common/uncancelled.h"
#include "mail/auto_received.h"
#include "mail/message.h"
#include "mail/outgoing.h"
#include "send/deliver.h"
#include "send/event.h"
#include "send/far.h"
#include "send/waiter.h"

static const char *const reason_texts[] = {
	[WARD_REASON_NONE] = "no reason",
	[WARD_REASON_NOBODY] = "sent to nobody, or to a ref of another system",
	[WARD_REASON_DEAD] = "the receiver has ended; a later start has a new ref",
	[WARD_REASON_FULL] = "the mailbox is full",
	[WARD_REASON_NO_MEMORY] = "no memory",
	[WARD_REASON_MISUSE] = "no type, a size that does not fit it, or no path",
	[WARD_REASON_STALE] = "an answer nobody waits for: there was one, or it came too late",
	[WARD_REASON_LOST] = "lost by the simulation, on purpose",
	[WARD_REASON_THREAD] = "sent into a simulation by another thread than its own",
	[WARD_REASON_NO_ROUTEE] = "the router has no routee",
	[WARD_REASON_NO_MATCH] = "no actor is at this path",
	[WARD_REASON_UNIQUE] = "it owns things, and its type has no clone to copy it with",
	[WARD_REASON_DOWN] = "the child is down, or has not started yet, and the stash has no room",
	[WARD_REASON_UNREACHED] = "the system of the receiver is not connected, or no longer",
	[WARD_REASON_LOCAL] = "its type has no table, so it cannot leave the process",
};

const char *ward_reason_text(ward_reason reason)
{
	return (unsigned)reason < sizeof reason_texts / sizeof reason_texts[0]
		       ? reason_texts[reason]
		       : "?";
}

static bool is_quiet(const ward_type *type)
{
	return type != NULL && (type->flags & WARD_TYPE_QUIET) != 0;
}

static bool worth_an_event(const ward_system *system, const ward_type *type)
{
	/* A lost event makes no further event: that could go on forever (S81). */
	return type != &ward_type_ward_event &&
	       wardi_event_wanted(system,
				  is_quiet(type) ? WARD_EVENT_SUPPRESSED : WARD_EVENT_DEAD_LETTER);
}

/* A question is from its asker. */
static void write_sender(ward_system *system, struct ward_self *self, ward_ref sender,
			 ward_event *event)
{
	if (wardi_is_question(system, sender)) {
		uint32_t visit = wardi_visit(system, self);

		sender = wardi_ask_owner(system, sender);
		wardi_visited(system, self, visit);
	}
	if (wardi_place_has_actor(system, sender))
		wardi_path_tail(system, sender, event->sender_path, sizeof event->sender_path);
}

static void write_text(const struct wardi_dead *dead, ward_event *event)
{
	char wrong[WARDI_WRONG_TEXT];
	const char *text = dead->text;

	if (text == NULL && dead->reason == WARD_REASON_MISUSE &&
	    wardi_type_wrong(dead->type, dead->body, dead->size, wrong) != WARD_OK)
		text = wrong;
	wardi_text_copy(event->text, sizeof event->text,
			text != NULL ? text : ward_reason_text(dead->reason));
}

static void fill(ward_system *system, struct ward_self *self, ward_event *event,
		 const struct wardi_dead *dead)
{
	const ward_type *type = dead->type;
	bool quiet = is_quiet(type);

	wardi_event_begin(system, event, quiet ? WARD_EVENT_SUPPRESSED : WARD_EVENT_DEAD_LETTER,
			  quiet ? WARD_LEVEL_DEBUG : WARD_LEVEL_INFO, dead->to);
	if (dead->path != NULL)
		wardi_text_copy(event->path, sizeof event->path, dead->path);
	event->sender = dead->sender;
	write_sender(system, self, dead->sender, event);
	event->reason = dead->reason;
	event->body_size = (uint32_t)(dead->size > UINT32_MAX ? UINT32_MAX : dead->size);
	wardi_text_copy(event->message_type, sizeof event->message_type,
			type == NULL || type->name == NULL ? "(no type)" : type->name);
	write_text(dead, event);
	if (type != NULL && (type->flags & WARD_TYPE_FLAT) != 0 && dead->body != NULL) {
		event->bytes_count =
			(uint32_t)(dead->size < WARD_EVENT_BYTES ? dead->size : WARD_EVENT_BYTES);
		memcpy(event->bytes, dead->body, event->bytes_count);
	}
}

/* Ends the question, or the call of a thread, that waits for the answer. The actor is not notified
 * of a message that a simulation loses: it would not be lost then. */
static void unheard(ward_system *system, struct ward_self *self, ward_ref sender, ward_ref to,
		    ward_reason reason)
{
	if (wardi_ref_is_waiter(system->place, sender))
		wardi_waiter_dead(system, sender, reason);
	else if (wardi_is_question(system, sender) && reason != WARD_REASON_LOST)
		wardi_replies.ask_unheard(system, self, sender, to, reason);
	else if ((wardi_ref_place(sender) & WARDI_PLACE_FLAGS) != 0 && reason != WARD_REASON_LOST)
		wardi_far_unheard(system, self, sender, to, reason);
}

/* An answer that cannot leave for the other system: the wait for it may have no timeout. */
static void unanswered(ward_system *system, struct ward_self *self, ward_ref to, ward_reason reason)
{
	bool is_lost = reason == WARD_REASON_LOCAL || reason == WARD_REASON_NO_MEMORY ||
		       reason == WARD_REASON_MISUSE || reason == WARD_REASON_FULL;

	if (is_lost && (wardi_ref_place(to) & WARDI_PLACE_FLAGS) != 0 &&
	    !wardi_is_question(system, to) && !wardi_ref_is_waiter(system->place, to))
		wardi_far_unheard(system, self, to, ward_nobody(), reason);
}

/* A callback in which a verb was refused runs on with refs to nobody. A message to one of them
 * would only repeat that failure. */
static bool repeats_a_failure(const struct ward_self *self, const struct wardi_dead *dead)
{
	return self != NULL && !wardi_failure_is_none(self->noted) && ward_ref_is_nobody(dead->to);
}

void wardi_dead(ward_system *system, struct ward_self *self, const struct wardi_dead *dead)
{
	WARDI_UNCANCELLED;
	const ward_type *type = dead->type;
	bool repeats = repeats_a_failure(self, dead);
	bool publish = !repeats && worth_an_event(system, type);
	ward_event event;

	if (!repeats)
		wardi_count(&system->counters.dead_letters);
	if (dead->reason == WARD_REASON_NO_MEMORY)
		wardi_count(&system->counters.shortages);
	if (publish)
		fill(system, self, &event, dead);
	if (dead->body != NULL && !dead->keeps_body && type->drop != NULL)
		wardi_type_drop(type, (void *)(uintptr_t)dead->body);
	if (publish)
		wardi_event_publish(system, self, &event);
	unheard(system, self, dead->sender, dead->to, dead->reason);
	unanswered(system, self, dead->to, dead->reason);
}

void wardi_dead_body(ward_system *system, struct ward_self *self, ward_ref sender, ward_ref to,
		     const ward_type *type, const void *body, size_t size, ward_reason reason)
{
	wardi_dead(system, self,
		   &(struct wardi_dead){
			   .sender = sender,
			   .to = to,
			   .type = type,
			   .body = body,
			   .size = size,
			   .reason = reason,
			   .keeps_body = reason == WARD_REASON_MISUSE,
		   });
}

void wardi_dead_publish(ward_system *system, ward_ref to, const ward_type *type, const void *body,
			size_t size, ward_reason reason)
{
	ward_event event;

	if (!worth_an_event(system, type))
		return;
	fill(system, NULL, &event,
	     &(struct wardi_dead){
		     .to = to, .type = type, .body = body, .size = size, .reason = reason});
	wardi_event_publish(system, NULL, &event);
}

void wardi_dead_message(ward_system *system, struct ward_self *self, struct wardi_dead *dead,
			struct ward_msg *msg)
{
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;

	dead->sender = ward_msg_sender(msg);
	dead->type = wardi_msg_type(msg);
	dead->body = wardi_msg_bytes(msg);
	dead->size = wardi_msg_size(msg);
	wardi_dead(system, self, dead);
	wardi_payload_gone(from, dead->type);
	wardi_msg_free_body(from, msg);
}

/* An identify that found no memory says nothing about its receiver: "nobody" would be wrong. */
static bool has_no_answer(const struct ward_msg *msg, ward_reason reason)
{
	return reason == WARD_REASON_NO_MEMORY &&
	       wardi_auto_kind(wardi_msg_type(msg)) == WARDI_AUTO_IDENTIFY;
}

bool wardi_auto_dropped(struct ward_system *system, struct ward_self *self, struct ward_msg *msg,
			ward_reason reason)
{
	void (*dropped)(struct ward_system *, struct ward_self *, struct ward_msg *);

	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;

	if (!wardi_msg_is_auto_received(msg) || has_no_answer(msg, reason))
		return false;
	if (wardi_msg_is_timed(msg)) {
		wardi_msg_drop(from, msg);
		wardi_msg_free_body(from, msg);
		return true;
	}
	dropped = wardi_auto_received[wardi_auto_kind(wardi_msg_type(msg))].dropped;
	if (dropped == NULL)
		return false;
	dropped(system, self, msg);
	if (reason == WARD_REASON_NO_MEMORY)
		wardi_count(&system->counters.shortages);
	wardi_msg_free_body(from, msg);
	return true;
}

void wardi_dead_letter(ward_system *system, struct ward_self *self, ward_ref to,
		       struct ward_msg *msg, ward_reason reason)
{
	struct wardi_dead dead = {.to = to, .reason = reason};

	if (wardi_msg_is_outgoing(msg))
		wardi_far_lost(system, self, msg, reason);
	else if (!wardi_auto_dropped(system, self, msg, reason))
		wardi_dead_message(system, self, &dead, msg);
}

void ward_dead_letter(ward_self *self, ward_ref to, ward_reason reason)
{
	if (!wardi_self_usable(self) || self->msg == NULL)
		return;
	wardi_dead_letter(self->system, self, to, self->msg, reason);
	wardi_self_emptied_msg(self);
}

void wardi_dead_letter_quiet(ward_system *system, struct ward_self *self, struct ward_msg *msg)
{
	WARDI_UNCANCELLED;
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;
	ward_ref sender = ward_msg_sender(msg);

	wardi_count(&system->counters.dead_letters);
	wardi_count(&system->counters.events_lost);
	wardi_msg_drop(from, msg);
	wardi_msg_free_body(from, msg);
	unheard(system, self, sender, ward_nobody(), WARD_REASON_FULL);
}
