/* SPDX-License-Identifier: MIT
 *
 * broadcast.c - one message for all routees: by the routing of a router, or in an envelope.
 *
 *	the envelope:  | type, size | the message's body |
 *
 * The envelope type is private to this file, so no other code can write a false size. A program's
 * type of the same name is checked before it is trusted.
 *
 * The envelope owns the body in it: dropped and cloned with the type of the message. All copies are
 * made before the first is sent, so that either every routee gets the message or none does.
 *
 * Threads: in the router's callbacks; the envelope is made on any thread.
 */
#include "patterns/router/broadcast.h"

#include <stdlib.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/system.h>

#include "patterns/common/kept_body.h"
#include "patterns/router/routee.h"
#include "patterns/router/router.h"

/* ---- the envelope ------------------------------------------------------------------------ */

struct envelope {
	const ward_type *type;
	uint64_t size; /* of the body, which follows */
};

static void *body_in(const struct envelope *envelope)
{
	return (void *)(uintptr_t)(envelope + 1);
}

static void drop_envelope(void *body)
{
	const struct envelope *envelope = body;

	if (envelope->type != NULL && envelope->type->drop != NULL)
		envelope->type->drop(body_in(envelope));
}

static ward_err clone_envelope(void *to, const void *from)
{
	const struct envelope *envelope = from;

	if (envelope->type == NULL || envelope->type->drop == NULL)
		return WARD_OK;
	if (envelope->type->clone == NULL)
		return WARD_EUNIQUE;
	return envelope->type->clone(body_in(to), body_in(envelope));
}

static const ward_type envelope_type = {.name = "ward_broadcast",
					.size = sizeof(struct envelope),
					.size_max = UINT32_MAX,
					.drop = drop_envelope,
					.clone = clone_envelope};

/* On return *size is the size of the body in the envelope. */
static ward_err check(const ward_type *type, const void *body, size_t *size)
{
	if (type == NULL || type->name == NULL)
		return ward_refused(WARD_EINVAL, "ward_broadcast: the type is NULL, or its name");
	if (body == NULL && *size == 0)
		*size = type->size;
	if (*size < type->size || *size > (type->size_max != 0 ? type->size_max : type->size))
		return ward_refused(WARD_ESIZE,
				    "ward_broadcast: a body of %zu bytes does not fit \"%s\"",
				    *size, type->name);
	return WARD_OK;
}

static void fill(struct envelope *envelope, const ward_type *type, const void *body, size_t size)
{
	envelope->type = type;
	envelope->size = size;
	if (body != NULL)
		memcpy(body_in(envelope), body, size);
	else
		memset(body_in(envelope), 0, size);
}

static ward_err no_memory(const ward_type *type, const void *body)
{
	if (body != NULL && type->drop != NULL)
		type->drop((void *)(uintptr_t)body); /* it was taken over */
	return ward_refused(WARD_ENOMEM, "no memory to broadcast \"%s\"", type->name);
}

ward_err ward_try_broadcast_send(ward_self *self, ward_ref router, const ward_type *type,
				 const void *body, size_t size)
{
	struct envelope *envelope;
	ward_err err = check(type, body, &size);

	if (err != WARD_OK)
		return err;
	envelope = ward_make_body_uninit(self, &envelope_type, sizeof *envelope + size);
	if (envelope == NULL)
		return no_memory(type, body);
	fill(envelope, type, body, size);
	ward_give_body(self, router, &envelope_type, envelope);
	return WARD_OK;
}

ward_err ward_system_broadcast_send(ward_system *system, ward_ref router, const ward_type *type,
				    const void *body, size_t size)
{
	struct envelope *envelope;
	ward_err err = check(type, body, &size);

	if (err != WARD_OK)
		return err;
	envelope = malloc(sizeof *envelope + size);
	if (envelope == NULL)
		return no_memory(type, body);
	fill(envelope, type, body, size);
	ward_system_send(system, router, &envelope_type, envelope, sizeof *envelope + size);
	free(envelope);
	return WARD_OK;
}

/* ---- copies ------------------------------------------------------------------------------ */

static void discard_copies(struct wardi_roster *roster, ward_self *self, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		ward_discard(self, roster->at[i].copy);
}

ward_err wardi_copy_to_all(struct wardi_router *router, ward_self *self, ward_ref sender,
			   const ward_type *type, const void *body, size_t size, size_t first)
{
	struct wardi_roster *roster = router->roster;

	for (size_t i = first; i < roster->count; i++) {
		roster->at[i].copy = wardi_copy_of(self, type, body, size);
		if (roster->at[i].copy == NULL) {
			discard_copies(roster, self, first, i);
			return WARD_ENOMEM;
		}
	}
	for (size_t i = first; i < roster->count; i++)
		wardi_routee_give(self, sender, &roster->at[i], type, roster->at[i].copy);
	return WARD_OK;
}

/* ---- by the routing ---------------------------------------------------------------------- */

static void deliver(struct wardi_router *router, ward_self *self, const ward_msg *msg)
{
	const ward_type *type = ward_msg_type(msg);

	if (router->roster->count > 1 && !wardi_copyable(type))
		wardi_router_dead(self, WARD_REASON_UNIQUE);
	else if (wardi_copy_to_all(router, self, ward_msg_sender(msg), type,
				   ward_msg_body(msg, type), ward_msg_size(msg), 1) != WARD_OK)
		wardi_router_dead(self, WARD_REASON_NO_MEMORY);
	else
		wardi_routee_forward(self, &router->roster->at[0]);
}

const struct wardi_logic wardi_route_broadcast = {.deliver = deliver};

/* ---- in an envelope ---------------------------------------------------------------------- */

/* The body cannot be copied, so it is moved out of the envelope. */
static void move_out(ward_self *self, ward_ref sender, const struct wardi_routee *to)
{
	struct envelope *envelope = ward_take_body(self, &envelope_type);
	const ward_type *type;
	void *body;

	if (envelope == NULL) {
		wardi_router_dead(self, WARD_REASON_NO_MEMORY);
		return;
	}
	type = envelope->type;
	body = ward_make_body_uninit(self, type, envelope->size);
	if (body != NULL) {
		memcpy(body, body_in(envelope), envelope->size);
		envelope->type = NULL;
		ward_discard(self, envelope);
		wardi_routee_give(self, sender, to, type, body);
	} else {
		ward_give_body_from(self, sender, ward_nobody(), &envelope_type, envelope);
	}
}

static bool holds_its_body(const struct envelope *envelope, size_t held)
{
	return envelope->type != NULL && envelope->size == held &&
	       wardi_fits(envelope->type, envelope + 1, held);
}

/* The body must not be touched: neither dropped, nor cloned for subscribers to dead letters. */
static void refuse(ward_self *self, const struct envelope *envelope)
{
	((struct envelope *)(uintptr_t)envelope)->type = NULL;
	wardi_router_dead(self, WARD_REASON_MISUSE);
}

bool wardi_is_broadcast(const ward_msg *msg)
{
	return ward_type_same(ward_msg_type(msg), &envelope_type);
}

void wardi_broadcast_arrived(struct wardi_router *router, ward_self *self, const ward_msg *msg)
{
	const struct envelope *envelope = ward_msg_body(msg, &envelope_type);
	const struct wardi_roster *roster = router->roster;

	if (!holds_its_body(envelope, ward_msg_size(msg) - sizeof *envelope))
		refuse(self, envelope);
	else if (roster->count == 0)
		wardi_router_dead(self, WARD_REASON_NO_ROUTEE);
	else if (wardi_copyable(envelope->type)) {
		if (wardi_copy_to_all(router, self, ward_msg_sender(msg), envelope->type,
				      body_in(envelope), envelope->size, 0) != WARD_OK)
			wardi_router_dead(self, WARD_REASON_NO_MEMORY);
	} else if (roster->count == 1)
		move_out(self, ward_msg_sender(msg), &roster->at[0]);
	else
		wardi_router_dead(self, WARD_REASON_UNIQUE);
}
