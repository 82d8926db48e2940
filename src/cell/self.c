/* SPDX-License-Identifier: MIT
 *
 * self.c - the message in hand of the running actor, its children, and checks of its handle.
 *
 * Threads: runs only on the holder's worker.
 */
#include "cell/self.h"

#include "base/assert.h"
#include "base/error.h"
#include "cell/shown_life.h"
#include "cell/table.h"
#include "cell/visit.h"

void wardi_self_hold_msg(struct ward_self *self, struct ward_msg *msg, bool owns_block)
{
	wardi_assert_slow(self->emptied_msg == NULL);
	self->msg = msg;
	self->owns_block = owns_block;
	wardi_self_show(self, wardi_msg_type(msg));
}

static void free_emptied_msg(struct ward_self *self)
{
	if (self->emptied_msg != NULL)
		wardi_msg_free(self->from, self->emptied_msg);
	self->emptied_msg = NULL;
}

void wardi_self_release_msg(struct ward_self *self)
{
	struct ward_msg *msg = self->msg;
	bool owns_block = self->owns_block;

	self->msg = NULL;
	self->owns_block = false;
	self->stashed = NULL;
	wardi_self_show(self, NULL);
	free_emptied_msg(self);
	if (msg == NULL)
		return;
	if (self->cell->faulted) {
		wardi_msg_abandon(msg);
	} else {
		wardi_msg_drop(self->from, msg);
		wardi_msg_free_body(self->from, msg);
	}
	if (owns_block)
		wardi_msg_free(self->from, msg);
}

void wardi_self_emptied_msg(struct ward_self *self)
{
	struct ward_msg *msg = self->msg;

	wardi_self_part_with_msg(self);
	wardi_msg_free_body(self->from, msg); /* NULL by now, if it was outside */
	/* The callback may still ask for its sender and type. */
	if (self->owns_block)
		self->emptied_msg = msg;
}

void wardi_self_keep_failed_msg(struct ward_self *self)
{
	self->cell->failed_msg = self->msg;
	self->cell->failed_owns_block = self->owns_block;
	self->msg = NULL;
	self->owns_block = false;
	self->stashed = NULL;
	wardi_self_show(self, NULL);
	free_emptied_msg(self);
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
	return wardi_ref_is_here(system->place, who) ? wardi_table_open(system, who.uid) : NULL;
}

bool wardi_self_is_own_child(const ward_self *self, struct wardi_cell *cell, uint64_t uid)
{
	struct wardi_shown_life life;

	return wardi_life_look(cell, &life) && life.uid == uid &&
	       life.parent_uid == self->cell->uid;
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
