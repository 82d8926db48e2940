/* SPDX-License-Identifier: MIT
 *
 * open_outgoing.c - what the program of an association sees of the messages that go out.
 *
 *	ward_outgoing_open --> the message in an outgoing one becomes the message in hand
 *
 * Threads: runs only on the holder's worker.
 */
#include "mail/outgoing.h"

#include <string.h>

#include "actor/arena.h"
#include "cell/places.h"
#include "send/far.h"
#include "watch/association.h"

const char *ward_control_text(ward_control kind)
{
	static const char *const texts[] = {
		[WARD_CONTROL_SEND] = "send",
		[WARD_CONTROL_SELECT] = "select",
		[WARD_CONTROL_WATCH] = "watch",
		[WARD_CONTROL_UNWATCH] = "unwatch",
		[WARD_CONTROL_TERMINATED] = "terminated",
		[WARD_CONTROL_LINK] = "link",
		[WARD_CONTROL_UNLINK] = "unlink",
		[WARD_CONTROL_LINK_EXIT] = "link exit",
		[WARD_CONTROL_EXIT] = "exit",
		[WARD_CONTROL_STOP] = "stop",
		[WARD_CONTROL_UNHEARD] = "unheard",
	};
	bool known = (unsigned)kind < sizeof texts / sizeof texts[0] && texts[kind] != NULL;

	return known ? texts[kind] : "?";
}

/* ---- reading what goes out --------------------------------------------------------------- */

/* The message in the outgoing one becomes the message in hand, so that it is freed, kept or passed
 * on like any other. */
static void hold_inner(struct ward_self *self, struct ward_msg *envelope)
{
	struct wardi_outgoing *out = wardi_outgoing_of(envelope);
	struct ward_msg *inner = out->msg;

	out->msg = NULL;
	wardi_outgoing_free_path(out);
	wardi_payload_gone(self->from, &wardi_type_outgoing);
	if (self->owns_block)
		wardi_msg_free(self->from, envelope);
	self->msg = inner;
	self->owns_block = true;
	self->has_leftovers = true;
}

static void count_passed(struct ward_self *self, ward_ref to, const struct ward_msg *inner)
{
	struct wardi_place_row *place = wardi_place_find(self->system, wardi_ref_place(to));

	if (place != NULL)
		wardi_flow_add(&place->passed, wardi_msg_size(inner));
}

static void read_body(struct ward_outgoing *out, const struct ward_msg *inner)
{
	out->type = wardi_msg_type(inner);
	out->size = wardi_msg_size(inner);
	out->body = out->size == 0 ? NULL : wardi_msg_bytes(inner);
}

static void read_end(struct ward_outgoing *out, const struct wardi_outgoing_end *end)
{
	if (out->kind == WARD_CONTROL_TERMINATED) {
		out->end = end->end;
		out->failure_class = end->failure_class;
		memcpy(out->name, end->name, sizeof out->name);
	} else {
		out->reason = end->reason;
	}
}

static void read_plain(struct ward_self *self, struct ward_msg *msg, struct ward_outgoing *out)
{
	struct wardi_outgoing *from = wardi_outgoing_of(msg);

	switch (out->kind) {
	case WARD_CONTROL_SELECT:
	case WARD_CONTROL_SEND:
		count_passed(self, from->to, from->msg);
		out->silent = from->silent != 0;
		read_body(out, from->msg);
		hold_inner(self, msg);
		break;
	case WARD_CONTROL_WATCH:
	case WARD_CONTROL_LINK:
		out->number = out->kind == WARD_CONTROL_LINK ? from->number : 0;
		if (from->stand_in != 0)
			out->stand_in = wardi_ref_make(from->stand_in, wardi_ref_place(from->to));
		break;
	case WARD_CONTROL_UNLINK:
		out->number = from->number;
		out->other_number = from->other_number;
		break;
	case WARD_CONTROL_UNHEARD:
		out->dead = (ward_reason)from->dead;
		break;
	default:
		break;
	}
}

/* The message in hand is not passed on. */
static void lose(struct ward_self *self, ward_reason reason)
{
	wardi_far_lost(self->system, self, self->msg, reason);
	wardi_self_emptied_msg(self);
}

/* The path of a SELECT outlives the envelope: until the callback returns. False: no memory; the
 * message is a dead letter. */
static bool keep_path(struct ward_self *self, struct ward_msg *msg, struct ward_outgoing *out)
{
	const struct wardi_outgoing *from = wardi_outgoing_of(msg);
	size_t size;
	char *copy;

	if (wardi_msg_type(msg) != &wardi_type_outgoing || from->kind != WARD_CONTROL_SELECT)
		return true;
	size = strlen(from->path) + 1;
	self->scratched = self->has_leftovers = true;
	copy = wardi_chunk_alloc(&self->system->alloc, &self->scratch, size);
	if (copy == NULL) {
		lose(self, WARD_REASON_NO_MEMORY);
		return false;
	}
	memcpy(copy, from->path, size);
	out->path = copy;
	return true;
}

static bool is_for(const struct wardi_association *association, const struct ward_msg *msg)
{
	return association != NULL && wardi_is_of_peer(association, wardi_outgoing_to(msg)) &&
	       wardi_outgoing_life(msg) == association->life;
}

bool ward_outgoing_open(ward_self *self, const ward_msg *msg, struct ward_outgoing *out)
{
	struct ward_msg *mine;

	if (!wardi_self_usable(self) || msg == NULL || self->msg != msg ||
	    !wardi_msg_is_outgoing(msg))
		return false;
	mine = self->msg;
	if (!is_for(wardi_association_of(self), mine)) {
		lose(self, WARD_REASON_UNREACHED);
		return false;
	}
	memset(out, 0, sizeof *out);
	if (!keep_path(self, mine, out))
		return false;
	out->to = wardi_outgoing_to(mine);
	out->from = ward_msg_sender(mine);
	if (wardi_msg_type(mine) == &wardi_type_outgoing_end) {
		out->kind = (ward_control)wardi_outgoing_end_of(mine)->kind;
		read_end(out, wardi_outgoing_end_of(mine));
	} else {
		out->kind = (ward_control)wardi_outgoing_of(mine)->kind;
		read_plain(self, mine, out);
	}
	return true;
}

void ward_outgoing_moved(ward_self *self)
{
	if (!wardi_self_usable(self) || self->msg == NULL)
		return;
	wardi_payload_gone(self->from, wardi_msg_type(self->msg));
	wardi_self_emptied_msg(self);
}
