/* SPDX-License-Identifier: MIT
 *
 * held_call.c - method calls that an object answers later.
 *
 * Threads: runs only in callbacks of the object's actor.
 */
#include "akka_zero/object/held_call.h"

#include <inttypes.h>
#include <string.h>

#include <ward/extend.h>

#include "akka_zero/object/active_object.h"
#include "akka_zero/object/call_wire.h"
#include "common/records.h"

struct wardi_held {
	struct wardi_held *next;
	uint64_t number;
	ward_ref asker;
	uint32_t method;
};

ward_err ward_try_object_hold(ward_self *self, ward_object_question *ret_question)
{
	struct wardi_object *me = ward_state(self);
	struct wardi_held *held;

	if (ward_ref_is_nobody(me->component->asker))
		return ward_refused(WARD_EINVAL, "ward_object_hold: no caller waits: the method "
						 "has no answer, or the call is already held");
	held = wardi_record_make(self, sizeof *held);
	if (held == NULL)
		return ward_refused(WARD_ENOMEM, "ward_object_hold: no memory");
	*held = (struct wardi_held){me->held, ++me->numbers, me->component->asker,
				    me->component->running};
	me->held = held;
	me->component->asker = ward_nobody();
	ret_question->number = held->number;
	return WARD_OK;
}

static struct wardi_held **find(struct wardi_object *me, uint64_t number)
{
	struct wardi_held **at = &me->held;

	while (*at != NULL && (*at)->number != number)
		at = &(*at)->next;
	return at;
}

ward_err ward_try_object_answer(ward_self *self, ward_object_question question, const void *answer,
				size_t size)
{
	struct wardi_object *me = ward_state(self);
	const ward_object_class *object_class = me->component->with.object_class;
	struct wardi_held **place = find(me, question.number), *held = *place;
	struct wardi_object_body body;

	if (held == NULL)
		return ward_refused(WARD_ENOENT,
				    "ward_object_answer: call %" PRIu64 " is already answered",
				    question.number);
	if (answer == NULL || size != object_class->methods[held->method].answer_size)
		return ward_refused(WARD_ESIZE, "ward_object_answer: %s.%s answers %u bytes",
				    object_class->name, object_class->methods[held->method].name,
				    object_class->methods[held->method].answer_size);
	wardi_object_answer_begin(&body, object_class, held->method);
	memcpy(body.bytes, answer, size);
	wardi_object_answer_send(self, held->asker, &body, (uint32_t)size);
	*place = held->next;
	ward_discard(self, held);
	return WARD_OK;
}

void wardi_object_end_held(ward_self *self, struct wardi_object *me)
{
	struct wardi_held *held;

	while ((held = me->held) != NULL) {
		wardi_object_answer_failed(
			self, held->asker, me->component->with.object_class, held->method,
			"the object was restarted or stopped before it answered");
		me->held = held->next;
		ward_discard(self, held);
	}
}
