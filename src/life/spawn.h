/* SPDX-License-Identifier: MIT
 *
 * spawn.h - making a child, and forgetting one that is gone. Holder of the cell named.
 */
#ifndef WARDI_SPAWN_H
#define WARDI_SPAWN_H

#include "cell/points.h"
#include "cell/ready.h"
#include "cell/self.h"

/* Makes a child of `parent`; the caller makes it ready. Called by the parent's holder, or with self
 * NULL before the threads run. Refused while the parent is stopping (S52). */
ward_err wardi_spawn(ward_system *system, struct ward_self *self, struct wardi_cell *parent,
		     const ward_props *props, struct wardi_cell **ret_child);

/* A child has ended: takes it out of the tree and frees its cell. */
void wardi_child_gone(struct ward_self *self, struct wardi_cell *child);

/* ward_spawn(), which calls `born` with its argument and the child before the child may run. NULL:
 * no call. Inline, since each caller knows at compile time whether there is a `born`. */
static inline __attribute__((always_inline)) ward_err
wardi_spawn_child(struct ward_self *self, const ward_props *props,
		  void (*born)(struct ward_self *self, void *arg, struct wardi_cell *child),
		  void *arg, ward_ref *ret_child)
{
	struct wardi_cell *child = NULL;
	ward_err err;

	if (wardi_has_points(self->system))
		err = wardi_points.spawn(self->system, self, props, &child);
	else
		err = wardi_spawn(self->system, self, self->cell, props, &child);
	if (err == WARD_OK && born != NULL)
		born(self, arg, child);
	if (err == WARD_OK)
		wardi_cell_ready_here(self, child);
	if (wardi_has_points(self->system))
		wardi_points.spawned(self->system, self,
				     err == WARD_OK ? wardi_cell_ref(child) : ward_nobody());
	if (err == WARD_OK && ret_child != NULL)
		*ret_child = wardi_ref_make(child->uid, self->system->place);
	return err;
}

#endif
