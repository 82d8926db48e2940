/* SPDX-License-Identifier: MIT
 *
 * select_send.c - sending to a path, by an actor and from outside, also in the name of another
 * actor; and asking which actors are at a path.
 *
 * Threads: all functions may run at the same time.
 */
#include "actor/select_send.h"

#include <ward/extend.h>

#include "actor/select_far.h"
#include "actor/selection.h"
#include "actor/selection_path.h"
#include "base/text.h"
#include "cell/caller.h"
#include "cell/points.h"
#include "send/dead_letter.h"

/* ---- sending ----------------------------------------------------------------------------- */

static const char *path_text(const char *path)
{
	return path == NULL ? "(no path)" : path;
}

/* Returns what is wrong with the path; NULL: nothing. */
static const char *wrong_with(const char *path, char text[WARD_EVENT_TEXT])
{
	if (path == NULL || wardi_path_is_one(path))
		return NULL;
	ward_text_format(text, WARD_EVENT_TEXT,
			 "no path: \"%.*s\" leaves a pattern again, by a \"..\" that is not "
			 "directly behind it",
			 WARD_TEXT_FIT(path, 120));
	return text;
}

/* A path that is no path, or a body that is not of its type. */
static void misused(ward_system *system, struct ward_self *self, struct wardi_dead *dead,
		    const char *path)
{
	char text[WARD_EVENT_TEXT];

	dead->path = path_text(path);
	dead->text = wrong_with(path, text);
	dead->reason = WARD_REASON_MISUSE;
	dead->keeps_body = wardi_type_check(dead->type, dead->body, dead->size) != WARD_OK;
	wardi_dead(system, self, dead);
}

/* Sends the message to the node that its path names. Returns NULL: nothing is left to do. */
static struct wardi_selection *leave(ward_system *system, struct ward_self *self,
				     struct wardi_dead *dead)
{
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;
	struct ward_msg *msg = wardi_msg_make(from, dead->type, dead->body, dead->size);

	if (msg == NULL) {
		dead->reason = WARD_REASON_NO_MEMORY;
		wardi_dead(system, self, dead);
		return NULL;
	}
	wardi_msg_set_sender(msg, dead->sender);
	wardi_select_leave(system, self, dead->path, msg);
	return NULL;
}

/* NULL: it has become a dead letter, or has left for another node. */
static struct wardi_selection *begin(ward_system *system, struct ward_self *self, ward_ref sender,
				     const char *path, const ward_type *type, const void *body,
				     size_t size)
{
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;
	struct wardi_dead dead = {
		.sender = sender, .path = path, .type = type, .body = body, .size = size};
	struct wardi_selection *it;
	struct ward_msg *msg;

	if (!wardi_path_is_one(path) || wardi_type_check(type, body, size) != WARD_OK) {
		misused(system, self, &dead, path);
		return NULL;
	}
	if (wardi_path_is_far(path))
		return leave(system, self, &dead);
	it = wardi_selection_make(system, self == NULL ? ward_nobody() : sender, path);
	msg = it == NULL ? NULL : wardi_msg_make(from, type, body, size);
	if (msg == NULL) {
		wardi_selection_free(it);
		dead.reason = WARD_REASON_NO_MEMORY;
		wardi_dead(system, self, &dead);
		return NULL;
	}
	wardi_selection_load(it, msg, sender);
	return it;
}

/* Sends it off from the actor where the path begins. Takes it. */
static void depart(struct ward_self *self, struct wardi_selection *it, const char *path)
{
	if (path[0] == '/')
		wardi_selection_start(self, it);
	else
		wardi_selection_enter(self, it);
}

void ward_select_send(ward_self *self, const char *path, const ward_type *type, const void *body,
		      size_t size)
{
	struct wardi_selection *it;

	if (!wardi_self_usable(self))
		return;
	it = begin(self->system, self, wardi_own_ref(self), path, type, body, size);
	if (it != NULL)
		depart(self, it, path);
}

void wardi_select_from(struct ward_self *self, ward_ref sender, const char *path,
		       const ward_type *type, const void *body, size_t size)
{
	struct wardi_selection *it = begin(self->system, self, sender, path, type, body, size);

	if (it != NULL)
		wardi_selection_start(self, it);
}

void wardi_select_at(struct ward_self *self, const struct ward_outgoing *in)
{
	struct wardi_selection *it =
		begin(self->system, self, in->from, in->path, in->type, in->body, in->size);

	if (it != NULL)
		wardi_selection_start_at(self, it, in->to, in->silent);
}

void ward_system_select_send(ward_system *system, const char *path, const ward_type *type,
			     const void *body, size_t size)
{
	struct wardi_selection *it;
	ward_err err = wardi_outside_check(system);

	if (err == WARD_ETHREAD) {
		wardi_points.foreign_send(system, ward_nobody(), type, body, size);
	} else if (err != WARD_OK) {
		wardi_body_drop(type, body, size);
	} else {
		it = begin(system, NULL, ward_nobody(), path, type, body, size);
		if (it != NULL)
			wardi_selection_start(NULL, it);
	}
}

/* ---- in the name of another -------------------------------------------------------------- */

static ward_reason why_not(const char *path, bool fits)
{
	return wardi_path_is_one(path) && fits ? WARD_REASON_NO_MEMORY : WARD_REASON_MISUSE;
}

static void lose_current(struct ward_self *self, const char *path)
{
	char text[WARD_EVENT_TEXT];
	struct wardi_dead dead = {.path = path_text(path),
				  .text = wrong_with(path, text),
				  .reason = why_not(path, true)};

	if (!wardi_auto_dropped(self->system, self, self->msg, dead.reason))
		wardi_dead_message(self->system, self, &dead, self->msg);
}

void ward_select_forward(ward_self *self, const char *path)
{
	struct wardi_selection *it = NULL;
	struct ward_msg *moved;
	bool far;

	if (!wardi_self_usable(self) || self->msg == NULL)
		return;
	far = wardi_path_is_far(path);
	if (!far && wardi_path_is_one(path))
		it = wardi_selection_make(self->system, wardi_own_ref(self), path);
	moved = it == NULL && !far ? NULL : wardi_msg_move(self->from, self->msg);
	if (moved != NULL && far) {
		wardi_select_leave(self->system, self, path, moved);
	} else if (moved != NULL) {
		wardi_selection_load(it, moved, ward_msg_sender(moved));
		depart(self, it, path);
	} else {
		wardi_selection_free(it);
		lose_current(self, path);
	}
	wardi_self_emptied_msg(self);
}

/* A body that cannot be sent. Its own type counts, whatever type the sender named. */
static void lose_body(struct ward_self *self, ward_ref sender, const char *path,
		      struct wardi_body *body, ward_reason reason)
{
	char text[WARD_EVENT_TEXT];
	const struct wardi_dead dead = {
		.sender = sender,
		.path = path_text(path),
		.text = wrong_with(path, text),
		.type = body->type,
		.body = body->bytes,
		.size = body->size,
		.reason = reason,
	};

	wardi_dead(self->system, self, &dead);
	wardi_payload_gone(self->from, body->type);
	wardi_body_free(self->from, body);
}

void ward_select_give_body_from(ward_self *self, ward_ref sender, const char *path,
				const ward_type *type, void *bytes)
{
	struct wardi_selection *it = NULL;
	struct wardi_body *body;
	struct ward_msg *msg;
	bool fits, far;

	if (bytes == NULL || !wardi_self_usable(self))
		return;
	body = wardi_body_detach(bytes);
	fits = ward_type_same(body->type, type);
	far = fits && wardi_path_is_far(path);
	if (!far && wardi_path_is_one(path) && fits)
		it = wardi_selection_make(self->system, wardi_own_ref(self), path);
	msg = it == NULL && !far ? NULL : wardi_msg_wrap(self->from, type, body);
	if (msg != NULL && far) {
		wardi_msg_set_sender(msg, sender);
		wardi_select_leave(self->system, self, path, msg);
		return;
	}
	if (msg != NULL) {
		wardi_selection_load(it, msg, sender);
		depart(self, it, path);
		return;
	}
	wardi_selection_free(it);
	lose_body(self, sender, path, body, why_not(path, fits));
}
