/* SPDX-License-Identifier: MIT
 *
 * frame.c - control messages on their way: their memory, their refs, their bodies.
 *
 * By value a body is copied as it is, and what it owns moves with it. Refs stay as they are, since
 * the place of a neighbour is that of its system then. By bytes a body is encoded by its table, and
 * refs are written as who they denote and whose they are; a class has no table and stays here.
 *
 * Bytes are memory of malloc(), which a simulated shortage does not strike. So the line takes as
 * much of its own for a moment, and refuses the message if there is none.
 */
#include "testkit/loop/frame.h"

#include <stdlib.h>
#include <string.h>

#include <ward/codec.h>
#include <ward/extend.h>
#include <ward/testkit/check.h>

/* ---- queues ------------------------------------------------------------------------------- */

void wardi_queue_init(struct wardi_queue *queue)
{
	queue->first = NULL;
	queue->last = &queue->first;
	queue->bytes = 0;
}

void wardi_queue_push(struct wardi_queue *queue, struct wardi_frame *frame)
{
	frame->next = NULL;
	*queue->last = frame;
	queue->last = &frame->next;
	queue->bytes += frame->bytes;
}

struct wardi_frame *wardi_queue_pop(struct wardi_queue *queue)
{
	struct wardi_frame *frame = queue->first;

	if (frame == NULL)
		return NULL;
	queue->first = frame->next;
	if (queue->first == NULL)
		queue->last = &queue->first;
	queue->bytes -= frame->bytes;
	return frame;
}

/* ---- refs --------------------------------------------------------------------------------- */

static struct wardi_far_ref write_ref(struct wardi_end *end, ward_ref ref)
{
	struct wardi_far_ref far = {.kind = ward_ref_kind_of(ref), .number = ward_ref_number(ref)};
	uint32_t place = ward_ref_place(ref);

	if (ward_ref_is_nobody(ref))
		far.side = WARDI_SIDE_NOBODY;
	else if (place == ward_place(end->node->system))
		far.side = WARDI_SIDE_SENDER;
	else if (place == end->place)
		far.side = WARDI_SIDE_RECEIVER;
	else if (ward_node_name(end->node->system, place, far.node))
		far.side = WARDI_SIDE_THIRD;
	return far;
}

static ward_ref read_ref(struct wardi_end *end, const struct wardi_far_ref *far)
{
	ward_system *system = end->node->system;
	uint32_t place = 0;

	switch (far->side) {
	case WARDI_SIDE_NOBODY:
		break;
	case WARDI_SIDE_SENDER:
		place = end->place;
		break;
	case WARDI_SIDE_RECEIVER:
		place = ward_place(system);
		break;
	case WARDI_SIDE_THIRD:
		place = ward_node_place(system, far->node);
		break;
	}
	return place != 0 ? ward_ref_at(place, far->kind, far->number) : ward_nobody();
}

/* ---- refs in bodies ----------------------------------------------------------------------- */

/* In a body: side, kind, number, and the name of a third node, without its 0. */
enum { NUMBER_AT = 2, NAME_AT = NUMBER_AT + sizeof(uint64_t) };

static ward_err put_ref(void *arg, ward_format format, ward_ref ref, ward_bytes *out)
{
	struct wardi_far_ref far = write_ref(arg, ref);
	unsigned char bytes[NAME_AT + WARD_NODE_NAME];
	size_t length = strlen(far.node);

	(void)format;
	bytes[0] = (unsigned char)far.side;
	bytes[1] = (unsigned char)far.kind;
	memcpy(bytes + NUMBER_AT, &far.number, sizeof far.number);
	memcpy(bytes + NAME_AT, far.node, length);
	return ward_bytes_add(out, bytes, NAME_AT + length);
}

static ward_err get_ref(void *arg, ward_format format, const void *bytes, size_t count,
			ward_ref *ret_ref)
{
	const unsigned char *from = bytes;
	struct wardi_far_ref far = {.side = WARDI_SIDE_NOBODY};

	(void)format;
	if (count < NAME_AT || count >= NAME_AT + WARD_NODE_NAME)
		return ward_refused(WARD_EINVAL, "a ref of %zu bytes", count);
	far.side = (enum wardi_side)from[0];
	far.kind = (ward_ref_kind)from[1];
	memcpy(&far.number, from + NUMBER_AT, sizeof far.number);
	memcpy(far.node, from + NAME_AT, count - NAME_AT);
	*ret_ref = read_ref(arg, &far);
	return WARD_OK;
}

/* ---- frames ------------------------------------------------------------------------------- */

struct wardi_frame *wardi_frame_make(enum wardi_frame_kind kind, uint64_t life)
{
	struct wardi_frame *frame = calloc(1, sizeof *frame);

	ward_assert(frame != NULL);
	frame->note.kind = kind;
	frame->note.life = life;
	frame->bytes = sizeof *frame;
	return frame;
}

static void *copy(const void *bytes, size_t size)
{
	void *to = malloc(size > 0 ? size : 1);

	ward_assert(to != NULL);
	return size > 0 ? memcpy(to, bytes, size) : to;
}

/* Takes the body of the opened message as it is. */
static void move_body(ward_self *self, struct wardi_frame *frame, const struct ward_outgoing *out)
{
	frame->memory = copy(out->body, out->size);
	frame->bytes += out->size;
	ward_outgoing_moved(self);
	frame->out.body = frame->memory;
}

static ward_err take_memory(ward_self *self, size_t size)
{
	static const ward_type bytes = {.name = "wardi_loop_bytes", .size_max = UINT32_MAX};
	void *taken = ward_make_body(self, &bytes, size > 0 ? size : 1);

	if (taken == NULL)
		return ward_refused(WARD_ENOMEM, "no memory for %zu bytes of a message", size);
	ward_discard(self, taken);
	return WARD_OK;
}

static ward_err encode_body(ward_self *self, struct wardi_end *end, struct wardi_frame *frame,
			    const struct ward_outgoing *out)
{
	const ward_codec_refs refs = {.arg = end, .put = put_ref, .get = get_ref};
	ward_bytes bytes = {.data = NULL};
	ward_err err =
		ward_encode_refs(WARD_FORMAT_WIRE, wardi_loop_same_refs(end->loop) ? NULL : &refs,
				 out->type, out->body, out->size, &bytes);

	if (err == WARD_OK)
		err = take_memory(self, bytes.size);
	frame->encoded = true;
	frame->memory = bytes.data;
	frame->encoded_size = bytes.size;
	frame->bytes += bytes.size;
	return err;
}

/* Replaces the bytes of the frame by the body that they are. */
static ward_err decode_body(ward_self *self, struct wardi_end *end, struct wardi_frame *frame)
{
	const ward_codec_refs refs = {.arg = end, .put = put_ref, .get = get_ref};
	size_t room = ward_decode_room(frame->out.type, frame->encoded_size);
	unsigned char *body = malloc(room > 0 ? room : 1);
	ward_err err = take_memory(self, room);

	ward_assert(body != NULL);
	if (err == WARD_OK)
		err = ward_decode_refs(WARD_FORMAT_WIRE,
				       wardi_loop_same_refs(end->loop) ? NULL : &refs,
				       frame->out.type, frame->memory, frame->encoded_size, body,
				       room, &frame->out.size);
	free(frame->memory);
	frame->memory = body;
	frame->out.body = body;
	frame->encoded = err != WARD_OK; /* there is nothing to drop */
	return err;
}

struct wardi_frame *wardi_frame_of(ward_self *self, struct wardi_end *end,
				   const struct ward_outgoing *out)
{
	if (end->node->system == NULL) /* it has crashed, and is being finished */
		return NULL;
	struct wardi_frame *frame = wardi_frame_make(WARDI_FRAME_CONTROL, 0);

	frame->out = *out;
	if (out->path != NULL)
		frame->out.path = copy(out->path, strlen(out->path) + 1);
	if (!wardi_loop_same_refs(end->loop)) {
		frame->from = write_ref(end, out->from);
		frame->to = write_ref(end, out->to);
		frame->stand_in = write_ref(end, out->stand_in);
		frame->out.failure_class = NULL;
	}
	if (out->body == NULL)
		return frame;
	if (!wardi_loop_writes(end->loop)) {
		move_body(self, frame, out);
		return frame;
	}
	ward_err err = encode_body(self, end, frame, out);
	if (err == WARD_OK)
		return frame;
	ward_outgoing_refused(self, out, err);
	wardi_frame_free(frame);
	return NULL;
}

ward_err wardi_frame_apply(ward_self *self, struct wardi_end *end, struct wardi_frame *frame)
{
	ward_err err = WARD_OK;

	if (!wardi_loop_same_refs(end->loop)) {
		frame->out.from = read_ref(end, &frame->from);
		frame->out.to = read_ref(end, &frame->to);
		frame->out.stand_in = read_ref(end, &frame->stand_in);
	}
	if (frame->encoded)
		err = decode_body(self, end, frame);
	if (err != WARD_OK) {
		ward_incoming_refused(self, &frame->out, err);
	} else {
		err = ward_incoming(self, &frame->out);
		frame->encoded = true; /* what the body owned is taken in any case */
	}
	wardi_frame_free(frame);
	return err;
}

void wardi_frame_free(struct wardi_frame *frame)
{
	const ward_type *type = frame->out.type;

	if (frame->memory != NULL && !frame->encoded && type != NULL && type->drop != NULL)
		type->drop(frame->memory);
	free(frame->memory);
	free((char *)(uintptr_t)frame->out.path);
	free(frame);
}
