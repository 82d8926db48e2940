/* SPDX-License-Identifier: MIT
 *
 * special.c - user messages that the runtime looks at before receive does.
 *
 *	poison pill	stops the actor, once it is reached (S50)
 *	kill		fails it with ward_killed (S50)
 *	tick		of a timer: delivered if the timer still runs (S87)
 *	notice		of a death: delivered if it is still watched (S63)
 *	readiness	of a descriptor: delivered if it is still watched
 *	answer		to a question: what it brings is delivered if the question is open
 *	over		of a question without an answer: the same with its ward_ask_failed
 *	ward_terminated	forged or forwarded: dropped (S63)
 *
 * single-threaded: runs only on the holder's worker.
 */
#include "core/special.h"

#include "core/ask.h"
#include "core/life.h"
#include "core/supervision.h"

#define SPECIAL(name, size, kind, flags)                                                           \
	{                                                                                          \
		name, (size), 0, 0, WARDI_SPECIAL_TYPE(kind) | (flags), NULL, NULL, NULL, NULL,    \
		{                                                                                  \
			0, 0, 0                                                                    \
		}                                                                                  \
	}

const ward_type ward_type_ward_poison_pill =
	SPECIAL("ward_poison_pill", 0, WARDI_SPECIAL_PILL, WARD_TYPE_QUIET);
const ward_type ward_type_ward_kill = SPECIAL("ward_kill", 0, WARDI_SPECIAL_KILL, 0);
const ward_type ward_type_ward_terminated = SPECIAL(
	"ward_terminated", sizeof(struct ward_terminated), WARDI_SPECIAL_FORGED, WARD_TYPE_QUIET);
const ward_type ward_type_ward_fd_ready = SPECIAL("ward_fd_ready", sizeof(struct ward_fd_ready),
						  WARDI_SPECIAL_FD_READY, WARD_TYPE_QUIET);
const ward_type wardi_type_tick =
	SPECIAL("ward.tick", sizeof(struct wardi_token), WARDI_SPECIAL_TICK, WARD_TYPE_QUIET);
const ward_type wardi_type_notice =
	SPECIAL("ward.notice", sizeof(struct wardi_token), WARDI_SPECIAL_NOTICE, WARD_TYPE_QUIET);

const ward_type wardi_type_answer =
	SPECIAL("ward.answer", sizeof(struct wardi_token), WARDI_SPECIAL_ANSWER, WARD_TYPE_QUIET);
const ward_type wardi_type_ask_over = SPECIAL("ward.ask_over", sizeof(struct wardi_ask_over),
					      WARDI_SPECIAL_ASK_OVER, WARD_TYPE_QUIET);

static void fail(struct ward_self *self, struct wardi_cause cause)
{
	self->system->supervision->fail(self, cause, NULL);
}

/* A message of the program's that a tick or a notice brings: in hand, or done with if it is one
 * that every actor understands. Takes it. */
static bool bring(struct ward_self *self, struct ward_msg *due, bool *ret_gone)
{
	const ward_type *type = wardi_msg_type(due);

	if (type != &ward_type_ward_poison_pill && type != &ward_type_ward_kill) {
		wardi_self_hold_msg(self, due, true);
		return true;
	}
	(void)wardi_special_arrived(self, due, ret_gone);
	wardi_msg_destroy(self->from, due);
	return false;
}

/* ---- what arrives ------------------------------------------------------------------------ */

/* One that was given has its body outside, and nobody will hold it. */
static bool forged(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	(void)ret_gone;
	wardi_msg_free_body(self->from, msg);
	return false;
}

static bool pill(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	wardi_msg_free_body(self->from, msg); /* the stop may take the message with it */
	*ret_gone = !wardi_stop(self);
	return false;
}

static bool killed(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	char path[WARD_EVENT_PATH];
	ward_ref sender = {msg->sender_uid, msg->sender_place, 0};

	(void)ret_gone;
	wardi_msg_free_body(self->from, msg);
	if (ward_ref_is_nobody(sender))
		wardi_event_name(path, sizeof path, "a thread outside");
	else
		wardi_path_tail(self->system, sender, path, sizeof path);
	fail(self, wardi_cause_text(self->system, wardi_cell_ref(self->cell), &ward_killed,
				    WARDI_NO_CAUSE, "killed by %s", path));
	return false;
}

static bool tick(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	const struct wardi_token *token = wardi_msg_bytes(msg);
	struct wardi_cause cause = WARDI_NO_CAUSE;
	struct ward_msg *due = wardi_tick_due(self, token->id, &cause);

	if (due != NULL)
		return bring(self, due, ret_gone);
	if (!wardi_cause_is_none(cause))
		fail(self, cause);
	return false;
}

static bool notice(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	struct ward_msg *due = self->system->supervision->notice_due(self, msg);

	return due != NULL && bring(self, due, ret_gone);
}

static bool fd_ready(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	(void)ret_gone;
	if (!wardi_fd_due(self, msg))
		return false;
	wardi_self_hold_msg(self, msg, false);
	return true;
}

static bool answer(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	struct ward_msg *due = wardi_answer_due(self, msg);

	return due != NULL && bring(self, due, ret_gone);
}

static bool ask_over(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	struct ward_msg *due = wardi_ask_over_due(self, msg);

	return due != NULL && bring(self, due, ret_gone);
}

/* ---- what does not ----------------------------------------------------------------------- */

static void nothing_hangs_on_it(struct ward_system *system, struct ward_self *self,
				struct ward_msg *msg)
{
	(void)system;
	(void)self;
	(void)msg;
}

static void notice_dropped(struct ward_system *system, struct ward_self *self, struct ward_msg *msg)
{
	system->supervision->notice_dropped(self, msg);
}

static void answer_dropped(ward_system *system, struct ward_self *self, struct ward_msg *msg)
{
	wardi_answer_dropped(system, self, msg);
}

static const struct {
	/* True: self has a message in hand for receive. */
	bool (*arrived)(struct ward_self *self, struct ward_msg *msg, bool *ret_gone);
	/* NULL: it becomes a dead letter. */
	void (*dropped)(struct ward_system *system, struct ward_self *self, struct ward_msg *msg);
} specials[] = {
	[WARDI_SPECIAL_FORGED] = {forged, NULL},
	[WARDI_SPECIAL_PILL] = {pill, NULL},
	[WARDI_SPECIAL_KILL] = {killed, NULL},
	[WARDI_SPECIAL_TICK] = {tick, nothing_hangs_on_it},
	[WARDI_SPECIAL_NOTICE] = {notice, notice_dropped},
	[WARDI_SPECIAL_FD_READY] = {fd_ready, nothing_hangs_on_it},
	[WARDI_SPECIAL_ANSWER] = {answer, answer_dropped},
	[WARDI_SPECIAL_ASK_OVER] = {ask_over, nothing_hangs_on_it},
};
_Static_assert(sizeof specials / sizeof specials[0] == WARDI_SPECIALS, "one row for each kind");

bool wardi_special_arrived(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	return specials[wardi_special_kind(wardi_msg_type(msg))].arrived(self, msg, ret_gone);
}

bool wardi_special_dropped(struct ward_system *system, struct ward_self *self, struct ward_msg *msg)
{
	void (*dropped)(struct ward_system *, struct ward_self *, struct ward_msg *);

	if (!wardi_msg_special(msg))
		return false;
	dropped = specials[wardi_special_kind(wardi_msg_type(msg))].dropped;
	if (dropped == NULL)
		return false;
	dropped(system, self, msg);
	return true;
}
