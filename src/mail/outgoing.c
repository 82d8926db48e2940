/* SPDX-License-Identifier: MIT
 *
 * outgoing.c - what goes to another place: made, and dropped with what is in it.
 *
 * Threads: a message belongs to its holder alone.
 */
#include "mail/outgoing.h"

#include "base/alloc.h"
#include "mail/auto_received.h"
#include "mail/ref.h"

_Static_assert(sizeof(struct wardi_outgoing) <= 48, "it fits a block of 80");
_Static_assert(sizeof(struct wardi_outgoing_end) <= WARDI_BODY_MAX, "it fits a block of 144");

void wardi_outgoing_free_path(struct wardi_outgoing *out)
{
	if (out->kind == WARD_CONTROL_SELECT && out->path != NULL)
		wardi_free(out->pool->alloc, out->path, strlen(out->path) + 1);
	if (out->kind == WARD_CONTROL_SELECT)
		out->path = NULL;
}

/* Only of one that nobody opened. */
static void drop(void *body) WARD_NOEXCEPT
{
	struct wardi_outgoing *out = body;

	if (out->kind != WARD_CONTROL_SEND && out->kind != WARD_CONTROL_SELECT)
		return;
	if (out->msg != NULL)
		wardi_msg_destroy((struct wardi_source){out->pool, NULL}, out->msg);
	wardi_outgoing_free_path(out);
}

const ward_type wardi_type_outgoing = {
	.name = "ward.outgoing",
	.size = sizeof(struct wardi_outgoing),
	.flags = WARD_TYPE_QUIET,
	.drop = drop,
};

const ward_type wardi_type_outgoing_end = {
	.name = "ward.outgoing-end",
	.size = sizeof(struct wardi_outgoing_end),
	.flags = WARD_TYPE_QUIET,
};

struct ward_msg *wardi_outgoing_make(struct wardi_source from, ward_control kind, ward_ref sender,
				     ward_ref to)
{
	struct wardi_outgoing out = {
		.kind = (uint16_t)kind, .weight = 1, .to = to, .pool = from.pool};
	struct ward_msg *msg = wardi_msg_make(from, &wardi_type_outgoing, &out, sizeof out);

	if (msg == NULL)
		return NULL;
	wardi_msg_set_sender(msg, sender);
	return msg;
}

struct ward_msg *wardi_outgoing_end_make(struct wardi_source from, ward_control kind,
					 ward_ref sender, ward_ref to)
{
	struct wardi_outgoing_end out = {
		.kind = kind, .to_place = wardi_ref_place(to), .to_uid = to.uid};
	struct ward_msg *msg = wardi_msg_make(from, &wardi_type_outgoing_end, &out, sizeof out);

	if (msg == NULL)
		return NULL;
	wardi_msg_set_sender(msg, sender);
	return msg;
}

struct ward_msg *wardi_detour_make(struct wardi_source from, ward_ref stand_in)
{
	struct wardi_token token = {0, NULL};
	struct ward_msg *msg = wardi_msg_make(from, &wardi_type_detour, &token, sizeof token);

	if (msg != NULL)
		wardi_msg_set_sender(msg, stand_in);
	return msg;
}

ward_ref wardi_outgoing_to(const struct ward_msg *msg)
{
	const struct wardi_outgoing_end *end;

	if (wardi_msg_type(msg) == &wardi_type_outgoing)
		return wardi_outgoing_of(msg)->to;
	end = wardi_outgoing_end_of(msg);
	return wardi_ref_make(end->to_uid, end->to_place);
}

uint32_t wardi_outgoing_life(const struct ward_msg *msg)
{
	return wardi_msg_type(msg) == &wardi_type_outgoing ? wardi_outgoing_of(msg)->life
							   : wardi_outgoing_end_of(msg)->life;
}

void wardi_outgoing_set_life(struct ward_msg *msg, uint32_t life)
{
	if (wardi_msg_type(msg) == &wardi_type_outgoing)
		wardi_outgoing_of(msg)->life = life & WARDI_LIFE_MAX;
	else
		wardi_outgoing_end_of(msg)->life = life & WARDI_LIFE_MAX;
}
