/* SPDX-License-Identifier: MIT
 *
 * self.c - the message in hand of the running actor, its children, and who may use its handle.
 *
 * single-threaded: runs only on the holder's worker.
 */
#include "cell/self.h"

#include "base/assert.h"
#include "base/error.h"
#include "cell/table.h"

void wardi_self_hold_msg(struct ward_self *self, struct ward_msg *msg, bool loose)
{
	wardi_assert_slow(self->husk == NULL);
	self->msg = msg;
	self->loose = loose;
	wardi_self_show(self, wardi_msg_type(msg));
}

static void free_husk(struct ward_self *self)
{
	if (self->husk != NULL)
		wardi_msg_free(self->from, self->husk);
	self->husk = NULL;
}

void wardi_self_release_msg(struct ward_self *self)
{
	struct ward_msg *msg = self->msg;
	bool loose = self->loose;

	self->msg = NULL;
	self->loose = self->stashed = false;
	self->sender = ward_nobody();
	wardi_self_show(self, NULL);
	free_husk(self);
	if (msg == NULL)
		return;
	if (self->cell->faulted) {
		wardi_msg_abandon(msg);
	} else {
		wardi_msg_drop(self->from, msg);
		wardi_msg_free_body(self->from, msg);
	}
	if (loose)
		wardi_msg_free(self->from, msg);
}

void wardi_self_emptied_msg(struct ward_self *self)
{
	struct ward_msg *msg = self->msg;

	wardi_self_part_with_msg(self);
	wardi_msg_free_body(self->from, msg); /* NULL by now, if it lay outside */
	/* The callback may still ask who sent it, and of what type it was. */
	if (self->loose)
		self->husk = msg;
}

void wardi_self_keep_failed_msg(struct ward_self *self)
{
	self->cell->failed_msg = self->msg;
	self->cell->failed_loose = self->loose;
	self->msg = NULL;
	self->loose = self->stashed = false;
	wardi_self_show(self, NULL);
	free_husk(self);
}

bool wardi_self_usable(const ward_self *self)
{
	if (self != NULL && self->cell != NULL && self->callback)
		return true;
	(void)wardi_error(WARD_EINVAL, "a ward_self is valid only inside the callbacks of its "
				       "actor: it was kept, or is NULL");
	return false;
}

struct wardi_cell *wardi_self_find(ward_system *system, ward_ref who)
{
	return who.place == system->place ? wardi_slot_open(system, who.uid) : NULL;
}

bool wardi_self_is_own_child(const ward_self *self, struct wardi_cell *cell, uint64_t uid)
{
	struct wardi_spin *lock = wardi_path_lock(self->system, wardi_uid_slot(uid));
	bool own;

	wardi_spin_take(lock, WARDI_LOCK_PATH);
	own = wardi_cell_is_known(cell) && cell->uid == uid && cell->parent == self->cell;
	wardi_spin_drop(lock);
	return own;
}

struct wardi_cell *wardi_self_child(const struct ward_self *self, ward_ref who)
{
	uint32_t visit = wardi_visit(self->system, self);
	struct wardi_cell *cell = wardi_self_find(self->system, who);

	if (cell != NULL && !wardi_self_is_own_child(self, cell, who.uid))
		cell = NULL;
	wardi_visited(self->system, self, visit);
	return cell;
}
