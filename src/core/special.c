/* SPDX-License-Identifier: MIT
 *
 * special.c - user messages that the runtime looks at before receive does.
 *
 *	poison pill	stops the actor, once it is reached (S50)
 *	kill		fails it with ward_killed (S50)
 *	tick		of a timer: delivered if the timer still runs (S87)
 *	notice		of a death: delivered if it is still watched (S63)
 *	readiness	of a descriptor: delivered if it is still watched
 *	ward_terminated	forged or forwarded: dropped (S63)
 *
 * single-threaded: runs only on the holder's worker.
 */
#include "core/special.h"

#include "core/life.h"
#include "core/supervision.h"

#define AUTO(T, size)                                                                              \
	const ward_type ward_type_##T = {                                                          \
		#T,   (size), 0,    0,    WARDI_TYPE_AUTO | WARD_TYPE_QUIET,                       \
		NULL, NULL,   NULL, NULL, {0, 0, 0}}

AUTO(ward_poison_pill, 0);
AUTO(ward_terminated, sizeof(struct ward_terminated));
AUTO(ward_fd_ready, sizeof(struct ward_fd_ready));
const ward_type ward_type_ward_kill = {"ward_kill", 0,    0,    0,    WARDI_TYPE_AUTO,
				       NULL,        NULL, NULL, NULL, {0, 0, 0}};

#define TOKEN(what)                                                                                \
	const ward_type wardi_type_##what = {"ward." #what,                                        \
					     sizeof(struct wardi_token),                           \
					     0,                                                    \
					     0,                                                    \
					     WARDI_TYPE_AUTO | WARD_TYPE_QUIET,                    \
					     NULL,                                                 \
					     NULL,                                                 \
					     NULL,                                                 \
					     NULL,                                                 \
					     {0, 0, 0}}

TOKEN(tick);
TOKEN(notice);

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

static bool tick(struct ward_self *self, const struct ward_msg *msg, bool *ret_gone)
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

static bool notice(struct ward_self *self, const struct ward_msg *msg, bool *ret_gone)
{
	struct ward_msg *due = self->system->supervision->notice_due(self, msg);

	return due != NULL && bring(self, due, ret_gone);
}

static void killed(struct ward_self *self, const struct ward_msg *msg)
{
	char path[WARD_EVENT_PATH];
	ward_ref sender = {msg->sender_uid, msg->sender_place, 0};

	if (ward_ref_is_nobody(sender))
		wardi_event_name(path, sizeof path, "a thread outside");
	else
		wardi_path_tail(self->system, sender, path, sizeof path);
	fail(self, wardi_cause_text(self->system, wardi_cell_ref(self->cell), &ward_killed,
				    WARDI_NO_CAUSE, "killed by %s", path));
}

bool wardi_special_arrived(struct ward_self *self, struct ward_msg *msg, bool *ret_gone)
{
	const ward_type *type = wardi_msg_type(msg);

	if (type == &wardi_type_tick)
		return tick(self, msg, ret_gone);
	if (type == &wardi_type_notice)
		return notice(self, msg, ret_gone);
	if (type == &ward_type_ward_fd_ready) {
		if (!wardi_fd_due(self, msg))
			return false;
		wardi_self_hold_msg(self, msg, false);
		return true;
	}
	if (type == &ward_type_ward_poison_pill)
		*ret_gone = !wardi_stop(self);
	else if (type == &ward_type_ward_kill)
		killed(self, msg);
	return false;
}

void wardi_special_dropped(struct ward_system *system, struct ward_self *self, struct ward_msg *msg)
{
	if (wardi_msg_type(msg) == &wardi_type_notice)
		system->supervision->notice_dropped(self, msg);
}
