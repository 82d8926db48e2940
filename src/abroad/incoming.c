/* SPDX-License-Identifier: MIT
 *
 * incoming.c - what the peer does, applied here: each kind of control message is the call that it
 * stands for, in the name of an actor of the peer.
 *
 * Threads: runs only on the holder's worker.
 */
#include <ward/association.h>

#include <string.h>

#include "actor/ask.h"
#include "actor/select_far.h"
#include "actor/select_send.h"
#include "base/error.h"
#include "cell/caller.h"
#include "cell/reply_ref.h"
#include "send/tell.h"
#include "send/waiter.h"
#include "watch/association.h"
#include "watch/exit.h"
#include "watch/far_link.h"
#include "watch/far_watch.h"

static ward_err no_memory(struct ward_self *self, const struct ward_outgoing *in)
{
	ward_err err = wardi_no_memory(self->system, "ward_incoming: no memory for a message");

	wardi_body_drop(in->type, in->body, in->size);
	ward_incoming_refused(self, in, err);
	return err;
}

static ward_err send(struct ward_self *self, const struct ward_outgoing *in)
{
	struct ward_msg *msg;
	ward_err err = wardi_type_refuse(in->type, in->body, in->size);

	if (err != WARD_OK)
		return err;
	msg = wardi_msg_make(self->from, in->type, in->body, in->size);
	if (msg == NULL)
		return no_memory(self, in);
	wardi_send_msg(self, in->from, in->to, msg);
	return WARD_OK;
}

static ward_err select_path(struct ward_self *self, const struct ward_outgoing *in)
{
	if (in->path[0] == '/')
		wardi_select_from(self, in->from, in->path, in->type, in->body, in->size);
	else
		wardi_select_at(self, in);
	return WARD_OK;
}

static ward_err unheard(struct ward_self *self, const struct ward_outgoing *in)
{
	if (wardi_is_question(self->system, in->to))
		wardi_ask_unheard(self->system, self, in->to, in->from, in->dead);
	else
		wardi_waiter_dead(self->system, in->to, in->dead);
	return WARD_OK;
}

static ward_err stop(struct ward_self *self, const struct ward_outgoing *in)
{
	ward_stop(self, in->to);
	return WARD_OK;
}

static ward_err exits(struct ward_self *self, const struct ward_outgoing *in)
{
	return wardi_exit_far(self, in->from, in->to, &in->reason);
}

enum {
	ACTOR = 1 << WARD_REF_ACTOR,
	QUESTION = 1 << WARD_REF_QUESTION,
	THREAD = 1 << WARD_REF_THREAD
};

/* A row for each kind: what it does, what `to` may be, and whether `from` may be nobody. */
static const struct {
	ward_err (*apply)(struct ward_self *self, const struct ward_outgoing *in);
	unsigned to;
	bool from_nobody;
} kinds[] = {
	[WARD_CONTROL_SEND] = {send, ACTOR | QUESTION | THREAD, true},
	[WARD_CONTROL_SELECT] = {select_path, ACTOR, true},
	[WARD_CONTROL_WATCH] = {wardi_far_watch, ACTOR, false},
	[WARD_CONTROL_UNWATCH] = {wardi_far_unwatch, ACTOR, false},
	[WARD_CONTROL_TERMINATED] = {wardi_far_terminated, ACTOR | THREAD, false},
	[WARD_CONTROL_LINK] = {wardi_far_link, ACTOR, false},
	[WARD_CONTROL_UNLINK] = {wardi_far_unlink, ACTOR, false},
	[WARD_CONTROL_LINK_EXIT] = {wardi_far_link_exit, ACTOR, false},
	[WARD_CONTROL_EXIT] = {exits, ACTOR, false},
	[WARD_CONTROL_STOP] = {stop, ACTOR, true},
	[WARD_CONTROL_UNHEARD] = {unheard, QUESTION | THREAD, true},
};

static ward_err check_refs(struct ward_self *self, const struct wardi_association *association,
			   const struct ward_outgoing *in)
{
	bool nobody = ward_ref_is_nobody(in->from);
	/* A message that was passed on has the sender that it had. */
	bool message = in->kind == WARD_CONTROL_SEND || in->kind == WARD_CONTROL_SELECT;
	/* A guest speaks in the name of an actor here. */
	bool named =
		in->kind == WARD_CONTROL_EXIT && wardi_ref_is_here(self->system->place, in->from);

	if (!message && !named &&
	    (nobody ? !kinds[in->kind].from_nobody : !wardi_is_of_peer(association, in->from)))
		return wardi_error(WARD_EINVAL, "ward_incoming: %s: `from` is not of the peer",
				   ward_control_text(in->kind));
	if (!ward_ref_is_nobody(in->stand_in) &&
	    !wardi_ref_is_here(self->system->place, in->stand_in))
		return wardi_error(WARD_EINVAL,
				   "ward_incoming: %s: `stand_in` is not of this system",
				   ward_control_text(in->kind));
	if (in->kind == WARD_CONTROL_SELECT) {
		/* Not a path of a third node: two peers could send a message to and fro. */
		if (in->path == NULL || wardi_path_is_far(in->path))
			return wardi_error(WARD_EINVAL,
					   "ward_incoming: select: a path begins with / or at "
					   "an actor");
		if (in->path[0] == '/')
			return WARD_OK;
	}
	if (!wardi_ref_is_within(self->system->place, in->to) ||
	    (kinds[in->kind].to & 1U << ward_ref_kind_of(in->to)) == 0)
		return wardi_error(WARD_EINVAL,
				   "ward_incoming: %s: `to` is not of this system, or not %s",
				   ward_control_text(in->kind),
				   kinds[in->kind].to == ACTOR ? "an actor" : "what it may be");
	return WARD_OK;
}

/* What the peer says of an end, or of a message: a wrong number, or a text without its 0. */
static ward_err check_words(const struct ward_outgoing *in)
{
	bool right = true;

	if (in->kind == WARD_CONTROL_EXIT || in->kind == WARD_CONTROL_LINK_EXIT)
		return wardi_exit_check("ward_incoming", &in->reason);
	if (in->kind == WARD_CONTROL_TERMINATED)
		right = (unsigned)in->end <= WARD_END_UNREACHED &&
			memchr(in->name, '\0', sizeof in->name) != NULL;
	if (in->kind == WARD_CONTROL_UNHEARD)
		right = (unsigned)in->dead <= WARD_REASON_LOCAL;
	return right ? WARD_OK
		     : wardi_error(WARD_EINVAL, "ward_incoming: %s: there is no such %s",
				   ward_control_text(in->kind),
				   in->kind == WARD_CONTROL_UNHEARD ? "reason" : "end");
}

static ward_err check(struct ward_self *self, const struct ward_outgoing *in)
{
	const struct wardi_association *association = wardi_association_of(self);
	unsigned kind = in == NULL ? 0 : (unsigned)in->kind;
	ward_err err;

	if (association == NULL)
		return wardi_error(WARD_EINVAL, "ward_incoming: no association is open");
	if (kind >= sizeof kinds / sizeof kinds[0] || kinds[kind].apply == NULL)
		return wardi_error(WARD_EINVAL, "ward_incoming: %u is not a ward_control", kind);
	err = check_refs(self, association, in);
	return err == WARD_OK ? check_words(in) : err;
}

ward_err ward_incoming(ward_self *self, const struct ward_outgoing *in)
{
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	err = check(self, in);
	if (err == WARD_OK)
		return kinds[in->kind].apply(self, in);
	if (in != NULL && in->type != NULL)
		wardi_body_drop(in->type, in->body, in->size);
	return err;
}
