/* SPDX-License-Identifier: MIT
 *
 * guardian.c - the actors at the top: `/`, `/user`, `/system`; and the order of their end.
 *
 *	/user stops -> /system, which watches it, waits for their tasks, stops the services
 *	and itself -> /, which watches /system, stops itself -> the tree is down
 *
 * So logging, and all other services under /system, work while the program's actors stop (S77).
 *
 * Threads: each runs only on its holder's worker.
 */
#include "system/guardian.h"

#include <string.h>

#include "actor/rare.h"
#include "cell/child_index.h"
#include "cell/children.h"
#include "cell/ready.h"
#include "cell/supervision_table.h"
#include "life/spawn.h"
#include "shutdown/shutdown.h"

/* Any failure of a guardian takes the system down (S75): none is ever restarted. */
static const ward_strategy root_strategy = {.otherwise = WARD_STOP};

/* Guardians trap exits: an actor at the top that is linked to its parent does not end the
 * system. */
static ward_result let_go(const ward_msg *msg)
{
	return ward_match(msg, ward_exited) == NULL ? WARD_UNHANDLED : WARD_DONE;
}

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	return let_go(msg);
}

/* For /: stops when /system is gone. */
static ward_result stop_after(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, ward_terminated) == NULL)
		return let_go(msg);
	ward_stop_self(self);
	return WARD_DONE;
}

/* For /system: when /user is gone, the shutdown goes on (shutdown.c). */
static ward_result go_on_after(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, ward_terminated) == NULL)
		return let_go(msg);
	wardi_shutdown_user_gone(self);
	return WARD_DONE;
}

static ward_result end_shutdown(ward_self *self, void *state)
{
	(void)state;
	wardi_shutdown_ended(self);
	return WARD_DONE;
}

static const ward_behavior root_behavior = {
	.name = "root",
	.receive = stop_after,
};

static const ward_behavior system_behavior = {
	.name = "system",
	.receive = go_on_after,
	.post_stop = end_shutdown,
};

static const ward_behavior user_behavior = {
	.name = "user",
	.receive = ignore,
};

static ward_err guard(ward_system *system, struct wardi_cell *parent, const ward_props *props,
		      struct wardi_cell **ret_cell, ward_ref *ret_ref)
{
	ward_err err = wardi_spawn(system, NULL, parent, props, ret_cell);

	if (err != WARD_OK)
		return err;
	(*ret_cell)->traps_exits = true; /* for good: they have one incarnation */
	*ret_ref = wardi_cell_ref(*ret_cell);
	return WARD_OK;
}

/* Returns a self for a guardian before it runs: there is no worker yet. */
static struct ward_self self_of(struct wardi_cell *cell)
{
	return (struct ward_self){.system = wardi_cell_system(cell),
				  .from = wardi_outside_source(wardi_cell_system(cell)),
				  .cell = cell};
}

/* Not in a pre_start, so that without memory the creation of the system is refused, not undone
 * later by the system itself. The watch has arrived when the guardians start. */
static ward_err watch(struct wardi_cell *watcher, ward_ref who)
{
	struct ward_self self = self_of(watcher);

	return wardi_supervision.watch(&self, who);
}

ward_err wardi_guardians_create(ward_system *system)
{
	ward_props root = {.behavior = &root_behavior, .child_strategy = &root_strategy};
	ward_props user = {.behavior = &user_behavior,
			   .name = "user",
			   .child_strategy = &system->user_strategy};
	ward_props guardian = {.behavior = &system_behavior, .name = "system"};
	ward_err err = guard(system, NULL, &root, &system->root_cell, &system->root);

	if (err == WARD_OK)
		err = guard(system, system->root_cell, &user, &system->user_cell, &system->user);
	if (err == WARD_OK)
		err = guard(system, system->root_cell, &guardian, &system->system_cell,
			    &system->system_guardian);
	if (err == WARD_OK)
		err = watch(system->root_cell, system->system_guardian);
	if (err == WARD_OK)
		err = watch(system->system_cell, system->user);
	return err;
}

void wardi_guardians_start(ward_system *system)
{
	wardi_cell_ready(NULL, system->root_cell);
	wardi_cell_ready(NULL, system->user_cell);
	wardi_cell_ready(NULL, system->system_cell);
}

static void abandon_watches(struct wardi_cell *cell)
{
	struct ward_self self;

	if (cell == NULL)
		return;
	self = self_of(cell);
	wardi_supervision.unwatch_all(&self);
}

/* The watches were ended before: their messages on the way are discarded in pairs. */
static void abandon(struct wardi_cell *cell)
{
	struct wardi_alloc *alloc;
	struct ward_self self;

	if (cell == NULL)
		return;
	self = self_of(cell);
	wardi_sys_discard(&self, cell);
	alloc = &wardi_cell_system(cell)->alloc;
	wardi_entry_free(self.from, wardi_cell_entry(cell));
	if (cell->rare->children != NULL) {
		wardi_hash_finish(&cell->rare->children->names);
		wardi_child_index_finish(cell->rare->children, alloc);
		wardi_free(alloc, cell->rare->children, sizeof *cell->rare->children);
	}
	wardi_rare_free(cell, self.from);
}

void wardi_guardians_abandon(ward_system *system)
{
	abandon_watches(system->root_cell);
	abandon_watches(system->system_cell);
	abandon(system->root_cell);
	abandon(system->user_cell);
	abandon(system->system_cell);
}
