/* SPDX-License-Identifier: MIT
 *
 * call_wire.h - the wire form of method calls and their answers.
 */
#ifndef WARDI_CALL_WIRE_H
#define WARDI_CALL_WIRE_H

#include <ward/object.h>
#include <ward/types.h>

struct wardi_object_body;
struct wardi_object_head;

/* Zeroes the part that is sent, and fills in the head. */
void wardi_object_answer_begin(struct wardi_object_body *body,
			       const ward_object_class *object_class, uint32_t method);

/* Answers that the call has ended without a result. */
void wardi_object_answer_failed(ward_self *self, ward_ref asker,
				const ward_object_class *object_class, uint32_t method,
				const char *text);

/* Returns the head of the answer, or NULL if the message is none. */
const struct wardi_object_head *wardi_object_answer_in(const ward_msg *msg);

void wardi_object_answer_send(ward_self *self, ward_ref asker, const struct wardi_object_body *body,
			      uint32_t answer_size);

/* Returns the message type for answers of this size. It always has room for a text. */
const ward_type *wardi_object_answer_type(uint32_t size);

/* Returns the start of the arguments, or of the answer. */
const void *wardi_object_bytes(const struct wardi_object_head *head);

uint32_t wardi_object_hash(const ward_object_class *object_class);

/* Reads an answer: returns its error, with the detail, or copies its bytes. */
ward_err wardi_object_read(const struct wardi_object_head *head,
			   const ward_object_class *object_class, uint32_t method, void *ret_answer,
			   size_t answer_size);

extern const ward_type wardi_type_object_call;

#endif
