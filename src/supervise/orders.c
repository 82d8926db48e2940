/* SPDX-License-Identifier: MIT
 *
 * orders.c - orders to a child that has not failed: restart, suspend, resume, exit.
 *
 * A parent that acts on another's word gives them: the one that really supervises the child lives
 * elsewhere, and has restarted or suspended what stands in for it. They add up in the child's slot
 * as all orders do (command.c).
 *
 * Threads: runs only on the worker that holds the parent.
 */
#include <ward/extend.h>

#include "base/error.h"
#include "cell/command.h"
#include "cell/path.h"
#include "cell/self.h"
#include "watch/exit.h"

static ward_err find(const struct ward_self *self, const char *call, ward_ref ref,
		     struct wardi_cell **ret_child)
{
	char path[WARD_EVENT_PATH];

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	*ret_child = wardi_self_child(self, ref);
	if (*ret_child != NULL && !(*ret_child)->dying)
		return WARD_OK;
	wardi_path_tail(self->system, ref, path, sizeof path);
	if (*ret_child == NULL)
		return wardi_error(WARD_ENOENT,
				   "%s: %s is not, or no longer, a child of this actor", call,
				   path);
	return wardi_error(WARD_ESTOPPING, "%s: %s was told to stop", call, path);
}

ward_err ward_restart_child(ward_self *self, ward_ref child,
			    const ward_failure_class *failure_class, const char *text)
{
	struct wardi_cell *cell;
	struct wardi_failure cause;
	ward_err err = find(self, "ward_restart_child", child, &cell);

	if (err == WARD_OK)
		err = ward_failure_class_check(failure_class);
	if (err != WARD_OK)
		return err;
	cause = wardi_failure_text(self->system, wardi_own_ref(self), failure_class,
				   WARDI_NO_FAILURE, "%s", text == NULL ? "(no text)" : text);
	/* It also answers a failure that waits for ward_decide(). */
	wardi_command_restart_for(self, cell, cause, wardi_cell_take_pending(cell));
	return WARD_OK;
}

ward_err ward_exit_child(ward_self *self, ward_ref child, ward_ref from,
			 const ward_exit_reason *reason)
{
	struct wardi_cell *cell;
	ward_err err = find(self, "ward_exit_child", child, &cell);

	if (err == WARD_OK)
		err = wardi_exit_check("ward_exit_child", reason);
	return err == WARD_OK ? wardi_exit_far(self, from, child, reason) : err;
}

ward_err ward_suspend_child(ward_self *self, ward_ref child)
{
	struct wardi_cell *cell;
	ward_err err = find(self, "ward_suspend_child", child, &cell);

	if (err == WARD_OK)
		wardi_command_suspend(self, cell, 1);
	return err;
}

ward_err ward_resume_child(ward_self *self, ward_ref child)
{
	struct wardi_cell *cell;
	ward_err err = find(self, "ward_resume_child", child, &cell);

	if (err == WARD_OK)
		wardi_command_resume(self, cell, 1, false);
	return err;
}
