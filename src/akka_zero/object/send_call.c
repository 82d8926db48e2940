/* SPDX-License-Identifier: MIT
 *
 * send_call.c - calling a method: from a thread outside, from an actor, or for an inbox.
 *
 *	check the call -> head and arguments side by side -> the send of the caller's own kind
 *
 * Threads: all functions may run at the same time; there is no state.
 */
#include <string.h>

#include <ward/extend.h>

#include "akka_zero/object/active_object.h"
#include "akka_zero/object/call_wire.h"

uint32_t ward_method_find(const ward_object_class *object_class, const char *name)
{
	if (object_class == NULL || name == NULL)
		return WARD_METHOD_NONE;
	for (uint32_t i = 0; i < object_class->methods_count; i++)
		if (strcmp(object_class->methods[i].name, name) == 0)
			return i;
	return WARD_METHOD_NONE;
}

/* ---- one call ---------------------------------------------------------------------------- */

/* A call that is about to be sent. */
struct call {
	const ward_object *object;
	const ward_method *method;
	struct wardi_object_body body;
	size_t size;
};

static ward_err check_method(const ward_object *object, uint32_t method, bool answers)
{
	const ward_object_class *object_class = object == NULL ? NULL : object->object_class;
	const ward_method *called;

	if (object_class == NULL)
		return ward_refused(WARD_EINVAL,
				    "no object to call: ward_objects_get() returns one");
	if (method >= object_class->methods_count)
		return ward_refused(WARD_EINVAL, "%s has %u methods: there is no number %u",
				    object_class->name, object_class->methods_count, method);
	called = &object_class->methods[method];
	if (answers && called->answer_size == 0)
		return ward_refused(WARD_EINVAL,
				    "%s.%s has no answer to wait for: ward_object_tell() calls it",
				    object_class->name, called->name);
	if (!answers && called->answer_size > 0)
		return ward_refused(WARD_EINVAL,
				    "%s.%s has an answer: ward_object_call() waits for it, "
				    "ward_object_ask() delivers it to receive",
				    object_class->name, called->name);
	return WARD_OK;
}

static ward_err check_args(const ward_object *object, const ward_method *method, const void *args,
			   size_t size)
{
	if (size != method->args_size || (args == NULL && size > 0))
		return ward_refused(WARD_ESIZE, "%s.%s takes %u bytes of arguments, not %zu",
				    object->object_class->name, method->name, method->args_size,
				    args == NULL ? 0 : size);
	return WARD_OK;
}

static ward_err make(struct call *call, const ward_object *object, uint32_t method, bool answers,
		     const void *args, size_t size)
{
	ward_err err = check_method(object, method, answers);

	if (err != WARD_OK)
		return err;
	call->object = object;
	call->method = &object->object_class->methods[method];
	err = check_args(object, call->method, args, size);
	if (err != WARD_OK)
		return err;
	call->body.head =
		(struct wardi_object_head){.class_hash = wardi_object_hash(object->object_class),
					   .method = method,
					   .size = (uint32_t)size};
	if (size > 0)
		memcpy(call->body.bytes, args, size);
	call->size = sizeof call->body.head + size;
	return WARD_OK;
}

/* Adds class and method to the detail of a refused send. */
static ward_err refused(const struct call *call, ward_err err)
{
	if (err == WARD_ETHREAD)
		return ward_refused(err,
				    "%s.%s: %s. An actor gets the answer in receive: use "
				    "ward_object_ask(), or %s_%s_ask() of a proxy",
				    call->object->object_class->name, call->method->name,
				    ward_err_detail(), call->object->object_class->name,
				    call->method->name);
	return ward_refused(err, "%s.%s: %s", call->object->object_class->name, call->method->name,
			    ward_err_detail());
}

static ward_err checked(const struct call *call, ward_err err)
{
	return err == WARD_OK ? WARD_OK : refused(call, err);
}

/* ---- from a thread outside --------------------------------------------------------------- */

void ward_object_tell(const ward_object *object, uint32_t method, const void *args, size_t size)
{
	struct call call;

	if (make(&call, object, method, false, args, size) == WARD_OK)
		ward_system_send(object->system, object->ref, &wardi_type_object_call, &call.body,
				 call.size);
	else if (object != NULL && object->system != NULL)
		ward_system_send(object->system, object->ref, NULL, NULL, 0);
}

ward_err ward_object_try_tell(const ward_object *object, uint32_t method, const void *args,
			      size_t size)
{
	struct call call;
	ward_err err = make(&call, object, method, false, args, size);

	if (err != WARD_OK)
		return err;
	return checked(&call, ward_system_try_send(object->system, object->ref,
						   &wardi_type_object_call, &call.body, call.size));
}

ward_err ward_object_call(const ward_object *object, uint32_t method, const void *args, size_t size,
			  void *ret_answer, size_t answer_size)
{
	struct call call;
	struct wardi_object_body answer;
	ward_err err = make(&call, object, method, true, args, size);

	if (err != WARD_OK)
		return err;
	if (ret_answer == NULL || answer_size != call.method->answer_size)
		return ward_refused(WARD_ESIZE, "%s.%s answers %u bytes, but there is room for %zu",
				    object->object_class->name, call.method->name,
				    call.method->answer_size, ret_answer == NULL ? 0 : answer_size);
	err = ward_system_ask_send(object->system, object->ref, object->timeout_ms,
				   wardi_object_answer_type(call.method->answer_size), &answer,
				   &wardi_type_object_call, &call.body, call.size);
	if (err != WARD_OK)
		return refused(&call, err);
	return wardi_object_read(&answer.head, object->object_class, method, ret_answer,
				 answer_size);
}

ward_err ward_object_ask_inbox(ward_inbox *inbox, const ward_object *object, uint32_t method,
			       const void *args, size_t size)
{
	struct call call;
	ward_err err = make(&call, object, method, true, args, size);

	if (err != WARD_OK)
		return err;
	if (inbox == NULL)
		return ward_refused(WARD_EINVAL, "%s.%s: the inbox is NULL",
				    object->object_class->name, call.method->name);
	ward_inbox_send(inbox, object->ref, &wardi_type_object_call, &call.body, call.size);
	return WARD_OK;
}

/* ---- from an actor ----------------------------------------------------------------------- */

void ward_object_tell_from(ward_self *self, const ward_object *object, uint32_t method,
			   const void *args, size_t size)
{
	struct call call;

	if (make(&call, object, method, false, args, size) == WARD_OK)
		ward_send(self, object->ref, &wardi_type_object_call, &call.body, call.size);
	else
		ward_send(self, object == NULL ? ward_nobody() : object->ref, NULL, NULL, 0);
}

ward_err ward_try_object_tell_from(ward_self *self, const ward_object *object, uint32_t method,
				   const void *args, size_t size)
{
	struct call call;
	ward_err err = make(&call, object, method, false, args, size);

	if (err != WARD_OK)
		return err;
	return checked(&call, ward_try_send(self, object->ref, &wardi_type_object_call, &call.body,
					    call.size));
}

ward_err ward_try_object_ask(ward_self *self, const ward_object *object, uint64_t tag,
			     uint32_t method, const void *args, size_t size)
{
	struct call call;
	ward_question question = {.tag = tag};
	ward_err err = make(&call, object, method, true, args, size);

	if (err != WARD_OK)
		return err;
	question.to = object->ref;
	question.timeout_ms = object->timeout_ms;
	return checked(&call, ward_try_ask_send(self, &question, &wardi_type_object_call,
						&call.body, call.size));
}

/* ---- answers ----------------------------------------------------------------------------- */

ward_err ward_object_answered(const ward_msg *msg, const ward_object_class *object_class,
			      uint32_t method, void *ret_answer, size_t answer_size)
{
	const ward_object of_class = {.object_class = object_class};
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);
	const struct wardi_object_head *head = wardi_object_answer_in(msg);
	ward_err err = check_method(&of_class, method, true);

	if (err != WARD_OK)
		return err;
	if (failed != NULL)
		return ward_refused(failed->why, "%s.%s: %s", object_class->name,
				    object_class->methods[method].name, failed->text);
	if (head == NULL)
		return ward_refused(WARD_ETYPE, "%s.%s: this message is not an answer",
				    object_class->name, object_class->methods[method].name);
	return wardi_object_read(head, object_class, method, ret_answer, answer_size);
}
