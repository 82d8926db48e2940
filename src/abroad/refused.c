/* SPDX-License-Identifier: MIT
 *
 * refused.c - messages that a transport cannot write, or not read: dead letters with the reason.
 *
 * A question that cannot go ends, and so does one whose answer cannot, on either side. But where
 * there is no memory for a message that may not be lost (WARD_TYPE_CERTAIN_), the association
 * fails.
 *
 * Threads: runs only on the holder's worker.
 */
#include <ward/association.h>

#include <ward/failure.h>

#include "base/error.h"
#include "cell/reply_ref.h"
#include "cell/self.h"
#include "mail/message.h"
#include "send/dead_letter.h"
#include "send/waiter.h"

/* The answer that it is will not come. */
static void unanswered(struct ward_self *self, ward_ref to, ward_reason reason)
{
	if (wardi_is_question(self->system, to))
		wardi_replies.ask_unheard(self->system, self, to, ward_nobody(), reason);
	else if (wardi_ref_is_waiter(self->system->place, to))
		wardi_waiter_dead(self->system, to, reason);
}

/* True: the callback fails. */
static bool fails(struct ward_self *self, const ward_type *type, ward_err why)
{
	if (why != WARD_ENOMEM || type == NULL || (type->flags & WARD_TYPE_CERTAIN_) == 0)
		return false;
	(void)ward_noted_(self, why);
	return true;
}

static ward_reason reason_of(ward_err why)
{
	switch (why) {
	case WARD_ENOMEM:
		return WARD_REASON_NO_MEMORY;
	case WARD_ELOCAL:
		return WARD_REASON_LOCAL;
	default:
		return WARD_REASON_MISUSE;
	}
}

void ward_outgoing_refused(ward_self *self, const struct ward_outgoing *out, ward_err why)
{
	struct wardi_dead dead = {.to = out->to,
				  .path = out->path,
				  .reason = reason_of(why),
				  .text = ward_err_detail()};

	if (!wardi_self_usable(self) || self->msg == NULL)
		return;
	(void)fails(self, out->type, why);
	if (!wardi_auto_dropped(self->system, self, self->msg, dead.reason))
		wardi_dead_message(self->system, self, &dead, self->msg);
	wardi_self_emptied_msg(self);
}

void ward_incoming_refused(ward_self *self, const struct ward_outgoing *in, ward_err why)
{
	const struct wardi_dead dead = {.sender = in->from,
					.to = in->to,
					.path = in->path,
					.type = in->type,
					.size = in->size,
					.reason = reason_of(why),
					.text = ward_err_detail()};

	if (!wardi_self_usable(self) || fails(self, in->type, why))
		return;
	wardi_dead(self->system, self, &dead);
	unanswered(self, in->to, dead.reason);
}
