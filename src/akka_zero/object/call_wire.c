/* SPDX-License-Identifier: MIT
 *
 * call_wire.c - the wire form of method calls and their answers.
 *
 *	call     head, arguments
 *	answer   head, answer or error text, zeroes up to one of a few sizes
 *
 * A thread that waits must name the type of the answer, including its size. That is why answers
 * come in a few sizes, and why an error has the size of the answer.
 *
 * Threads: all functions may run at the same time; there is no state.
 */
#include "akka_zero/object/call_wire.h"

#include <stdio.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/text.h>

#include "akka_zero/object/active_object.h"

_Static_assert(offsetof(struct wardi_object_body, bytes) == sizeof(struct wardi_object_head),
	       "the bytes follow their head");

const ward_type wardi_type_object_call = {.name = "ward.object_call",
					  .size = sizeof(struct wardi_object_head),
					  .size_max = sizeof(struct wardi_object_body),
					  .flags = WARD_TYPE_FLAT};

#define ANSWER(size_)                                                                              \
	{                                                                                          \
		.name = "ward.object_answer", .size = (size_), .flags = WARD_TYPE_FLAT             \
	}
/* The smallest size is that of the largest body stored within its message. */
static const ward_type answers[] = {
	ANSWER(112),  ANSWER(256),  ANSWER(512),
	ANSWER(1024), ANSWER(2048), ANSWER(sizeof(struct wardi_object_body)),
};
enum { ANSWERS = sizeof answers / sizeof answers[0] };

const ward_type *wardi_object_answer_type(uint32_t size)
{
	const ward_type *type = answers;

	while (type->size < sizeof(struct wardi_object_head) + size)
		type++;
	return type;
}

const struct wardi_object_head *wardi_object_answer_in(const ward_msg *msg)
{
	for (size_t i = 0; i < ANSWERS; i++) {
		const struct wardi_object_head *head = ward_msg_body(msg, &answers[i]);

		if (head != NULL)
			return head;
	}
	return NULL;
}

/* FNV-1a. */
uint32_t wardi_object_hash(const ward_object_class *object_class)
{
	uint32_t hash = 2166136261u;

	for (const char *at = object_class->name; *at != '\0'; at++)
		hash = (hash ^ (unsigned char)*at) * 16777619u;
	return hash;
}

const void *wardi_object_bytes(const struct wardi_object_head *head)
{
	return head + 1;
}

uint32_t ward_object_method(const ward_msg *msg)
{
	const struct wardi_object_head *head = ward_msg_body(msg, &wardi_type_object_call);

	return head == NULL ? WARD_METHOD_NONE : head->method;
}

/* ---- sending an answer ------------------------------------------------------------------- */

void wardi_object_answer_begin(struct wardi_object_body *body,
			       const ward_object_class *object_class, uint32_t method)
{
	uint32_t size = object_class->methods[method].answer_size;

	memset(body, 0, wardi_object_answer_type(size)->size);
	body->head = (struct wardi_object_head){
		.class_hash = wardi_object_hash(object_class), .method = method, .size = size};
}

void wardi_object_answer_send(ward_self *self, ward_ref asker, const struct wardi_object_body *body,
			      uint32_t answer_size)
{
	const ward_type *type = wardi_object_answer_type(answer_size);

	ward_send(self, asker, type, body, type->size);
}

void wardi_object_answer_failed(ward_self *self, ward_ref asker,
				const ward_object_class *object_class, uint32_t method,
				const char *text)
{
	struct wardi_object_body body;
	uint32_t size = object_class->methods[method].answer_size;
	size_t room = wardi_object_answer_type(size)->size - sizeof body.head;

	wardi_object_answer_begin(&body, object_class, method);
	body.head.err = WARD_EFAILED;
	ward_text_format((char *)body.bytes, room, "%s", text);
	wardi_object_answer_send(self, asker, &body, size);
}

/* ---- reading an answer ------------------------------------------------------------------- */

ward_err wardi_object_read(const struct wardi_object_head *head,
			   const ward_object_class *object_class, uint32_t method, void *ret_answer,
			   size_t answer_size)
{
	const char *name = object_class->methods[method].name;

	if (head->class_hash != wardi_object_hash(object_class) || head->method != method)
		return ward_refused(WARD_ETYPE, "%s.%s: this is the answer to another method",
				    object_class->name, name);
	if (head->err != WARD_OK)
		return ward_refused((ward_err)head->err, "%s.%s failed: %s", object_class->name,
				    name, (const char *)wardi_object_bytes(head));
	if (head->size != answer_size)
		return ward_refused(WARD_ESIZE, "%s.%s answers %u bytes, but there is room for %zu",
				    object_class->name, name, head->size, answer_size);
	memcpy(ret_answer, wardi_object_bytes(head), answer_size);
	return WARD_OK;
}
