/* SPDX-License-Identifier: MIT
 *
 * frame.h - a control message on its way from one system to another.
 */
#ifndef WARDI_TESTKIT_LOOP_FRAME_H
#define WARDI_TESTKIT_LOOP_FRAME_H

#include "testkit/loop/parts.h"

/* Makes a frame without a message. */
struct wardi_frame *wardi_frame_make(enum wardi_frame_kind kind, uint64_t life);

/* Makes a frame of an outgoing message, which the running line has opened. By value the frame owns
 * what the body owns. NULL: the body cannot be encoded; it is a dead letter. */
struct wardi_frame *wardi_frame_of(ward_self *self, struct wardi_end *end,
				   const struct ward_outgoing *out);

/* Applies the message of a frame at the end to which it was sent. */
WARD_MUST_USE ward_err wardi_frame_apply(ward_self *self, struct wardi_end *end,
					 struct wardi_frame *frame);

/* Frees a frame, and what it still owns. */
void wardi_frame_free(struct wardi_frame *frame);

void wardi_queue_init(struct wardi_queue *queue);
void wardi_queue_push(struct wardi_queue *queue, struct wardi_frame *frame);
/* NULL: it is empty. */
struct wardi_frame *wardi_queue_pop(struct wardi_queue *queue);

#endif
