/* SPDX-License-Identifier: MIT
 *
 * guardian.c - the actors at the top: `/`, `/user`, `/system`; and the order of their end.
 *
 *	/user stops -> /system, which watches it, asks the termination hooks, stops the services
 *	and itself -> /, which watches /system, stops itself -> the tree is down
 *
 * So logging, and whatever else lives under /system, works while the program's actors stop (S77).
 *
 * single-threaded: each runs only on its holder's worker.
 */
#include "core/guardian.h"

#include <string.h>

#include "core/command.h"
#include "core/life.h"
#include "core/shutdown.h"

/* Any failure of a guardian takes the system down (S75). */
static const ward_strategy root_strategy = {.otherwise = WARD_STOP};

static ward_result keep_children(ward_self *self, void *state, const ward_failure *why,
				 const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)why;
	(void)msg;
	return WARD_DONE;
}

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

/* For /: when /system is gone, it is its turn. */
static ward_result stop_after(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, ward_terminated) == NULL)
		return WARD_UNHANDLED;
	ward_stop_self(self);
	return WARD_DONE;
}

/* For /system: when /user is gone, the shutdown goes on (shutdown.c). */
static ward_result go_on_after(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, ward_terminated) == NULL)
		return WARD_UNHANDLED;
	wardi_shutdown_user_gone(self);
	return WARD_DONE;
}

static ward_result watch(ward_self *self, ward_ref who)
{
	if (ward_watch(self, who) != WARD_OK)
		return ward_failed(self, &ward_out_of_memory, "%s", ward_err_detail());
	return WARD_DONE;
}

static ward_result watch_system(ward_self *self, void *state)
{
	(void)state;
	return watch(self, ward_self_system(self)->system_guardian);
}

static ward_result watch_user(ward_self *self, void *state)
{
	(void)state;
	return watch(self, ward_self_system(self)->user);
}

static const ward_behavior root_behavior = {
	.name = "root",
	.pre_start = watch_system,
	.receive = stop_after,
	.pre_restart = keep_children,
};

static const ward_behavior system_behavior = {
	.name = "system",
	.pre_start = watch_user,
	.receive = go_on_after,
	.pre_restart = keep_children,
};

static const ward_behavior user_behavior = {
	.name = "user",
	.receive = ignore,
	.pre_restart = keep_children,
};

static ward_err guard(ward_system *system, struct wardi_cell *parent, const ward_props *props,
		      struct wardi_cell **ret_cell, ward_ref *ret_ref)
{
	ward_err err = wardi_spawn(system, NULL, parent, props, ret_cell);

	if (err == WARD_OK)
		*ret_ref = wardi_cell_ref(*ret_cell);
	return err;
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
	return err;
}

void wardi_guardians_start(ward_system *system)
{
	wardi_cell_ready(NULL, system->root_cell);
	wardi_cell_ready(NULL, system->user_cell);
	wardi_cell_ready(NULL, system->system_cell);
}

static void abandon(struct wardi_cell *cell)
{
	struct wardi_alloc *alloc;

	if (cell == NULL)
		return;
	alloc = &cell->system->alloc;
	if (cell->name != NULL)
		wardi_free(alloc, cell->name, strlen(cell->name) + 1);
	if (cell->children == NULL)
		return;
	wardi_hash_finish(&cell->children->names);
	wardi_free(alloc, cell->children, sizeof *cell->children);
}

void wardi_guardians_abandon(ward_system *system)
{
	abandon(system->root_cell);
	abandon(system->user_cell);
	abandon(system->system_cell);
}
