/* SPDX-License-Identifier: MIT
 *
 * system_messages.c - the action of each kind of system message.
 *
 * Stop and command are sent under the slot's lock; reports and notices of children, and releases,
 * are sent only to live actors. So a misaddressed message can only be about a watch or a link, an
 * exit signal, a spawn, a selection on its way back, or a shutdown without a leader.
 *
 * Threads: runs only on the holder's worker.
 */
#include "actor/represent.h"
#include "actor/selection.h"
#include "cell/command.h"
#include "cell/self.h"
#include "cell/supervision_table.h"
#include "cell/sysmsg.h"
#include "cell/table.h"
#include "life/life.h"
#include "life/spawn.h"
#include "outside/outside.h"
#include "send/backpressure.h"
#include "shutdown/shutdown.h"
#include "watch/exit.h"
#include "watch/link.h"

static bool on_command(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct wardi_cell *cell = self->cell;

	(void)msg;
	wardi_command_execute(self, cell);
	return true;
}

static bool on_stop(struct ward_self *self, struct wardi_sysmsg *msg)
{
	(void)msg;
	return wardi_stop(self);
}

static bool on_failed(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct wardi_cell *child = wardi_container_of(msg, struct wardi_cell, failed_node);

	if (!wardi_cell_is_known(child)) /* it is gone; only its report held the cell */
		wardi_table_give(self->system, child);
	else
		wardi_supervision.child_failed(self, child);
	return true;
}

static bool on_gone(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct wardi_cell *cell = self->cell;

	wardi_child_gone(self, wardi_container_of(msg, struct wardi_cell, end_node));
	if (wardi_cell_state(cell) == WARDI_STOPPING)
		return wardi_stop_goes_on(self);
	if (wardi_cell_gate(cell) == WARDI_GATE_WAITING && cell->rare->children->dying == 0)
		wardi_supervision.children_gone(self);
	return true;
}

static bool on_watch(struct ward_self *self, struct wardi_sysmsg *msg)
{
	wardi_supervision.watch_arrived(self, msg);
	return true;
}

static bool on_unwatch(struct ward_self *self, struct wardi_sysmsg *msg)
{
	wardi_supervision.unwatch_arrived(self, msg);
	return true;
}

static bool on_notice(struct ward_self *self, struct wardi_sysmsg *msg)
{
	wardi_supervision.notice_arrived(self, msg);
	if (wardi_represents(self->cell) && wardi_represent_over(self->cell))
		return wardi_stop_goes_on(self);
	return true;
}

static bool on_released(struct ward_self *self, struct wardi_sysmsg *msg)
{
	wardi_backpressure_over(self, msg);
	return true;
}

static bool on_spawn(struct ward_self *self, struct wardi_sysmsg *msg)
{
	wardi_spawn_requested(self, msg);
	return true;
}

static bool on_select(struct ward_self *self, struct wardi_sysmsg *msg)
{
	wardi_select_arrived(self, msg);
	return true;
}

static bool on_shutdown(struct ward_self *self, struct wardi_sysmsg *msg)
{
	(void)msg;
	return !wardi_shutdown_step(self) || wardi_stop(self);
}

/* ---- where the life it was for is over ----------------------------------------------------- */

static bool watch_dead(struct ward_self *self, struct wardi_sysmsg *msg)
{
	wardi_supervision.answer_dead(self, msg);
	return true;
}

static bool link_dead(struct ward_self *self, struct wardi_sysmsg *msg)
{
	wardi_link_misaddressed(self, msg);
	return true;
}

static bool exit_dead(struct ward_self *self, struct wardi_sysmsg *msg)
{
	wardi_exit_misaddressed(self, msg);
	return true;
}

static bool spawn_dead(struct ward_self *self, struct wardi_sysmsg *msg)
{
	wardi_spawn_refused(self->system, msg);
	return true;
}

static bool select_dead(struct ward_self *self, struct wardi_sysmsg *msg)
{
	wardi_select_missed(self, msg);
	return true;
}

/* It passes every gate. */
#define ANY WARDI_GATE_WAITING

const struct wardi_sys_row wardi_sys_kinds[] = {
	[WARDI_SYS_COMMAND] = {on_command, WARDI_GATE_SUSPENDED, NULL, NULL},
	[WARDI_SYS_STOP] = {on_stop, ANY, NULL, NULL},
	[WARDI_SYS_FAILED] = {on_failed, WARDI_GATE_OPEN, on_failed, NULL},
	[WARDI_SYS_GONE] = {on_gone, ANY, NULL, NULL},
	[WARDI_SYS_WATCH] = {on_watch, ANY, on_watch, watch_dead},
	[WARDI_SYS_UNWATCH] = {on_unwatch, ANY, on_unwatch, watch_dead},
	[WARDI_SYS_NOTICE] = {on_notice, ANY, on_notice, watch_dead},
	[WARDI_SYS_LINK] = {wardi_link_arrived, ANY, wardi_link_arrived, link_dead},
	[WARDI_SYS_LINK_OVER] = {wardi_link_over, ANY, wardi_link_over, link_dead},
	[WARDI_SYS_EXIT] = {wardi_exit_arrived, ANY, wardi_exit_arrived, exit_dead},
	[WARDI_SYS_RELEASED] = {on_released, ANY, on_released, NULL},
	[WARDI_SYS_SPAWN] = {on_spawn, ANY, spawn_dead, spawn_dead},
	[WARDI_SYS_SELECT] = {on_select, ANY, select_dead, select_dead},
	[WARDI_SYS_SHUTDOWN] = {on_shutdown, ANY, NULL, NULL},
};
_Static_assert(sizeof wardi_sys_kinds / sizeof wardi_sys_kinds[0] == WARDI_SYS_KINDS,
	       "one row for each kind");
