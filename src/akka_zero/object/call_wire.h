/* SPDX-License-Identifier: MIT
 *
 * call_wire.h - calls of methods and their answers, as they are sent.
 */
#ifndef WARDI_CALL_WIRE_H
#define WARDI_CALL_WIRE_H

#include <ward/object.h>
#include <ward/types.h>

struct wardi_object_body;
struct wardi_object_head;

/* Zeroed, as far as it is sent. */
void wardi_object_answer_begin(struct wardi_object_body *body,
			       const ward_object_class *object_class, uint32_t method);

/* That the call has ended without an answer. */
void wardi_object_answer_failed(ward_self *self, ward_ref asker,
				const ward_object_class *object_class, uint32_t method,
				const char *text);

/* Whether it is one of these. */
const struct wardi_object_head *wardi_object_answer_in(const ward_msg *msg);

void wardi_object_answer_send(ward_self *self, ward_ref asker, const struct wardi_object_body *body,
			      uint32_t answer_size);

/* The type of answers of this size, which has room for a text at least. */
const ward_type *wardi_object_answer_type(uint32_t size);

/* Where the arguments or the answer begin. */
const void *wardi_object_bytes(const struct wardi_object_head *head);

uint32_t wardi_object_hash(const ward_object_class *object_class);

/* What an answer says: its code, with the detail, or its bytes. */
ward_err wardi_object_read(const struct wardi_object_head *head,
			   const ward_object_class *object_class, uint32_t method, void *ret_answer,
			   size_t answer_size);

extern const ward_type wardi_type_object_call;

#endif
