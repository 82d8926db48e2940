/* SPDX-License-Identifier: MIT
 *
 * hooks.c - calling the hooks of a behaviour, each under a save point of its own.
 *
 * A jump goes to the innermost save point: that of the hook that runs, or else that of the worker
 * (turn.c). sigsetjmp(buf, 0) and siglongjmp are the one pair that works with both compilers
 * and all sanitizers. A function that sets a save point changes no local variable after that: all
 * that must survive the jump is in memory behind a pointer.
 *
 * Threads: runs only on the holder's worker.
 */
#include "life/hooks.h"

#include <stdarg.h>
#include <stdio.h>

#include "actor/arena.h"
#include "actor/failing.h"
#include "actor/hardware_fault.h"
#include "base/assert.h"
#include "base/lock.h"
#include "cell/points.h"
#include "cell/supervision_table.h"

static ward_result invoke(struct ward_self *self, struct wardi_call *call)
{
	const ward_behavior *behavior = wardi_behavior(self);
	struct wardi_args *args = self->cell->rare->args;
	void *state = self->cell->memory;
	const ward_msg *msg = self->msg;

	switch (call->kind) {
	case WARDI_HOOK_INIT:
		return behavior->init(self, state, args == NULL ? NULL : args->bytes);
	case WARDI_HOOK_PRE_START:
		return behavior->pre_start(self, state);
	case WARDI_HOOK_POST_STOP:
		return behavior->post_stop(self, state);
	case WARDI_HOOK_PRE_RESTART:
		if (behavior->pre_restart == NULL)
			return wardi_supervision.default_pre_restart(self);
		return behavior->pre_restart(self, state, call->why, msg);
	case WARDI_HOOK_POST_RESTART:
		if (behavior->post_restart == NULL)
			return wardi_supervision.default_post_restart(self);
		return behavior->post_restart(self, state, call->why);
	case WARDI_HOOK_DECIDE:
	default:
		call->directive = call->strategy->decide(self, call->child, call->why);
		return call->directive == WARD_DECIDER_FAILED ? WARD_FAILED : WARD_DONE;
	}
}

static __attribute__((noinline)) void call_saved(struct ward_self *self, struct wardi_call *call)
{
	sigjmp_buf *outer = self->save;
	sigjmp_buf save; /* not in the call, which is zeroed: it is large */

	wardi_lock_none(WARDI_LOCK_PLACE);
	if (sigsetjmp(save, 0) == 0) {
		self->save = &save;
		call->result = invoke(self, call);
	} else {
		wardi_hardware_fault_landed(self);
		call->result = WARD_FAILED;
	}
	self->save = outer;
}

/* ---- the points of a simulation ---------------------------------------------------------- */

static ward_point point_of(enum wardi_hook_kind kind)
{
	static const ward_point points[] = {
		[WARDI_HOOK_INIT] = WARD_POINT_INIT,
		[WARDI_HOOK_PRE_START] = WARD_POINT_PRE_START,
		[WARDI_HOOK_POST_STOP] = WARD_POINT_POST_STOP,
		[WARDI_HOOK_PRE_RESTART] = WARD_POINT_PRE_RESTART,
		[WARDI_HOOK_POST_RESTART] = WARD_POINT_POST_RESTART,
		[WARDI_HOOK_DECIDE] = WARD_POINT_DECIDE,
	};

	return points[kind];
}

/* A default hook is the library's, and does not fail by itself: the points are in what it calls. */
static bool is_default(const struct ward_self *self, enum wardi_hook_kind kind)
{
	const ward_behavior *behavior = wardi_behavior(self);

	return (kind == WARDI_HOOK_PRE_RESTART && behavior->pre_restart == NULL) ||
	       (kind == WARDI_HOOK_POST_RESTART && behavior->post_restart == NULL);
}

static void call_simulated(struct ward_self *self, struct wardi_call *call)
{
	ward_point point = point_of(call->kind);

	if (is_default(self, call->kind)) {
		call_saved(self, call);
		wardi_points.jumped(self);
		return;
	}
	call->fault = wardi_points.before(self, point, call->child);
	call->result = WARD_FAILED;
	if (call->fault != WARD_FAULT_FAIL_BEFORE)
		call_saved(self, call);
	call->result = wardi_points.after(self, point, call->child, call->fault, call->result);
}

ward_result wardi_call_within(struct ward_self *self, enum wardi_hook_kind kind)
{
	struct wardi_call call = {.kind = kind};

	if (!wardi_has_hook(wardi_behavior(self), kind))
		return WARD_DONE;
	if (!wardi_has_points(self->system))
		return invoke(self, &call);
	call.result = WARD_FAILED;
	if (wardi_points.before_within(self, point_of(kind)))
		call.result = invoke(self, &call);
	return wardi_points.after_within(self, call.result);
}

bool wardi_guarded(struct ward_self *self, struct wardi_call *call, struct wardi_failure *ret_cause)
{
	wardi_assert(wardi_failure_is_none(self->noted) && !self->callback);
	self->callback = self->hook = true;
	if (wardi_has_points(self->system))
		call_simulated(self, call);
	else
		call_saved(self, call);
	self->callback = self->hook = self->has_leftovers = false;
	wardi_scratch_reset(self);
	*ret_cause = wardi_take_noted(self, call->result);
	return wardi_failure_is_none(*ret_cause);
}

bool wardi_guarded_end(struct ward_self *self, struct wardi_call *call, ward_end why,
		       const ward_failure *failure, struct wardi_failure *ret_cause)
{
	bool fine;

	self->stop_reason = why;
	self->stop_failure = failure;
	fine = wardi_guarded(self, call, ret_cause);
	self->stop_reason = WARD_END_UNKNOWN;
	self->stop_failure = NULL;
	return fine;
}
