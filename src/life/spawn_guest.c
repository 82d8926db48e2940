/* SPDX-License-Identifier: MIT
 *
 * spawn_guest.c - starts a child that speaks in the name of an actor of another system.
 *
 * The name is in a record of the child before it runs, and stays to the end of its life. Only a
 * send that leaves the system looks at it (send/far.c).
 *
 * Threads: runs only on the worker that holds the parent.
 */
#include <ward/extend.h>

#include "actor/rare.h"
#include "actor/represent.h"
#include "base/error.h"
#include "base/memory.h"
#include "life/spawn.h"

/* The records are made ahead: nothing may fail once the child is there. NULL: the child has it. */
struct guest {
	struct wardi_rare *rare;
	struct wardi_extra *extra;
	struct wardi_represents *represents; /* with the name */
};

static void born(struct ward_self *self, void *arg, struct wardi_cell *child)
{
	struct guest *guest = arg;

	(void)self;
	if (child->rare == &wardi_no_rare) {
		child->rare = guest->rare;
		guest->rare = NULL;
	}
	child->rare->extra = guest->extra;
	child->rare->extra->represents = guest->represents;
	guest->extra = NULL;
	guest->represents = NULL;
}

static void give_back(struct ward_self *self, const struct guest *guest)
{
	if (guest->rare != NULL)
		wardi_memory_put(self->from, guest->rare, sizeof *guest->rare);
	if (guest->extra != NULL)
		wardi_memory_put(self->from, guest->extra, sizeof *guest->extra);
	if (guest->represents != NULL)
		wardi_memory_put(self->from, guest->represents, sizeof *guest->represents);
}

static bool make(struct ward_self *self, struct guest *guest, ward_ref name)
{
	guest->rare = wardi_memory_get(self->from, sizeof *guest->rare);
	guest->extra = wardi_memory_get(self->from, sizeof *guest->extra);
	guest->represents = wardi_memory_get(self->from, sizeof *guest->represents);
	if (guest->represents != NULL)
		guest->represents->name = name;
	return guest->rare != NULL && guest->extra != NULL && guest->represents != NULL;
}

ward_err ward_try_spawn_guest(ward_self *self, const ward_props *props, ward_ref name,
			      ward_ref *ret_child)
{
	struct guest guest = {.rare = NULL};
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	if (make(self, &guest, name))
		err = wardi_spawn_child(self, props, born, &guest, ret_child);
	else
		err = wardi_no_memory(self->system, "no memory for the name of a guest");
	give_back(self, &guest);
	return err;
}
